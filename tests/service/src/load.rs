//! The limits of real services under load: refusals, queueing, latency. Pure: no clock and no HTTP. Times
//! are durations since a fixed start.

mod words;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// A service under load. The default admits everything at once.
///
/// Limits may be combined: a call is admitted if all of them admit it. A refused call uses up none of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// The rate limit of requests.
    pub requests: Option<Bucket>,
    /// The rate limit of tokens, input and output together. A call is admitted while any are left, and may
    /// go into debt.
    pub tokens: Option<Bucket>,
    /// Maximum concurrent calls; more are refused.
    pub at_once: Option<u32>,
    /// The limit of the growth of the request rate.
    pub slope: Option<Slope>,
    /// Maximum concurrent calls; more wait in an unbounded queue.
    pub queue: Option<Queue>,
    /// The Retry-After of a refusal.
    pub retry_after: RetryAfter,
    /// The share of admitted calls that fail with a 500.
    pub fault_share: f64,
    /// The share of arriving calls that are refused at random, at any rate.
    pub refused_share: f64,
    /// The requests per second of another client, which shares [`Load::requests`].
    pub neighbour: f64,
    /// The latency of an answer.
    pub latency: Duration,
    /// The additional latency per token.
    pub latency_per_token: Duration,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// A token bucket: a balance that fills with time up to `burst`, and from which each call takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The refill rate per second.
    pub per_second: f64,
    /// The capacity. The bucket is full at the beginning.
    pub burst: f64,
}

/// In any window of this length, at most `factor` times as many calls are admitted as the mean per window
/// in the time before, or `floor` if that is more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The length of the window.
    pub window: Duration,
    /// The time before the window over which the mean is taken.
    pub over: Duration,
    /// The permitted growth factor.
    pub factor: f64,
    /// The number of calls that is always admitted.
    pub floor: u32,
}

/// A server that queues instead of refusing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    /// The number of calls served concurrently.
    pub at_once: u32,
    /// The relative slowdown of answers if as many calls wait as are served; twice as much if twice as many
    /// wait, and so on, up to double the time.
    pub slowed: f64,
}

/// The Retry-After of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RetryAfter {
    /// The exact time until admission without other calls, in whole seconds, rounded up.
    #[default]
    Exact,
    /// None.
    Nothing,
    /// This wait on a random share of the refusals, and the exact one on the others.
    Share {
        /// The wait.
        wait: Duration,
        /// The share, from 0 to 1.
        share: f64,
    },
}

/// The result for an arriving call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is answered at this time.
    Answered(Duration),
    /// It fails with a 500 at this time.
    Fails(Duration),
    /// It is refused at once, with this Retry-After.
    Refused(Option<Duration>),
}

/// The number of calls by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Admitted and answered.
    pub answered: u64,
    /// Admitted and failed.
    pub failed: u64,
    /// Refused.
    pub refused: u64,
    /// The maximum number of admitted calls that were not yet answered.
    pub at_once: u64,
}

/// The state of a service under load.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    load: Load,
    requests: Level,
    tokens: Level,
    /// When each admitted call ends.
    ends: BinaryHeap<Reverse<Duration>>,
    /// When each slot of the queue's server is free.
    places: BinaryHeap<Reverse<Duration>>,
    /// The calls admitted in the last window of the slope, and in the time before it.
    recent: VecDeque<Duration>,
    before: VecDeque<Duration>,
    chance: u64,
    /// When the neighbour's next request comes.
    neighbour_at: Duration,
    counts: Counts,
}

/// The amount taken from a bucket that is not refilled yet.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    taken: f64,
    at: Duration,
}

impl Level {
    fn flow(&mut self, bucket: Bucket, now: Duration) {
        let since = now.saturating_sub(self.at).as_secs_f64();
        self.taken = (self.taken - since * bucket.per_second).max(0.0);
        self.at = self.at.max(now);
    }

