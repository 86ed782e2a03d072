//! An estimated limit: of rows in flight, or of rows per second.

use std::time::Duration;

/// What was refused is tried again after this time at most,
const HOLD_MAX: Duration = Duration::from_secs(10);
/// and at least.
const HOLD_MIN: Duration = Duration::from_millis(500);

/// A limit that was refused this much higher than before has risen: then it is tried sooner, and by
/// larger steps.
const RISEN: f64 = 1.1;
const HOLD_RISEN: Duration = Duration::from_secs(1);
const UNIT_RISEN: f64 = 3.0;

/// The hold is so many times the time since the cut before: what was learned in a short time is
/// doubted soon.
const HOLD_SPANS: u32 = 4;

/// A limit that nothing is known of grows in steps of this time,
const QUANTUM: Duration = Duration::from_millis(125);
/// and doubles in so many of them.
const QUANTA_TO_DOUBLE: f64 = 8.0;

/// Where something was refused once, the step doubles in so many quanta,
const QUANTA_TO_DOUBLE_STEP: f64 = 4.0;

/// Beyond what was refused it is tried only where refusals are rare, or after this time.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// How a limit grows again beyond what was refused.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// By so much at first.
    pub(super) unit: f64,
    /// The step is no more than this part of the limit.
    pub(super) part_max: f64,
    /// In steps of so long a time.
    pub(super) quantum: Duration,
}

/// A limit that grows while it is felt.
#[derive(Clone, Debug)]
pub(super) struct Level {
    value: f64,
    /// As much as this was refused once.
    pub(super) ceiling: Option<f64>,
    /// How much it grows next; nothing while it holds.
    step: f64,
    growth: Growth,
    set_at: Duration,
    grows_at: Duration,
}

impl Level {
    /// A limit that nothing is known of.
    pub(super) fn unknown(value: f64) -> Level {
        Level {
            value,
            ceiling: None,
            step: 0.0,
            growth: Growth { unit: 0.0, part_max: 0.0, quantum: QUANTUM },
            set_at: Duration::ZERO,
            grows_at: Duration::ZERO,
        }
    }

    /// More than this was refused. It is tried again after a hold, by one unit and then by more and
    /// more.
    pub(super) fn refused(&mut self, value: f64, now: Duration, growth: Growth) {
        let span = now.saturating_sub(self.set_at);
        // Where more was fine than what was refused before, it may soon be more again.
        let has_risen = self.ceiling.is_some_and(|ceiling| value > ceiling * RISEN);
        let (hold_max, unit) = if has_risen {
            (HOLD_RISEN, growth.unit * UNIT_RISEN)
        } else {
            (HOLD_MAX, growth.unit)
        };
        let hold = (span * HOLD_SPANS).clamp(HOLD_MIN, hold_max);
        *self = Level {
            value,
            ceiling: Some(value),
            step: 0.0,
            growth: Growth { unit, ..growth },
            set_at: now,
            grows_at: now + hold,
        };
    }

    /// What was refused says nothing of it.
    pub(super) fn acquit(&mut self, least: f64) {
        self.ceiling = None;
        self.value = self.value.max(least);
    }

    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// Whether it has grown beyond what was refused.
    pub(super) fn is_probing(&self) -> bool {
        self.ceiling.is_none() || self.step > 0.0
    }

    /// It is felt: something more wants to begin. Says when it grows next. `may_probe` is whether a
    /// refusal can be afforded.
    pub(super) fn press(&mut self, now: Duration, may_probe: bool, most: f64) -> Duration {
        if now < self.grows_at {
            return self.grows_at;
        }
        let Growth { unit, part_max, quantum } = self.growth;
        self.grows_at = now + quantum;
        if self.ceiling.is_none() {
            self.value *= (1.0 / QUANTA_TO_DOUBLE).exp2();
        } else if self.step > 0.0 {
            self.value += self.step / QUANTA_TO_DOUBLE_STEP;
            let step = self.step * (1.0 / QUANTA_TO_DOUBLE_STEP).exp2();
            self.step = step.min(self.value * part_max).max(unit);
        } else if may_probe || now >= self.set_at + FORGOTTEN {
            self.value += unit;
            self.step = unit;
            self.grows_at = now + quantum * 4;
        }
        self.value = self.value.min(most);
        self.grows_at
    }
}
