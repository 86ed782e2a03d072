//! Where rows are noted before they are sent: what an engine wants of a journal.

use crate::row::Row;

/// Where rows are noted before they are sent, so that none is paid twice unawares.
pub trait Book {
    /// The row is about to be sent. It may be once [`Book::durable`] has reached the ticket that this
    /// returns; tickets never fall.
    fn sending(&mut self, row: &Row) -> u64;
    /// Rows with tickets up to this one are on disk.
    fn durable(&self) -> u64;
    /// The row was not processed, or not sent at all: as if it had never been noted.
    fn refused(&mut self, row: &Row);
    /// Nothing new is sent while what came is not written.
    fn is_behind(&self) -> bool {
        false
    }
}

/// The book of a run that remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBook;

impl Book for NoBook {
    fn sending(&mut self, _row: &Row) -> u64 {
        0
    }

    fn durable(&self) -> u64 {
        u64::MAX
    }

    fn refused(&mut self, _row: &Row) {}
}
