//! The completion queue: the events of many calls in one place, each with its call's tag, for one
//! thread or several, sleeping or in an event loop.
//!
//! `many` has the members and their order; this file has the calls, their I/O and the process.

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
use crate::driver::runtime;
use crate::driver::state::WaitedOnBy;
use crate::driver::wake_fd::{Slept, WireKind};
use crate::options::config::ExternalRuntime;
use crate::system::Descriptor;
use crate::system::process;
use crate::system::sync::{Mutex, lock};

/// The options of a queue.
///
/// ```
/// use modelwire::{CompletionQueue, QueueOptions};
///
/// let options = QueueOptions { call_events_max: Some(64), interruptible: true, ..QueueOptions::default() };
/// let queue = CompletionQueue::with(options)?;
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueOptions {
    /// The maximum number of queued events of one call (at least 2) before its body is no longer read;
    /// `None` uses the client's limits.
    pub call_events_max: Option<usize>,
    /// Waits end with [`Next::Interrupted`] when a signal handler has run, and
    /// [`CompletionQueue::wakeup`] may be called from inside one. No wait does the I/O.
    pub interruptible: bool,
    /// The descriptor is a socket, for event loops that accept only sockets.
    pub socket: bool,
}

/// Events of many calls, each with the tag of its call. Cheap to clone; every method may be called
/// from any thread. Dropping the last clone cancels its calls.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::{Call, CompletionQueue, Event, Next, Request};
///
/// let queue = CompletionQueue::new(None);
/// for tag in 0..3 {
///     queue.submit_owned(Call::new(&client, Request::models()), false, tag)?;
/// }
/// while queue.unfinished() > 0 {
///     if let Next::Event(tag, Event::Done(outcome)) = queue.next(None)? {
///         println!("call {tag}: {:?}", outcome.map(|answer| answer.model_ids()));
///     }
/// }
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone)]
pub struct CompletionQueue {
    generation: u64,
    many: Arc<Many<Arc<CallShared>>>,
    call_events_max: usize,
    /// The driver whose I/O a waiting thread may do: that of the last call.
    driver: Arc<Mutex<Option<Arc<Driver>>>>,
    /// The program's runtime that does the I/O of calls here; its threads must not wait.
    external: Arc<OnceLock<ExternalRuntime>>,
}

impl CompletionQueue {
    /// Creates an empty queue. `call_events_max` is the maximum number of queued events of one call (at
    /// least 2) before its body is no longer read; `None` uses the client's limits.
    pub fn new(call_events_max: Option<usize>) -> CompletionQueue {
        CompletionQueue::over(Ready::of(WireKind::Event), call_events_max)
    }

    /// Creates an empty queue whose waits can be interrupted: see [`QueueOptions::interruptible`].
    ///
    /// ```
    /// use modelwire::{CompletionQueue, Next};
    ///
    /// let queue = CompletionQueue::interruptible()?;
    /// queue.wakeup(); // in a signal handler, for instance
    /// assert!(matches!(queue.next(None)?, Next::Interrupted));
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn interruptible() -> Result<CompletionQueue> {
        CompletionQueue::with(QueueOptions { interruptible: true, ..QueueOptions::default() })
    }

    /// Creates an empty queue with these options. Fails if no descriptor is available.
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

    /// Starts a call whose events come out here with this tag; the last one is `Done`. An error means
    /// that nothing was sent and there will be no event. Do not use the call's own pops then;
    /// cancelling or dropping it ends it as usual.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, CompletionQueue, Event, Next, Request};
    ///
    /// let queue = CompletionQueue::new(None);
    /// let call = Call::new(&client, Request::models()); // keep it: a drop cancels the call
    /// queue.submit(&call, false, 7)?;
    /// let Next::Event(7, Event::Done(outcome)) = queue.next(None)? else { return Err("no end".into()) };
    /// assert!(outcome.is_err()); // nothing listens there
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Starts a call that the queue owns: there is no handle to keep. Its tag identifies it, and no
    /// other unfinished owned call may have the same tag. An error during its start is its `Done`. A
    /// returned error means that there will be no event: the queue is closed or belongs to another
    /// process, the tag is in use, or the call was started before.
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

    /// The waiter for a submitted call.
    fn awaited(&self) -> WaitedOnBy {
        match self.many.ready.bell() {
            None if waits_do_io() => WaitedOnBy::AtQueue,
            None | Some(_) => WaitedOnBy::Anywhere,
        }
    }

    fn note_driver_of(&self, call: &CallShared) {
        if let Some(external) = &call.runtime {
            self.external.get_or_init(|| external.clone());
        }
        let Some(driver) = call.driver() else { return };
        if !waits_do_io() {
            return;
        }
        let mut noted = lock(self.driver.as_ref());
        if noted.as_ref().is_none_or(|noted| !Arc::ptr_eq(noted, driver)) {
            let earlier = noted.replace(driver.clone());
            drop(noted);
            drop(earlier);
        }
    }

