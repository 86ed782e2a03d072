//! The congestion controller: how many attempts may be in flight, and how fast they may start, against a
//! service with unknown limits. Pure: no clock, randomness or call. Times are durations since a fixed moment.
//!
//! Two limits, judged by the share of refusals in a window of starts, never by a single refusal:
//!
//! | limit | bounds | after a window with too many refusals | after calm windows in which it was reached |
//! |---|---|---|---|
//! | slots | attempts in flight | a little above the peak of attempts in flight that were admitted | grows by a step |
//! | rate | evenly spaced starts | the admitted rate | grows by a step, which doubles |
//!
//! Slots that grew without more attempts being admitted are to blame alone: the rate stays. Each failed search
//! for more is paid for: the limit grows again after starts of which its refusals are a share of `BUDGET`.
//!
//! Refusals that do not depend on the rate say nothing about it. Occasionally a window runs at `DIP` times
//! the rate: the share of refusals that remains is the background, and is discounted from then on.
//!
//! A service that queues calls instead of refusing them shows longer durations: the number in flight is
//! bounded by `CROWD` times its best throughput times its least duration (Little's law). At times it is
//! lowered to measure the latter; if the throughput does not fall, there was a queue, and it is lowered again.

use std::collections::VecDeque;
use std::time::Duration;

/// The initial number of slots.
const START: f64 = 8.0;

/// Without any answer, the number of slots doubles at this interval, up to [`UNANSWERED_MAX`]. No window is
/// longer.
const PATIENCE: Duration = Duration::from_secs(5);
const UNANSWERED_MAX: f64 = 8.0 * START;

/// A window is judged after this many starts, a third of them if none was refused, or after [`PATIENCE`].
const WINDOW_STARTS: u32 = 30;
const WINDOW_MIN: Duration = Duration::from_secs(1);

/// The share of refusals, beyond background and chance, above which a limit counts as exceeded.
const REFUSED_SHARE: f64 = 0.02;

/// The slots double while no limit is known, so a limit soon refuses more than this share; less may be chance.
const FIRST_SHARE: f64 = 0.15;

/// The share of starts that may be refused in the search for more.
const BUDGET: f64 = 0.05;

/// The factor by which each decrease, unless the rate grew before it, discounts the best rate admitted in a
/// calm window: the floor of the new rate.
const KEPT: f64 = 0.9;

/// The first and the largest step by which a limit grows.
const STEP: f64 = 0.07;
const STEP_MAX: f64 = 1.0 - DIP;

/// The factor for the rate, and for the bound by Little's law, while the background and the least duration
/// are measured; the interval: this many decreases, or samples in which the bound was reached.
const DIP: f64 = 0.75;
const DIP_EVERY: u32 = 6;

/// A larger share of refusals is not taken for background, nor is one that falls by more than this in a dip.
const BACKGROUND_MAX: f64 = 0.35;

/// See the file head. Twice as much until the estimates were checked once.
const CROWD: f64 = 1.5;

/// A start that is late by at most this counts as on time: clocks are coarse.
const SLACK: Duration = Duration::from_millis(5);

/// The longest time between two starts, and that after which slots that were all taken grow without a judgment.
/// The admitted rate is averaged over about this time. After twice as long without a request to start, the
/// controller forgets what it learned.
const STILL: Duration = Duration::from_secs(60);

/// The answer to an attempt that wants to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The attempt is in flight until [`CongestionController::answered`],
    /// [`CongestionController::refused`] or [`CongestionController::released`].
    Go,
    /// Ask again at this time, or when an attempt has ended.
    At(Duration),
    /// Ask again when an attempt has ended.
    Full,
}

/// Starts that are judged together.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    begun: Duration,
    /// From then on it counts no starts, and waits for refusals of those that it counted.
    closed: Option<Duration>,
    started: u32,
    refused: u32,
}

