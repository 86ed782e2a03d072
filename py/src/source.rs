//! The source of all consumers of a call: its queue, an event that was popped too early, and its outcome.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};

use modelwire::{
    Call, CallRecord, Chunk, Endpoint, Error, ErrorKind, Event, Head, Metered, Pop, Ready, Response,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::errors::{exception, exception_of_call, raise};
use crate::green::Greenlets;
use crate::lock::lock;
use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent, new};
use crate::object::make;
use crate::object::shape::Object;
use crate::request_info::RequestInfo;
use crate::wait;
use crate::warnings::tell_waiting;

/// What to do after a loop over a stream was left.
const LEFT_HINT: &str = "Make another call, or handle the exception within the loop.";

/// How much a consumer takes at once, and in which form.
#[derive(Clone, Copy)]
pub(crate) enum Portion {
    /// The next chunk.
    Chunk,
    /// The next piece of output text; chunks without text are skipped.
    Text,
    /// All that is ready, from one chunk up to this many, as a list.
    Batch(usize),
}

/// What a consumer got.
pub(crate) enum Taken {
    Item(Py<PyAny>),
    /// The head of a stream, which a streaming call returns first.
    Head(Arc<Head>),
    /// The stream is over.
    End,
    /// Nothing is ready.
    Nothing,
}

/// The consumers that wait for a call. An event wakes all of them, in the order of their numbers, so that
/// the one that has waited longest is first.
#[derive(Default)]
struct Waiters(Mutex<Vec<(Ready, u64)>>);

impl Waiters {
    fn list(&self) -> MutexGuard<'_, Vec<(Ready, u64)>> {
        lock(&self.0)
    }
}

impl Wake for Waiters {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut list = self.list();
        if list.len() == 1
            && let Some((ready, number)) = list.pop()
        {
            drop(list); // one consumer, as nearly always: the list keeps its capacity
            return ready.note(number);
        }
        let mut waiting = std::mem::take(&mut *list);
        drop(list);
        waiting.sort_by_key(|(_, number)| *number);
        for (ready, number) in waiting {
            ready.note(number);
        }
    }
}

/// The state of a stream after its chunks.
#[derive(Default)]
struct SourceEnd {
    /// `Done`, popped by a batch that must return its chunks first.
    held: Option<Event>,
    response: Option<Response>,
    record: Option<CallRecord>,
}

pub(crate) struct Source {
    call: Call,
    request: Arc<RequestInfo>,
    ending: Mutex<SourceEnd>,
    is_holding: AtomicBool,
    is_over: AtomicBool,
    /// Ended because an exception left a loop over it, and not by an explicit close.
    was_left: AtomicBool,
    waiters: Arc<Waiters>,
}

impl Source {
    pub(crate) fn new(call: Call, request: Arc<RequestInfo>) -> Source {
        Source {
            call,
            request,
            ending: Mutex::default(),
            is_holding: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            was_left: AtomicBool::new(false),
            waiters: Arc::default(),
        }
    }

