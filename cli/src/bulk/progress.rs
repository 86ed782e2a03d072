//! How far a job is, on standard error: a bar on a terminal, nothing where there is none, JSON lines for
//! machines.
//!
//! # How the job uses it
//!
//! ```text
//! let mut progress = Progress::new(How::choose(quiet, json_progress));
//! loop {
//!     engine.turn(progress.interval());
//!     if progress.is_due(Instant::now()) {             // cheap: ask each turn
//!         progress.show(Instant::now(), &state);       // the sums, from tally, budget and engine
//!     }
//!     while let Some(line) = budget.notice() { progress.note(&line); }
//! }
//! progress.end(Instant::now(), &state);                // the bar goes; then print the summary
//! ```
//!
//! Ask nothing of the user and print nothing while the bar stands there: [`Progress::note`] prints above
//! it, and [`Progress::aside`] takes it away while something else prints or asks.
//!
//! # `--json-progress`
//!
//! One object a line, each second and at the end:
//!
//! | member | is |
//! |---|---|
//! | `event` | `progress`; `note`, with `text`; `pilot`, with what it found; `end`, the last, with more members (see `summary`) |
//! | `phase` | `running`, `pilot`, `pausing` (the service is not reached), `draining` (nothing new is sent), `writing` |
//! | `elapsed_s` | since the run began |
//! | `total` | rows of the job; null where the input cannot be counted before |
//! | `before` | of those, rows that earlier runs ended |
//! | `done`, `failed` | rows that this run ended |
//! | `in_flight`, `allowed`, `starts_per_s` | attempts in flight; the concurrency limit; the limit of their rate (null if none was found) |
//! | `attempts`, `refused` | what was sent; how much of it was refused by a limit (429) |
//! | `tokens_in`, `tokens_cached_in`, `tokens_out` | as the answers report them |
//! | `cost` | of these, in the currency of the prices; null without prices |
//! | `rows_per_s`, `tokens_per_s` | of the last 20 seconds |
//! | `eta_s` | seconds to the end at this rate; null where it is not known |

mod rate;
mod text;

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use modelwire_bulk::prices::{Money, Tokens};

use self::rate::Rate;
use self::text::{Speed, details, members, object, position};

/// A bar is drawn anew no more often than this.
pub const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// A line of JSON comes no more often than this.
pub const JSON_INTERVAL: Duration = Duration::from_secs(1);

/// Nothing is to be shown; whoever waits may wait for so long.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// indicatif must not leave out what is due: it may draw twice as often as it is asked to.
const DRAWS_PER_SECOND_MAX: u8 = 20;

/// The bar takes no more than this, on terminals however wide.
const WIDTH_MAX: usize = 120;

/// And no less: before that, the numbers beside it are shortened.
const BAR_WIDTH_MIN: usize = 10;

/// Where nobody knows how wide the terminal is.
const WIDTH_UNKNOWN: usize = 80;

/// Members of a JSON object in their order; the names need no escape.
pub type Members = Vec<(&'static str, serde_json::Value)>;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Not at all, notes neither.
    Quiet,
    /// Notes only, as lines.
    Notes,
    /// A bar that is drawn anew.
    Bar,
    /// JSON lines.
    Json,
}

impl How {
    /// By the options and by what standard error is: a bar needs a terminal that can move its cursor.
    pub fn choose(quiet: bool, json: bool) -> How {
        match (json, quiet) {
            (true, _) => How::Json,
            (false, true) => How::Quiet,
            (false, false) if std::io::stderr().is_terminal() && !console::is_dumb() => How::Bar,
            (false, false) => How::Notes,
        }
    }
}

/// What a job is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// With its rows.
    #[default]
    Running,
    /// With the sample.
    Pilot,
    /// The service is not reached; it waits.
    Pausing,
    /// Nothing new is sent; what is on its way comes in.
    Draining,
    /// All is answered, and is written.
    Writing,
}

impl Phase {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Pilot => "pilot",
            Phase::Pausing => "pausing",
            Phase::Draining => "draining",
            Phase::Writing => "writing",
        }
    }
}

/// Where a job stands: sums over all its models.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// What it is busy with.
    pub phase: Phase,
    /// Rows of the job, those of earlier runs included; `None` where the input cannot be counted before.
    pub total: Option<u64>,
    /// Rows that need not run: earlier runs ended them.
    pub before: u64,
    /// Rows that this run ended well.
    pub done: u64,
    /// Rows that this run ended otherwise.
    pub failed: u64,
    /// Attempts on their way.
    pub in_flight: u32,
    /// So many may be.
    pub allowed: u32,
    /// Starts per second, where the service was found to limit them.
    pub rate: Option<f64>,
    /// What was sent.
    pub attempts: u64,
    /// What of it was refused by a limit (429).
    pub refused: u64,
    /// As the answers report them.
    pub tokens: Tokens,
    /// What these cost, if prices are known.
    pub cost: Option<Money>,
}

impl State {
    /// Rows that have an outcome.
    pub fn ended(&self) -> u64 {
        self.before.saturating_add(self.done).saturating_add(self.failed)
    }
}

/// What the bar's style reads when it is drawn.
#[derive(Debug, Default)]
struct Lines {
    position: String,
    details: String,
}

#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    lines: Arc<Mutex<Lines>>,
    width: fn() -> usize,
    /// Whether its style is the one of a known total.
    is_counted: Option<bool>,
}

/// Shows how far a job is.
#[derive(Debug)]
pub struct Progress {
    how: How,
    bar: Option<Bar>,
    begun: Instant,
    due: Instant,
    rows: Rate,
    tokens: Rate,
}

