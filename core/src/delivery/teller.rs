//! Hands what the calls of a client tell to a function of the program's, one by one, on a thread of its
//! own. Knows no call and no language.

use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::time::{Duration, Instant};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::call::listeners::Told;
use crate::call::session::{Handlers, Session};
use crate::delivery::foreign::{guarded, mark_callback_thread};
use crate::delivery::records::{Records, RecordsOptions};
use crate::driver::thread::OwnThread;
use crate::system::process::{self, PerProcess};
use crate::system::sync::lock;

/// Records that the thread takes in one go at most.
const BATCH_RECORDS_MAX: usize = 256;

/// A function that is told of calls ([`Client::tell`](crate::Client::tell)). Dropping this ends it, and
/// waits for nothing: what is due still comes.
pub struct Teller {
    /// The process that made it: another one has no such thread.
    generation: u64,
    records: Arc<Records>,
    thread: Arc<OwnThread>,
}

/// Those of this process that may still tell.
static TELLERS: PerProcess<Mutex<Vec<Telling>>> = PerProcess::new();

struct Telling {
    records: Arc<Records>,
    thread: Arc<OwnThread>,
}

/// A function, until the thread has it: what fails before that drops it where nothing is locked.
type Given<F> = Arc<Mutex<Option<F>>>;

fn given<F>(tell: F) -> Given<F> {
    Arc::new(Mutex::new(Some(tell)))
}

/// The one that a session has for itself: its close waits for it as for a handler.
struct Own {
    session: Weak<Session>,
    held: Handlers,
}

impl Own {
    fn new(session: &Arc<Session>) -> Own {
        let own = Own { session: Arc::downgrade(session), held: Handlers::default() };
        session.handler_comes(&own.held);
        own
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(session) = self.session.upgrade() {
            session.handler_is_gone(&self.held);
        }
    }
}

thread_local! {
    /// The session whose own teller runs on this thread; weak, so that no other has its address.
    static TELLS_OF: RefCell<Weak<Session>> = const { RefCell::new(Weak::new()) };
}

/// Fails where the session's own teller runs on this thread.
pub(crate) fn check_elsewhere(session: &Arc<Session>) -> Result<()> {
    let is_of = |own: &RefCell<Weak<Session>>| own.borrow().as_ptr() == Arc::as_ptr(session);
    if TELLS_OF.try_with(is_of).unwrap_or(false) {
        let message = "what is told of the calls of a client cannot wait for its own end";
        return Err(Error::new(ErrorKind::Callback, message));
    }
    Ok(())
}

/// Puts one in the place of the session's own, if it has one.
pub(crate) fn replace(
    session: &Arc<Session>,
    options: RecordsOptions,
    tell: impl FnMut(Told) -> ControlFlow<()> + Send + 'static,
) -> Result<()> {
    let tell = given(tell);
    session.change_teller(|place| {
        let earlier = place.as_ref().and_then(|earlier| earlier.downcast_ref());
        let teller = Teller::of(session, options, &tell, Some(Own::new(session)), earlier)?;
        *place = Some(Box::new(teller));
        Ok(())
    })
}

/// Ends the session's own one; that of a closed session has ended.
pub(crate) fn end(session: &Session) -> Result<()> {
    match session.change_teller(|place| {
        drop(place.take());
        Ok(())
    }) {
        Err(error) if error.kind() != ErrorKind::Closed => Err(error),
        _ => Ok(()),
    }
}

impl Teller {
    pub(crate) fn new(
        session: &Session,
        options: RecordsOptions,
        tell: impl FnMut(Told) -> ControlFlow<()> + Send + 'static,
    ) -> Result<Teller> {
        Teller::of(session, options, &given(tell), None, None)
    }

    fn of(
        session: &Session,
        options: RecordsOptions,
        tell: &Given<impl FnMut(Told) -> ControlFlow<()> + Send + 'static>,
        own: Option<Own>,
        earlier: Option<&Teller>,
    ) -> Result<Teller> {
        let mut tellers = lock(TELLERS.get_or_try_init(|| Ok(Mutex::default()))?);
        process::run()?; // a shutdown would not wait for it
        let before = earlier.map(|earlier| earlier.thread.clone());
        let (give, take) = mpsc::channel::<Arc<Records>>();
        let tell = tell.clone();
        let thread = OwnThread::spawn("mw-tell".to_owned(), move || {
            mark_callback_thread();
            if let Some(own) = &own {
                TELLS_OF.set(own.session.clone());
            }
            if let Some(before) = before {
                before.is_gone_within(Duration::MAX);
            }
            let given = lock(&*tell).take();
            if let (Ok(records), Some(mut tell)) = (take.recv(), given) {
                tell_all(&records, &mut tell);
                match records.are_of_this_process() {
                    true => drop(guarded(|| drop(tell))),
                    false => std::mem::forget(tell), // a child of a fork inside it: it is the parent's
                }
            }
            drop(own);
        });
        let thread = thread.map_err(|cause| {
            Error::internal(format!("the thread that tells of calls cannot be started: {cause}"))
        })?;
        let records = Records::of(session, options, earlier.map(|earlier| &*earlier.records))?;
        let (records, thread) = (Arc::new(records), Arc::new(thread));
        let _ = give.send(records.clone());
        tellers.retain(|telling| !telling.thread.is_gone());
        tellers.push(Telling { records: records.clone(), thread: thread.clone() });
        Ok(Teller { generation: process::generation(), records, thread })
    }

    /// How many records found no room so far, as [`Records::dropped`] says.
    pub fn dropped(&self) -> u64 {
        self.records.dropped()
    }

    /// Ends it once the function was told what is due, and waits until it was dropped. False if that
    /// takes longer than the timeout: it then ends on its own. `None` waits for ever. Inside the
    /// function itself it waits for nothing.
    pub fn end_within(&self, timeout: impl Into<Option<Duration>>) -> bool {
        if process::generation() != self.generation {
            return true; // it is the parent's
        }
        self.records.stop();
        is_over(&self.thread, timeout.into().unwrap_or(Duration::MAX))
    }
}

/// Until it is stopped and drained, or has had enough.
fn tell_all(records: &Records, tell: &mut impl FnMut(Told) -> ControlFlow<()>) {
    while let Some(told) = records.take(BATCH_RECORDS_MAX, None) {
        for told in told {
            // One that panics is told of the next all the same.
            if guarded(|| tell(told)) == Some(ControlFlow::Break(())) {
                return records.stop();
            }
            if !records.are_of_this_process() {
                return; // a child of a fork inside it
            }
        }
    }
}

/// Whether the thread is over in time.
fn is_over(thread: &OwnThread, timeout: Duration) -> bool {
    !thread.is_current() && thread.join_within(timeout)
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.records.stop();
    }
}

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller").finish_non_exhaustive()
    }
}

/// Ends all of them once they told what is due; whether they are gone in time.
pub(crate) fn end_all(timeout: Duration) -> bool {
    let Some(known) = TELLERS.get() else { return true };
    let start = Instant::now();
    let mut tellers = std::mem::take(&mut *lock(known));
    tellers.iter().for_each(|telling| telling.records.stop());
    tellers.retain(|telling| !is_over(&telling.thread, timeout.saturating_sub(start.elapsed())));
    let are_gone = tellers.is_empty();
    lock(known).append(&mut tellers); // for who shuts down once more
    are_gone
}