/// The congestion controller.
#[derive(Clone, Debug, Default)]
pub struct CongestionController {
    slots_max: f64,
    in_flight: u32,
    /// When the slots of refused attempts become free.
    cooling: VecDeque<Duration>,
    slots: f64,
    slots_step: f64,
    /// The slots before they last grew, the peak since, and the starts to make before they grow again.
    slots_before: Option<f64>,
    peak_since: u32,
    slots_owed: f64,
    /// When attempts started that may still be refused.
    recent: VecDeque<Duration>,
    /// When the slots last changed, and whether an attempt that started since was answered.
    slots_at: Duration,
    is_turned: bool,
    are_slots_felt: bool,
    /// The peak of admitted attempts in flight when an answer came: in the current [`PATIENCE`] or duration,
    /// and in the previous one.
    peaks: [u32; 2],
    peaks_at: Duration,
    /// Starts per second, once a limit was exceeded.
    rate: Option<f64>,
    rate_step: f64,
    next_start: Duration,
    window: Window,
    /// The longest time until a refusal arrived.
    lag: Duration,
    /// Admitted starts per second.
    admitted: f64,
    background: f64,
    is_dip: bool,
    /// The starts of the windows since the last dip that had too many refusals, and the refused ones: a
    /// background keeps most of their share.
    since_dip: (u32, u32),
    cuts: u32,
    /// The starts to make before the rate grows again, and whether it grew since the last decrease.
    rate_owed: f64,
    has_rate_grown: bool,
    asked_at: Duration,
    /// The best rate admitted in a calm window, see [`KEPT`].
    proved: f64,
    crowd: QueueEstimate,
}

impl CongestionController {
    /// A controller without any knowledge of the service. At most `in_flight_max` attempts are ever in flight.
    pub fn new(in_flight_max: u32) -> CongestionController {
        let slots_max = f64::from(in_flight_max.max(1));
        CongestionController {
            slots_max,
            slots: START.min(slots_max),
            slots_step: 1.0,
            cuts: DIP_EVERY - 3,
            ..CongestionController::default()
        }
    }

    /// Asks to start one more attempt.
    pub fn ask(&mut self, now: Duration) -> Decision {
        if self.in_flight == 0 && now.saturating_sub(self.asked_at) >= 2 * STILL {
            self.forget(now);
        }
        self.asked_at = now;
        while self.cooling.front().is_some_and(|free_at| *free_at <= now) {
            self.cooling.pop_front();
        }
        let taken = f64::from(self.in_flight) + self.cooling.len() as f64 + 1.0;
        if self.queue_bound().is_some_and(|bound| taken > bound) {
            if now < self.crowd.overdue_at() {
                self.crowd.is_felt = true;
                return self.full(now);
            }
            self.crowd = QueueEstimate::new(now);
        }
        if taken > self.slots.floor() {
            self.are_slots_felt = true;
            self.grow_by_time(now);
            self.judge(now);
            if taken > self.slots.floor() {
                return self.full(now);
            }
        }
        self.judge(now);
        // If most attempts were refused, nothing starts until the window is judged.
        let judged_at = self.window.closed.filter(|_| self.is_mostly_refused());
        let next_start = judged_at.map_or(self.next_start, |at| self.next_start.max(at + self.lag));
        if now < next_start {
            return Decision::At(next_start);
        }
        if let Some(rate) = self.rate {
            let gap = Duration::from_secs_f64(1.0 / rate);
            self.next_start = (self.next_start.max(now.saturating_sub(SLACK)) + gap).max(now);
        }
        self.window.started += u32::from(self.window.closed.is_none());
        self.start_unasked(now);
        Decision::Go
    }

    /// Starts an attempt regardless of the limits.
    pub fn start_unasked(&mut self, now: Duration) {
        self.crowd.passes(now, self.in_flight);
        self.in_flight += 1;
        self.forget_recent(now);
        self.recent.push_back(now);
    }

