//! Who hears of the ends of a client's calls: what is told, and the list of those who listen, in each
//! process its own. Knows no call and no buffer.

use std::sync::{Arc, Mutex};
use std::task::Waker;

use crate::answer::error::Result;
use crate::answer::record::CallRecord;
use crate::answer::response::Response;
use crate::answer::texts::Object;
use crate::system::process::PerProcess;
use crate::system::sync::lock;

/// What is told of a call that ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Told {
    /// What [`Request::tag`](crate::Request::tag) set; 0 by default.
    pub tag: u64,
    /// What the call tells.
    pub record: CallRecord,
    /// The answer, where it was asked for and is whole: a document, or a stream that was gathered.
    pub response: Option<Response>,
    /// How many records found no room since what was told before:
    /// [`RECORDS_WAITING_MAX`](crate::RECORDS_WAITING_MAX) waited.
    pub dropped: u64,
}

impl Told {
    /// What is known of it beside the record, as a JSON object, for programs that are not Rust.
    pub fn info_json(&self) -> String {
        Object::new().number("dropped", self.dropped).finish()
    }
}

/// One who hears of each end.
pub(crate) trait Hears: Send + Sync {
    /// Runs under locks, so it calls nothing foreign: what is to be woken is given back.
    fn hear(&self, told: &Told) -> Option<Waker>;
}

/// Those who hear of the calls of a client, and of those that share its sums.
#[derive(Default)]
pub(crate) struct Listeners {
    all: Mutex<Vec<Arc<dyn Hears>>>,
}

/// A child of a fork has none.
pub(crate) type SharedListeners = Arc<PerProcess<Listeners>>;

impl Listeners {
    /// Those of this process.
    pub(crate) fn of(shared: &PerProcess<Listeners>) -> Result<&Listeners> {
        shared.get_or_try_init(|| Ok(Listeners::default()))
    }

    /// From now on this one hears, in place of an earlier one where there is one: one of them hears of
    /// each end.
    pub(crate) fn add(&self, one: Arc<dyn Hears>, earlier: Option<&Arc<dyn Hears>>) {
        let mut all = lock(&self.all);
        all.retain(|other| !earlier.is_some_and(|earlier| Arc::ptr_eq(other, earlier)));
        all.push(one);
    }

    pub(crate) fn remove(&self, one: &Arc<dyn Hears>) {
        lock(&self.all).retain(|other| !Arc::ptr_eq(other, one));
    }

    pub(crate) fn are_there(&self) -> bool {
        !lock(&self.all).is_empty()
    }

    /// All hear of it; gives who is to be woken once no lock is held.
    pub(crate) fn tell(&self, told: &Told) -> Vec<Waker> {
        lock(&self.all).iter().filter_map(|one| one.hear(told)).collect()
    }
}
