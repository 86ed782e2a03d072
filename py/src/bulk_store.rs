//! What a bulk job keeps on disk: the state of its rows, and the results.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use modelwire::Endpoint;
use modelwire_bulk::Error;
use modelwire_bulk::engine::{NoSendJournal, SendJournal, Waker};
use modelwire_bulk::ledger::{KnownState, Ledger};
use modelwire_bulk::row::{BodyHash, Finished, Key, Row};
use modelwire_bulk::store::{Order, Store, StoreOptions, StoreSendJournal};

use crate::lock::lock;

/// The names and the order of rows, for the threads that add them.
pub(crate) struct RowNames {
    ledger: Mutex<Ledger>,
    order: Option<Mutex<Order>>,
}

impl RowNames {
    /// Names a row, and returns its known state.
    pub(crate) fn meet(
        &self,
        custom_id: Option<&str>,
        endpoint: Endpoint,
        body: &str,
    ) -> (Key, KnownState) {
        let (key, met) = self.look(custom_id, endpoint, body);
        if let Some(order) = &self.order
            && met != KnownState::Twice
        {
            lock(order).push(&key);
        }
        (key, met)
    }

    /// The same for a survey: it has no order.
    pub(crate) fn look(
        &self,
        custom_id: Option<&str>,
        endpoint: Endpoint,
        body: &str,
    ) -> (Key, KnownState) {
        let hash = BodyHash::of(endpoint, body);
        lock(&self.ledger).meet_row(custom_id, hash)
    }

    /// After a survey: all rows are read again.
    pub(crate) fn begin_again(&self) {
        lock(&self.ledger).begin_again();
    }
}

/// The store of a job with an output.
pub(crate) struct JobStore {
    store: Store,
    register: Arc<RowNames>,
    waker: Arc<OnceLock<Waker>>,
}

impl JobStore {
    /// Opens the results and their journal, or resumes from existing ones.
    pub(crate) fn open(
        output: PathBuf,
        is_ordered: bool,
        retries_failed: bool,
        errors: Option<PathBuf>,
    ) -> Result<JobStore, Error> {
        let waker = Arc::new(OnceLock::<Waker>::new());
        let options = StoreOptions {
            results: Some(output),
            errors,
            is_ordered,
            retries_failed,
            ..StoreOptions::default()
        };
        let to_wake = waker.clone();
        let wake = Box::new(move || {
            if let Some(waker) = to_wake.get() {
                waker.wake();
            }
        });
        let (store, ledger) = Store::open(&options, None, wake)?;
        let order = is_ordered.then(Mutex::default);
        let register = Arc::new(RowNames { ledger: Mutex::new(ledger), order });
        Ok(JobStore { store, register, waker })
    }

    /// The register, for the threads that add rows.
    pub(crate) fn register(&self) -> Arc<RowNames> {
        self.register.clone()
    }

    /// Rows of an earlier run without a known outcome.
    pub(crate) fn unknown(&self) -> Vec<String> {
        self.store.resumed().unknown.clone()
    }

    /// The book that records rows before they are sent.
    pub(crate) fn book(&self) -> AnyBook {
        AnyBook::Store(self.store.book())
    }

    /// Sets the waker to call after each write.
    pub(crate) fn wakes(&self, waker: Waker) {
        let _ = self.waker.set(waker);
    }

    /// Records the end of a row. One of a pilot is read again: it is then known as done or failed.
    pub(crate) fn finished(&mut self, finished: &Finished, is_of_pilot: bool) {
        let outcome = self.store.finished(finished);
        if is_of_pilot {
            lock(&self.register.ledger).settle(&finished.row.key, outcome.into());
        }
    }

    /// Records an invalid row, which is not sent.
    pub(crate) fn unsent(&mut self, key: &Key, message: String) {
        self.store.unsent(key, &modelwire::Error::argument(message));
    }

    /// Whether something permanently cannot be written.
    pub(crate) fn is_failed(&self) -> bool {
        self.store.is_failed()
    }

    /// Writes everything, in the order of the rows if requested and if all of them ended.
    pub(crate) fn close(self, is_whole: bool) -> Result<(), Error> {
        let order = self.register.order.as_ref().filter(|_| is_whole);
        let order = order.map(|order| std::mem::take(&mut *lock(order)));
        self.store.close(order.as_ref())
    }
}

/// The book of a job, with or without an output.
pub(crate) enum AnyBook {
    /// Records nothing.
    None(NoSendJournal),
    /// The journal of the store.
    Store(StoreSendJournal),
}

impl SendJournal for AnyBook {
    fn sending(&mut self, row: &Row) -> u64 {
        match self {
            AnyBook::None(book) => book.sending(row),
            AnyBook::Store(book) => book.sending(row),
        }
    }

    fn durable(&self) -> u64 {
        match self {
            AnyBook::None(book) => book.durable(),
            AnyBook::Store(book) => book.durable(),
        }
    }

    fn refused(&mut self, row: &Row) {
        match self {
            AnyBook::None(book) => book.refused(row),
            AnyBook::Store(book) => book.refused(row),
        }
    }

    fn is_behind(&self) -> bool {
        match self {
            AnyBook::None(book) => book.is_behind(),
            AnyBook::Store(book) => book.is_behind(),
        }
    }
}
