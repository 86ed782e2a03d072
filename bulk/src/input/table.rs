//! Reads the records of a CSV or TSV text as lines of JSON: the header names the members, and all values
//! are strings.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use csv_core::{ReadRecordResult, ReaderBuilder};

use crate::input::fault::{CORRECT, Fault, SEPARATORS, as_utf8, fault, has_separator};
use crate::input::lines::{BYTE_ORDER_MARK, LINE_BYTES_KEPT_MAX, Line, READ_BYTES, ROW_BYTES_MAX};
use crate::output::write_text;

/// The maximum number of columns.
const COLUMNS_MAX: usize = 65_536;

/// The longest name of a column, in bytes: it is part of each record, which may be a few bytes.
const COLUMN_NAME_BYTES_MAX: usize = 4096;

/// The records of a table, one after another. Empty lines are skipped, but counted.
pub(crate) struct Table<R> {
    reader: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    parser: csv_core::Reader,
    bytes_max: usize,
    columns: Vec<String>,
    record: Record,
    /// Line ends so far.
    line_ends: u64,
    /// The last line of the last record.
    last: u64,
    json: Vec<u8>,
    fault: Option<Fault>,
}

/// A record as it was read.
#[derive(Debug, Default)]
struct Record {
    /// The fields one after another, and room.
    bytes: Vec<u8>,
    used: usize,
    /// Where each field ends, and room.
    ends: Vec<usize>,
    count: usize,
    /// Its first line, from 1.
    number: u64,
    is_too_long: bool,
    /// The text ended within quotes.
    is_open: bool,
}

impl Record {
    fn all(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }

    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let mut begin = 0;
        self.ends.iter().take(self.count).map(move |end| {
            let field = self.bytes.get(begin..*end).unwrap_or_default();
            begin = *end;
            field
        })
    }
}

impl<R: Read> Table<R> {
    /// Reads the header. The inner error is what is wrong with it, and its line.
    pub(crate) fn open(reader: R, delimiter: u8) -> io::Result<Result<Table<R>, (u64, String)>> {
        Table::with_bounds(reader, delimiter, READ_BYTES, ROW_BYTES_MAX)
    }