    fn ending(&self) -> MutexGuard<'_, SourceEnd> {
        lock(&self.ending)
    }

    /// The response at the end of the call; `None` before it and after an error.
    pub(crate) fn response(&self) -> Option<Response> {
        self.ending().response.clone()
    }

    /// The record of the call after its end, with any outcome; `None` before it.
    pub(crate) fn record(&self) -> Option<CallRecord> {
        let mut ending = self.ending();
        // After a close, nothing has popped the last event; it is kept for the next consumer.
        if ending.record.is_none()
            && ending.held.is_none()
            && self.is_over()
            && let Ok(Pop::Event(event)) = self.call.try_pop()
        {
            ending.held = Some(event);
            self.is_holding.store(true, Ordering::Release);
        }
        match (&ending.record, &ending.held) {
            (Some(record), _) => Some(record.clone()),
            (None, Some(Event::Done(outcome))) => record_of(outcome).cloned(),
            (None, Some(Event::Open(_) | Event::Chunk(_)) | None) => None,
        }
    }

    pub(crate) fn request(&self) -> &Arc<RequestInfo> {
        &self.request
    }

    /// Whether the stream has ended with any outcome, or was closed.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(crate) fn cancel(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.call.cancel();
    }

    /// Ends it because a loop over it was left: iterating it again raises an error.
    pub(crate) fn leave(&self) {
        self.was_left.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// The end of a stream that this program cancelled.
    fn end_of_cancelled(&self, py: Python<'_>) -> PyResult<Taken> {
        if self.was_left.load(Ordering::Relaxed) {
            let message = "the stream was closed when an exception left the loop over it";
            let metered = self.record().map_or(Metered::Unknown, |record| record.metered());
            let error = Error::closed(message).with_hint(LEFT_HINT).with_metered(metered);
            return Err(exception_of_call(py, &error, &self.request));
        }
        Ok(Taken::End)
    }

    /// The next event, if one is ready.
    pub(crate) fn try_pop(&self) -> modelwire::Result<Pop> {
        if self.is_holding.load(Ordering::Acquire)
            && let Some(event) = self.unhold()
        {
            return Ok(Pop::Event(event));
        }
        self.call.try_pop()
    }

    fn unhold(&self) -> Option<Event> {
        let mut ending = self.ending();
        self.is_holding.store(false, Ordering::Release);
        ending.held.take()
    }

    /// The next event; if there is none, `ready` is notified of its arrival with this number.
    pub(crate) fn poll_pop(&self, ready: &Ready, number: u64) -> modelwire::Result<Pop> {
        let found = self.try_pop()?;
        if !matches!(found, Pop::Empty) {
            return Ok(found);
        }
        self.waiters.list().push((ready.clone(), number));
        let waker = Waker::from(self.waiters.clone());
        match self.call.poll_pop(&mut Context::from_waker(&waker)) {
            Poll::Pending => Ok(Pop::Empty),
            Poll::Ready(found) => {
                self.forget(number);
                found
            }
        }
    }

    /// Removes a waiting number. If the lock is taken, the number stays and causes one spurious
    /// notification: this must not block, because in a forked child the lock might be held forever.
    pub(crate) fn forget(&self, number: u64) {
        if let Ok(mut waiting) = self.waiters.0.try_lock() {
            waiting.retain(|(_, waiting)| *waiting != number);
        }
    }

    /// Waits for a portion on this thread.
    pub(crate) fn wait(&self, py: Python<'_>, portion: Portion) -> PyResult<Taken> {
        loop {
            let pop = match self.is_holding.load(Ordering::Acquire).then(|| self.unhold()) {
                Some(Some(event)) => Pop::Event(event),
                _ => self.wait_for_event(py)?,
            };
            match self.portion(py, pop, portion)? {
                Taken::Nothing => {}
                taken => return Ok(taken),
            }
        }
    }

    /// The next event; greenlets that share a stream wait in order.
    fn wait_for_event(&self, py: Python<'_>) -> PyResult<Pop> {
        let found = raise(py, self.call.try_pop())?;
        if !matches!(found, Pop::Empty) {
            wait::stay_at_exit(py, &found)?;
            return Ok(found);
        }
        match Greenlets::here(py)? {
            Some(greenlets) => wait::pop_green(
                py,
                &greenlets,
                |ready, number| self.poll_pop(ready, number),
                |number| self.forget(number),
            ),
            None => wait::pop(py, &self.call),
        }
    }

    /// A portion, if there is one; `pop` pops the next event.
    pub(crate) fn take(
        &self,
        py: Python<'_>,
        portion: Portion,
        mut pop: impl FnMut() -> modelwire::Result<Pop>,
    ) -> PyResult<Taken> {
        loop {
            let found = raise(py, pop())?;
            wait::stay_at_exit(py, &found)?;
            if matches!(found, Pop::Empty) {
                return Ok(Taken::Nothing);
            }
            match self.portion(py, found, portion)? {
                Taken::Nothing => {}
                taken => return Ok(taken),
            }
        }
    }

    /// The portion that begins with this event; nothing if a text portion must look further.
    fn portion(&self, py: Python<'_>, first: Pop, portion: Portion) -> PyResult<Taken> {
        let chunk = match first {
            Pop::Event(Event::Chunk(chunk)) => chunk,
            Pop::Event(Event::Done(outcome)) => return self.end(py, outcome),
            Pop::End => return self.end_of_cancelled(py),
            Pop::Event(Event::Open(_)) | Pop::Empty => return Ok(Taken::Nothing),
        };
        let item = match portion {
            Portion::Chunk => self.object(py, chunk)?,
            Portion::Text => match chunk.text() {
                text if text.is_empty() => return Ok(Taken::Nothing),
                text => PyString::new(py, &text).into_py_any(py)?,
            },
            Portion::Batch(most) => self.batch(py, chunk, most)?,
        };
        Ok(Taken::Item(item))
    }

    fn batch(&self, py: Python<'_>, first: Chunk, most: usize) -> PyResult<Py<PyAny>> {
        let mut chunks = vec![self.object(py, first)?];
        while chunks.len() < most {
            match self.call.try_pop() {
                Ok(Pop::Event(Event::Chunk(chunk))) => chunks.push(self.object(py, chunk)?),
                Ok(Pop::Event(done)) => {
                    self.ending().held = Some(done);
                    self.is_holding.store(true, Ordering::Release);
                    break;
                }
                // An error is left for the next call.
                Ok(Pop::Empty | Pop::End) | Err(_) => break,
            }
        }
        PyList::new(py, chunks)?.into_py_any(py)
    }

    fn end(&self, py: Python<'_>, outcome: modelwire::Result<Response>) -> PyResult<Taken> {
        self.is_over.store(true, Ordering::Relaxed);
        self.ending().record = record_of(&outcome).cloned();
        match outcome {
            Ok(response) => {
                self.ending().response = Some(response);
                tell_waiting(py);
                Ok(Taken::End)
            }
            // Closed by this program: iteration just ends.
            Err(error) if error.kind() == ErrorKind::Cancelled => self.end_of_cancelled(py),
            Err(error) => Err(exception_of_call(py, &error, &self.request)),
        }
    }

    fn object(&self, py: Python<'_>, chunk: Chunk) -> PyResult<Py<PyAny>> {
        match self.request.endpoint {
            Endpoint::Responses => new(py, ResponseStreamEvent { chunk }).map(Py::into_any),
            Endpoint::Chat | Endpoint::Models => {
                new(py, ChatCompletionChunk { chunk }).map(Py::into_any)
            }
        }
    }
}

fn record_of(outcome: &modelwire::Result<Response>) -> Option<&CallRecord> {
    match outcome {
        Ok(response) => response.record(),
        Err(error) => error.record(),
    }
}

/// The outcome of a call's first significant event: its response, or its stream.
pub(crate) enum Outcome {
    Response(Object),
    Stream(Arc<Head>),
}

/// The outcome of this event; `None` if it has none.
pub(crate) fn outcome(
    py: Python<'_>,
    pop: Pop,
    request: &Arc<RequestInfo>,
) -> PyResult<Option<Outcome>> {
    match pop {
        Pop::Event(Event::Open(head)) => Ok(Some(Outcome::Stream(head))),
        Pop::Event(Event::Done(Ok(response))) => {
            tell_waiting(py);
            Ok(Some(Outcome::Response(make::of_response(response, request.clone()))))
        }
        Pop::Event(Event::Done(Err(error))) => Err(exception_of_call(py, &error, request)),
        Pop::Event(Event::Chunk(_)) | Pop::Empty => Ok(None),
        Pop::End => Err(exception(py, &Error::internal("the call ended without its last event"))),
    }
}
