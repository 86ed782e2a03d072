//! The native side of `modelwire.bulk`: passes Python's rows to the engine, and its outcomes back.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use modelwire::{Descriptor, Endpoint, Error, Request, Response, RetryPolicy};
use modelwire_bulk::ErrorKind;
use modelwire_bulk::answers::SharedAnswers;
use modelwire_bulk::budget::Budget;
use modelwire_bulk::checks::{Check, Checks, Schemas};
use modelwire_bulk::controller::Fixed;
use modelwire_bulk::engine::{
    Engine, EngineOptions, NoSendJournal, Over, PAID_ATTEMPTS_MAX, Unjudged,
};
use modelwire_bulk::input::{Surveyor, Template};
use modelwire_bulk::ledger::KnownState;
use modelwire_bulk::pilot::{Pilot, Population};
use modelwire_bulk::prices::Money;
use modelwire_bulk::row::{BodyHash, Finished, Key, Row};
use modelwire_bulk::store::{self, Repaired, StoreOptions, check_reuse, repair};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::bulk_budget::{NativeBudget, fields, surveyor};
use crate::bulk_store::{AnyBook, JobStore, RowNames};
use crate::bulk_thread::{JobEnd, JobHandle, Wanted, kept};
use crate::client::NativeClient;
use crate::errors::{exception, exception_of_call, raise, unusable};
use crate::kept::intern;
use crate::lock::lock;
use crate::modules;
use crate::object::dump::encoded_request;
use crate::object::make::of_response;
use crate::request_info::RequestInfo;
use crate::run::Run;
use crate::wait;

/// How often to check for Ctrl-C while a job ends.
const SLICE: Duration = Duration::from_millis(50);

/// The outcome of a row: its number, the answer or the exception, the number of attempts, and the seconds
/// that it took.
type Outcome = (u64, Option<Py<PyAny>>, Option<Py<PyAny>>, u32, f64);

/// An answer that the program judges: the number of its row, the answer, the number of attempts, and the
/// seconds that the last one took.
type AnswerToJudge = (u64, Py<PyAny>, u32, f64);

/// Why there are no more outcomes: a word, and the exception that stopped the run or, of "budget" and
/// "argument", its message.
type Ended = (&'static str, Option<Py<PyAny>>);

/// The implementation of `modelwire.bulk`; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeBulk {
    desk: Arc<JobHandle>,
    chat: Arc<RequestInfo>,
    responses: Arc<RequestInfo>,
    /// Set if there is an output.
    register: Option<Arc<RowNames>>,
    unknown: Vec<String>,
    budget: Budget,
    answers: Option<SharedAnswers>,
    fixed: Fixed,
    /// Set while the rows are read for a pilot.
    survey: Mutex<Option<Surveyor>>,
    /// Set if answers are checked against the schemas of their rows.
    schemas: Option<Mutex<Schemas>>,
    process: u32,
}

/// A row as it is sent.
struct Draft {
    hash: BodyHash,
    endpoint: Endpoint,
    body: String,
    model: Arc<str>,
}

impl Draft {
    fn of(operation: &str, fields: &Bound<'_, PyDict>) -> PyResult<Draft> {
        let endpoint = match operation {
            "chat" => Endpoint::Chat,
            "responses" => Endpoint::Responses,
            other => return Err(PyValueError::new_err(format!("unknown operation {other:?}"))),
        };
        let model = fields.get_item(intern!(fields.py(), "model"))?;
        let model = model.as_ref().and_then(|model| model.cast::<PyString>().ok());
        let model = model.map(|model| model.to_string_lossy().into_owned()).unwrap_or_default();
        let body = encoded_request(fields)?;
        Ok(Draft { hash: BodyHash::of(endpoint, &body), endpoint, body, model: model.into() })
    }

    fn row(self, key: Key, number: u64) -> Row {
        let Draft { hash, endpoint, body, model } = self;
        Row { key, number, hash, endpoint, body: body.into(), model }
    }
}

