//! Decides whether concurrency or rate caused the refusals, and how much of it the service accepts.

use std::time::Duration;

use super::afford::Afford;
use super::cut::{Cut, barren_pause};
use super::level::{Growth, Level};

/// Nothing begins for at least this time after a cut, so that the refusals of its burst are in.
const PAUSE_MIN: Duration = Duration::from_millis(50);

/// An eighth fewer on their way than there were: then their number is not to blame.
const BLUR: f64 = 0.125;

/// Refused so many times with this part more or less on their way: then it is their number.
const SAME_TIMES: u32 = 2;
const SAME: f64 = 0.05;

/// A number that was fine before is lowered a little so many times, if it is no smaller than this.
const HOLDING_MAX: u32 = 3;
const HOLDING_NUMBER_MIN: f64 = 8.0;

/// Where the rate is to blame there is room for twice as many as there were, and these.
const ROOM: f64 = 8.0;

/// So many that began with as many on their way as one that was refused were not: then it is not
/// their number, if that is small.
const PEAK_BEGINS: u32 = 4;

/// Rows waited for others to end where more than one of so many did.
const FULL_PARTS: u32 = 5;

/// Where nothing is admitted the number falls to this part, so many times.
const FALL: f64 = 0.7;
const FALLS_MAX: u32 = 2;

/// A rate stays below what was measured by this part.
const MARGIN: f64 = 0.02;

/// What was tried when it was refused is the limit or a little more: it stays below that by this
/// part, if it is not more than the measure by this factor.
const TRIED_MARGIN: f64 = 0.06;
const TRIED_MAX: f64 = 1.15;

/// No time is measured shorter than this, in seconds.
const SPAN_MIN: f64 = 1e-3;

/// A rate that was measured with so few is not known.
const ADMITTED_MIN: u32 = 8;

/// A rate is measured over the time since the first of the cuts that are no older than this.
const MEASURED_MAX: Duration = Duration::from_secs(30);

/// A measure that differs by so much from the one before is of another limit.
const CHANGED: f64 = 0.3;

/// How the number grows again.
const OF_NUMBER: Growth = Growth { unit: 1.0, part_max: 0.5, quantum: Duration::from_millis(250) };

/// How often the rate grows again: where it is known, and where it is not.
const QUANTUM_OF_RATE: Duration = Duration::from_millis(500);
const QUANTUM_UNSURE: Duration = Duration::from_millis(125);

/// Where more was let in since the last cut than the rate that was learned from it, by this factor,
/// growth was refused and no rate: then it goes on from this part of what was tried.
const RISEN: f64 = 1.1;
const RISEN_PART: f64 = 0.85;

/// The same where more was tried than that rate by this factor, unless that turns out to be wrong: a
/// service that keeps much of what was not used lets a rate pass by far.
const FAR: f64 = 1.6;

/// It is no less than this part of what was taken lately: a service that lets in nothing for a while
/// takes as much again when that is over.
const TAKEN_PART: f64 = 0.5;

/// The step of a rate is no more than this part of it: less by so much after each growth that was
/// refused, and more after a limit that was found.
const STEP_MAX: f64 = 0.16;
const STEP_LEAST: f64 = 0.02;
const STEP_AFTER_RISE: f64 = 0.7;
const STEP_AFTER_LIMIT: f64 = 1.2;

/// The first step of a rate.
const RATE_STEP: f64 = 0.01;

/// Rows are drawn apart until so many times as many begin as end, where there are so many.
const DRAWN: f64 = 1.5;
const DRAWN_NUMBER_MIN: f64 = 8.0;

/// A beginning that is late by no more than this is not late: clocks are coarse.
const SLACK: Duration = Duration::from_millis(5);

/// The time between two beginnings is no longer than this.
const GAP_MAX: f64 = 60.0;

