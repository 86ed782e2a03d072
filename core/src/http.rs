//! Floor 2. One request on the wire and its answer, over pooled connections with a limit.

pub(crate) mod connections;
pub(crate) mod failure;
#[cfg(feature = "gzip")]
pub(crate) mod inflate;
pub(crate) mod opening;
pub(crate) mod returns;
pub(crate) mod reuse;
pub(crate) mod timing;
pub(crate) mod tls;
pub(crate) mod transport;

/// Without the feature gzip, nothing is decompressed.
#[cfg(not(feature = "gzip"))]
pub(crate) mod inflate {
    use bytes::Bytes;

    pub(crate) enum Inflate {}

    impl Inflate {
        pub(crate) fn put(&mut self, _: Bytes) {
            match *self {}
        }

        pub(crate) fn take(&mut self) -> std::io::Result<Option<Bytes>> {
            match *self {}
        }

        pub(crate) fn finish(&mut self) -> std::io::Result<()> {
            match *self {}
        }
    }
}