#[pymethods]
impl NativeBulk {
    /// `limits` are the engine's settings by name; `options` apply to each call. `output` is the results
    /// file, whether to put the results in order, whether to retry failed rows, and the file for those.
    /// `copied` is whether to send equal rows once, and the results of other jobs to reuse.
    #[new]
    #[pyo3(signature = (client, limits, options, output=None, budget=None, copied=None))]
    fn new(
        py: Python<'_>,
        client: &Bound<'_, NativeClient>,
        limits: &Bound<'_, PyDict>,
        options: &Bound<'_, PyDict>,
        output: Option<(PathBuf, bool, bool, Option<PathBuf>)>,
        budget: Option<&Bound<'_, NativeBudget>>,
        copied: Option<(bool, Vec<PathBuf>)>,
    ) -> PyResult<NativeBulk> {
        let client = client.get();
        let template = client.template(options)?;
        raise(py, template.request.check())?;
        let info = |endpoint| Arc::new(client.request_info(&template, endpoint));
        let (chat, responses) = (info(Endpoint::Chat), info(Endpoint::Responses));
        // The engine must see every refusal, and controls the rate itself.
        let mut once = RetryPolicy::default();
        (once.max_retries, once.adaptive) = (0, false);
        let like = template.request.retry(once);
        let (checks, judges) = checks(limits)?;
        let (given_limits, limits) = (limits, engine_options(limits)?);
        let make = || budget.map_or(Ok(Budget::default()), |budget| budget.get().make());
        let budget = make().map_err(unusable)?;
        let (once, reuse) = copied.unwrap_or_default();
        let options = output.map(|(path, is_ordered, retries_failed, errors)| StoreOptions {
            results: Some(path),
            errors,
            is_ordered,
            retries_failed,
            ..StoreOptions::default()
        });
        if let Some(options) = &options {
            check_reuse(&reuse, options).map_err(unusable)?;
        }
        let keeper = options.as_ref().map(JobStore::open).transpose().map_err(unusable)?;
        let answers = py.detach(|| store::answers(&reuse, once, &options.unwrap_or_default()));
        let answers = answers.map_err(unusable)?;
        let register = keeper.as_ref().map(JobStore::register);
        let unknown = keeper.as_ref().map(JobStore::unknown).unwrap_or_default();
        let book = keeper.as_ref().map_or(AnyBook::None(NoSendJournal), JobStore::book);
        let engine = Engine::new(client.core().clone(), limits, book).with_requests(move |row| {
            Request::of_json(row.endpoint, &*row.body).with_options_of(&like)
        });
        let engine = engine.with_budget(make().map_err(unusable)?);
        let engine = engine.with_checks(Checks::new(&checks));
        let engine = match given_limits.get_item("renew_key")? {
            Some(renew) => engine.with_renewed_key(renewal(renew.unbind())),
            None => engine,
        };
        let mut engine = if judges { engine.with_judge() } else { engine };
        engine.set_answers(answers.clone());
        let desk = JobHandle::open(engine, keeper).map_err(PyOSError::new_err)?;
        let process = std::process::id();
        let (fixed, survey) = (limits.fixed, Mutex::default());
        let schemas = checks.contains(&Check::Schema).then(Mutex::default);
        Ok(NativeBulk {
            desk,
            chat,
            responses,
            register,
            unknown,
            budget,
            answers,
            fixed,
            survey,
            schemas,
            process,
        })
    }