#[derive(Clone, Debug)]
pub(super) struct Refusals {
    number: Level,
    rate: Option<Level>,
    next_start: Duration,
    paused_until: Duration,
    /// Attempts that began before it cut nothing any more.
    cut_at: Option<Duration>,
    cut: Option<Cut>,
    /// Since the last cut.
    began: u32,
    peak: u32,
    /// So many of them began with as many on their way as the peak.
    peak_begins: u32,
    full_begins: u32,
    is_full_now: bool,
    barren: u32,
    afford: Afford,
    /// How long a refusal takes to come.
    way: Duration,
    /// Where the measure of the rate began, and what was admitted since.
    measured_since: Option<(Duration, u32)>,
    /// So many were on their way at the last cut.
    last_number: Option<u32>,
    /// How often it was the same.
    same: u32,
    /// How often a number was refused that had been fine before.
    holding: u32,
    /// Whether the next start waits for that beginnings are drawn apart, and not for the rate.
    is_apart: bool,
    most: f64,
    /// The step of the rate is no more than this part of it.
    step_max: f64,
    /// Whether the last refusal was one of growth.
    is_rising: bool,
    /// What the rate had been set to if that had been a limit.
    otherwise: f64,
    /// Whether a rate that was passed by far was a limit, once.
    is_far_wrong: bool,
}

impl Refusals {
    pub(super) fn new(start: f64, most: f64) -> Refusals {
        Refusals {
            number: Level::unknown(start.min(most)),
            rate: None,
            next_start: Duration::ZERO,
            paused_until: Duration::ZERO,
            cut_at: None,
            cut: None,
            began: 0,
            peak: 0,
            peak_begins: 0,
            full_begins: 0,
            is_full_now: false,
            barren: 0,
            afford: Afford::new(),
            way: PAUSE_MIN,
            measured_since: None,
            last_number: None,
            same: 0,
            holding: 0,
            is_apart: false,
            most,
            step_max: STEP_MAX,
            is_rising: false,
            otherwise: 0.0,
            is_far_wrong: false,
        }
    }

    pub(super) fn number(&self) -> f64 {
        self.number.value()
    }

    pub(super) fn ceiling(&self) -> Option<f64> {
        self.number.ceiling
    }

    pub(super) fn rate(&self) -> Option<f64> {
        self.rate.as_ref().map(Level::value)
    }

    /// From when on one more may begin as far as time is concerned.
    pub(super) fn starts_at(&mut self, now: Duration) -> Duration {
        if now < self.paused_until {
            return self.paused_until;
        }
        self.settle();
        if now < self.next_start
            && !self.is_apart
            && let Some(rate) = &mut self.rate
        {
            let may_try = self.is_rising || self.afford.may_try_rate(now, rate.value());
            rate.press(now, may_try, f64::MAX);
        }
        self.next_start
    }

    /// So many are on their way, and one more wants to. When it may, if not now.
    pub(super) fn is_full(&mut self, now: Duration, in_flight: u32) -> Option<Duration> {
        if f64::from(in_flight) + 1.0 <= self.number.value() {
            return None;
        }
        self.is_full_now = true;
        let may_try = self.afford.may_try_number(now);
        let grows_at = self.number.press(now, may_try, self.most);
        (f64::from(in_flight) + 1.0 > self.number.value()).then_some(grows_at)
    }

    /// Rows wait for others to end, for another reason.
    pub(super) fn held(&mut self) {
        self.is_full_now = true;
    }

    /// One begins; with it so many are on their way.
    ///
    /// `takes` is how long an answer takes. Rows that began together end together, and those that
    /// follow them would begin together again: they are drawn apart, for a burst may be refused by a
    /// rate that is far from reached.
    pub(super) fn begins(&mut self, now: Duration, in_flight: u32, takes: Option<f64>) {
        self.began = self.began.saturating_add(1);
        if in_flight > self.peak {
            (self.peak, self.peak_begins) = (in_flight, 0);
        }
        self.peak_begins += u32::from(in_flight == self.peak);
        self.full_begins += u32::from(std::mem::take(&mut self.is_full_now));
        let number = self.number.value();
        let is_drawn = self.number.ceiling.is_some()
            && (number >= DRAWN_NUMBER_MIN || self.number.is_probing());
        let apart = takes.filter(|_| is_drawn).map_or(0.0, |takes| takes / number / DRAWN);
        let gap = self.rate().map_or(0.0, |rate| 1.0 / rate);
        self.is_apart = apart > gap;
        let gap = gap.max(apart).min(GAP_MAX);
        if gap > 0.0 {
            let from = self.next_start.max(now.saturating_sub(SLACK));
            self.next_start = from + Duration::from_secs_f64(gap);
        }
        if self.barren > 0 && self.began == 1 {
            // Where nothing was let in one goes ahead.
            self.paused_until = now + self.pause();
        }
    }

