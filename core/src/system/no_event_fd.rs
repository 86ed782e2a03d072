//! For systems without an eventfd that event loops can watch: an uninhabited type.

use std::io::Result as IoResult;

use super::platform::{BorrowedDescriptor, RawDescriptor};

pub(crate) enum EventFd {}

impl EventFd {
    pub(crate) fn new() -> Option<IoResult<EventFd>> {
        None
    }

    pub(crate) fn add(&self) {
        match *self {}
    }

    pub(crate) fn take(&self) -> usize {
        match *self {}
    }

    pub(crate) fn borrowed(&self) -> BorrowedDescriptor<'_> {
        match *self {}
    }

    pub(crate) fn raw(&self) -> RawDescriptor {
        match *self {}
    }
}
