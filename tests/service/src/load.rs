//! Limits of real services, as a service under load shows them: what it refuses, what it queues, how
//! long it takes. Pure: knows no clock and no HTTP. Times are durations since any one moment.

mod words;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// What a service does under load. The default admits everything at once.
///
/// Limits may be combined: a call is admitted where all of them admit it. What is refused takes
/// nothing from any of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// So many requests a second, and so many at once after a rest.
    pub requests: Option<Bucket>,
    /// So many tokens a second, of both directions together, and so many at once after a rest. A
    /// call is admitted while any are left, and may owe for the rest.
    pub tokens: Option<Bucket>,
    /// So many calls at once; more are refused.
    pub at_once: Option<u32>,
    /// The number of requests may not grow faster than this.
    pub slope: Option<Slope>,
    /// So many calls at once; more wait for their turn, however many they are.
    pub queue: Option<Queue>,
    /// What a refusal says of when to come again.
    pub retry_after: RetryAfter,
    /// Of the calls that are admitted, this share fails with a 500 instead of an answer.
    pub fault_share: f64,
    /// The share of arriving calls that is refused by chance, whatever their rate.
    pub refused_share: f64,
    /// The requests per second that another client tries, which share [`Load::requests`].
    pub neighbour: f64,
    /// An answer takes so long,
    pub latency: Duration,
    /// and so much longer for each of its tokens.
    pub latency_per_token: Duration,
    /// Of what is left to chance.
    pub seed: u64,
}

/// A balance that fills with time up to a bound, and from which each call takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// So many come every second.
    pub per_second: f64,
    /// So many are kept. It is full at the beginning.
    pub burst: f64,
}

/// In any window of this length no more calls are admitted than `factor` times as many as in such a
/// time before it at the mean, or `floor` where that is more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The length of the window.
    pub window: Duration,
    /// The mean is taken over so long a time before the window.
    pub over: Duration,
    /// From what was to what may be.
    pub factor: f64,
    /// So many are always admitted.
    pub floor: u32,
}

/// A server that refuses nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    /// So many are served at once.
    pub at_once: u32,
    /// Each answer takes longer by this part when as many wait as are served, by twice that when
    /// twice as many wait, and so on, up to double the time.
    pub slowed: f64,
}

/// What a refusal says of when to come again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RetryAfter {
    /// When it would be admitted if nobody else came, in whole seconds, rounded up.
    #[default]
    Exact,
    /// Nothing.
    Nothing,
    /// This wait on a share of the refusals, by chance, and the exact one on the others.
    Share {
        /// What is said then.
        wait: Duration,
        /// From 0 to 1.
        share: f64,
    },
}

/// What becomes of a call that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is answered at this time.
    Answered(Duration),
    /// It fails with a 500 at this time.
    Fails(Duration),
    /// It is refused at once, and is told to come again after this.
    Refused(Option<Duration>),
}

/// How many calls became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Let in and answered.
    pub answered: u64,
    /// Let in and failed.
    pub failed: u64,
    /// Not let in.
    pub refused: u64,
    /// So many were let in and not yet answered at one time, at most.
    pub at_once: u64,
}

/// A service under load as time goes on.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    load: Load,
    requests: Level,
    tokens: Level,
    /// When each call that was let in ends.
    ends: BinaryHeap<Reverse<Duration>>,
    /// When each place of the queue's server is free.
    places: BinaryHeap<Reverse<Duration>>,
    /// What was admitted in the last window of the slope, and in the time before it.
    recent: VecDeque<Duration>,
    before: VecDeque<Duration>,
    chance: u64,
    /// When the neighbour comes next.
    neighbour_at: Duration,
    counts: Counts,
}

/// What was taken from a bucket and has not flown back yet.
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

    /// How long until `least` are left.
    fn wait(&self, bucket: Bucket, least: f64) -> Option<Duration> {
        let missing = self.taken + least - bucket.burst.max(least);
        // A millionth of a call is nothing: sums of fractions are not exact.
        (missing > 1e-6).then(|| seconds(missing / bucket.per_second))
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

impl Gate {
    /// A service under this load to which nobody has come yet.
    pub fn new(load: Load) -> Gate {
        Gate { chance: load.seed, load, ..Gate::default() }
    }

    /// What it plays.
    pub fn load(&self) -> &Load {
        &self.load
    }

    /// Goes on with other limits: who is in stays in.
    pub fn change(&mut self, load: Load) {
        if self.load.queue != load.queue {
            // The places are given anew; those who hold one keep it.
            let most = load.queue.map_or(0, |queue| queue.at_once as usize);
            let mut places: Vec<_> = self.ends.iter().copied().collect();
            places.sort_unstable();
            let waiting = places.len().saturating_sub(most);
            self.places = places.drain(waiting..).collect();
        }
        self.load = load;
    }

    /// How many calls became what so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Calls that were let in and have not ended.
    pub fn busy(&mut self, now: Duration) -> usize {
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= now) {
            self.ends.pop();
        }
        self.ends.len()
    }

    /// A call arrives that uses so many tokens. Calls arrive in the order of time.
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

    /// What a neighbour took of the requests until now.
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

    /// How long until the limits would let a call in; nothing when they do now.
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

    /// When a call ends that may have to wait for a place.
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

    /// From 0 to 1; the same ones for a seed.
    fn next_chance(&mut self) -> f64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.chance ^ (self.chance >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