    /// Queues a row if it is to be sent. Returns its known state, and its name if there is an output.
    /// Raises if it is not a request or not JSON.
    fn put(
        &self,
        py: Python<'_>,
        number: u64,
        custom_id: Option<String>,
        operation: &str,
        fields: &Bound<'_, PyDict>,
        skips_unknown: bool,
    ) -> PyResult<(&'static str, Option<String>)> {
        self.must_be_ours(py)?;
        let draft = self.draft(operation, fields)?;
        let (key, name) = match &self.register {
            None => (Key::new(custom_id.unwrap_or_else(|| number.to_string()), 0), None),
            Some(register) => {
                let (key, met) = register.meet(custom_id.as_deref(), draft.hash);
                let name = Some(key.text().to_owned());
                let known = match met {
                    KnownState::New => None,
                    KnownState::AlreadyDone => Some("done"),
                    KnownState::AlreadyFailed => Some("failed"),
                    KnownState::Unknown => skips_unknown.then_some("unknown"),
                    KnownState::Changed(_) => Some("changed"),
                    KnownState::Twice => Some("twice"),
                };
                if let Some(known) = known {
                    return Ok((known, name));
                }
                (key, name)
            }
        };
        self.desk.put(draft.row(key, number));
        Ok(("new", name))
    }

    /// Records an invalid row as failed. Returns its known state, and its name if there is an output.
    fn put_unsent(
        &self,
        py: Python<'_>,
        custom_id: Option<String>,
        message: String,
    ) -> PyResult<(&'static str, Option<String>)> {
        self.must_be_ours(py)?;
        let Some(register) = &self.register else { return Ok(("new", None)) };
        // Of the row's content, only the message can be written.
        let (key, met) =
            register.meet(custom_id.as_deref(), BodyHash::of(Endpoint::Chat, &message));
        let name = Some(key.text().to_owned());
        match met {
            KnownState::AlreadyFailed => Ok(("failed", name)),
            KnownState::Twice => Ok(("twice", name)),
            // The earlier result stays: it may be an answer that was billed.
            KnownState::AlreadyDone | KnownState::Changed(_) => Ok(("changed", name)),
            KnownState::New | KnownState::Unknown => {
                self.desk.put_unsent(key, message);
                Ok(("new", name))
            }
        }
    }

    /// Begins a survey, which draws a sample of the rows.
    fn survey(&self, sample: usize, keeps_unknown: bool) {
        *lock(&self.survey) = Some(surveyor(sample, keeps_unknown, self.answers.clone()));
    }

    /// Counts a row in the survey. Returns its place in the sample if it joins it, and its name if there is
    /// an output. Raises if it is not a request or not JSON.
    fn survey_row(
        &self,
        number: u64,
        custom_id: Option<String>,
        operation: &str,
        fields: &Bound<'_, PyDict>,
    ) -> PyResult<(Option<usize>, Option<String>)> {
        let draft = self.draft(operation, fields)?;
        let mut survey = lock(&self.survey);
        let Some(survey) = survey.as_mut() else { return Ok((None, None)) };
        let (key, met, name) = match &self.register {
            None => (
                Key::new(custom_id.unwrap_or_else(|| number.to_string()), 0),
                KnownState::New,
                None,
            ),
            Some(register) => {
                let (key, met) = register.look(custom_id.as_deref(), draft.hash);
                let name = Some(key.text().to_owned());
                (key, met, name)
            }
        };
        let place = survey.row(met, draft.hash, &draft.body, &draft.model);
        if let Some(place) = place {
            survey.put(place, draft.row(key, number));
        }
        Ok((place, name))
    }

    /// Ends the survey, and queues its sample. Raises if a budget lacks the price of a model.
    fn pilot(&self, py: Python<'_>) -> PyResult<()> {
        self.must_be_ours(py)?;
        let Some(survey) = lock(&self.survey).take() else { return Ok(()) };
        if let Some(register) = &self.register {
            register.begin_again();
        }
        let mut survey = survey.end();
        let models = survey.models.iter().map(|(model, _)| &**model);
        self.budget.check_models(models).map_err(unusable)?;
        let sample = std::mem::take(&mut survey.sample);
        let population = Population::of(&survey, self.budget.prices());
        self.desk.pilot(sample, Pilot::new(population));
        Ok(())
    }

