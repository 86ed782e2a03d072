//! Converts lines to rows: names each, and looks it up in the ledger.

use std::io::Read;
use std::sync::Arc;

use crate::error::Error;
use crate::input::bad_row::BadRow;
use crate::input::fault::Fault;
use crate::input::form::{Draft, Forms};
use crate::input::lines::{Line, Lines, ROW_BYTES_MAX};
use crate::input::options::RowOptions;
use crate::input::source::{Opened, Packing, Source};
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

/// The rows of a file or of standard input, one after another.
pub struct Rows {
    feed: Feed,
    maker: RowMaker,
}

impl Rows {
    /// Opens it. The options are checked.
    pub fn open(source: &Source, options: &RowOptions) -> Result<Rows, Error> {
        options.check()?;
        let Opened { bytes, packing } = source.open()?;
        let (source, lines) = (source.clone(), Lines::new(bytes));
        let maker = RowMaker::new(options, &source.name());
        Ok(Rows { feed: Feed { source, packing, lines, has_ended: false }, maker })
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
        let line = self.feed.next()?;
        Ok(line.map(|(number, line)| self.maker.judge(line, number, ledger)))
    }

    /// The number of the next line, and its `custom_id`, if it has one.
    pub(crate) fn next_custom_id(&mut self) -> Result<Option<(u64, Option<String>)>, Error> {
        let line = self.feed.next()?;
        Ok(line.map(|(number, line)| (number, self.maker.custom_id(line))))
    }
}

/// The lines of a source, and the reason of its end.
struct Feed {
    source: Source,
    packing: Packing,
    lines: Lines<Box<dyn Read + Send>>,
    has_ended: bool,
}

impl Feed {
    fn next(&mut self) -> Result<Option<(u64, Line<'_>)>, Error> {
        if self.has_ended {
            return Ok(None);
        }
        let whole_lines = self.lines.number();
        let line = self.lines.next();
        self.has_ended = !matches!(line, Ok(Some(_)));
        line.map_err(|cause| self.source.broke_off(self.packing, whole_lines, cause))
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
        let (Line::Whole(bytes) | Line::TooLong(bytes)) = line;
        let drafted = match line {
            Line::TooLong(_) => Err(too_long()),
            Line::Whole(bytes) => text(bytes).and_then(|text| self.forms.read(text)),
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
        Some(match drafted {
            Ok(_) if met == KnownState::Twice => {
                let reason = format!("custom_id {:?} was used before", key.text());
                let advice = "give each row a different one".to_owned();
                let is_twice = true;
                Checked::Bad(BadRow { place, number, key, met, is_twice, reason, advice })
            }
            Ok(draft) => Checked::Row { draft, key, number, met },
            Err(Fault { reason, advice, .. }) => {
                let is_twice = false;
                Checked::Bad(BadRow { place, number, key, met, is_twice, reason, advice })
            }
        })
    }

    /// Only the `custom_id` of a line.
    fn custom_id(&mut self, line: Line<'_>) -> Option<String> {
        let Line::Whole(bytes) = line else { return None };
        match self.forms.read(text(bytes).ok()?) {
            Ok(draft) => draft.custom_id.map(|id| id.into_owned()),
            Err(fault) => fault.custom_id,
        }
    }
}

fn text(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let column = String::from_utf8_lossy(valid).chars().count() + 1;
        let is_utf_16 = matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        let advice = match is_utf_16 {
            true => "it seems to be UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`",
            false => "correct the line",
        };
        let (custom_id, advice) = (None, advice.to_owned());
        Fault { custom_id, reason: format!("not valid UTF-8 at column {column}"), advice }
    })
}

fn too_long() -> Fault {
    let reason = format!("the line has more than ROW_BYTES_MAX = {ROW_BYTES_MAX} bytes");
    let advice = "make the request smaller: refer to large files by URL, for instance".to_owned();
    Fault { custom_id: None, reason, advice }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
