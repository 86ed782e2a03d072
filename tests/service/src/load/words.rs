//! Parses a load from names and values, as on a command line.

use std::time::Duration;

use super::{Bucket, Load, Queue, RetryAfter, Slope, seconds};

/// The names of all settings, for messages.
const NAMES: &str = "requests-per-second, burst, tokens-per-minute, tokens-burst, at-once, \
    slope-window-ms, slope-over-ms, slope-factor, slope-floor, queue, queue-slowed, retry-after, \
    retry-after-share, refused-share, fault-share, neighbour, latency-ms, latency-per-token-us, \
    seed";

impl Load {
    /// Parses `NAME=VALUE,NAME=VALUE` with the names of [`Load::set`].
    pub fn parse(text: &str) -> Result<Load, String> {
        let mut load = Load::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("{part:?} must be NAME=VALUE"))?;
            load.set(name.trim(), value.trim())?;
        }
        Ok(load)
    }

    /// Sets one value by its name:
    ///
    /// | name | value |
    /// |---|---|
    /// | `requests-per-second` | the rate of [`Load::requests`]; its default burst is one second of it |
    /// | `burst` | the burst of [`Load::requests`] |
    /// | `tokens-per-minute` | the rate of [`Load::tokens`]; its default burst is one second of it |
    /// | `tokens-burst` | the burst of [`Load::tokens`] |
    /// | `at-once` | [`Load::at_once`] |
    /// | `slope-window-ms`, `slope-over-ms` | [`Load::slope`]; default 1 s and 10 s |
    /// | `slope-factor`, `slope-floor` | [`Load::slope`]; default 1.5 and 10 |
    /// | `queue`, `queue-slowed` | [`Load::queue`]; default not slowed |
    /// | `retry-after` | `exact`, `none`, or a number of seconds, see [`Load::retry_after`] |
    /// | `retry-after-share` | the share of refusals with those seconds; default all |
    /// | `fault-share`, `refused-share` | [`Load::fault_share`], [`Load::refused_share`] |
    /// | `neighbour` | [`Load::neighbour`] |
    /// | `latency-ms`, `latency-per-token-us` | [`Load::latency`], [`Load::latency_per_token`] |
    /// | `seed` | [`Load::seed`] |
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || {
            let number = value.parse::<f64>().ok();
            let number = number.filter(|number| number.is_finite() && *number >= 0.0);
            number.ok_or_else(|| format!("{name} needs a number of at least 0, not {value:?}"))
        };
        let above_zero = || {
            let number = number()?;
            let wrong = || format!("{name} needs a number above 0, not {value:?}");
            (number > 0.0).then_some(number).ok_or_else(wrong)
        };
        let count = || {
            let count = value.parse::<u32>().ok().filter(|count| *count > 0);
            count.ok_or_else(|| format!("{name} needs a whole number of at least 1, not {value:?}"))
        };
        let share = || {
            let share = number().ok().filter(|share| *share <= 1.0);
            share.ok_or_else(|| format!("{name} needs a share from 0 to 1, not {value:?}"))
        };
        let slope = self.slope.unwrap_or(Slope {
            window: Duration::from_secs(1),
            over: Duration::from_secs(10),
            factor: 1.5,
            floor: 10,
        });
        let burst =
            |bucket: Option<Bucket>, otherwise: f64| bucket.map_or(otherwise, |kept| kept.burst);
        match name {
            "requests-per-second" => {
                let per_second = above_zero()?;
                let burst = burst(self.requests, per_second.max(1.0));
                self.requests = Some(Bucket { per_second, burst });
            }
            "burst" => {
                let burst = count()?.into();
                let per_second = self.requests.map_or(f64::MAX, |bucket| bucket.per_second);
                self.requests = Some(Bucket { per_second, burst });
            }
            "tokens-per-minute" => {
                let per_second = above_zero()? / 60.0;
                let burst = burst(self.tokens, per_second.max(1.0));
                self.tokens = Some(Bucket { per_second, burst });
            }
            "tokens-burst" => {
                let burst = count()?.into();
                let per_second = self.tokens.map_or(f64::MAX, |bucket| bucket.per_second);
                self.tokens = Some(Bucket { per_second, burst });
            }
            "at-once" => self.at_once = Some(count()?),
            "slope-window-ms" => {
                self.slope = Some(Slope { window: seconds(above_zero()? / 1e3), ..slope });
            }
            "slope-over-ms" => {
                self.slope = Some(Slope { over: seconds(above_zero()? / 1e3), ..slope });
            }
            "slope-factor" => self.slope = Some(Slope { factor: above_zero()?, ..slope }),
            "slope-floor" => self.slope = Some(Slope { floor: count()?, ..slope }),
            "queue" => {
                let slowed = self.queue.map_or(0.0, |queue| queue.slowed);
                self.queue = Some(Queue { at_once: count()?, slowed });
            }
            "queue-slowed" => {
                let at_once = self.queue.map_or(1, |queue| queue.at_once);
                self.queue = Some(Queue { at_once, slowed: number()? });
            }
            "retry-after" => {
                self.retry_after = match value {
                    "exact" => RetryAfter::Exact,
                    "none" => RetryAfter::Nothing,
                    _ => RetryAfter::Share { wait: seconds(number()?), share: self.long_share() },
                };
            }
            "retry-after-share" => {
                let wait = match self.retry_after {
                    RetryAfter::Share { wait, .. } => wait,
                    RetryAfter::Exact | RetryAfter::Nothing => {
                        return Err("retry-after-share comes after retry-after=SECONDS".to_owned());
                    }
                };
                self.retry_after = RetryAfter::Share { wait, share: share()? };
            }
            "fault-share" => self.fault_share = share()?,
            "refused-share" => self.refused_share = share()?,
            "neighbour" => self.neighbour = number()?,
            "latency-ms" => self.latency = seconds(number()? / 1e3),
            "latency-per-token-us" => self.latency_per_token = seconds(number()? / 1e6),
            "seed" => {
                let wrong = |_| format!("seed needs a whole number, not {value:?}");
                self.seed = value.parse().map_err(wrong)?;
            }
            _ => return Err(format!("unknown load {name}; known are {NAMES}")),
        }
        Ok(())
    }

    fn long_share(&self) -> f64 {
        match self.retry_after {
            RetryAfter::Share { share, .. } => share,
            RetryAfter::Exact | RetryAfter::Nothing => 1.0,
        }
    }
}
