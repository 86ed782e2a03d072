//! Reads a file once before the run: what it contains, its errors, and the rows to do.

use std::sync::Arc;

use crate::answers::{Seen, SharedAnswers, locked};
use crate::budget::Bounds;
use crate::error::Error;
use crate::input::bad_row::BadRow;
use crate::input::options::RowOptions;
use crate::input::rows::{Checked, InputItem, Rows};
use crate::input::sources::{Sources, line_of};
use crate::ledger::{KnownState, Ledger, State};
use crate::row::{BodyHash, Key, Row};

/// The maximum number of bad lines and of changed rows kept for display; all are counted.
pub const SHOWN_MAX: usize = 10;

/// The maximum number of models counted separately.
pub const MODELS_MAX: usize = 64;

/// The number of rows between two calls of `goes_on`.
const ROWS_BETWEEN: u64 = 4096;

/// The contents of a file.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Rows of this part, without bad lines.
    pub rows: u64,
    /// Rows of other parts.
    pub elsewhere: u64,
    /// Lines that are not rows, and rows with a duplicate `custom_id`.
    pub bad: u64,
    /// Those of them that have an outcome of an earlier run.
    pub bad_before: u64,
    /// The first of them.
    pub bad_shown: Vec<BadRow>,
    /// Rows that are new.
    pub new: u64,
    /// Rows that were done before.
    pub done: u64,
    /// Rows that failed before.
    pub failed: u64,
    /// Rows that were sent before without a known outcome.
    pub unknown: u64,
    /// Rows whose `custom_id` had another content before.
    pub changed: u64,
    /// The first of them: number and name.
    pub changed_shown: Vec<(u64, Key)>,
    /// Rows to do that get a copy of the outcome of an equal row of this job.
    pub equal: u64,
    /// Rows to do that get a copy of an answer of another job.
    pub reused: u64,
    /// Rows that are known from before and no longer in the file.
    pub vanished: u64,
    /// What the rows to send may use.
    pub extent: Extent,
    /// The same by model; without the models beyond [`MODELS_MAX`].
    pub models: Vec<(Arc<str>, Extent)>,
    /// A uniform random sample of the rows to send, in the order of the file.
    pub sample: Vec<Row>,
    /// Rows to send.
    pub wanted: u64,
    /// Whether it was read to its end; otherwise `goes_on` stopped it.
    pub is_whole: bool,
}

/// How much of the input was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows, with those of other parts and bad lines.
    pub rows: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

/// What rows may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Their number.
    pub rows: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// The sum of their limits on output tokens; counted only if a sample is wanted, as the two below.
    pub output: u64,
    /// Rows that do not limit their output.
    pub unlimited: u64,
    /// Rows whose input may be more than their text.
    pub open: u64,
}

impl Extent {
    /// The maximum of their input tokens, since no token is shorter than a byte; `None` if it is unknown.
    pub fn input_most(&self) -> Option<u64> {
        (self.open == 0).then_some(self.bytes)
    }

    /// The maximum of their output tokens; `None` if one does not limit its output.
    pub fn output_most(&self) -> Option<u64> {
        (self.unlimited == 0).then_some(self.output)
    }

    fn add(&mut self, bounds: Bounds) {
        self.rows += 1;
        self.bytes += bounds.bytes;
        self.output = self.output.saturating_add(bounds.output.unwrap_or(0));
        self.unlimited += u64::from(bounds.output.is_none());
        self.open += u64::from(bounds.is_open);
    }
}

/// The options of a survey.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The size of the sample.
    pub sample: usize,
    /// The seed of the sample: the same seed gives the same sample.
    pub seed: u64,
    /// The rows to do.
    pub wants: fn(KnownState) -> bool,
}

/// Reads files from beginning to end. The ledger looks up their rows, and is ready for the run
/// afterwards. Rows that get copies of these answers are counted apart. `goes_on` is called every few thousand
/// rows.
pub fn survey(
    sources: &Sources,
    options: &RowOptions,
    ledger: &mut Ledger,
    answers: Option<&SharedAnswers>,
    wish: Wish,
    mut goes_on: impl FnMut(Progress) -> bool,
) -> Result<Survey, Error> {
    let mut rows = Rows::open(sources, options)?;
    let mut surveyor = Surveyor::new(wish, answers.cloned());
    let mut count: u64 = 0;
    let mut is_whole = true;
    while let Some(judged) = rows.next_judged(ledger)? {
        surveyor.line(judged);
        count += 1;
        if count.is_multiple_of(ROWS_BETWEEN)
            && !goes_on(Progress { rows: count, bytes: rows.bytes_read() })
        {
            is_whole = false;
            break;
        }
    }
    let mut found = surveyor.end();
    found.is_whole = is_whole;
    if is_whole {
        found.vanished = ledger.counts().vanished;
    }
    ledger.begin_again();
    name_the_first(sources, options, &mut found.bad_shown)?;
    Ok(found)
}

/// Makes a survey, row by row.
pub struct Surveyor {
    found: Survey,
    wish: Wish,
    answers: Option<SharedAnswers>,
    sample: Sample,
}

impl Surveyor {
    /// Begins one.
    pub fn new(wish: Wish, answers: Option<SharedAnswers>) -> Surveyor {
        Surveyor { found: Survey::default(), wish, answers, sample: Sample::new(wish) }
    }

