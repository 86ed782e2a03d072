//! The completion queue: the events of many calls in one place, each with its call's tag, for one
//! thread or several, sleeping or in an event loop. Knows no HTTP and no language.
//!
//! What a member is and whose turn it is stands in `many`; here are the calls, their I/O and the
//! process.

use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::record::CancelledBy;
use crate::call::call::Call;
use crate::call::queue::Pop;
use crate::call::session::Session;
use crate::call::task::Shared as CallShared;
use crate::delivery::log::Level;
use crate::delivery::many::{Closing, Many, Next, Source, Taken};
use crate::delivery::ready::Ready;
use crate::driver::driver::{Driver, Waited};
use crate::driver::state::Awaited;
use crate::driver::wake_fd::{Slept, WireKind};
use crate::options::config::ExternalRuntime;
use crate::system::Descriptor;
use crate::system::process;
use crate::system::sync::{Mutex, lock};

/// What kind of queue it is to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueOptions {
    /// How many events of one call wait at most (at least 2) before its body is no longer read;
    /// `None` leaves it to the client's limits.
    pub call_events_max: Option<usize>,
    /// Waits end with [`Next::Interrupted`] when a signal handler ran, and
    /// [`CompletionQueue::wakeup`] may be called from inside one. No wait does the I/O.
    pub interruptible: bool,
    /// The descriptor is a socket, for event loops that take nothing else.
    pub socket: bool,
}

/// Events of many calls, each with the tag of its call. Cheap to clone; every method may be called
/// from any thread. Dropping the last clone cancels its calls.
#[derive(Clone)]
pub struct CompletionQueue {
    generation: u64,
    many: Arc<Many<Arc<CallShared>>>,
    call_events_max: usize,
    /// What a thread that waits here may do the I/O of: that of the call that came last.
    driver: Arc<Mutex<Option<Arc<Driver>>>>,
    /// The program's runtime that does the I/O of calls here, on whose threads nobody may wait.
    external: Arc<OnceLock<ExternalRuntime>>,
}

impl CompletionQueue {
    /// An empty queue. `call_events_max` is how many events of one call wait at most (at least 2)
    /// before its body is no longer read; `None` leaves it to the client's limits.
    pub fn new(call_events_max: Option<usize>) -> CompletionQueue {
        CompletionQueue::over(Ready::of(WireKind::Event), call_events_max)
    }

    /// An empty queue whose waits can be interrupted: see [`QueueOptions::interruptible`].
    pub fn interruptible() -> Result<CompletionQueue> {
        CompletionQueue::with(QueueOptions { interruptible: true, ..QueueOptions::default() })
    }

    /// An empty queue of this kind. Fails where there is no descriptor for it.
    pub fn with(options: QueueOptions) -> Result<CompletionQueue> {
        let kind = if options.socket { WireKind::Socket } else { WireKind::Event };
        let ready =
            if options.interruptible { Ready::interruptible(kind)? } else { Ready::of(kind) };
        Ok(CompletionQueue::over(ready, options.call_events_max))
    }

    fn over(ready: Ready, call_events_max: Option<usize>) -> CompletionQueue {
        let call_events_max = call_events_max.unwrap_or(usize::MAX);
        let many = Arc::new(Many::over(ready));
        let (generation, driver) = (process::generation(), Arc::new(Mutex::new(None)));
        let external = Arc::default();
        CompletionQueue { generation, many, call_events_max, driver, external }
    }

