//! Whether a stream streams, judged by when its chunks came. Pure: knows no clock and no call.

use std::time::Duration;

/// Fewer chunks tell nothing.
const CHUNKS_MIN: usize = 6;

/// An answer that is over sooner tells nothing: it had no time to come piece by piece.
const WHOLE_TIME_MIN: Duration = Duration::from_millis(400);

/// Chunks that came within this time came at once: no model makes so many in it.
const BURST_TIME_MAX: Duration = Duration::from_millis(30);

/// Chunks that are closer together arrived in one burst.
const LUMP_GAP: Duration = Duration::from_millis(3);

/// What the times of a stream's chunks say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Chunks came over time.
    Streams,
    /// All came at once, long after they were asked for.
    HeldBack,
    /// Too few chunks.
    FewChunks,
    /// Too fast.
    Fast,
}

/// Judges chunks by when they came, counted from the start of the call, in order.
pub(crate) fn judge(arrivals: &[Duration]) -> Pace {
    let (Some(first), Some(last)) = (arrivals.first(), arrivals.last()) else {
        return Pace::FewChunks;
    };
    if arrivals.len() < CHUNKS_MIN {
        return Pace::FewChunks;
    }
    if last.saturating_sub(*first) > BURST_TIME_MAX {
        return Pace::Streams;
    }
    if *last >= WHOLE_TIME_MIN { Pace::HeldBack } else { Pace::Fast }
}

/// How many lumps the chunks came in.
pub(crate) fn lumps(arrivals: &[Duration]) -> usize {
    let gaps = arrivals.windows(2).filter(|pair| match pair {
        [before, after] => after.saturating_sub(*before) > LUMP_GAP,
        _ => false,
    });
    gaps.count() + usize::from(!arrivals.is_empty())
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
