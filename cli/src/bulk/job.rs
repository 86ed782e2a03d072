//! A bulk job from its arguments to its exit code: the survey of the input, the pilot, the run, the
//! summary.

pub(super) mod command_line;
mod descriptors;
mod end;
mod feed;
mod plan;
mod reader;
mod run;
mod signals;

use std::io::Write;
use std::time::Instant;

use modelwire_bulk::answers::{self, SharedAnswers};
use modelwire_bulk::input::{self, Survey, Wish};
use modelwire_bulk::ledger::{KnownState, Ledger};
use modelwire_bulk::pilot::{self, Pilot, Population};
use modelwire_bulk::store::{HeldJournal, StoreOptions, is_running};

use crate::bulk::arguments::{Bulk, Changed, Unknown};
use crate::bulk::numbers::counted;
use crate::bulk::progress::{How, Progress};
use crate::bulk::{projection, question};
use crate::connection::Connection;
use crate::failure::{Exit, Failure};

use end::{Cause, finish};
use plan::Plan;
use run::Run;
use signals::Signals;

/// Maximum invalid lines shown of a rejected file.
const SHOWN_MAX: usize = 5;

impl Bulk {
    /// Runs it.
    pub(crate) fn run(&self, connection: &Connection) -> Result<(), Failure> {
        run(self, connection)
    }
}

fn run(bulk: &Bulk, connection: &Connection) -> Result<(), Failure> {
    let mut signals = Signals::take_over();
    let mut plan = Plan::of(bulk, connection)?;
    if bulk.resume.repair {
        return repair(&plan.store);
    }
    plan.sources.check()?;
    let how = How::choose(bulk.shown.quiet, bulk.shown.json_progress);
    let mut progress = Progress::new(how);
    if bulk.resume.dry_run {
        return dry_run(bulk, &plan, &mut signals, progress);
    }
    let client = plan.client(connection)?;
    let renewal = connection.renewed_key();
    let begun = Instant::now();
    // Delete the files of an earlier job only once the input is known to be valid.
    let started_over = match plan.store.is_overwriting {
        true => {
            let (held, mut ledger) = (HeldJournal::of(&plan.store)?, Ledger::new());
            let answers = plan.answers()?;
            let survey =
                survey(bulk, &plan, &mut ledger, answers.as_ref(), &mut signals, &mut progress)?;
            Some((held, survey, ledger, answers))
        }
        false => None,
    };
    let (mut run, mut ledger, mut survey, answers) = match started_over {
        Some((held, survey, ledger, answers)) => {
            let (run, _) = Run::open(&plan, Some(held), client, renewal, progress)?;
            (run, ledger, survey, answers)
        }
        None => {
            let (mut run, mut ledger) = Run::open(&plan, None, client, renewal, progress)?;
            let answers = plan.answers()?;
            let progress = run.progress_mut();
            let survey =
                survey(bulk, &plan, &mut ledger, answers.as_ref(), &mut signals, progress)?;
            (run, ledger, survey, answers)
        }
    };
    run.set_answers(answers);
    let mut needs_yes = false;
    if let Some(survey) = &mut survey {
        run.set_total(survey);
        needs_yes = pilot(bulk, &plan, &mut run, survey, &mut ledger, &mut signals);
    }
    if !run.is_stopped() {
        run.read(&plan, ledger)?;
        run.go(&mut signals);
    }
    finish(run.end(&mut signals), bulk, &plan, survey.as_ref(), begun, how, needs_yes)
}

