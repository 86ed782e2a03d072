//! Judges from the arrival times of its chunks whether a stream is incremental. Pure.

use std::time::Duration;

/// Fewer chunks are inconclusive.
const CHUNKS_MIN: usize = 6;

/// A shorter answer is inconclusive: it had no time to arrive in pieces.
const WHOLE_TIME_MIN: Duration = Duration::from_millis(400);

/// Chunks within this time arrived at once: no model generates that fast.
const BURST_TIME_MAX: Duration = Duration::from_millis(30);

/// Chunks closer together arrived in one burst.
const LUMP_GAP: Duration = Duration::from_millis(3);

/// The verdict on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Chunks arrived over time.
    Streams,
    /// All arrived at once, long after the request.
    HeldBack,
    /// Too few chunks.
    FewChunks,
    /// The whole answer was too fast.
    Fast,
}

/// Judges the arrival times of chunks, from the start of the call, in order.
pub(crate) fn judge(arrivals: &[Duration]) -> Delivery {
    let (Some(first), Some(last)) = (arrivals.first(), arrivals.last()) else {
        return Delivery::FewChunks;
    };
    if arrivals.len() < CHUNKS_MIN {
        return Delivery::FewChunks;
    }
    if last.saturating_sub(*first) > BURST_TIME_MAX {
        return Delivery::Streams;
    }
    if *last >= WHOLE_TIME_MIN { Delivery::HeldBack } else { Delivery::Fast }
}

/// The number of bursts.
pub(crate) fn lumps(arrivals: &[Duration]) -> usize {
    let gaps = arrivals.windows(2).filter(|pair| match pair {
        [before, after] => after.saturating_sub(*before) > LUMP_GAP,
        _ => false,
    });
    gaps.count() + usize::from(!arrivals.is_empty())
}

#[cfg(test)]
#[path = "streaming_tests.rs"]
mod tests;