    /// Cancels an owned call now, like [`Call::cancel`], even if it is paused. False if no unfinished
    /// call has this tag.
    ///
    /// ```
    /// # let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// # let base_url = format!("http://{}/v1", silent.local_addr()?);
    /// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, CompletionQueue, ErrorKind, Event, Next, Request};
    ///
    /// let queue = CompletionQueue::new(None);
    /// queue.submit_owned(Call::new(&client, Request::models()), false, 7)?;
    /// assert!(queue.cancel(7));
    /// let Next::Event(7, Event::Done(outcome)) = queue.next(None)? else { return Err("no end".into()) };
    /// assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Cancelled);
    /// assert!(!queue.cancel(7)); // it has ended
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(&self, tag: u64) -> bool {
        self.check_process().is_ok() && self.many.cancel(tag)
    }

    /// Holds back the events of an owned call until it is resumed or cancelled, or the queue is closed.
    /// Arriving events are queued within the limits of its client; then its body is no longer read.
    /// False if no unfinished call has this tag.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use std::time::Duration;
    /// use modelwire::{Call, CompletionQueue, Next, Request};
    ///
    /// let queue = CompletionQueue::new(None);
    /// queue.submit_owned(Call::new(&client, Request::models()), false, 7)?;
    /// assert!(queue.pause(7));
    /// assert!(matches!(queue.next(Some(Duration::from_millis(20)))?, Next::Empty));
    /// assert!(queue.resume(7));
    /// assert!(matches!(queue.next(None)?, Next::Event(7, _)));
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn pause(&self, tag: u64) -> bool {
        self.check_process().is_ok() && self.many.pause(tag)
    }

    /// Ends a pause. False if no unfinished call that the queue owns has this tag.
    pub fn resume(&self, tag: u64) -> bool {
        self.check_process().is_ok() && self.many.resume(tag)
    }

    /// The number of calls whose `Done` has not been taken.
    pub fn unfinished(&self) -> usize {
        self.check_process().map_or(0, |()| self.many.unfinished())
    }