/// Reads regular files once before anything is sent, and rejects invalid input.
fn survey(
    bulk: &Bulk,
    plan: &Plan,
    ledger: &mut Ledger,
    answers: Option<&SharedAnswers>,
    signals: &mut Signals,
    progress: &mut Progress,
) -> Result<Option<Survey>, Failure> {
    if !plan.sources.can_be_read_again() {
        return match bulk.money.pilot {
            Some(1..) => Err(question::needs_a_file()),
            Some(0) | None => Ok(None),
        };
    }
    // The number of rows is not known yet.
    let sample = pilot::rows(bulk.money.pilot, bulk.money.no_pilot, u64::MAX, question::can_ask());
    let sample = usize::try_from(sample).unwrap_or(usize::MAX);
    let wish = Wish { sample, seed: plan.seed, wants: wants(bulk) };
    let bytes = plan.sources.bytes();
    let survey = input::survey(&plan.sources, &plan.rows, ledger, answers, wish, |read| {
        progress.reading(Instant::now(), read.rows, read.bytes as f64 / bytes as f64);
        signals.count() == 0
    })?;
    if !survey.is_whole {
        return Err(Failure::new(Exit::Interrupted, "interrupted before anything was sent"));
    }
    if survey.is_empty() && !bulk.reading.allow_empty {
        return Err(reader::empty(&plan.sources));
    }
    if bulk.resume.dry_run {
        return Ok(Some(survey));
    }
    if survey.bad > 0 && !bulk.reading.skip_bad_lines {
        let messages = survey.bad_shown.iter().map(reader::bad_line);
        return Err(refused(messages, survey.bad, "lines are not requests"));
    }
    if survey.changed > 0 && bulk.resume.changed == Changed::Refuse {
        let shown = survey.changed_shown.iter();
        let sources = &plan.sources;
        let messages =
            shown.map(|(number, key)| reader::changed(sources, *number, key.text()).message);
        return Err(refused(messages, survey.changed, "rows have changed"));
    }
    plan.budget()?.check_models(survey.models.iter().map(|(model, _)| &**model))?;
    Ok(Some(survey))
}

