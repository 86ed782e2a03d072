//! One awaited step: the next portion of a stream, or the answer of a call. It behaves like a coroutine, in
//! any event loop.

use std::sync::Arc;

use modelwire::{Head, Pop};
use pyo3::exceptions::{PyStopAsyncIteration, PyStopIteration};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::awaitable::{awaited_before, awaited_elsewhere, send, thrown};
use crate::errors::raise;
use crate::future::Future;
use crate::hub::{Hub, next_number};
use crate::loops::{self, Running};
use crate::run::Run;
use crate::source::{Outcome, Portion, Source, Taken, outcome};
use crate::stream_base::StreamBase;
use crate::turns::Turns;
use crate::wait;

/// What is awaited. It is taken only when it is ready, so a cancelled or dropped wait loses nothing.
enum Target {
    Portion(Py<StreamBase>, Portion),
    /// The answer of a call, or its stream, which the function creates.
    Answer(Source, MakeStream),
}

/// Creates the stream of a call whose head has arrived.
pub(crate) type MakeStream = fn(Python<'_>, Source, Arc<Head>) -> PyResult<Py<PyAny>>;

/// The state; `Over` while Python code runs.
enum State {
    New,
    /// Yielded to the event loop, directly or through this coroutine.
    Yielding(Option<Py<PyAny>>),
    /// Waits for a future that the hub wakes.
    Future(Py<Hub>, Py<Future>),
    /// Waits in a coroutine for the hub, for loops without futures.
    Coroutine(Py<Hub>, Py<PyAny>),
    Over,
}

/// A single-use awaitable. Cancelling it cancels an unanswered call; a stream stays open.
#[pyclass(module = "modelwire._native")]
pub(crate) struct Next {
    target: Option<Target>,
    state: State,
    /// Its number in the queue of waiters, which it keeps.
    number: Option<u64>,
}

impl Next {
    pub(crate) fn of_stream(stream: Py<StreamBase>, portion: Portion) -> Next {
        Next::new(Target::Portion(stream, portion))
    }

    pub(crate) fn of_call(source: Source, make: MakeStream) -> Next {
        Next::new(Target::Answer(source, make))
    }

    fn new(target: Target) -> Next {
        Next { target: Some(target), state: State::New, number: None }
    }

    fn source<'a>(&'a self, py: Python<'a>) -> Option<&'a Source> {
        match &self.target {
            Some(Target::Portion(stream, _)) => Some(&stream.bind(py).get().source),
            Some(Target::Answer(source, _)) => Some(source),
            None => None,
        }
    }

    fn turns(&self) -> Option<&Turns> {
        match &self.target {
            Some(Target::Portion(stream, _)) => Some(&stream.get().turns),
            Some(Target::Answer(..)) | None => None,
        }
    }

    /// Takes what it awaits, if ready. Otherwise `hub` is notified of its arrival, if given.
    fn take(&self, py: Python<'_>, hub: Option<(&Hub, u64)>) -> PyResult<Taken> {
        let Some(source) = self.source(py) else { return Ok(Taken::Nothing) };
        let pop = || match hub {
            Some((hub, number)) => source.poll_pop(hub.ready(), number),
            None => source.try_pop(),
        };
        let portion = match &self.target {
            Some(Target::Portion(_, portion)) => *portion,
            Some(Target::Answer(..)) | None => return Next::take_answer(py, source, pop),
        };
        source.take(py, portion, pop)
    }

    fn take_answer(
        py: Python<'_>,
        source: &Source,
        pop: impl Fn() -> modelwire::Result<Pop>,
    ) -> PyResult<Taken> {
        let found = raise(py, pop())?;
        wait::stay_at_exit(py, &found)?;
        match outcome(py, found, source.request())? {
            None => Ok(Taken::Nothing),
            Some(Outcome::Response(response)) => response.into_python(py).map(Taken::Item),
            Some(Outcome::Stream(head)) => Ok(Taken::Head(head)),
        }
    }

    fn set(slf: &Bound<'_, Self>, state: State) -> PyResult<()> {
        slf.try_borrow_mut()?.state = state;
        Ok(())
    }

    /// Yields to the event loop.
    fn give_way(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let py = slf.py();
        if let Running::Trio = loops::running(py)? {
            let checkpoint = loops::trio_checkpoint(py)?;
            return match send(&checkpoint) {
                Ok(yielded) => {
                    Next::set(slf, State::Yielding(Some(checkpoint.unbind())))?;
                    Ok(yielded)
                }
                Err(error) => Err(error),
            };
        }
        Next::set(slf, State::Yielding(None))?;
        Ok(Some(py.None())) // asyncio resumes it in the next iteration
    }

    /// Ends it if the target is ready or has failed.
    fn look(slf: &Bound<'_, Self>, hub: Option<(&Hub, u64)>) -> PyResult<()> {
        let found = slf.try_borrow()?.take(slf.py(), hub);
        match found {
            Ok(taken) => Next::result(slf, taken),
            Err(error) => {
                Next::take_target(slf)?;
                Err(error)
            }
        }
    }

    /// Raises the result, if there is one.
    fn result(slf: &Bound<'_, Self>, taken: Taken) -> PyResult<()> {
        match taken {
            Taken::Item(item) => {
                Next::take_target(slf)?;
                Err(PyStopIteration::new_err(item))
            }
            Taken::End => {
                Next::take_target(slf)?;
                Err(PyStopAsyncIteration::new_err(()))
            }
            Taken::Head(head) => {
                let Some(Target::Answer(source, make)) = Next::take_target(slf)? else {
                    return Err(awaited_before());
                };
                Err(PyStopIteration::new_err(make(slf.py(), source, head)?))
            }
            Taken::Nothing => Ok(()),
        }
    }

    /// Takes what is ready, or starts to wait.
    fn attempt(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let py = slf.py();
        Next::look(slf, None)?;
        match loops::running(py)? {
            Running::Asyncio(event_loop) => {
                let hub = loops::asyncio_hub(&event_loop)?;
                let number = Next::register(slf, hub.get())?;
                let future = Py::new(py, Future::new(event_loop.unbind()))?;
                hub.get().wait(number, future.clone_ref(py));
                Next::set(slf, State::Future(hub.unbind(), future.clone_ref(py)))?;
                Ok(Some(future.into_any()))
            }
            Running::Trio => {
                let hub = loops::trio_hub(py)?;
                let number = Next::register(slf, hub.get())?;
                let waiting = loops::trio_wait(py, number)?;
                let state = State::Coroutine(hub.unbind(), waiting.clone().unbind());
                Next::step(slf, state, send(&waiting))
            }
            Running::Nobody => Err(loops::nobody_runs(py)),
        }
    }

    /// Ends it if the target is ready; otherwise the hub will be notified of its arrival under this number.
    fn register(slf: &Bound<'_, Self>, hub: &Hub) -> PyResult<u64> {
        let number = *slf.try_borrow_mut()?.number.get_or_insert_with(next_number);
        Next::look(slf, Some((hub, number)))?;
        Ok(number)
    }

    /// Handles one step of the coroutine in this state.
    fn step(
        slf: &Bound<'_, Self>,
        state: State,
        stepped: PyResult<Option<Py<PyAny>>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        match stepped {
            Ok(yielded) => {
                Next::set(slf, state)?;
                Ok(yielded)
            }
            Err(error) if error.is_instance_of::<PyStopIteration>(slf.py()) => {
                slf.try_borrow()?.note_yield();
                Next::attempt(slf)
            }
            Err(error) => {
                Next::give_up(slf, &state)?;
                Err(error)
            }
        }
    }

    fn note_yield(&self) {
        if let Some(turns) = self.turns() {
            turns.note_yield();
        }
    }

    /// Stops waiting, and releases everything.
    fn give_up(slf: &Bound<'_, Self>, state: &State) -> PyResult<()> {
        let py = slf.py();
        {
            let this = slf.try_borrow()?;
            let Some(source) = this.source(py) else { return Ok(()) };
            if let Some(number) = this.number {
                source.forget(number);
                if let State::Future(hub, _) | State::Coroutine(hub, _) = state {
                    hub.get().forget(number);
                }
            }
            if let Some(Target::Answer(..)) = this.target {
                source.cancel();
            }
        }
        Next::take_target(slf)?;
        Ok(())
    }

    /// Takes the target, because a traceback may keep this object alive after its end.
    fn take_target(slf: &Bound<'_, Self>) -> PyResult<Option<Target>> {
        Ok(slf.try_borrow_mut()?.target.take())
    }

    /// Takes the state: reentrant calls from Python code find it over.
    fn take_state(slf: &Bound<'_, Self>) -> PyResult<State> {
        Ok(std::mem::replace(&mut slf.try_borrow_mut()?.state, State::Over))
    }
}

#[pymethods]
impl Next {
    fn __await__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        match Next::take_state(slf)? {
            State::New if slf.try_borrow()?.turns().is_some_and(Turns::must_yield) => {
                Next::give_way(slf)
            }
            State::New => Next::attempt(slf),
            State::Future(hub, future) if !future.try_borrow(slf.py())?.done() => {
                Next::set(slf, State::Future(hub, future))?;
                Err(awaited_elsewhere())
            }
            State::Yielding(None) | State::Future(..) => {
                slf.try_borrow()?.note_yield();
                Next::attempt(slf)
            }
            State::Yielding(Some(coroutine)) => {
                let sent = send(coroutine.bind(slf.py()));
                Next::step(slf, State::Yielding(Some(coroutine)), sent)
            }
            State::Coroutine(hub, coroutine) => {
                let sent = send(coroutine.bind(slf.py()));
                Next::step(slf, State::Coroutine(hub, coroutine), sent)
            }
            State::Over => Err(awaited_before()),
        }
    }

    /// Resumes it, like a coroutine.
    fn send(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        // The value that trio sends back is for the inner coroutine that yielded.
        match Next::take_state(slf)? {
            State::Yielding(Some(coroutine)) => {
                let sent = send_value(coroutine.bind(slf.py()), value);
                Next::step(slf, State::Yielding(Some(coroutine)), sent)
            }
            State::Coroutine(hub, coroutine) => {
                let sent = send_value(coroutine.bind(slf.py()), value);
                Next::step(slf, State::Coroutine(hub, coroutine), sent)
            }
            state => {
                Next::set(slf, state)?;
                Next::__next__(slf)
            }
        }
    }

    /// Raises an exception inside, like a coroutine. A value that was not taken stays available.
    #[pyo3(signature = (error, value=None, traceback=None))]
    fn throw(
        slf: &Bound<'_, Self>,
        error: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        let py = slf.py();
        let state = Next::take_state(slf)?;
        if let State::Yielding(Some(coroutine)) | State::Coroutine(_, coroutine) = &state {
            let name = intern!(py, "throw");
            let thrown = match (value, traceback) {
                (None, None) => coroutine.bind(py).run_method(name, (error,)),
                _ => coroutine.bind(py).run_method(name, (error, value, traceback)),
            };
            return Next::step(slf, state, thrown.map(|it| Some(it.unbind())));
        }
        Next::give_up(slf, &state)?;
        Err(thrown(error, value))
    }

    /// Closes it, like a coroutine. A value that was not taken stays available.
    fn close(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let state = Next::take_state(slf)?;
        Next::give_up(slf, &state)?;
        if let State::Yielding(Some(coroutine)) | State::Coroutine(_, coroutine) = &state {
            coroutine.bind(py).run_method(intern!(py, "close"), ())?;
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(Target::Portion(stream, _)) = &self.target {
            visit.call(stream)?;
        }
        match &self.state {
            State::Yielding(coroutine) => visit.call(coroutine),
            State::Future(hub, future) => {
                visit.call(hub)?;
                visit.call(future)
            }
            State::Coroutine(hub, coroutine) => {
                visit.call(hub)?;
                visit.call(coroutine)
            }
            State::New | State::Over => Ok(()),
        }
    }

    fn __clear__(&mut self) {
        self.state = State::Over;
        self.target = None;
    }
}

fn send_value(
    coroutine: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    coroutine.run_method(intern!(coroutine.py(), "send"), (value,)).map(|it| Some(it.unbind()))
}