    pub(super) fn answered(&mut self, now: Duration) {
        self.afford.answered(now);
    }

    /// One was refused; without it so many are on their way.
    pub(super) fn refused(&mut self, begun: Duration, now: Duration, in_flight: u32) {
        self.afford.refused(now);
        let way = now.saturating_sub(begun);
        self.way = (self.way * 7 + way) / 8;
        if self.cut_at.is_some_and(|cut| begun < cut) {
            if let Some(cut) = &mut self.cut {
                cut.admitted = cut.admitted.saturating_sub(1);
                cut.number = cut.number.saturating_sub(1);
                cut.refused += 1;
                if cut.admitted == 0 {
                    self.barren = cut.barren;
                    let pause = barren_pause(cut.barren);
                    self.paused_until = self.paused_until.max(cut.at + pause);
                    self.next_start = self.next_start.max(self.paused_until);
                }
            }
            return;
        }
        self.settle();
        let admitted = self.began.saturating_sub(1);
        let barren = if self.cut_at.is_some() { self.barren + 1 } else { 0 };
        self.cut = Some(Cut {
            at: now,
            barren,
            since: self.cut_at.unwrap_or_default(),
            admitted,
            peak: self.peak,
            peak_begins: self.peak_begins,
            number: in_flight,
            refused: 1,
            was_full: self.full_begins * FULL_PARTS > self.began,
        });
        self.barren = if admitted == 0 { barren } else { 0 };
        let pause = if self.barren > 0 { barren_pause(barren) } else { self.pause() };
        self.paused_until = now + pause;
        self.next_start = self.next_start.max(self.paused_until);
        self.cut_at = Some(now);
        (self.began, self.peak, self.full_begins) = (0, in_flight, 0);
        self.peak_begins = 0;
    }

    fn pause(&self) -> Duration {
        (self.way * 3 / 2).max(PAUSE_MIN)
    }

    /// Learns from the last cut, when its refusals are in.
    fn settle(&mut self) {
        let Some(cut) = self.cut.take() else { return };
        let was_first = self.last_number.is_none();
        if was_first && cut.admitted == 0 {
            // Nothing was let in yet: of number and rate nothing is known.
            self.last_number = Some(cut.number);
            return;
        }
        let last_number = self.last_number.replace(cut.number);
        // A full house that tried one more has had no place to admit anything.
        let is_full_house = self.number.is_probing()
            && self.number.ceiling.is_some_and(|ceiling| f64::from(cut.number) >= ceiling);
        if is_full_house {
            self.barren = 0;
        }
        if cut.admitted == 0 && !was_first && !is_full_house {
            return self.fall(cut);
        }

        let proved = f64::from(cut.peak.saturating_sub(cut.refused).max(cut.number));
        let number = f64::from(cut.number);
        let is_below_peak = number + 1.0 < proved * (1.0 - BLUR);
        let is_same = last_number
            .is_some_and(|last| (f64::from(last) - number).abs() <= number * SAME)
            && number + 1.0 >= proved;
        self.same = if is_same { self.same + 1 } else { 0 };
        if self.number.is_probing() {
            self.holding = 0;
        }
        let is_rate_tried = self.rate.as_ref().is_some_and(|rate| rate.is_probing());
        let is_rate = cut.number == 0
            || is_below_peak
            || match self.number.ceiling {
                // It had been fine before, or nearly: what is on its way back is not seen.
                Some(ceiling) if !self.number.is_probing() => {
                    self.holding += 1;
                    number < ceiling * (1.0 - BLUR)
                        || number < HOLDING_NUMBER_MIN
                        || self.holding > HOLDING_MAX
                }
                // More was fine than what was refused before, or as much as was refused now.
                Some(ceiling) => {
                    number > ceiling * (1.0 + BLUR) + 2.0
                        || (number < HOLDING_NUMBER_MIN
                            && cut.peak_begins >= cut.refused + PEAK_BEGINS)
                }
                // The rate was blamed before.
                None => self.rate.is_some() && (is_rate_tried || self.same < SAME_TIMES),
            };
        if is_rate {
            self.number.acquit(proved * 2.0 + ROOM);
            self.slow(cut);
        } else {
            self.afford.doubt_taken();
            let was_holding = self.number.ceiling.is_some() && !self.number.is_probing();
            let value = if was_holding { number.min(self.number.value() * 0.98) } else { number };
            let ceiling = self.number.ceiling;
            self.afford.tried(ceiling.is_some_and(|ceiling| value > ceiling * RISEN));
            self.number.refused(value.max(1.0), cut.at, OF_NUMBER);
            self.measured_since = None;
        }
    }

