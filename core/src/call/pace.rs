//! How fast a client may begin attempts after the service refused some: a pause for all of them, how
//! many may be on their way, and the time between two beginnings. Pure: knows no clock, no chance and
//! no call. Times are durations since any one moment.
//!
//! # How it goes
//!
//! | what happens | what follows |
//! |---|---|
//! | the beginning | [`START`] attempts may be on their way. Each success while they are used adds one, and a full house doubles in [`PATIENCE`] without a refusal: answers may take long |
//! | a refusal | a *cut*: nothing begins until the pause is over, then no more than were on their way and not refused |
//! | more refusals of the same burst | each takes one more away and may prolong the pause. They are no cuts: they were on their way before |
//! | a refusal with nothing admitted since the last one | the pause is twice as long as that was |
//! | a second cut | either the number of attempts on their way is to blame, or their rate (below) |
//! | no refusal for a while | number and rate grow again, and what was learned is forgotten |
//!
//! **Number or rate.** Where more were on their way at once since the last cut and the service took
//! them, their number is not to blame, and neither is it where none was. Then the rate is, and it is
//! known: as long as calls wait all the time, a service that was exhausted at both cuts admitted
//! between them what it admits in that time. From now on attempts begin one by one, a *gap* apart.
//!
//! Nobody waits for ever: a pause ends, a gap ends, a house that stays full grows, and where nothing
//! was admitted for [`BARREN_TIME_MAX`] calls no longer take turns to find that out.

use std::time::Duration;

use crate::options::retry_policy::RETRY_WAIT_MAX;

/// So many attempts may be on their way at first.
const START: u32 = 4;

/// Never more than these, whatever the service takes.
const IN_FLIGHT_MAX: u32 = 10_000;

/// A full house grows after this time, also where no answer came: refusals come sooner than answers.
const PATIENCE: Duration = Duration::from_secs(1);

/// After a cut it does so later.
const HOLD: Duration = Duration::from_secs(5);

/// The part that it grows by where as many were refused before: a sixteenth doubles it in eleven
/// seconds.
const GROWTH_PARTS: u32 = 16;

/// An eighth more than the service takes may seem to be on their way: refusals take time to arrive.
const BLUR_PARTS: u32 = 8;

/// The gap is longer than what was measured by this part, so that the rate stays below the limit.
const MARGIN: f64 = 0.05;

/// What is learned from a single attempt is not trusted further.
const GAP_OF_ONE_MAX: Duration = Duration::from_secs(2);

/// After so long without anything admitted or on its way, a quota is used up rather than a rate
/// exceeded: calls meet their refusals side by side, so many at once, and end.
const BARREN_TIME_MAX: Duration = Duration::from_secs(30);
const BARREN_AT_ONCE: u32 = 64;

/// A shorter gap is none.
const GAP_MIN: Duration = Duration::from_micros(100);

/// A beginning that is late by no more than this is not late: clocks are coarse.
const SLACK: Duration = Duration::from_millis(5);

/// The gap is trusted for so many times the time that it was measured in, within these bounds: it
/// stays for half of that, and is halved when one and a half of it are over.
const TRUST_SPANS: u32 = 4;
const TRUST_MIN: Duration = Duration::from_secs(1);
const TRUST_MAX: Duration = Duration::from_secs(10);

/// And where gaps are as long as that, for so many of them.
const TRUST_GAPS: u32 = 2;

/// After so many doublings what was learned counts no more.
const DOUBLINGS_MAX: f64 = 4.0;

/// What an attempt that wants to begin is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is counted as begun.
    Go,
    /// Ask again at this time, or when something changed.
    Wait(Duration),
}

/// What is worth to be told of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) pause: Duration,
    pub(crate) allowed: u32,
}

/// What ended with the last cut. It is settled when the next attempt begins: until then more of its
/// attempts may turn out to be refused.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// When it began, if calls waited all the time since.
    since: Option<Duration>,
    /// What began in it and was not refused so far.
    admitted: u32,
    /// So many were on their way at once before, and the service took them.
    proved: u32,
    /// How many of those were on their way when it ended.
    number: u32,
    /// How many spans in a row admitted nothing, if this one did not either.
    barren: u32,
}