    fn line(&mut self, judged: Option<Checked<'_>>) {
        let found = &mut self.found;
        let (draft, key, number, met) = match &judged {
            None => {
                found.elsewhere += 1;
                return;
            }
            Some(Checked::Bad(bad)) => {
                found.bad += 1;
                let has_outcome = matches!(
                    bad.met,
                    KnownState::AlreadyDone | KnownState::AlreadyFailed | KnownState::Changed(_)
                );
                found.bad_before += u64::from(has_outcome);
                if found.bad_shown.len() < SHOWN_MAX {
                    found.bad_shown.push(bad.clone());
                }
                return;
            }
            Some(Checked::Row { draft, key, number, met }) => (draft, key, *number, *met),
        };
        if let KnownState::Changed(_) = met
            && found.changed_shown.len() < SHOWN_MAX
        {
            found.changed_shown.push((number, key.clone()));
        }
        if let Some(place) = self.row(met, draft.hash, &draft.body, &draft.model)
            && let Some(InputItem::Row(row, _)) = judged.map(Checked::come)
        {
            self.put(place, row);
        }
    }

    /// Counts a row. If it joins the sample, returns its place for [`Surveyor::put`], perhaps that of an
    /// earlier row.
    pub fn row(
        &mut self,
        met: KnownState,
        hash: BodyHash,
        body: &str,
        model: &Arc<str>,
    ) -> Option<usize> {
        let found = &mut self.found;
        found.rows += 1;
        match met {
            KnownState::New | KnownState::Twice => found.new += 1,
            KnownState::AlreadyDone => found.done += 1,
            KnownState::AlreadyFailed => found.failed += 1,
            KnownState::Unknown => found.unknown += 1,
            KnownState::Changed(State::New | State::Done | State::Failed | State::Unknown) => {
                found.changed += 1;
            }
        }
        if !(self.wish.wants)(met) {
            return None;
        }
        let seen = self.answers.as_ref().map_or(Seen::First, |answers| locked(answers).see(hash));
        let copied = match seen {
            Seen::First => None,
            Seen::Equal => Some(&mut found.equal),
            Seen::Reused => Some(&mut found.reused),
        };
        if let Some(copied) = copied {
            *copied += 1;
            return None;
        }
        found.wanted += 1;
        let bounds = match self.wish.sample {
            0 => Bounds::of_size(body),
            _ => Bounds::of(body),
        };
        found.extent.add(bounds);
        found.count_model(model, bounds);
        self.sample.place()
    }

    /// Puts a row at its place in the sample.
    pub fn put(&mut self, place: usize, row: Row) {
        self.sample.put(place, row);
    }

    /// The survey of these rows.
    pub fn end(self) -> Survey {
        let Surveyor { mut found, answers, sample, .. } = self;
        if let Some(answers) = answers {
            locked(&answers).end_survey();
        }
        (found.sample, found.is_whole) = (sample.rows, true);
        found.sample.sort_by_key(|row| row.number);
        found
    }
}

impl Survey {
    /// Whether there is no line, of any part.
    pub fn is_empty(&self) -> bool {
        self.rows + self.elsewhere + self.bad == 0
    }

    fn count_model(&mut self, model: &Arc<str>, bounds: Bounds) {
        let mut models = self.models.iter_mut();
        if let Some((_, extent)) = models.find(|(found, _)| found == model) {
            extent.add(bounds);
        } else if self.models.len() < MODELS_MAX {
            let mut extent = Extent::default();
            extent.add(bounds);
            self.models.push((model.clone(), extent));
        }
    }
}

/// A reservoir sample of rows whose number is not known in advance: the `n`th row is taken with a
/// probability of `size`/`n`.
#[derive(Debug)]
struct Sample {
    size: usize,
    random: fastrand::Rng,
    seen: u64,
    rows: Vec<Row>,
}

impl Sample {
    fn new(wish: Wish) -> Sample {
        let random = fastrand::Rng::with_seed(wish.seed);
        Sample { size: wish.sample, random, seen: 0, rows: Vec::new() }
    }

    /// The index at which to store the next row, if it is taken.
    fn place(&mut self) -> Option<usize> {
        self.seen += 1;
        if self.rows.len() < self.size {
            return Some(self.rows.len());
        }
        let place = self.random.u64(..self.seen) as usize;
        (place < self.size).then_some(place)
    }

    fn put(&mut self, place: usize, row: Row) {
        match self.rows.get_mut(place) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }
}

/// Finds the lines whose `custom_id`s are duplicated later. The ledger stores no lines, so the file is read
/// once more if there are any.
fn name_the_first(
    sources: &Sources,
    options: &RowOptions,
    shown: &mut [BadRow],
) -> Result<(), Error> {
    let mut sought: Vec<&mut BadRow> = shown.iter_mut().filter(|bad| bad.is_twice).collect();
    if sought.is_empty() {
        return Ok(());
    }
    let mut rows = Rows::open(sources, options)?;
    while let Some((number, custom_id)) = rows.next_custom_id()?
        && !sought.is_empty()
    {
        let Some(custom_id) = custom_id else { continue };
        sought.retain_mut(|bad| {
            let is_it = bad.key.text() == custom_id;
            if is_it && number < bad.number {
                let place = match sources.name_of(number) {
                    name if *name == *bad.place => format!("in line {}", line_of(number)),
                    _ => format!("in {}", sources.place(number)),
                };
                bad.reason = format!("{}, {place}", bad.reason);
            }
            !is_it
        });
    }
    Ok(())
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
