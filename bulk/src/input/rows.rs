//! Converts lines to rows: names each, and looks it up in the ledger.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::input::bad_row::BadRow;
use crate::input::fault::{Fault, as_utf8};
use crate::input::form::{Draft, Forms};
use crate::input::lines::{Line, Lines, ROW_BYTES_MAX};
use crate::input::options::RowOptions;
use crate::input::source::{Opened, Packing, Source};
use crate::input::sources::{Sources, number_of};
use crate::input::table::Table;
use crate::ledger::{KnownState, Ledger};
use crate::row::{BodyHash, Key, Row, Shard};

/// The result for a line.
#[derive(Clone, Debug)]
pub enum InputItem {
    /// A row and its status; never [`KnownState::Twice`].
    Row(Row, KnownState),
    /// Not a row, or a duplicate `custom_id`.
    Bad(BadRow),
}

/// The rows of files or of standard input, one after another.
pub struct Rows {
    feed: Feed,
    maker: RowMaker,
}

impl Rows {
    /// Opens the first of them. The options are checked.
    pub fn open(sources: &Sources, options: &RowOptions) -> Result<Rows, Error> {
        options.check()?;
        let mut feed = Feed {
            sources: sources.clone(),
            has_prompt: options.prompt.is_some(),
            opened: 0,
            reading: None,
            is_empty: true,
            bytes_read: Arc::default(),
        };
        feed.open_next()?;
        Ok(Rows { feed, maker: RowMaker::new(options, "") })
    }

    /// Whether no line was read so far, of any part.
    pub fn is_empty(&self) -> bool {
        self.feed.is_empty
    }

    /// The bytes that were read of the files so far.
    pub fn bytes_read(&self) -> u64 {
        self.feed.bytes_read.load(Ordering::Relaxed)
    }

    /// The next row of this part, looked up in the ledger; `None` at the end and after a failure.
    pub fn next(&mut self, ledger: &mut Ledger) -> Result<Option<InputItem>, Error> {
        while let Some(judged) = self.next_judged(ledger)? {
            if let Some(judged) = judged {
                return Ok(Some(judged.come()));
            }
        }
        Ok(None)
    }

    /// The result for the next line; the inner `None` is a row of another part.
    pub(crate) fn next_judged(
        &mut self,
        ledger: &mut Ledger,
    ) -> Result<Option<Option<Checked<'_>>>, Error> {
        if !self.feed.advance()? {
            return Ok(None);
        }
        let Some(Reading { place, number, records, .. }) = &self.feed.reading else {
            return Ok(None);
        };
        if !Arc::ptr_eq(&self.maker.place, place) {
            self.maker.place = place.clone();
        }
        Ok(Some(self.maker.judge(records.line(), *number, ledger)))
    }

    /// The number of the next line, and its `custom_id`, if it has one.
    pub(crate) fn next_custom_id(&mut self) -> Result<Option<(u64, Option<String>)>, Error> {
        if !self.feed.advance()? {
            return Ok(None);
        }
        let reading = self.feed.reading.as_ref();
        Ok(reading.map(|reading| (reading.number, self.maker.custom_id(reading.records.line()))))
    }
}

/// The lines of all sources, and the reason of their end.
struct Feed {
    sources: Sources,
    has_prompt: bool,
    /// The number of sources that were opened.
    opened: usize,
    /// `None` at the end, and after a failure.
    reading: Option<Reading>,
    is_empty: bool,
    bytes_read: Arc<AtomicU64>,
}

/// A source while it is read.
struct Reading {
    source: Source,
    packing: Packing,
    place: Arc<str>,
    /// See [`Sources::place`].
    number: u64,
    records: Records,
}

type Bytes = Box<dyn Read + Send>;

enum Records {
    Lines(Lines<Bytes>),
    Table(Box<Table<Bytes>>),
}

impl Records {
    fn advance(&mut self) -> io::Result<bool> {
        match self {
            Records::Lines(lines) => lines.advance(),
            Records::Table(table) => table.advance(),
        }
    }

    fn line(&self) -> Line<'_> {
        match self {
            Records::Lines(lines) => lines.line(),
            Records::Table(table) => table.line(),
        }
    }

    fn number(&self) -> u64 {
        match self {
            Records::Lines(lines) => lines.number(),
            Records::Table(table) => table.number(),
        }
    }

    fn whole_lines(&self) -> u64 {
        match self {
            Records::Lines(lines) => lines.number(),
            Records::Table(table) => table.whole_lines(),
        }
    }
}

impl Feed {
    /// Reads the next line of any source; false at the end.
    fn advance(&mut self) -> Result<bool, Error> {
        while let Some(reading) = &mut self.reading {
            match reading.advance() {
                Ok(Some(line)) => {
                    reading.number = number_of(self.opened - 1, line);
                    self.is_empty = false;
                    return Ok(true);
                }
                Ok(None) => self.open_next()?,
                Err(error) => {
                    self.reading = None;
                    return Err(error);
                }
            }
        }
        Ok(false)
    }