    /// Records an attempt that ended with an answer.
    pub fn answered(&mut self, begun: Duration, now: Duration) {
        self.is_decided(begun);
        self.note_peak(now);
        self.released(now);
        self.crowd.answered(now, self.in_flight);
        self.is_turned |= begun >= self.slots_at;
        if now.saturating_sub(self.peaks_at) >= PATIENCE.max(self.crowd.duration) {
            (self.peaks, self.peaks_at) = ([0, self.peaks[0]], now);
        }
        self.judge(now);
    }

    /// Records an attempt that was refused by a limit. It keeps its slot for half the duration of an
    /// answer, or for half a window while no rate is known: one slot too many is refused once in that time,
    /// not repeatedly.
    pub fn refused(&mut self, begun: Duration, now: Duration) {
        self.is_decided(begun);
        self.released(now);
        self.lag = self.lag.max(now.saturating_sub(begun).min(PATIENCE));
        let is_counted =
            begun >= self.window.begun && self.window.closed.is_none_or(|closed| begun <= closed);
        self.window.refused += u32::from(is_counted);
        self.judge(now);
        let duration = match self.rate {
            Some(_) => (self.crowd.duration / 2).min(PATIENCE),
            None => WINDOW_MIN / 2,
        };
        self.cooling.push_back(now + duration);
    }

    /// A start of which it is known whether it was refused.
    fn is_decided(&mut self, begun: Duration) {
        if let Ok(index) = self.recent.binary_search(&begun) {
            self.recent.remove(index);
        }
    }

    /// Drops the starts that would have been refused by now.
    fn forget_recent(&mut self, now: Duration) {
        while self.recent.front().is_some_and(|start| *start + self.lag < now) {
            self.recent.pop_front();
        }
    }

    /// Notes how many attempts are in flight that a limit admitted.
    fn note_peak(&mut self, now: Duration) {
        self.forget_recent(now);
        let admitted = self.in_flight.saturating_sub(self.recent.len() as u32);
        self.peaks[0] = self.peaks[0].max(admitted);
        self.peak_since = self.peak_since.max(admitted);
    }