    /// Ends the pilot, once all rows of its sample have ended. Returns its estimates, by name.
    fn projection<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let projection = self.desk.projection(&self.fixed);
        projection.map(|projection| fields(py, &projection)).transpose()
    }

    /// Notices of the budget for the user; each is given once.
    fn notices(&self) -> Vec<String> {
        self.desk.notices()
    }

    /// Wakes the engine to take the queued rows.
    fn flush(&self) {
        self.desk.flush();
    }

    /// Rows that an earlier run with this output sent without a known outcome.
    fn unknown(&self) -> Vec<String> {
        self.unknown.clone()
    }

    /// Declares that there are no more rows.
    fn end(&self) {
        self.desk.want(Wanted::End);
    }

    /// Sends nothing new; rows in flight finish.
    fn drain(&self) {
        self.desk.want(Wanted::Drain);
    }

    /// Also cancels rows in flight, and waits up to `seconds` for that. With an output, rows in flight may
    /// finish first, within that time.
    fn abort(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        if self.process != std::process::id() {
            return Ok(true); // the job belongs to the parent
        }
        let until = Instant::now() + Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let mut raised = Ok(());
        self.desk.want(if self.register.is_some() { Wanted::Drain } else { Wanted::Abort });
        loop {
            let left = until.saturating_duration_since(Instant::now()).min(SLICE);
            if py.detach(|| self.desk.wait_for_end(left)) {
                return raised.map(|()| true);
            }
            if left.is_zero() {
                if seconds > 0.0 {
                    self.desk.note_awaited();
                }
                return raised.map(|()| false);
            }
            if raised.is_ok() {
                raised = py.check_signals();
                if raised.is_err() {
                    self.desk.want(Wanted::Abort);
                }
            }
        }
    }

    /// Takes at most `max` outcomes. Never blocks.
    fn take(&self, py: Python<'_>, max: usize) -> PyResult<Vec<Outcome>> {
        self.must_be_ours(py)?;
        self.desk.take(max).into_iter().map(|finished| self.outcome(py, finished)).collect()
    }

    /// Takes the answers that the program judges. Never blocks.
    fn to_judge(&self, py: Python<'_>) -> PyResult<Vec<AnswerToJudge>> {
        self.must_be_ours(py)?;
        let unjudged = self.desk.to_judge().into_iter();
        let shown = unjudged.map(|Unjudged { number, answer, attempts }| {
            let elapsed = answer.elapsed().as_secs_f64();
            Ok((number, self.answer(py, answer)?, attempts, elapsed))
        });
        shown.collect()
    }

    /// Passes in what the program found, by the numbers of the rows: why the answer is not accepted, or None.
    fn judge(&self, judged: Vec<(u64, Option<String>)>) {
        self.desk.judge(judged);
    }

    /// Whether there are outcomes to take or answers to judge, or the job has ended.
    fn has_news(&self) -> bool {
        self.desk.has_news()
    }

    /// Waits until there is news, while handling Ctrl-C and running other greenlets.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.must_be_ours(py)?;
        wait::until(py, |slice| self.desk.wait(slice))
    }

    /// A descriptor that is readable while there is news.
    fn fd(&self, py: Python<'_>) -> PyResult<Descriptor> {
        raise(py, self.desk.fd())
    }

    /// Why there are no more outcomes, once all were taken.
    fn ending(&self, py: Python<'_>) -> PyResult<Option<Ended>> {
        let ended = match self.desk.ending() {
            None => return Ok(None),
            Some(JobEnd::Lost) => ("lost", None),
            Some(JobEnd::Unwritten(message)) => {
                ("unwritten", Some(PyOSError::new_err(message).into_value(py).into_any()))
            }
            Some(JobEnd::Refused(ErrorKind::Budget, message)) => {
                ("budget", Some(message.into_py_any(py)?))
            }
            Some(JobEnd::Refused(_, message)) => ("argument", Some(message.into_py_any(py)?)),
            Some(JobEnd::Over(Over::All)) => ("all", None),
            Some(JobEnd::Over(Over::Drained)) => ("drained", None),
            Some(JobEnd::Over(Over::Stopped(stopped))) => {
                ("stopped", Some(exception(py, &stopped.error).into_value(py).into_any()))
            }
        };
        Ok(Some(ended))
    }

    /// The status to display, by name.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.must_be_ours(py)?;
        let (status, spent) = self.desk.status();
        let shown = PyDict::new(py);
        shown.set_item("waiting", status.waiting + status.delayed)?;
        shown.set_item("in_flight", status.in_flight)?;
        shown.set_item("sent", status.sent)?;
        shown.set_item("rate_limited", status.limited)?;
        shown.set_item("paid_again", status.paid_again)?;
        shown.set_item("asked_again", status.asked_again)?;
        shown.set_item("unknown", status.unknown)?;
        shown.set_item("equal", status.equal)?;
        shown.set_item("reused", status.reused)?;
        shown.set_item("concurrency_limit", status.allowed)?;
        shown.set_item("starts_per_second", status.rate)?;
        shown.set_item("tokens", spent.tokens.total())?;
        shown.set_item("cost", spent.cost.map(Money::units))?;
        shown.set_item("outage", status.outage.map(|time| time.as_secs_f64()))?;
        Ok(shown)
    }
}

