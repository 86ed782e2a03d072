//! Writes results from their order of arrival in the order of the input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};

use super::results::Format;
use super::rewrite::{Members, Written};
use crate::output;
use crate::row::Key;
use crate::window::Window;

/// Bytes of the arrivals read at once: most rows are near the previous one.
const WINDOW_BYTES: usize = 256 * 1024;

/// Flag of a result that was already written: no file offset is that large.
const IS_WRITTEN: u64 = 1 << 63;

/// The order of the input: 8 bytes per row.
#[derive(Clone, Debug, Default)]
pub struct Order(Vec<u64>);

impl Order {
    /// An empty order.
    pub fn new() -> Order {
        Order::default()
    }

    /// Adds the next row of the input, whether done before or not.
    pub fn push(&mut self, key: &Key) {
        self.0.push(short(output::name_of(key.text())));
    }
}

fn short(name: [u8; 12]) -> u64 {
    name.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Writes the lines of the first `end` bytes of `arrivals` in this order, then those of rows that are not
/// in it.
pub(crate) fn assemble(
    arrivals: &File,
    end: u64,
    order: &Order,
    format: Format,
    out: impl Write,
) -> io::Result<Written> {
    let mut index = index(arrivals, end)?;
    let mut members = Members::new(format, out);
    let mut window = Window::new(WINDOW_BYTES);
    for name in &order.0 {
        let first = index.partition_point(|(found, _)| found < name);
        let equal = index.get_mut(first..).unwrap_or_default().iter_mut();
        let mut equal = equal.take_while(|(found, _)| found == name);
        if let Some((_, place)) = equal.find(|(_, place)| *place & IS_WRITTEN == 0) {
            members.line(window.line(arrivals, end, *place)?)?;
            *place |= IS_WRITTEN;
        }
    }
    let mut rest: Vec<u64> =
        index.iter().map(|(_, place)| *place).filter(|place| place & IS_WRITTEN == 0).collect();
    rest.sort_unstable();
    for place in rest {
        members.line(window.line(arrivals, end, place)?)?;
    }
    members.finish()
}

/// Names and offsets of all lines, sorted by name.
fn index(arrivals: &File, end: u64) -> io::Result<Vec<(u64, u64)>> {
    let mut reader = BufReader::with_capacity(WINDOW_BYTES, arrivals);
    reader.seek(SeekFrom::Start(0))?;
    let (mut index, mut line, mut place) = (Vec::new(), Vec::new(), 0);
    while place < end {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if let Some(name) = output::name_in(&line) {
            index.push((short(name), place));
        }
        place += read as u64;
    }
    index.sort_unstable();
    Ok(index)
}