    /// Delivers the log here as well, with this tag: records of this level and more important ones as
    /// [`Next::Log`], in place of an earlier setting; `None` ends it. At most
    /// [`log::RECORDS_MAX`](crate::log::RECORDS_MAX) are queued; further records are dropped, and one
    /// record reports how many. Fails if the program has its own logger, which then receives the
    /// records.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{CompletionQueue, Next, log::Level};
    ///
    /// let queue = CompletionQueue::new(None);
    /// queue.follow_log(Some(Level::Debug), 9)?;
    /// let _ = client.blocking().models(); // nothing listens there, which the log reports
    /// let Next::Log(9, record) = queue.next(None)? else { return Err("no record".into()) };
    /// println!("{} {}: {}", record.level.name(), record.target, record.message);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow_log(&self, level: Option<Level>, tag: u64) -> Result<()> {
        self.check_process()?;
        self.many.follow_log(level, tag)
    }

    /// Like [`Client::follow_calls`](crate::Client::follow_calls).
    pub(crate) fn follow_calls(&self, session: &Session, tag: Option<u64>) -> Result<()> {
        self.check_process()?;
        self.many.follow_calls(session, tag)
    }

    /// The next event of any call; waits for it until the timeout. `None` waits forever, zero not at
    /// all. Fails where it would wait on a thread of the runtime that does the I/O
    /// ([`Config::runtime`](crate::Config::runtime)), which would block all progress.
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

    /// Fails on a thread that must do the I/O of calls here during the wait.
    fn check_may_wait(&self, timeout: Option<Duration>) -> Result<()> {
        match self.external.get() {
            Some(external) if timeout != Some(Duration::ZERO) => external.check_may_wait(),
            _ => Ok(()),
        }
    }

    /// Sleeps until a member is noted, or does the I/O during the wait if all live calls are members.
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

    /// Appends all events that are ready, at most `max`, to `taken`; waits only for the first one.
    /// Fails like [`CompletionQueue::next`], and with [`ErrorKind::Argument`] for a `max` of 0.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, CompletionQueue, Next, Request, Taken};
    ///
    /// let queue = CompletionQueue::new(None);
    /// queue.submit_owned(Call::new(&client, Request::models()), false, 7)?;
    /// let mut events = Vec::new();
    /// assert_eq!(queue.next_many(100, None, &mut events)?, Taken::Something);
    /// for event in events.drain(..) {
    ///     assert!(matches!(event, Next::Event(7, _)));
    /// }
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn next_many(
        &self,
        max: usize,
        timeout: Option<Duration>,
        taken: &mut Vec<Next>,
    ) -> Result<Taken> {
        self.check_process()?;
        if max == 0 {
            return Err(Error::argument("max is 0: take at least one event"));
        }
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

    /// Lets one waiting `next`, or the next one, return [`Next::Empty`], or [`Next::Interrupted`] for
    /// an [interruptible](QueueOptions::interruptible) queue. For the latter it may be called from
    /// inside a signal handler: it takes no lock and allocates no memory.
    ///
    /// ```
    /// use modelwire::{CompletionQueue, Next};
    ///
    /// let queue = CompletionQueue::new(None);
    /// let other = queue.clone();
    /// std::thread::spawn(move || other.wakeup());
    /// assert!(matches!(queue.next(None)?, Next::Empty));
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn wakeup(&self) {
        match self.many.ready.bell() {
            Some(bell) => bell.ring(),
            None => self.many.ready.interrupt(),
        }
    }

    /// Rejects new calls and cancels those in flight. Their `Done` comes out as usual; then every
    /// `next` returns [`Next::Closed`].
    ///
    /// ```
    /// use modelwire::{CompletionQueue, Next};
    ///
    /// let queue = CompletionQueue::new(None);
    /// queue.close();
    /// assert!(matches!(queue.next(None)?, Next::Closed));
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn close(&self) {
        if self.check_process().is_ok() {
            self.many.close(Closing::Cancels);
        }
    }

    /// Rejects new calls; those in flight continue. Then every `next` returns [`Next::Closed`].
    pub(crate) fn retire(&self) {
        if self.check_process().is_ok() {
            self.many.close(Closing::LetsFinish);
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.many.is_closed()
    }

    /// A descriptor that is readable while the queue may have an event, and once the queue is closed:
    /// when it is readable, call [`CompletionQueue::next`] with a timeout of zero until it returns
    /// something other than an event. The queue owns it: do not close it, and make a duplicate for code
    /// that must own it. The bytes in it have no meaning. An eventfd where available; see also
    /// [`QueueOptions::socket`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use modelwire::{CompletionQueue, Next};
    ///
    /// let queue = CompletionQueue::new(None);
    /// let descriptor = queue.fd()?; // let your event loop wait until it is readable, and then:
    /// while let Next::Event(tag, event) = queue.next(Some(Duration::ZERO))? {
    ///     println!("call {tag}: {event:?}");
    /// }
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn fd(&self) -> Result<Descriptor> {
        self.many.ready.fd()
    }

    /// Fails in a process other than the one that created the queue.
    ///
    /// ```
    /// let queue = modelwire::CompletionQueue::new(None);
    /// assert!(queue.check_process().is_ok());
    /// ```
    pub fn check_process(&self) -> Result<()> {
        if process::generation() == self.generation {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Forked, "this queue belongs to the parent process"))
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

/// Whether a thread that waits at a queue may do its I/O: not with several runtimes, of which it could be
/// inside of one only. An interruptible wait does none either.
fn waits_do_io() -> bool {
    runtime::io_threads().is_ok_and(|count| count == 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::net::TcpListener;
    use std::process::Command;

    use super::*;
    use crate::client::Client;
    use crate::options::config::Config;
    use crate::request::request::Request;

    #[test]
    fn a_call_without_events_makes_no_descriptor_readable() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", silent.local_addr().unwrap());
        let client = Client::new(Config::new().base_url(base_url).api_key("sk-test")).unwrap();
        let queue = CompletionQueue::new(None);
        queue.fd().unwrap();
        queue.submit_owned(Call::new(&client, Request::models()), false, 1).unwrap();
        assert_eq!(queue.many.ready.bytes_waiting(), 0);
        let other = Call::new(&client, Request::models());
        queue.submit(&other, false, 2).unwrap();
        assert_eq!(queue.many.ready.bytes_waiting(), 0);
        other.cancel();
        assert_eq!(queue.many.ready.bytes_waiting(), 1);
    }

    #[test]
    fn a_thread_that_waits_may_do_the_io_of_the_last_call() {
        let client =
            Client::new(Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test"));
        let queue = CompletionQueue::new(None);
        queue.submit_owned(Call::new(&client.unwrap(), Request::models()), false, 1).unwrap();
        assert_eq!(lock(queue.driver.as_ref()).is_some(), waits_do_io());
    }

    /// In a process of its own, because the environment belongs to the whole process.
    #[test]
    fn a_thread_that_waits_does_no_io_beside_several_io_threads() {
        let (name, count) = ("MODELWIRE_IO_THREADS", "2");
        if std::env::var(name).is_ok_and(|given| given == count) {
            return assert!(!waits_do_io());
        }
        let test = "a_thread_that_waits_does_no_io_beside_several_io_threads";
        let test = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.args([&*test, "--exact"]).env(name, count).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}