    /// Nothing was admitted since the cut before.
    fn fall(&mut self, cut: Cut) {
        if self.barren > FALLS_MAX {
            return;
        }
        let number = f64::from(cut.number);
        // What is refused with few on their way is not refused for their number.
        if number * 2.0 >= self.number.value() {
            let value = (self.number.value() * FALL).max(1.0);
            self.number.refused(value, cut.at, OF_NUMBER);
        }
        // The rate stays: its next measure will show that nothing was let in for a while.
    }

    /// The rate is to blame.
    fn slow(&mut self, cut: Cut) {
        let span = cut.at.saturating_sub(cut.since);
        let of_span = f64::from(cut.admitted) / span.as_secs_f64().max(SPAN_MIN);
        let (mut since, mut admitted) = (cut.since, cut.admitted);
        if cut.was_full {
            self.measured_since = None;
        } else if let Some((from, before)) = self.measured_since {
            let of_all =
                f64::from(before + cut.admitted) / cut.at.saturating_sub(from).as_secs_f64();
            let has_changed = admitted >= ADMITTED_MIN && (of_span / of_all - 1.0).abs() > CHANGED;
            if !has_changed && span < MEASURED_MAX {
                (since, admitted) = (from, before + cut.admitted);
            }
        }
        let time = cut.at.saturating_sub(since).as_secs_f64().max(SPAN_MIN);
        let measured = f64::from(admitted) / time;
        let was = self.rate.as_ref().map(Level::value);
        let is_sure = admitted >= ADMITTED_MIN && !cut.was_full;
        let mut value = measured * (1.0 - MARGIN);
        if let Some(was) = was.filter(|_| is_sure) {
            value = value.max(was.min(measured * TRIED_MAX) * (1.0 - TRIED_MARGIN));
        }
        if let Some(was) = was
            && cut.was_full
        {
            value = value.max(was * 0.7);
        }
        let ceiling = self.rate.as_ref().and_then(|rate| rate.ceiling);
        let was_probing = self.rate.as_ref().is_some_and(Level::is_probing);
        if self.is_rising && !was_probing {
            // What was gone on from was too much.
            self.is_far_wrong = true;
            value = value.max(self.otherwise);
        }
        self.otherwise = value;
        let is_beyond =
            |rate: f64, factor: f64| ceiling.is_some_and(|ceiling| rate > ceiling * factor);
        let is_far = was.is_some_and(|was| is_beyond(was, FAR)) && !cut.was_full;
        self.is_rising = (is_sure && is_beyond(of_span, RISEN)) || (is_far && !self.is_far_wrong);
        let slower = if self.is_rising { STEP_AFTER_RISE } else { STEP_AFTER_LIMIT };
        self.step_max = (self.step_max * slower).clamp(STEP_LEAST, STEP_MAX);
        if let Some(was) = was.filter(|_| self.is_rising) {
            value = value.max(was * RISEN_PART);
        }
        let taken = self.afford.taken() * TAKEN_PART;
        if value < taken {
            value = taken;
            self.afford.doubt_taken();
        }
        self.afford.tried(ceiling.is_some_and(|ceiling| value > ceiling * RISEN));
        let quantum = if is_sure { QUANTUM_OF_RATE } else { QUANTUM_UNSURE };
        let rate = self.rate.get_or_insert_with(|| Level::unknown(value));
        let growth = Growth { unit: value * RATE_STEP, part_max: self.step_max, quantum };
        rate.refused(value, cut.at, growth);
        self.next_start =
            self.next_start.max(cut.at + Duration::from_secs_f64((1.0 / value).min(GAP_MAX)));
        self.measured_since = if cut.at.saturating_sub(since) > MEASURED_MAX || cut.was_full {
            Some((cut.at, 0))
        } else {
            Some((since, admitted))
        };
    }
}