/// Runs a sample first and asks whether to continue, if requested. Returns whether the run stops because nobody
/// can be asked.
fn pilot(
    bulk: &Bulk,
    plan: &Plan,
    run: &mut Run,
    survey: &mut Survey,
    ledger: &mut Ledger,
    signals: &mut Signals,
) -> bool {
    let money = &bulk.money;
    let can_ask = question::can_ask();
    if pilot::rows(money.pilot, money.no_pilot, survey.wanted, can_ask) == 0 {
        return false;
    }
    let population = Population::of(survey, run.prices());
    let (sample, begun) = (std::mem::take(&mut survey.sample), Instant::now());
    let left = survey.wanted.saturating_sub(sample.len() as u64);
    let pilot = run.go_pilot(sample, Pilot::new(population), ledger, signals);
    if run.is_stopped() {
        return false;
    }
    let projection = pilot.projection(begun.elapsed(), &plan.engine.fixed);
    let progress = run.progress();
    progress.json_event("pilot", projection::members(&projection));
    let is_told = matches!(progress.how(), How::Bar | How::Notes);
    let decided = progress.aside(|| {
        if is_told {
            let text = projection::text(&projection, ::console::colors_enabled_stderr());
            // If this fails, there is nowhere to report it.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        let asked = |question: &str| question::ask_terminal(question, || signals.has_come());
        question::decide(money.yes, left, asked)
    });
    let Err(failure) = decided else { return false };
    let is_interrupted = signals.count() > 0;
    run.refuse(match is_interrupted {
        true => Cause::Interrupted { unknown: 0 },
        false => Cause::Refused(failure),
    });
    !is_interrupted && !can_ask
}

/// Which rows a survey counts as to do.
fn wants(bulk: &Bulk) -> fn(KnownState) -> bool {
    match (bulk.resume.unknown, bulk.resume.changed) {
        (Unknown::Send, Changed::Run) => {
            |met| matches!(met, KnownState::New | KnownState::Unknown | KnownState::Changed(_))
        }
        (Unknown::Send, Changed::Refuse | Changed::Skip) => {
            |met| matches!(met, KnownState::New | KnownState::Unknown)
        }
        (Unknown::Skip, Changed::Run) => {
            |met| matches!(met, KnownState::New | KnownState::Changed(_))
        }
        (Unknown::Skip, Changed::Refuse | Changed::Skip) => |met| met == KnownState::New,
    }
}

/// Reports an only error as the failure. With more, prints the first ones, and fails with their number.
fn refused(messages: impl Iterator<Item = String>, count: u64, what: &str) -> Failure {
    let messages: Vec<String> = messages.take(SHOWN_MAX).collect();
    match (count, messages.first()) {
        (0 | 1, Some(only)) => Failure::usage(only),
        _ => {
            messages.iter().for_each(|message| crate::console::say(message));
            Failure::usage(format!("{count} {what}; nothing was sent"))
        }
    }
}

/// Repairs the files of a job, and prints what they have.
fn repair(options: &StoreOptions) -> Result<(), Failure> {
    let repaired = modelwire_bulk::store::repair(options)?;
    let mut lines =
        vec![format!("kept           {}", counted(repaired.results, "result", "results"))];
    if repaired.dropped > 0 {
        let dropped =
            counted(repaired.dropped, "damaged or repeated result", "damaged or repeated results");
        lines.push(format!("removed        {dropped}"));
    }
    if repaired.lost > 0 {
        let lost = counted(repaired.lost, "line", "lines");
        lines.push(format!(
            "lost           {lost} of the journal: rows that only these named, and that have no result, count as not sent"
        ));
    }
    if let Some(path) = &repaired.unknown_file {
        let unknown = counted(repaired.unknown.len() as u64, "row", "rows");
        let names = path.display();
        lines.push(format!("unknown        {unknown}, sent and without a result: {names}"));
    }
    let saved: Vec<_> = repaired.saved.iter().map(|path| path.display().to_string()).collect();
    lines.push(format!("damaged files  {}", saved.join(", ")));
    let command = command_line::to_go_on(std::env::args_os(), None);
    lines.push(format!("to resume      {command}"));
    print(lines)
}

/// Prints what would be run.
fn dry_run(
    bulk: &Bulk,
    plan: &Plan,
    signals: &mut Signals,
    mut progress: Progress,
) -> Result<(), Failure> {
    let unknown = match is_running(&plan.store) {
        Some(true) => ", sent by the run that goes on, or by one that was interrupted",
        Some(false) | None => ", sent by a run that was interrupted",
    };
    let mut ledger = plan.known_rows()?;
    let answers = plan.answers()?;
    while let Some(notice) = answers.as_ref().and_then(answers::notice) {
        progress.note(&notice);
    }
    let found = survey(bulk, plan, &mut ledger, answers.as_ref(), signals, &mut progress)?;
    drop(progress);
    let Some(survey) = found else {
        let message = "--dry-run needs a file: standard input can be read only once";
        return Err(Failure::usage(message));
    };
    let rows = |count| counted(count, "row", "rows");
    let mut lines = vec![format!("to run         {}", rows(survey.wanted))];
    lines.extend(
        survey
            .models
            .iter()
            .map(|(model, of)| format!("               {} of {model}", rows(of.rows))),
    );
    for (name, count, what) in [
        ("equal", survey.equal, ", which get a copy of the outcome of an equal row"),
        ("reused", survey.reused, ", which get a copy of an answer of another job"),
        ("done before", survey.done, ""),
        ("failed before", survey.failed, ", which --retry-failed runs again"),
        ("unknown", survey.unknown, unknown),
        ("changed", survey.changed, ", sent before with different content"),
        ("vanished", survey.vanished, " of earlier runs that are no longer in the input"),
        ("elsewhere", survey.elsewhere, " of other shards"),
    ] {
        if count > 0 {
            lines.push(format!("{name:<15}{}{what}", rows(count)));
        }
    }
    if survey.bad > 0 {
        lines.push(format!("{:<15}{}", "not requests", counted(survey.bad, "line", "lines")));
        lines.extend(survey.bad_shown.iter().map(|bad| format!("  {}", reader::bad_line(bad))));
    }
    print(lines)
}

fn print(lines: Vec<String>) -> Result<(), Failure> {
    let mut out = crate::console::Output::standard();
    for line in lines {
        out.line(&line)?;
    }
    out.flush()
}

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;
