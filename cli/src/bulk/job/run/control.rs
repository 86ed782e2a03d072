//! Lets other processes watch a run (`bulk status`) and change its limits (`bulk set`), by the files next to
//! its journal.

use std::fs;
use std::time::{Duration, Instant};

use modelwire_bulk::budget::Budget;
use modelwire_bulk::store::StoreOptions;
use modelwire_bulk::store::control::{ControlFiles, replace_line};
use serde_json::{Map, Value, json};

use super::Run;
use crate::bulk::job::reader::InputRow;
use crate::bulk::limits::{self, RunLimits};
use crate::bulk::progress::State;
use crate::failure::Failure;

/// Minimum interval between two looks for a request, and between two publications.
const INTERVAL: Duration = Duration::from_secs(1);

/// An answer that is still there after this time is removed: the command that asked was killed.
const ANSWER_KEPT: Duration = Duration::from_secs(5);

/// The files, and when to look at them.
pub(super) struct Control {
    files: ControlFiles,
    due: Instant,
    /// When the request was last found to be an answer.
    answered: Option<Instant>,
}

impl Control {
    /// `None` for a job without a journal.
    pub(super) fn of(options: &StoreOptions) -> Option<Control> {
        let files = ControlFiles::of(options)?;
        files.remove();
        Some(Control { files, due: Instant::now(), answered: None })
    }

    /// The limits that somebody wants to change.
    fn request(&mut self, now: Instant) -> Option<Map<String, Value>> {
        let line = self.files.read(&self.files.request)?;
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let limits = request.get("set").and_then(Value::as_object);
        if limits.is_none() && now - *self.answered.get_or_insert(now) >= ANSWER_KEPT {
            let _ = fs::remove_file(&self.files.request);
        }
        self.answered = self.answered.filter(|_| limits.is_none());
        limits.cloned()
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.files.status);
    }
}

impl Run {
    /// Answers a request and publishes the state, if it is time.
    pub(super) fn control(&mut self) {
        let now = Instant::now();
        let Some(control) = self.control.as_mut().filter(|control| now >= control.due) else {
            return;
        };
        control.due = now + INTERVAL;
        if let Some(request) = control.request(now) {
            let path = control.files.request.clone();
            let answer = match self.change(&request) {
                Ok(changed) => json!({ "changed": changed }),
                Err(failure) => json!({ "refused": failure.message }),
            };
            // If it cannot be written, the command that asked says that there was no answer.
            let _ = replace_line(&path, &answer.to_string());
        }
        let state = self.state(&self.engine.status());
        self.publish(&state);
    }

    /// Writes the state for other processes. A failure, on a full disk for instance, does not stop the run.
    pub(super) fn publish(&mut self, state: &State) {
        let Some(control) = &self.control else { return };
        let progress = self.progress.json(Instant::now(), state);
        let (pid, limits) = (std::process::id(), Value::from(self.limits().members()));
        let line = format!("{{\"pid\":{pid},\"progress\":{progress},\"limits\":{limits}}}");
        let _ = replace_line(&control.files.status, &line);
    }

    fn limits(&self) -> RunLimits {
        RunLimits { fixed: self.engine.fixed(), budget: self.engine.budget().limits() }
    }

    /// Changes limits, or none of them. Returns a line for each.
    fn change(&mut self, request: &Map<String, Value>) -> Result<Vec<String>, Failure> {
        if let Some(cause) = &self.cause {
            return Err(Failure::usage(format!("the run is ending: {}", cause.message())));
        }
        let before = self.limits();
        let after = before.changed(request)?;
        let most = self.engine.concurrency_max();
        let wanted =
            after.fixed.concurrency_max.filter(|_| request.contains_key("max_concurrency"));
        if wanted.is_some_and(|wanted| wanted > most) {
            let message = format!("--max-concurrency can be at most {most} in this run");
            return Err(Failure::usage(message));
        }
        if after.budget != before.budget {
            let prices = self.engine.budget().prices().clone();
            let seen = self.engine.views().map(|(model, _)| model);
            let models = self.models.iter().chain(seen).map(|model| &**model);
            let checked = Budget::new(after.budget, prices);
            checked.and_then(|budget| budget.check_models(models)).map_err(|error| {
                Failure::from(error).and("A run keeps the prices that it began with.")
            })?;
            for row in self.engine.set_budget(after.budget)?.into_iter().rev() {
                self.fed.push_front(InputRow::Row(row));
            }
        }
        self.engine.set_fixed(after.fixed);
        let (before, after) = (before.members(), after.members());
        let line = |name: &String| {
            let (from, to) = (limits::value(before.get(name)), limits::value(after.get(name)));
            format!("{} {from} -> {to}", limits::option(name))
        };
        let changed: Vec<_> = request.keys().map(line).collect();
        self.progress.note(&format!("bulk set: {}", changed.join(", ")));
        Ok(changed)
    }
}