    /// Starts a call whose events will come out here with this tag, the last of them `Done`. An
    /// error means that nothing was sent and no event will come. The call's own pops are not to be
    /// used then; cancelling it, or dropping it, ends it as always.
    pub fn submit(&self, call: &Call, stream: bool, tag: u64) -> Result<()> {
        self.check_process()?;
        let place = self.many.reserve()?;
        let shared = call.shared();
        shared.queue.limit_events(self.call_events_max);
        match call.begin(stream, self.awaited()) {
            Ok(()) => {
                self.note_driver_of(shared);
                self.many.insert(place, shared.clone(), tag);
            }
            Err(error) => {
                self.many.give_back(place);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Starts a call that the queue owns: there is no handle to keep, and it is reached by its tag,
    /// which no other unfinished one may have. Whatever goes wrong with its start is its `Done`. An
    /// error means that no event will come: the queue is closed or another process's, the tag is
    /// in use, or the call was started before.
    pub fn submit_owned(&self, call: Call, stream: bool, tag: u64) -> Result<()> {
        self.check_process()?;
        call.check_process()?;
        let request = call.take_request(stream)?;
        let shared = call.shared().clone();
        shared.queue.limit_events(self.call_events_max);
        self.many.adopt(shared.clone(), tag)?;
        call.launch_to_end(request, stream, self.awaited());
        self.note_driver_of(&shared);
        call.disown();
        Ok(())
    }

    /// Who waits for what is submitted.
    fn awaited(&self) -> Awaited {
        match self.many.ready.bell() {
            None => Awaited::AtQueue,
            Some(_) => Awaited::Anywhere, // nobody who does the I/O
        }
    }

    fn note_driver_of(&self, call: &CallShared) {
        if let Some(external) = &call.settings().runtime {
            self.external.get_or_init(|| external.clone());
        }
        let Some(driver) = call.driver() else { return };
        let mut noted = lock(self.driver.as_ref());
        if noted.as_ref().is_none_or(|noted| !Arc::ptr_eq(noted, driver)) {
            let earlier = noted.replace(driver.clone());
            drop(noted);
            drop(earlier);
        }
    }

    /// Ends an owned call now, as [`Call::cancel`] does, also a paused one. False if no unfinished
    /// one has this tag.
    pub fn cancel(&self, tag: u64) -> bool {
        self.check_process().is_ok() && self.many.cancel(tag)
    }

    /// Lets no event of an owned call come out until it is resumed or cancelled, or the queue
    /// closed. What arrives meanwhile waits within the bounds of its client; then its body is no
    /// longer read. False if no unfinished one has this tag.
    pub fn pause(&self, tag: u64) -> bool {
        self.check_process().is_ok() && self.many.pause(tag)
    }

    /// Ends a pause. False if no unfinished call that the queue owns has this tag.
    pub fn resume(&self, tag: u64) -> bool {
        self.check_process().is_ok() && self.many.resume(tag)
    }

    /// How many calls there are whose `Done` was not taken.
    pub fn unfinished(&self) -> usize {
        self.check_process().map_or(0, |()| self.many.unfinished())
    }

    /// Lets the log come out here too, with this tag: records of this level and more important ones
    /// as [`Next::Log`], in place of what was set here before; `None` ends it. At most
    /// [`log::RECORDS_MAX`](crate::log::RECORDS_MAX) wait; what comes on top is dropped, and a record
    /// says how many. Fails where the program has a logger of its own, which then gets the records.
    pub fn follow_log(&self, level: Option<Level>, tag: u64) -> Result<()> {
        self.check_process()?;
        self.many.follow_log(level, tag)
    }

    /// As [`Client::follow_calls`](crate::Client::follow_calls).
    pub(crate) fn follow_calls(&self, session: &Session, tag: Option<u64>) -> Result<()> {
        self.check_process()?;
        self.many.follow_calls(session, tag)
    }

    /// The next event of any call; waits for it until the timeout runs out. `None` waits for ever,
    /// zero not at all. Fails where it would wait on a thread of the runtime that does the I/O
    /// ([`Config::runtime`](crate::Config::runtime)), and nothing could come.
    pub fn next(&self, timeout: Option<Duration>) -> Result<Next> {
        self.check_process()?;
        let next = |timeout| self.many.next_by(timeout, |live, left| self.wait(live, left));
        match self.check_may_wait(timeout) {
            Ok(()) => Ok(next(timeout)),
            Err(error) => match next(Some(Duration::ZERO)) {
                Next::Empty => Err(error),
                found => Ok(found),
            },
        }
    }

    /// Fails on a thread that is to do the I/O of calls here meanwhile.
    fn check_may_wait(&self, timeout: Option<Duration>) -> Result<()> {
        match self.external.get() {
            Some(external) if timeout != Some(Duration::ZERO) => external.check_may_wait(),
            _ => Ok(()),
        }
    }

    /// Sleeps until a member is noted, or does the I/O meanwhile if all that lives are members.
    fn wait(&self, live: usize, timeout: Option<Duration>) -> Slept {
        let ready = &self.many.ready;
        if let Some(bell) = ready.bell() {
            return ready.wait_at(bell, timeout);
        }
        let driver = lock(self.driver.as_ref()).clone();
        if let Some(driver) = driver {
            let noted = poll_fn(|cx| ready.poll_wait(cx));
            match driver.wait(live, timeout, || ready.has_company(), noted) {
                Waited::Found(is_noted) => return Slept::of(is_noted),
                Waited::TimedOut => return Slept::InVain,
                Waited::Elsewhere => {}
            }
        }
        Slept::of(ready.wait(timeout))
    }

    /// As many events as are there, at most `max`, appended to `taken`; waits only for the first
    /// one. Fails as [`CompletionQueue::next`].
    pub fn next_many(
        &self,
        max: usize,
        timeout: Option<Duration>,
        taken: &mut Vec<Next>,
    ) -> Result<Taken> {
        self.check_process()?;
        let mut next = |timeout| {
            self.many.next_many_by(max, timeout, taken, |live, left| self.wait(live, left))
        };
        match self.check_may_wait(timeout) {
            Ok(()) => Ok(next(timeout)),
            Err(error) => match next(Some(Duration::ZERO)) {
                Taken::Nothing => Err(error),
                found => Ok(found),
            },
        }
    }

    /// Lets one waiting `next`, or the next one, return [`Next::Empty`]; that of an
    /// [interruptible](QueueOptions::interruptible) queue [`Next::Interrupted`]. There it may be
    /// called from inside a signal handler: it takes no lock and no memory.
    pub fn wakeup(&self) {
        match self.many.ready.bell() {
            Some(bell) => bell.ring(),
            None if self.check_process().is_ok() => self.many.ready.interrupt(),
            None => {}
        }
    }

    /// Refuses new calls and cancels those under way. Their `Done` comes out as always; then every
    /// `next` gives [`Next::Closed`].
    pub fn close(&self) {
        if self.check_process().is_ok() {
            self.many.close(Closing::Cancels);
        }
    }

    /// Refuses new calls; those under way go on. Then every `next` gives [`Next::Closed`].
    pub(crate) fn retire(&self) {
        if self.check_process().is_ok() {
            self.many.close(Closing::LetsFinish);
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.many.is_closed()
    }

    /// A descriptor that is readable while there may be something to take, and once the queue is
    /// closed: when it is, call [`CompletionQueue::next`] with a timeout of zero until it gives
    /// something else than an event. It stays the queue's: a program must not close it, and one
    /// that wants to own it makes a duplicate. What is read from it is of no meaning. An eventfd
    /// where the system has such a thing; see also [`QueueOptions::socket`].
    pub fn fd(&self) -> Result<Descriptor> {
        self.many.ready.fd()
    }

    /// Fails in another process than the one that made the queue.
    pub fn check_process(&self) -> Result<()> {
        if process::generation() == self.generation {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Forked, "this completion queue belongs to the parent process"))
    }
}

impl Source for Arc<CallShared> {
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop> {
        self.queue.poll_pop(cx)
    }

    fn watch(&self, waker: &Waker) -> bool {
        self.queue.watch(waker)
    }

    fn cancel(&self, by: CancelledBy) {
        self.cancel_by(by);
    }
}