impl NativeBulk {
    fn outcome(&self, py: Python<'_>, finished: Finished) -> PyResult<Outcome> {
        let Finished { row, outcome, rejected, attempts, elapsed } = finished;
        let elapsed = elapsed.as_secs_f64();
        let (response, error) = match outcome {
            Ok(response) => {
                let error = rejected.map(|rejected| {
                    let class = modules::own(py, "_bulk.checks")?.attribute("CheckError")?;
                    let fields = PyDict::new(py);
                    fields.set_item("kind", rejected.check.kind())?;
                    fields.set_item("hint", rejected.check.hint())?;
                    fields.set_item("model", &*row.model)?;
                    fields.set_item("request_id", response.head().request_id())?;
                    fields.set_item("attempts", attempts)?;
                    fields.set_item("elapsed", elapsed)?;
                    let error = class.run_with((rejected.message(),), Some(&fields))?;
                    PyResult::Ok(error.unbind())
                });
                (Some(self.answer(py, response)?), error.transpose()?)
            }
            Err(error) => {
                let error = exception_of_call(py, &error, self.info(row.endpoint));
                (None, Some(error.into_value(py).into_any()))
            }
        };
        Ok((row.number, response, error, attempts, elapsed))
    }

    fn answer(&self, py: Python<'_>, response: Response) -> PyResult<Py<PyAny>> {
        let info = self.info(response.endpoint()).clone();
        of_response(response, info).into_python(py)
    }

    fn info(&self, endpoint: Endpoint) -> &Arc<RequestInfo> {
        match endpoint {
            Endpoint::Responses => &self.responses,
            Endpoint::Chat | Endpoint::Models => &self.chat,
        }
    }

    /// A row as it is sent; its schema must be valid if answers are checked against it.
    fn draft(&self, operation: &str, fields: &Bound<'_, PyDict>) -> PyResult<Draft> {
        let draft = Draft::of(operation, fields)?;
        if let Some(schemas) = &self.schemas {
            let checked = lock(schemas).check(draft.endpoint, &draft.body);
            raise(fields.py(), checked.map_err(Error::argument))?;
        }
        Ok(draft)
    }

    fn must_be_ours(&self, py: Python<'_>) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let class = modules::own(py, "_errors")?.attribute("OpenAIError")?;
        let fields = PyDict::new(py);
        fields.set_item("kind", "forked")?;
        fields.set_item("hint", "Create one in each process.")?;
        let told = ("this bulk job belongs to the parent process",);
        Err(PyErr::from_value(class.run_with(told, Some(&fields))?))
    }
}

impl Drop for NativeBulk {
    /// Ends the thread: nobody will take its outcomes.
    fn drop(&mut self) {
        if self.process == std::process::id() {
            self.desk.want(if self.register.is_some() { Wanted::Drain } else { Wanted::Abort });
        }
    }
}