#[derive(Debug)]
pub(crate) struct Pace {
    /// So many may be on their way.
    allowed: u32,
    /// As many as this were fine before: below it the number grows with each success.
    threshold: u32,
    in_flight: u32,
    /// When a full house may grow.
    grows_at: Duration,
    paused_until: Duration,
    /// As it was learned at the last cut.
    gap: Duration,
    next_start: Duration,
    /// Attempts that began before it cut nothing any more.
    cut_at: Option<Duration>,
    /// The last moment of exhaustion, if calls waited all the time since.
    busy_since: Option<Duration>,
    /// What began since the last cut.
    began: u32,
    span: Option<Span>,
    /// So many were on their way at once since the last cut, and the service took them.
    proved: u32,
    /// How long the gap is trusted.
    trust: Duration,
    /// How many spans in a row admitted nothing.
    barren: u32,
    /// The first refusal since the last success.
    refused_since: Option<Duration>,
    /// Nothing is admitted, and calls need not find that out one by one.
    is_exhausted: bool,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace {
            allowed: START,
            threshold: IN_FLIGHT_MAX,
            in_flight: 0,
            grows_at: Duration::ZERO,
            paused_until: Duration::ZERO,
            gap: Duration::ZERO,
            next_start: Duration::ZERO,
            cut_at: None,
            busy_since: None,
            began: 0,
            span: None,
            proved: 0,
            trust: TRUST_MAX,
            barren: 0,
            refused_since: None,
            is_exhausted: false,
        }
    }

    /// Whether one more attempt may begin. `waited` is whether it had to wait: one that did not shows
    /// that the client has less to send than it may.
    pub(crate) fn ask(&mut self, now: Duration, waited: bool) -> Verdict {
        if now < self.paused_until {
            return Verdict::Wait(self.paused_until);
        }
        self.settle();
        if now < self.next_start {
            return Verdict::Wait(self.next_start);
        }
        if self.in_flight >= self.allowed {
            if now < self.grows_at {
                return Verdict::Wait(self.grows_at);
            }
            self.grow(now);
            if self.in_flight >= self.allowed {
                return Verdict::Wait(self.grows_at);
            }
        }
        self.in_flight += 1;
        self.began = self.began.saturating_add(1);
        if !waited {
            self.busy_since = None;
        }
        if self.in_flight >= self.allowed && self.allowed < self.threshold(now) {
            self.grows_at = self.grows_at.max(now + PATIENCE);
        }
        self.next_start = self.next_start.max(now.saturating_sub(SLACK)) + self.gap(now);
        Verdict::Go
    }

    /// An attempt got a good status. It stays on its way until it is released.
    pub(crate) fn succeeded(&mut self, begun: Duration, now: Duration) {
        let is_fresh = self.cut_at.is_none_or(|cut| begun >= cut);
        if is_fresh {
            (self.refused_since, self.is_exhausted) = (None, false);
            self.proved = self.proved.max(self.in_flight);
        }
        let are_used = self.in_flight.saturating_mul(2) > self.allowed;
        if is_fresh && are_used && self.allowed < self.threshold(now) {
            self.allowed += 1;
        }
    }

    #[cfg(test)]
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// An attempt is over that was not refused.
    pub(crate) fn release(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// An attempt is over that was refused: `wait` is what the service asks for, or what the policy
    /// says of a first refusal. Says what is worth to be told.
    pub(crate) fn refused(
        &mut self,
        begun: Duration,
        now: Duration,
        wait: Duration,
    ) -> Option<Cut> {
        self.release();
        let is_cut = self.cut_at.is_none_or(|cut| begun >= cut);
        if is_cut {
            self.span = Some(Span {
                since: self.busy_since,
                admitted: self.began.saturating_sub(1),
                number: self.in_flight,
                proved: self.proved,
                barren: if self.cut_at.is_some() { self.barren + 1 } else { 0 },
            });
            self.barren = 0;
            self.gap = self.gap(now);
            self.threshold = self.threshold(now).min((self.allowed / 2).max(1));
            self.allowed = self.in_flight.clamp(1, self.allowed);
            self.grows_at = now + HOLD;
            self.cut_at = Some(now);
            self.busy_since = Some(now);
            self.began = 0;
            self.proved = 0;
        } else {
            self.allowed = self.allowed.saturating_sub(1).max(1);
            if let Some(span) = &mut self.span {
                span.admitted = span.admitted.saturating_sub(1);
                span.number = span.number.saturating_sub(1);
            }
        }
        if let Some(Span { admitted: 0, barren, .. }) = self.span {
            self.barren = barren;
        }
        let refused_for = now.saturating_sub(*self.refused_since.get_or_insert(now));
        self.is_exhausted |= self.in_flight == 0 && refused_for >= BARREN_TIME_MAX;
        let pause = if self.is_exhausted {
            (self.allowed, self.gap) = (self.allowed.max(BARREN_AT_ONCE), Duration::ZERO);
            wait
        } else {
            let backoff = wait.saturating_mul(2u32.saturating_pow(self.barren));
            wait.max(backoff.min(RETRY_WAIT_MAX))
        };
        self.paused_until = self.paused_until.max(now.saturating_add(pause));
        let pause = self.paused_until.saturating_sub(now);
        is_cut.then_some(Cut { pause, allowed: self.allowed })
    }

    /// Learns from what ended with the last cut.
    fn settle(&mut self) {
        let (Some(span), Some(cut)) = (self.span.take(), self.cut_at) else { return };
        // More were on their way before and were not refused: their number is not to blame.
        let is_rate = span.number == 0 || span.number < span.proved - span.proved / BLUR_PARTS;
        self.proved = self.proved.max(span.number);
        if let Some(since) = span.since
            && is_rate
            && span.admitted > 0
        {
            let time = cut.saturating_sub(since);
            let gap = time.mul_f64(1.0 + MARGIN) / span.admitted;
            self.gap = if span.admitted == 1 { gap.min(GAP_OF_ONE_MAX) } else { gap };
            self.allowed = self.allowed.max(span.proved);
            let most = TRUST_MAX.max(self.gap * TRUST_GAPS);
            self.trust = (time * TRUST_SPANS).clamp(TRUST_MIN, most);
        }
        self.next_start = self.next_start.max(cut + self.gap);
    }

    /// The time between two beginnings: as it was learned, and shorter and shorter when the cut is
    /// long ago.
    fn gap(&self, now: Duration) -> Duration {
        let gap = self.gap.as_secs_f64() / self.doublings(now).exp2();
        let gap = Duration::try_from_secs_f64(gap).unwrap_or(Duration::ZERO);
        if gap < GAP_MIN { Duration::ZERO } else { gap }
    }

    /// As many as this were fine before, as far as that is worth to be remembered.
    fn threshold(&self, now: Duration) -> u32 {
        if self.doublings(now) > DOUBLINGS_MAX { IN_FLIGHT_MAX } else { self.threshold }
    }

    /// How often the rate doubled since the last cut.
    fn doublings(&self, now: Duration) -> f64 {
        let Some(cut) = self.cut_at else { return 0.0 };
        let since = now.saturating_sub(cut).saturating_sub(self.trust / 2);
        (since.as_secs_f64() / self.trust.as_secs_f64()).powi(2)
    }

    fn grow(&mut self, now: Duration) {
        let more = match self.threshold(now).checked_sub(self.allowed) {
            Some(below @ 1..) => self.allowed.min(below),
            Some(0) | None => (self.allowed / GROWTH_PARTS).max(1),
        };
        self.allowed = self.allowed.saturating_add(more).min(IN_FLIGHT_MAX);
        self.grows_at = now + PATIENCE;
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
