//! When to yield to the event loop although chunks are ready: after a number of chunks, or after a time.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Consecutive ready chunks after which to yield to the event loop.
const TURN_CHUNKS: u32 = 128;
/// The time after which to yield; the clock is read once in `CLOCK_CHUNKS` chunks.
const TURN_TIME: Duration = Duration::from_millis(5);
const CLOCK_CHUNKS: u32 = 8;

/// The chunks since the last yield to the event loop, and the time of that yield in nanoseconds since the
/// stream's creation.
pub(crate) struct Turns {
    in_a_row: AtomicU32,
    turn_at: AtomicU64,
    made_at: Instant,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { in_a_row: AtomicU32::new(0), turn_at: AtomicU64::new(0), made_at: Instant::now() }
    }
}

impl Turns {
    fn now(&self) -> u64 {
        u64::try_from(self.made_at.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Records a yield to the event loop.
    pub(crate) fn note_yield(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
        self.turn_at.store(self.now(), Ordering::Relaxed);
    }

    /// Whether to yield to the event loop before the next chunk.
    pub(crate) fn must_yield(&self) -> bool {
        let in_a_row = self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        if in_a_row > TURN_CHUNKS {
            return true;
        }
        if !in_a_row.is_multiple_of(CLOCK_CHUNKS) {
            return false;
        }
        let since = self.now().saturating_sub(self.turn_at.load(Ordering::Relaxed));
        u128::from(since) >= TURN_TIME.as_nanos()
    }
}