/// At the end of the program: jobs with an output send nothing new, and rows in flight may finish within
/// `seconds`; otherwise they would be paid for and lost. Ctrl-C ends the wait.
#[pyfunction]
pub(crate) fn bulk_end_all(py: Python<'_>, seconds: f64) -> PyResult<()> {
    let until = Instant::now() + Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let desks = kept();
    desks.iter().for_each(|desk| desk.want(Wanted::Drain));
    for desk in desks {
        loop {
            let left = until.saturating_duration_since(Instant::now()).min(SLICE);
            if py.detach(|| desk.wait_for_end(left)) || left.is_zero() {
                break;
            }
            py.check_signals()?;
        }
    }
    Ok(())
}

fn get<'py, T: pyo3::conversion::FromPyObjectOwned<'py>>(
    limits: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<T>> {
    limits.get_item(name)?.map(|value| value.extract().map_err(Into::into)).transpose()
}

/// The checks that are named, and whether the program judges answers, too.
fn checks(limits: &Bound<'_, PyDict>) -> PyResult<(Vec<Check>, bool)> {
    let names: Vec<String> = get(limits, "checks")?.unwrap_or_default();
    let checks: Result<Vec<Check>, String> = names.iter().map(|name| name.parse()).collect();
    Ok((checks.map_err(PyValueError::new_err)?, get(limits, "judges")?.unwrap_or(false)))
}

/// The engine's settings, by name.
fn engine_options(limits: &Bound<'_, PyDict>) -> PyResult<EngineOptions> {
    let fixed = Fixed {
        concurrency_max: get(limits, "max_concurrency")?,
        requests_per_minute: get(limits, "rpm")?,
        tokens_per_minute: get(limits, "tpm")?,
    };
    let mut options = EngineOptions { fixed, ..EngineOptions::default() };
    if let Some(attempts) = get(limits, "attempts")? {
        options.rules.attempts_max = attempts;
    }
    if get(limits, "may_pay_twice")?.unwrap_or(false) {
        options.rules.paid_attempts_max = PAID_ATTEMPTS_MAX.min(options.rules.attempts_max);
    }
    options.rules.ask_again_max = get(limits, "ask_again")?.unwrap_or(0);
    if let Some(seconds) = get::<f64>(limits, "patience")? {
        options.patience = Duration::try_from_secs_f64(seconds)
            .map_err(|_| PyValueError::new_err(format!("patience is {seconds} seconds")))?;
    }
    Ok(options)
}

/// Asks a function of Python for another API key; an exception is reported, and counts as none.
fn renewal(function: Py<PyAny>) -> impl FnMut() -> Option<String> + Send + 'static {
    move || {
        Python::try_attach(|py| {
            let key = function.bind(py).run(()).and_then(|key| key.extract::<Option<String>>());
            key.unwrap_or_else(|raised| {
                raised.write_unraisable(py, None);
                None
            })
        })?
    }
}

/// The texts and the fields of a prompt, in turns.
#[pyfunction]
pub(crate) fn prompt_parts(prompt: &str) -> PyResult<Vec<String>> {
    let wrong = |error| PyValueError::new_err(format!("prompt {prompt:?} {error}"));
    Template::parts(prompt).map_err(wrong)
}

/// The fields of `Repaired`, in order.
type RepairedFields = (u64, u64, u64, Vec<String>, Option<PathBuf>, Vec<PathBuf>);

/// Repairs the files of a job.
#[pyfunction]
pub(crate) fn bulk_repair(
    py: Python<'_>,
    output: PathBuf,
    is_ordered: bool,
) -> PyResult<RepairedFields> {
    let options = StoreOptions { results: Some(output), is_ordered, ..StoreOptions::default() };
    let repaired = py.detach(|| repair(&options)).map_err(unusable)?;
    let Repaired { results, dropped, lost, unknown, unknown_file, saved } = repaired;
    Ok((results, dropped, lost, unknown, unknown_file, saved))
}
