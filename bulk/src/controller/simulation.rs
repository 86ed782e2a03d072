//! A bulk job in virtual time: as many rows as may be sent, the controller, and a service under load. It
//! repeats the engine's rule for refused rows.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use modelwire_testing::load::{Admission, Gate, Load};

use super::{Controller, Decision, Ended, Fixed, IN_FLIGHT_MAX, View};

/// The naive client: this many tasks, each of which holds its row until it is answered.
pub(super) const PLAIN_SLOTS: u32 = 64;

/// The first backoff of a refused row in seconds; it doubles each time, up to `BACKOFF_MAX`.
const BACKOFF: f64 = 0.5;
const BACKOFF_MAX: f64 = 60.0;

/// Maximum events: more mean that the controller loops without progress.
const EVENTS_MAX: u64 = 20_000_000;

/// Seconds at the start that do not count as goodput.
pub(super) const WARM_UP: f64 = 60.0;

/// A pseudo-random generator with a seed.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// One simulation.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) name: String,
    /// The service from each time on, in seconds; the first from 0.
    pub(super) phases: Vec<(f64, Load)>,
    /// The range of tokens per answer, log-uniform.
    pub(super) tokens: (f64, f64),
    /// Seconds that a request and an answer each take on the network.
    pub(super) way: f64,
    pub(super) fixed: Fixed,
    pub(super) seconds: f64,
}

/// The sender.
#[derive(Clone, Debug)]
enum Sender {
    Controller(Box<Controller>),
    /// Plain slots, with the number that are free.
    Slots(u32),
}

impl Sender {
    /// Whether one more row may be sent. A refused row keeps its plain slot.
    fn ask(&mut self, now: Duration, tokens: u64, was_refused: bool) -> Decision {
        match self {
            Sender::Controller(controller) => controller.ask(now, tokens),
            Sender::Slots(_) if was_refused => Decision::Go,
            Sender::Slots(0) => Decision::Full,
            Sender::Slots(free) => {
                *free -= 1;
                Decision::Go
            }
        }
    }

    fn ended(&mut self, begun: Duration, now: Duration, how: Ended) {
        match self {
            Sender::Controller(controller) => controller.ended(begun, now, how),
            Sender::Slots(free) => *free += u32::from(how != Ended::Refused),
        }
    }
}