    /// Records an attempt that ended otherwise, which says nothing about limits.
    pub fn released(&mut self, now: Duration) {
        self.crowd.passes(now, self.in_flight);
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Whether most attempts are currently refused, and not by chance.
    pub fn is_mostly_refused(&self) -> bool {
        let Window { started, refused, .. } = self.window;
        refused * 2 > started && (self.rate.is_none() || self.is_over())
    }

    /// The attempts admitted and not yet ended.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The maximum number in flight.
    pub fn slots(&self) -> u32 {
        self.queue_bound().map_or(self.slots, |bound| self.slots.min(bound)) as u32
    }

    /// Starts per second, if a limit was found.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Changes the maximum number in flight. Attempts beyond it end, and none starts until there is room.
    pub fn set_in_flight_max(&mut self, in_flight_max: u32) {
        self.slots_max = f64::from(in_flight_max.max(1));
        self.slots = self.slots.min(self.slots_max);
    }

    /// Forgets everything learned about the service.
    pub fn forget(&mut self, now: Duration) {
        *self = CongestionController {
            in_flight: self.in_flight,
            slots_at: now,
            peaks_at: now,
            window: Window { begun: now, ..Window::default() },
            crowd: QueueEstimate::new(now),
            asked_at: now,
            ..CongestionController::new(self.slots_max as u32)
        };
    }

    /// The bound of the attempts in flight where the service queues; one that refuses does not queue.
    fn queue_bound(&self) -> Option<f64> {
        self.crowd.bound().filter(|_| self.rate.is_none())
    }

    /// When to ask again while no slot is free.
    fn full(&self, now: Duration) -> Decision {
        let overdue_at = self.queue_bound().map(|_| self.crowd.overdue_at());
        let times = [self.cooling.front().copied(), self.slots_grow_at(), overdue_at];
        let next = times.into_iter().flatten().filter(|at| *at > now).min();
        next.map_or(Decision::Full, Decision::At)
    }

    /// When slots that were all taken grow without a judgment. Before a limit was exceeded: once an attempt
    /// that started since the last growth was answered. After that: when attempts last so long that nothing
    /// can be judged.
    fn slots_grow_at(&self) -> Option<Duration> {
        match (self.rate, self.is_turned) {
            (None, true) => Some(self.slots_at + WINDOW_MIN / 2),
            (None, false) => (self.slots < UNANSWERED_MAX).then_some(self.slots_at + PATIENCE),
            (Some(_), _) => Some(self.slots_at + STILL),
        }
    }

    fn grow_by_time(&mut self, now: Duration) {
        if self.slots_grow_at().is_none_or(|at| now < at) {
            return;
        }
        if self.is_mostly_refused() {
            self.slots_at = now;
        } else {
            self.grow_slots(now);
        }
    }

    fn grow_slots(&mut self, now: Duration) {
        self.slots_before = self.rate.map(|_| self.slots);
        self.peak_since = 0;
        let more = (self.slots * self.slots_step).max(0.5);
        self.slots = (self.slots + more).min(self.slots_max);
        if self.rate.is_some() {
            self.slots_step = (self.slots_step * 2.0).min(STEP_MAX);
        }
        (self.slots_at, self.is_turned, self.are_slots_felt) = (now, false, false);
    }

    /// Judges the window if it is complete: decreases the limits, or lets them grow.
    fn judge(&mut self, now: Duration) {
        let Some(closed) = self.window.closed else {
            return self.close(now);
        };
        if now < closed + self.lag {
            return;
        }
        let Window { begun, started, refused, .. } = self.window;
        let time = (closed - begun).as_secs_f64();
        let tried = f64::from(started) / time;
        let admitted = f64::from(started.saturating_sub(refused)) / time;
        // The first window often contains a burst, which says little about the rate: discount it soon.
        let weight = match (self.rate, self.proved) {
            (None, _) => 1.0,
            (Some(_), 0.0) => 0.25,
            (Some(_), _) => (time / STILL.as_secs_f64()).min(1.0),
        };
        self.admitted += (admitted - self.admitted) * weight;
        if self.is_dip {
            self.measure_background(admitted);
        } else if self.is_over() {
            self.cut(now, tried, admitted);
        } else {
            self.grow(now, tried, admitted);
        }
        self.window = Window { begun: now, ..Window::default() };
    }

    /// Closes the window if it has enough starts to be judged.
    fn close(&mut self, now: Duration) {
        let Window { begun, started, refused, .. } = self.window;
        let time = now.saturating_sub(begun);
        let is_clear =
            refused == 0 && started >= WINDOW_STARTS / 3 || refused * 2 > started && self.is_over();
        let time_max = if self.is_dip { STILL } else { PATIENCE };
        let is_full = started >= WINDOW_STARTS || time >= time_max;
        if time >= WINDOW_MIN && started > 0 && (is_full || is_clear && !self.is_dip) {
            self.window.closed = Some(now);
        }
    }

    /// Refusals that remain during a dip do not depend on the rate.
    fn measure_background(&mut self, admitted: f64) {
        let Window { started, refused, .. } = self.window;
        let share = f64::from(refused) / f64::from(started);
        if started >= WINDOW_STARTS {
            let (all_started, all_refused) = self.since_dip;
            let before = f64::from(all_refused) / f64::from(all_started.max(1));
            let is_background = share <= BACKGROUND_MAX && share >= (1.0 - BACKGROUND_MAX) * before;
            self.background = if is_background { share } else { 0.0 };
        }
        (self.is_dip, self.since_dip) = (false, (0, 0));
        self.set_rate(self.admitted.max(admitted / DIP), 1.0);
        if self.background >= REFUSED_SHARE {
            // The decreases before were due to chance: make up for them.
            (self.rate_step, self.slots_step) = (STEP_MAX, STEP_MAX);
            self.rate_owed = 0.0;
        }
    }

    /// Decreases both limits after too many refusals.
    fn cut(&mut self, now: Duration, tried: f64, admitted: f64) {
        let Window { started, refused, .. } = self.window;
        let (all_started, all_refused) = self.since_dip;
        self.since_dip = (all_started + started, all_refused + refused);
        self.note_peak(now);
        let chance = self.background * f64::from(started);
        let owed = (f64::from(refused) - chance) / BUDGET;
        let peak_since = f64::from(self.peak_since);
        let peak = f64::from(self.peaks[0].max(self.peaks[1])).max(1.0);
        let is_felt = std::mem::take(&mut self.are_slots_felt);
        self.slots_step = STEP;
        let before = self.slots_before.take().filter(|before| is_felt && peak_since <= *before);
        if let Some(before) = before {
            (self.slots, self.slots_at, self.is_turned) = (peak.min(before), now, false);
            self.slots_owed = owed;
            return;
        }
        // A step above the peak: where only the rate is limited, the peak is that of a lower rate.
        let slots = (1.0 + STEP) * peak;
        if slots < self.slots {
            (self.slots, self.slots_at, self.is_turned) = (slots, now, false);
        }
        // Too much was tried after growth; otherwise the limit itself may have fallen.
        self.proved *= match self.rate {
            None => 0.0,
            Some(_) if self.has_rate_grown => 1.0,
            Some(_) => KEPT,
        };
        self.has_rate_grown = false;
        // If nothing was admitted, the rate halves.
        let least = if refused >= started { tried / 2.0 } else { 0.0 };
        let most = self.admitted.max(admitted).max(least).max(self.proved);
        let is_charged = refused < started && self.rate.is_some();
        self.rate_owed = if is_charged { owed } else { 0.0 };
        // If nothing was admitted, there is no background to measure.
        self.cuts += u32::from(refused < started);
        self.is_dip = self.cuts >= DIP_EVERY;
        self.cuts = if self.is_dip { 0 } else { self.cuts };
        self.set_rate(most, if self.is_dip { DIP } else { 1.0 });
    }

    /// After a calm window, the limits that were reached may grow.
    fn grow(&mut self, now: Duration, tried: f64, admitted: f64) {
        self.rate_owed -= f64::from(self.window.started);
        self.slots_owed -= f64::from(self.window.started);
        self.proved = self.proved.max(admitted);
        let Some(rate) = self.rate else { return };
        self.slots_before = None;
        if self.are_slots_felt && self.slots_owed <= 0.0 {
            self.grow_slots(now);
        }
        // The starts did not come near the rate, so it limited nothing.
        if tried >= DIP * rate && self.rate_owed <= 0.0 {
            self.rate = Some(rate * (1.0 + self.rate_step));
            self.has_rate_grown = true;
            self.rate_step = (self.rate_step * 2.0).min(STEP_MAX);
        }
    }

    /// Sets the rate to a part of the admitted rate, corrected for the background.
    fn set_rate(&mut self, admitted: f64, part: f64) {
        self.rate =
            Some((part * admitted / (1.0 - self.background)).max(1.0 / STILL.as_secs_f64()));
        self.rate_step = STEP;
    }

    /// Whether more attempts were refused than background and chance explain.
    fn is_over(&self) -> bool {
        let Window { started, refused, .. } = self.window;
        if refused >= started {
            return self.rate.is_some() || refused > 1;
        }
        let started = f64::from(started);
        if self.rate.is_none() && f64::from(refused) <= FIRST_SHARE * started {
            return false;
        }
        let share = self.background + REFUSED_SHARE;
        let deviation = (started * share * (1.0 - share)).sqrt();
        f64::from(refused) > started * share + 2.0 * deviation + 1.0
    }
}

/// The estimate of how many attempts a queueing service needs in flight, from throughput and mean duration.
#[derive(Clone, Debug, Default)]
struct QueueEstimate {
    /// The integral of the attempts in flight over time, in attempt-seconds, and its end.
    area: f64,
    at: Duration,
    answers: u32,
    /// The number of answers that make a sample: as many as were in flight when it began; 0 while a dip waits
    /// for fewer in flight.
    needed: u32,
    since: Duration,
    /// The mean duration of an answer in the last sample.
    duration: Duration,
    /// The least of these durations, in seconds, and the best throughput, in answers per second, until they
    /// are measured again.
    least: Option<f64>,
    best: f64,
    /// When the last answer came.
    last: Duration,
    /// Samples since the bound was reached.
    samples: u32,
    is_felt: bool,
    /// Whether it was lowered at least once.
    is_tried: bool,
}

impl QueueEstimate {
    fn new(now: Duration) -> QueueEstimate {
        QueueEstimate { at: now, since: now, ..QueueEstimate::default() }
    }