impl Progress {
    /// On standard error.
    pub fn new(how: How) -> Progress {
        let target = || ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND_MAX);
        Progress::on(how, target, terminal_width)
    }

    fn on(how: How, target: impl FnOnce() -> ProgressDrawTarget, width: fn() -> usize) -> Progress {
        let now = Instant::now();
        let bar = (how == How::Bar).then(|| Bar {
            bar: ProgressBar::with_draw_target(None, target()),
            lines: Arc::default(),
            width,
            is_counted: None,
        });
        Progress { how, bar, begun: now, due: now, rows: Rate::default(), tokens: Rate::default() }
    }

    /// How it shows.
    pub fn how(&self) -> How {
        self.how
    }

    /// How long one may wait, at most, before asking whether it is due.
    pub fn interval(&self) -> Duration {
        match self.how {
            How::Bar => DRAW_INTERVAL,
            How::Json => JSON_INTERVAL / 4,
            How::Quiet | How::Notes => IDLE_INTERVAL,
        }
    }

    /// Whether [`Progress::show`] would show anything.
    pub fn is_due(&self, now: Instant) -> bool {
        match self.how {
            How::Bar | How::Json => now >= self.due,
            How::Quiet | How::Notes => false,
        }
    }

    /// Shows where the job stands, if it is due.
    pub fn show(&mut self, now: Instant, state: &State) {
        if !self.is_due(now) {
            return;
        }
        let speed = self.speed(now, state);
        match self.how {
            How::Bar => {
                self.due = now + DRAW_INTERVAL;
                self.draw(state, &speed);
            }
            How::Json => {
                self.due = now + JSON_INTERVAL;
                let elapsed = now.saturating_duration_since(self.begun);
                say(&object(&members("progress", elapsed, state, &speed)));
            }
            How::Quiet | How::Notes => {}
        }
    }

    /// Something important, on a line of its own; above the bar.
    pub fn note(&self, line: &str) {
        match self.how {
            How::Quiet => {}
            How::Json => self.json_event("note", vec![("text", line.into())]),
            How::Bar | How::Notes => self.aside(|| crate::console::say(line)),
        }
    }

    /// A JSON line of another kind, where progress is JSON; nothing otherwise.
    pub fn json_event(&self, event: &'static str, more: Members) {
        if self.how == How::Json {
            let mut all: Members = vec![("event", event.into())];
            all.extend(more);
            say(&object(&all));
        }
    }

    /// Takes the bar away while this prints or asks something.
    pub fn aside<T>(&self, does: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(Bar { bar, .. }) => bar.suspend(does),
            None => does(),
        }
    }

    /// The end: the bar goes. With JSON, the last line, to which the members of the summary are added.
    pub fn end(&mut self, now: Instant, state: &State, summary: Members) {
        match self.how {
            How::Bar => {
                if let Some(Bar { bar, .. }) = &self.bar {
                    bar.finish_and_clear();
                }
            }
            How::Json => {
                let elapsed = now.saturating_duration_since(self.begun);
                // At the end rates are those of the whole run, and nothing is left.
                let rate = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-3);
                let rows = rate(state.done.saturating_add(state.failed));
                let speed = Speed { rows, tokens: rate(state.tokens.total()), left: None };
                let mut all = members("end", elapsed, state, &speed);
                all.extend(summary);
                say(&object(&all));
            }
            How::Quiet | How::Notes => {}
        }
    }

    fn speed(&mut self, now: Instant, state: &State) -> Speed {
        let now = now.saturating_duration_since(self.begun);
        let rows = self.rows.look(now, state.done.saturating_add(state.failed));
        let tokens = self.tokens.look(now, state.tokens.total());
        let left = state.total.map(|total| total.saturating_sub(state.ended()));
        let left = left.filter(|_| rows > 0.0).map(|left| left as f64 / rows);
        let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Speed { rows, tokens, left }
    }

    fn draw(&mut self, state: &State, speed: &Speed) {
        let Some(bar) = &mut self.bar else { return };
        let width = (bar.width)().min(WIDTH_MAX);
        {
            let mut lines = bar.lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.position = position(state, speed, width.saturating_sub(BAR_WIDTH_MIN + 1));
            lines.details = details(state, speed, width);
        }
        let is_counted = state.total.is_some();
        if bar.is_counted != Some(is_counted) {
            bar.is_counted = Some(is_counted);
            bar.bar.set_style(style(is_counted, &bar.lines));
        }
        bar.bar.update(|inner| {
            if let Some(total) = state.total {
                inner.set_len(total);
            }
            inner.set_pos(state.ended());
        });
    }
}

impl Drop for Progress {
    /// Whatever ends a job, the bar goes with it.
    fn drop(&mut self) {
        if let Some(Bar { bar, .. }) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The bar, or a spinner where there is no total; its numbers behind it, and a line below. Colours are
/// left out by indicatif where `NO_COLOR` is set.
fn style(is_counted: bool, lines: &Arc<Mutex<Lines>>) -> ProgressStyle {
    let template = match is_counted {
        true => "{wide_bar:.cyan/dim} {position}\n{details:.dim}",
        false => "{spinner:.cyan} {position}\n{details:.dim}",
    };
    let line = |choose: fn(&Lines) -> &String| {
        let lines = Arc::clone(lines);
        move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = out.write_str(choose(&lines));
        }
    };
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style
        .progress_chars("━╸─")
        .with_key("position", line(|lines| &lines.position))
        .with_key("details", line(|lines| &lines.details))
}

pub(crate) fn terminal_width() -> usize {
    match Term::stderr().size_checked() {
        // A terminal that says 0 does not know.
        Some((_, columns)) if columns > 0 => columns.into(),
        _ => WIDTH_UNKNOWN,
    }
}

/// Standard error that is closed or full is no reason to stop a job.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