    fn open_next(&mut self) -> Result<(), Error> {
        self.reading = None;
        let Some(source) = self.sources.get(self.opened) else { return Ok(()) };
        let Opened { bytes, packing } = source.open(&self.bytes_read)?;
        let records = match source.separator() {
            None => Records::Lines(Lines::new(bytes)),
            Some(separator) => {
                let table = Table::open(bytes, separator);
                let table = table.map_err(|cause| source.broke_off(packing, 0, cause))?;
                let table = table.map_err(|(line, fault)| Error::InputHeader {
                    name: source.name(),
                    line,
                    fault,
                })?;
                if !self.has_prompt && !table.columns().is_empty() {
                    let (name, columns) = (source.name(), table.columns().to_vec());
                    return Err(Error::TableWithoutPrompt { name, columns });
                }
                Records::Table(Box::new(table))
            }
        };
        let place = Arc::from(source.name());
        self.reading = Some(Reading { source: source.clone(), packing, place, number: 0, records });
        self.opened += 1;
        Ok(())
    }
}

impl Reading {
    fn advance(&mut self) -> Result<Option<u64>, Error> {
        let whole_lines = self.records.whole_lines();
        match self.records.advance() {
            Ok(has_read) => Ok(has_read.then(|| self.records.number())),
            Err(cause) => Err(self.source.broke_off(self.packing, whole_lines, cause)),
        }
    }
}

/// Makes rows from texts of any source.
#[derive(Debug)]
pub struct RowMaker {
    forms: Forms,
    shard: Option<Shard>,
    place: Arc<str>,
}

/// A line that was read and looked up, and not copied yet.
#[derive(Debug)]
pub(crate) enum Checked<'a> {
    Row { draft: Draft<'a>, key: Key, number: u64, met: KnownState },
    Bad(BadRow),
}

impl Checked<'_> {
    pub(crate) fn come(self) -> InputItem {
        match self {
            Checked::Bad(bad) => InputItem::Bad(bad),
            Checked::Row { draft, key, number, met } => {
                let Draft { endpoint, body, model, hash, .. } = draft;
                let body = Arc::from(body);
                InputItem::Row(Row { key, number, hash, endpoint, body, model }, met)
            }
        }
    }
}

impl RowMaker {
    /// For texts of this source, by its name in messages.
    pub fn new(options: &RowOptions, place: &str) -> RowMaker {
        let forms = Forms::new(options);
        RowMaker { forms, shard: options.shard, place: Arc::from(place) }
    }

    /// The row of a text, looked up in the ledger; `None` if it is in another part.
    pub fn make(&mut self, text: &str, number: u64, ledger: &mut Ledger) -> Option<InputItem> {
        let bytes = text.as_bytes();
        let is_too_long = bytes.len() > ROW_BYTES_MAX;
        let line = if is_too_long { Line::TooLong(bytes) } else { Line::Whole(bytes) };
        self.judge(line, number, ledger).map(Checked::come)
    }

    pub(crate) fn judge<'a>(
        &mut self,
        line: Line<'a>,
        number: u64,
        ledger: &mut Ledger,
    ) -> Option<Checked<'a>> {
        let (Line::Whole(bytes) | Line::TooLong(bytes) | Line::Bad(bytes, _)) = line;
        let drafted = match line {
            Line::Bad(_, fault) => Err(fault.clone()),
            Line::TooLong(_) => Err(too_long()),
            Line::Whole(bytes) => as_utf8(bytes).and_then(|text| self.forms.read(text)),
        };
        let (custom_id, hash) = match &drafted {
            Ok(draft) => (draft.custom_id.as_deref(), draft.hash),
            Err(fault) => (fault.custom_id.as_deref(), BodyHash::of_bytes(bytes)),
        };
        if let Some(shard) = self.shard
            && !custom_id.map_or_else(|| shard.has_hash(hash), |id| shard.has_custom_id(id))
        {
            return None;
        }
        let (key, met) = ledger.meet_row(custom_id, hash);
        let place = self.place.clone();
        let is_twice = met == KnownState::Twice;
        let twice = || format!("custom_id {:?} was used before", key.text());
        let (reason, advice) = match (drafted, is_twice) {
            (Ok(draft), false) => return Some(Checked::Row { draft, key, number, met }),
            (Ok(_), true) => (twice(), "give each row a different one".to_owned()),
            (Err(Fault { reason, advice, .. }), false) => (reason, advice),
            (Err(Fault { reason, advice, .. }), true) => {
                (format!("{reason}, and {}", twice()), advice)
            }
        };
        Some(Checked::Bad(BadRow { place, number, key, met, is_twice, reason, advice }))
    }

    /// Only the `custom_id` of a line.
    fn custom_id(&mut self, line: Line<'_>) -> Option<String> {
        let Line::Whole(bytes) = line else { return None };
        match self.forms.read(as_utf8(bytes).ok()?) {
            Ok(draft) => draft.custom_id.map(|id| id.into_owned()),
            Err(fault) => fault.custom_id,
        }
    }
}

fn too_long() -> Fault {
    let reason = format!("the line has more than ROW_BYTES_MAX = {ROW_BYTES_MAX} bytes");
    let advice = "make the request smaller: refer to large files by URL, for instance".to_owned();
    Fault { custom_id: None, reason, advice }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