    fn with_bounds(
        mut reader: R,
        delimiter: u8,
        read_bytes: usize,
        bytes_max: usize,
    ) -> io::Result<Result<Table<R>, (u64, String)>> {
        // The parser recognizes the mark only if it is not all that is read at once.
        let mut head = Vec::new();
        reader.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut head)?;
        if head == BYTE_ORDER_MARK {
            head.clear();
        }
        let mut table = Table {
            reader: BufReader::with_capacity(read_bytes, Cursor::new(head).chain(reader)),
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            bytes_max,
            columns: Vec::new(),
            record: Record::default(),
            line_ends: 0,
            last: 0,
            json: Vec::new(),
            fault: None,
        };
        if table.read()? {
            match table.header() {
                Ok(columns) => table.columns = columns,
                Err(fault) => return Ok(Err((table.record.number, fault))),
            }
        }
        Ok(Ok(table))
    }

    /// The names in the header.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The first line of the last record read, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.record.number
    }

    /// The number of lines up to the end of the last whole record.
    pub(crate) fn whole_lines(&self) -> u64 {
        self.last
    }

    /// Reads the next record; false at the end.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        let has_read = self.read()?;
        if has_read {
            self.fault = self.convert().err();
        }
        Ok(has_read)
    }

    /// The record that was read, as an object.
    pub(crate) fn line(&self) -> Line<'_> {
        match &self.fault {
            Some(fault) => Line::Bad(self.record.all(), fault),
            None => Line::Whole(&self.json),
        }
    }

    fn read(&mut self) -> io::Result<bool> {
        if !self.skip_line_ends()? {
            return Ok(false);
        }
        let Record { mut bytes, mut ends, .. } = std::mem::take(&mut self.record);
        bytes.truncate(LINE_BYTES_KEPT_MAX);
        bytes.shrink_to(LINE_BYTES_KEPT_MAX);
        let number = self.line_ends + 1;
        let (mut used, mut ends_used, mut count) = (0, 0, 0);
        let (mut is_too_long, mut is_open) = (false, false);
        let has_read = loop {
            let input = self.reader.fill_buf()?;
            let is_end = input.is_empty();
            // A line end ends the last record, unless that is within quotes.
            let input = if is_end && !is_open { b"\n" } else { input };
            let (result, read, written, ended) = self.parser.read_record(
                input,
                bytes.get_mut(used..).unwrap_or_default(),
                ends.get_mut(ends_used..).unwrap_or_default(),
            );
            if let Some(input) = input.get(..read).filter(|_| !is_end) {
                self.line_ends += input.iter().filter(|byte| **byte == b'\n').count() as u64;
                self.last = self.line_ends + u64::from(input.last() != Some(&b'\n'));
                self.reader.consume(read);
            }
            (used, ends_used, count) = (used + written, ends_used + ended, count + ended);
            match result {
                ReadRecordResult::InputEmpty => is_open = is_end,
                // The rest of it is passed over.
                ReadRecordResult::OutputFull if used > self.bytes_max => {
                    (used, is_too_long) = (0, true);
                }
                ReadRecordResult::OutputFull => bytes.resize((2 * used).max(READ_BYTES), 0),
                ReadRecordResult::OutputEndsFull if ends_used > COLUMNS_MAX => ends_used = 0,
                ReadRecordResult::OutputEndsFull => ends.resize((2 * ends_used).max(64), 0),
                ReadRecordResult::Record => break true,
                ReadRecordResult::End => break false,
            }
        };
        self.record = Record { bytes, used, ends, count, number, is_too_long, is_open };
        Ok(has_read)
    }

    /// False if there is nothing after them.
    fn skip_line_ends(&mut self) -> io::Result<bool> {
        while let Some(byte @ (b'\n' | b'\r')) = self.reader.fill_buf()?.first() {
            self.line_ends += u64::from(*byte == b'\n');
            self.reader.consume(1);
        }
        Ok(!self.reader.fill_buf()?.is_empty())
    }

    fn header(&self) -> Result<Vec<String>, String> {
        self.check_record().map_err(|fault| format!("{}; {}", fault.reason, fault.advice))?;
        let (mut columns, mut known) = (Vec::new(), HashSet::new());
        for (place, field) in self.record.fields().enumerate() {
            let name = as_utf8(field)
                .map_err(|fault| format!("the header is {}; {}", fault.reason, fault.advice))?;
            if name.is_empty() {
                return Err(format!("column {} of the header has no name; name it", place + 1));
            }
            if name.len() > COLUMN_NAME_BYTES_MAX {
                return Err(format!(
                    "the name of column {} of the header has {} bytes, more than COLUMN_NAME_BYTES_MAX = \
                     {COLUMN_NAME_BYTES_MAX}; shorten it, or check the quotes",
                    place + 1,
                    name.len()
                ));
            }
            if !known.insert(name) {
                return Err(format!("the header names {name:?} twice; rename one of them"));
            }
            columns.push(name.to_owned());
        }
        Ok(columns)
    }

    /// What is wrong with the record as a whole.
    fn check_record(&self) -> Result<(), Fault> {
        let Record { count, is_too_long, is_open, .. } = self.record;
        if is_too_long {
            let reason =
                format!("the record has more than ROW_BYTES_MAX = {} bytes", self.bytes_max);
            return Err(fault(reason, "check its quotes, or make it smaller"));
        }
        if is_open {
            return Err(fault("a quote of the record is not closed", "close it"));
        }
        if count > COLUMNS_MAX {
            let reason = format!("the record has more than COLUMNS_MAX = {COLUMNS_MAX} fields");
            return Err(fault(reason, CORRECT));
        }
        Ok(())
    }

    /// Converts the record.
    fn convert(&mut self) -> Result<(), Fault> {
        self.check_record()?;
        let (count, expected) = (self.record.count, self.columns.len());
        if count != expected {
            let fields = if count == 1 { "field" } else { "fields" };
            let reason = format!("the record has {count} {fields}, but the header has {expected}");
            let advice = match &*self.columns {
                [only] if has_separator(only) => SEPARATORS,
                _ => "put fields with a separator or a quote into quotes",
            };
            return Err(fault(reason, advice));
        }
        self.json.clear();
        self.json.shrink_to(LINE_BYTES_KEPT_MAX);
        for (name, field) in self.columns.iter().zip(self.record.fields()) {
            let field = as_utf8(field).map_err(|fault| {
                let reason = format!("field {name:?} is {}", fault.reason);
                Fault { reason, ..fault }
            })?;
            self.json.push(if self.json.is_empty() { b'{' } else { b',' });
            write_text(name, &mut self.json);
            self.json.push(b':');
            write_text(field, &mut self.json);
        }
        self.json.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