    /// The time until `least` are left.
    fn wait(&self, bucket: Bucket, least: f64) -> Option<Duration> {
        let missing = self.taken + least - bucket.burst.max(least);
        // Less than a millionth of a call is ignored, because sums of fractions are inexact.
        (missing > 1e-6).then(|| seconds(missing / bucket.per_second))
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

impl Gate {
    /// Creates a service under this load, without calls.
    pub fn new(load: Load) -> Gate {
        Gate { chance: load.seed, load, ..Gate::default() }
    }

    /// The current load.
    pub fn load(&self) -> &Load {
        &self.load
    }

    /// Changes the limits; admitted calls continue.
    pub fn change(&mut self, load: Load) {
        if self.load.queue != load.queue {
            // Assigns the slots again; calls that hold one keep it.
            let most = load.queue.map_or(0, |queue| queue.at_once as usize);
            let mut places: Vec<_> = self.ends.iter().copied().collect();
            places.sort_unstable();
            let waiting = places.len().saturating_sub(most);
            self.places = places.drain(waiting..).collect();
        }
        self.load = load;
    }

    /// The number of calls by result so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of admitted calls that have not ended.
    pub fn busy(&mut self, now: Duration) -> usize {
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= now) {
            self.ends.pop();
        }
        self.ends.len()
    }

    /// A call with this many tokens arrives. Calls must arrive in the order of time.
    pub fn arrive(&mut self, now: Duration, tokens: u64) -> Admission {
        let tokens = tokens as f64;
        let busy = self.busy(now);
        self.let_neighbour_in(now);
        if self.load.refused_share > 0.0 && self.next_chance() < self.load.refused_share {
            self.counts.refused += 1;
            return Admission::Refused(None);
        }
        if let Some(wait) = self.wait(now, busy) {
            self.counts.refused += 1;
            return Admission::Refused(self.said(wait));
        }
        self.requests.taken += 1.0;
        self.tokens.taken += tokens;
        if self.load.slope.is_some() {
            self.recent.push_back(now);
        }
        let takes = self.load.latency + self.load.latency_per_token.mul_f64(tokens);
        let end = match self.load.queue {
            Some(queue) => self.queued(queue, now, takes, busy),
            None => now + takes,
        };
        self.ends.push(Reverse(end));
        self.counts.at_once = self.counts.at_once.max(self.ends.len() as u64);
        if self.load.fault_share > 0.0 && self.next_chance() < self.load.fault_share {
            self.counts.failed += 1;
            return Admission::Fails(end);
        }
        self.counts.answered += 1;
        Admission::Answered(end)
    }

    /// Takes the neighbour's requests until now.
    fn let_neighbour_in(&mut self, now: Duration) {
        let Some(bucket) = self.load.requests.filter(|_| self.load.neighbour > 0.0) else { return };
        while self.neighbour_at <= now {
            self.requests.flow(bucket, self.neighbour_at);
            if self.requests.wait(bucket, 1.0).is_none() {
                self.requests.taken += 1.0;
            }
            let gap = (0.5 + self.next_chance()) / self.load.neighbour;
            self.neighbour_at += seconds(gap);
        }
    }

    /// The time until the limits admit a call; `None` if they do now.
    fn wait(&mut self, now: Duration, busy: usize) -> Option<Duration> {
        let mut longest = None;
        if let Some(bucket) = self.load.requests {
            self.requests.flow(bucket, now);
            longest = longest.max(self.requests.wait(bucket, 1.0));
        }
        if let Some(bucket) = self.load.tokens {
            self.tokens.flow(bucket, now);
            longest = longest.max(self.tokens.wait(bucket, 1.0));
        }
        if self.load.at_once.is_some_and(|most| busy >= most as usize) {
            let first = self.ends.peek().map_or(now, |Reverse(end)| *end);
            longest = longest.max(Some(first.saturating_sub(now)));
        }
        if let Some(slope) = self.load.slope {
            longest = longest.max(self.climb(slope, now));
        }
        longest
    }

    fn climb(&mut self, slope: Slope, now: Duration) -> Option<Duration> {
        while let Some(at) = self.recent.front().copied().filter(|at| *at + slope.window <= now) {
            self.recent.pop_front();
            self.before.push_back(at);
        }
        while self.before.front().is_some_and(|at| *at + slope.window + slope.over <= now) {
            self.before.pop_front();
        }
        let windows = slope.over.as_secs_f64() / slope.window.as_secs_f64();
        let mean = self.before.len() as f64 / windows;
        let most = (mean * slope.factor).max(f64::from(slope.floor));
        let first = self.recent.front().copied().unwrap_or(now);
        (self.recent.len() as f64 + 1.0 > most.max(1.0)).then(|| first + slope.window - now)
    }

    /// When a call ends that may have to wait for a slot.
    fn queued(&mut self, queue: Queue, now: Duration, takes: Duration, busy: usize) -> Duration {
        let at_once = queue.at_once.max(1);
        let waiting = busy.saturating_sub(at_once as usize) as f64;
        let slower = (queue.slowed * waiting / f64::from(at_once)).clamp(0.0, 1.0);
        let begins = if self.places.len() < at_once as usize {
            now
        } else {
            self.places.pop().map_or(now, |Reverse(free)| free.max(now))
        };
        let end = begins + takes.mul_f64(1.0 + slower);
        self.places.push(Reverse(end));
        end
    }

    fn said(&mut self, wait: Duration) -> Option<Duration> {
        let exact = Duration::from_secs(wait.as_nanos().div_ceil(1_000_000_000).max(1) as u64);
        match self.load.retry_after {
            RetryAfter::Exact => Some(exact),
            RetryAfter::Nothing => None,
            RetryAfter::Share { wait, share } => {
                Some(if self.next_chance() < share { wait } else { exact })
            }
        }
    }

    /// A pseudo-random number from 0 to 1, the same for a seed.
    fn next_chance(&mut self) -> f64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.chance ^ (self.chance >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
