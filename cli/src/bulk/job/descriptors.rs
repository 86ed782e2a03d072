//! The maximum number of connections: raises this process's limit of file descriptors as far as allowed.

use crate::system::raise_descriptors;

/// Sixteenths of the descriptors for connections in use by the client.
const SIXTEENTHS_IN_USE: u64 = 6;

/// Maximum descriptors to request, whatever the system allows.
const DESCRIPTORS_MAX: u64 = 65_536;

/// Raises the soft limit to the hard one, and returns the maximum connections in use. If the limit cannot
/// be raised, there are fewer connections.
pub(super) fn connections_max() -> usize {
    let connections = raise_descriptors(DESCRIPTORS_MAX) / 16 * SIXTEENTHS_IN_USE;
    usize::try_from(connections).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_limit_is_within_bounds() {
        let connections = connections_max();
        assert!((1..=24_576).contains(&connections), "{connections}");
    }
}