    fn passes(&mut self, now: Duration, in_flight: u32) {
        self.area += f64::from(in_flight) * now.saturating_sub(self.at).as_secs_f64();
        self.at = now;
    }

    /// An answer came, with which `in_flight` attempts are in flight. A sample ends before the first answer of a moment,
    /// as a service that started calls at once may answer them at once.
    fn answered(&mut self, now: Duration, in_flight: u32) {
        let time = now.saturating_sub(self.since);
        let is_dip = self.samples >= DIP_EVERY;
        if is_dip && self.needed == 0 {
            // Fewer are in flight only after some answers.
            if self.bound().is_some_and(|bound| f64::from(in_flight) <= bound) {
                (self.answers, self.area, self.since, self.needed) =
                    (0, 0.0, now, in_flight.max(1));
                self.is_felt = false;
            }
            return;
        }
        let is_long = self.answers >= self.needed.max(20) && time >= WINDOW_MIN / 2;
        if is_long && now > self.last {
            self.learn(time.as_secs_f64());
            let needed = if self.samples >= DIP_EVERY { 0 } else { in_flight };
            (self.answers, self.area, self.since, self.needed) = (0, 0.0, now, needed);
        }
        self.answers += 1;
        self.last = now;
    }

    /// Ends a sample that took this many seconds.
    fn learn(&mut self, time: f64) {
        let rate = f64::from(self.answers) / time;
        let duration = self.area / f64::from(self.answers);
        self.duration = Duration::from_secs_f64(duration);
        if self.samples >= DIP_EVERY {
            // The throughput of fewer attempts was the same: there is still a queue. The bound is never lower
            // than the initial slots, where nothing can be seen.
            let is_queue =
                self.is_felt && self.bound() > Some(START) && rate >= (1.0 + DIP) / 2.0 * self.best;
            self.samples = if is_queue { DIP_EVERY } else { 0 };
            (self.is_felt, self.is_tried) = (false, true);
            // Longer by a part at most: the sample may be an odd one.
            let most = self.least.unwrap_or(duration) * CROWD;
            self.least = Some(if is_queue { duration * DIP } else { duration.min(most) });
            return;
        }
        // One that takes long counts as several.
        let number = 1 + (time / PATIENCE.as_secs_f64()) as u32;
        self.samples += if self.is_felt { number } else { 0 };
        self.best = rate.max((3.0 * self.best + rate) / 4.0);
        self.least = Some(self.least.map_or(duration, |least| least.min(duration)));
    }

    /// The time after which a sample without answers is discarded: long calls have replaced the short ones.
    fn overdue_at(&self) -> Duration {
        self.last.max(self.since) + 2 * self.duration.max(PATIENCE)
    }

    fn bound(&self) -> Option<f64> {
        let part = match self.samples {
            DIP_EVERY.. => DIP,
            _ if self.is_tried => CROWD,
            _ => 2.0 * CROWD,
        };
        // A client with few calls shows no more than its own demand.
        self.least.map(|least| (part * self.best * least).ceil().max(START))
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