/// The result of a simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Played {
    /// Requests that arrived while the service was up.
    pub(super) requests: u64,
    pub(super) refused: u64,
    pub(super) answered: u64,
    /// Answers after the warm-up.
    pub(super) good: u64,
    pub(super) in_flight_max: u32,
    /// The maximum in flight in the last quarter of the time.
    pub(super) in_flight_late: u32,
    /// Samples at intervals: time, in flight, allowed, answered, refused.
    pub(super) trace: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Arrives { row: Row, begun: Duration },
    Ends { row: Row, begun: Duration, how: How },
    Due { row: Row },
    Wakes,
    Traces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    Answered,
    Failed,
    Refused(Option<Duration>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    tokens: u64,
    refusals: i32,
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

impl Scene {
    pub(super) fn mean_tokens(&self) -> f64 {
        let (least, most) = self.tokens;
        if most <= least { least } else { (most - least) / (most / least).ln() }
    }

    /// The number of rows that could have been answered after the warm-up, not counting outages.
    pub(super) fn ideal(&self) -> f64 {
        let mut sum = 0.0;
        for (index, (from, load)) in self.phases.iter().enumerate() {
            let until = self.phases.get(index + 1).map_or(self.seconds, |(from, _)| *from);
            let time = until.max(WARM_UP) - from.max(WARM_UP);
            let refused = if load.refused_share < 1.0 { 0.0 } else { 1.0 };
            sum += time * self.ideal_rate(load) * (1.0 - load.fault_share) * (1.0 - refused);
        }
        sum
    }

    /// The maximum rate per second that a service admits.
    pub(super) fn ideal_rate(&self, load: &Load) -> f64 {
        let takes =
            (load.latency + load.latency_per_token.mul_f64(self.mean_tokens())).as_secs_f64();
        let known = takes + 2.0 * self.way;
        let fixed = self.fixed;
        [
            load.requests.map(|bucket| bucket.per_second - load.neighbour),
            load.tokens.map(|bucket| bucket.per_second / self.mean_tokens()),
            // A place is free again only when the client knows it.
            load.at_once.map(|most| f64::from(most) / known),
            load.queue.map(|queue| f64::from(queue.at_once) / takes),
            Some(f64::from(fixed.concurrency_max.unwrap_or(IN_FLIGHT_MAX)) / known),
            fixed.requests_per_minute.map(|number| number / 60.0),
            fixed.tokens_per_minute.map(|number| number / 60.0 / self.mean_tokens()),
        ]
        .into_iter()
        .flatten()
        .fold(f64::INFINITY, f64::min)
    }

    pub(super) fn play(&self, seed: u64, trace: Option<f64>) -> Played {
        let controller = Box::new(Controller::new(self.fixed));
        self.play_by(Sender::Controller(controller), seed, trace)
    }

    /// Plays the same scene with plain slots.
    pub(super) fn play_plainly(&self, seed: u64) -> Played {
        self.play_by(Sender::Slots(PLAIN_SLOTS), seed, None)
    }

    fn play_by(&self, mut sender: Sender, seed: u64, trace: Option<f64>) -> Played {
        let mut chance = Chance(seed);
        let mut phases = self.phases.iter().cloned().map(|(from, mut load)| {
            load.seed = seed;
            (from, load)
        });
        let (_, first) = phases.next().expect("a scene has a phase");
        let mut next_phase = phases.next();
        let mut is_there = first.refused_share < 1.0;
        let mut gate = Gate::new(first);
        let mut played = Played::default();
        let mut heap = BinaryHeap::new();
        let mut number = 0u64;
        let mut push = |heap: &mut BinaryHeap<_>, at: Duration, what: Happens| {
            number += 1;
            heap.push(Reverse((at, number, what)));
        };
        // Refused rows whose backoff is over.
        let mut due: VecDeque<Row> = VecDeque::new();
        let mut wakes_at = Duration::ZERO;
        push(&mut heap, Duration::ZERO, Happens::Wakes);
        if trace.is_some() {
            push(&mut heap, Duration::ZERO, Happens::Traces);
        }
        let mut number_of_events = 0u64;
        let (mut in_flight, mut late) = (0u32, 0u32);
        let mean = self.mean_tokens().round() as u64;
        while let Some(Reverse((now, _, what))) = heap.pop() {
            let t = now.as_secs_f64();
            number_of_events += 1;
            assert!(number_of_events < EVENTS_MAX, "{t}: {what:?} {sender:?}");
            if t >= self.seconds {
                break;
            }
            while next_phase.as_ref().is_some_and(|(from, _)| *from <= t) {
                if let Some((_, load)) = next_phase.take() {
                    is_there = load.refused_share < 1.0;
                    gate.change(load);
                }
                next_phase = phases.next();
            }
            match what {
                Happens::Arrives { row, begun } => {
                    let (at, how) = match gate.arrive(now, row.tokens) {
                        Admission::Answered(at) => (at, How::Answered),
                        Admission::Fails(at) => (at, How::Failed),
                        Admission::Refused(wait) => (now, How::Refused(wait)),
                    };
                    if let How::Answered = how {
                        let at = at.as_secs_f64();
                        played.good += u64::from((WARM_UP..self.seconds).contains(&at));
                    }
                    push(&mut heap, at + seconds(self.way), Happens::Ends { row, begun, how });
                }
                Happens::Ends { row, begun, how } => {
                    in_flight -= 1;
                    match how {
                        How::Answered => {
                            played.answered += 1;
                            let tokens = Some(row.tokens);
                            sender.ended(begun, now, Ended::Answered { tokens });
                        }
                        How::Failed => sender.ended(begun, now, Ended::Otherwise),
                        How::Refused(retry_after) => {
                            played.refused += 1;
                            sender.ended(begun, now, Ended::Refused);
                            let wait = BACKOFF * 2f64.powi(row.refusals.min(10));
                            let wait = wait.min(BACKOFF_MAX) * (1.0 + 0.25 * chance.next());
                            let wait = seconds(wait).max(retry_after.unwrap_or_default());
                            let row = Row { refusals: row.refusals + 1, ..row };
                            push(&mut heap, now + wait, Happens::Due { row });
                        }
                    }
                }
                Happens::Due { row } => due.push_back(row),
                // A wake-up may have been superseded by an earlier one.
                Happens::Wakes if now >= wakes_at => wakes_at = Duration::MAX,
                Happens::Wakes => {}
                Happens::Traces => {
                    let Played { answered, refused, .. } = played;
                    let view = match &sender {
                        Sender::Controller(controller) => controller.view(now),
                        Sender::Slots(_) => View::default(),
                    };
                    let line = format!("{t:7.1} {view:?} answered {answered} refused {refused}");
                    played.trace.push(line);
                    push(&mut heap, now + seconds(trace.unwrap_or(1.0)), Happens::Traces);
                }
            }
            loop {
                match sender.ask(now, mean, !due.is_empty()) {
                    Decision::Go => {}
                    Decision::At(at) => {
                        assert!(at > now, "{sender:?}");
                        if at < wakes_at {
                            wakes_at = at;
                            push(&mut heap, at, Happens::Wakes);
                        }
                        break;
                    }
                    Decision::Full => {
                        let is_plain = matches!(sender, Sender::Slots(_));
                        assert!(in_flight > 0 || is_plain, "full of nothing: {sender:?}");
                        break;
                    }
                }
                let row = due.pop_front().unwrap_or_else(|| {
                    let (least, most) = self.tokens;
                    let tokens = least * (most / least).powf(chance.next());
                    Row { tokens: tokens.round() as u64, refusals: 0 }
                });
                played.requests += u64::from(is_there);
                in_flight += 1;
                played.in_flight_max = played.in_flight_max.max(in_flight);
                if t > self.seconds * 0.75 {
                    late = late.max(in_flight);
                }
                push(&mut heap, now + seconds(self.way), Happens::Arrives { row, begun: now });
            }
        }
        played.in_flight_late = late;
        played
    }
}
