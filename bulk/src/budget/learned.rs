//! The maximum that a row may use, from its own limits and from earlier rows of its model.

use modelwire::Value;

use crate::prices::Tokens;

/// With fewer known rows than this, the larger margin applies.
pub(super) const ROWS_TO_TRUST: u64 = 20;

/// A row may use more than any before it: by this factor if many are known, and if few are.
const MARGIN: f64 = 1.25;
const MARGIN_OF_FEW: f64 = 2.0;

/// What a row declares about its usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) bytes: u64,
    /// Its limit on output tokens.
    pub(crate) output: Option<u64>,
    /// Whether the input may be more than its text.
    pub(crate) is_open: bool,
}

/// What is known from earlier rows of one model.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Learned {
    /// Rows with known usage.
    pub(super) rows: u64,
    pub(super) output_max: u64,
    /// Input tokens per byte of the body.
    pub(super) ratio_max: f64,
    /// The maximum input tokens of rows whose input is more than their text.
    pub(super) open_input_max: u64,
    pub(super) open_rows: u64,
    /// The maximum of a row's output over its own limit, as a ratio: some services exceed it.
    pub(super) overrun_max: f64,
    /// Rows in flight about which nothing is known.
    pub(super) probes: u64,
}

/// Tokens times a factor, rounded up.
pub(super) fn stretched(tokens: u64, factor: f64) -> u64 {
    (tokens as f64 * factor).ceil() as u64
}

impl Bounds {
    /// Those of a row whose output is not looked at.
    pub(crate) fn of_size(body: &str) -> Bounds {
        Bounds { bytes: body.len() as u64, output: None, is_open: false }
    }

    pub(crate) fn of(body: &str) -> Bounds {
        let (mut output, mut choices, mut is_open) = (None, 1, false);
        for (name, value) in Value::validated(body).members() {
            let number = || u64::try_from(value.as_i64()?).ok();
            match &*name {
                // If a row gives two, a service may apply either.
                "max_tokens" | "max_completion_tokens" | "max_output_tokens" => {
                    output = output.max(number());
                }
                "n" => choices = number().unwrap_or(1).max(1),
                "previous_response_id" | "conversation" | "prompt" => is_open |= !value.is_null(),
                _ => {}
            }
        }
        let parts =
            ["\"image_url\"", "\"input_image\"", "\"file_id\"", "\"input_file\"", "\"file_url\""];
        is_open |= parts.iter().any(|part| body.contains(part));
        let output = output.map(|output| output.saturating_mul(choices));
        Bounds { bytes: body.len() as u64, output, is_open }
    }
}

impl Learned {
    /// Whether enough is known to limit what such a row may use.
    pub(super) fn knows(&self, bounds: Bounds) -> bool {
        (bounds.output.is_some() || self.rows > 0) && (!bounds.is_open || self.open_rows > 0)
    }

    pub(super) fn most(&self, bounds: Bounds) -> Tokens {
        let margin = |rows: u64| if rows < ROWS_TO_TRUST { MARGIN_OF_FEW } else { MARGIN };
        let mut input = bounds.bytes;
        if self.ratio_max > 1.0 {
            input = stretched(bounds.bytes, self.ratio_max * MARGIN);
        }
        if bounds.is_open {
            input = input.max(stretched(self.open_input_max, margin(self.open_rows)));
        }
        let output = match bounds.output {
            Some(bound) if self.overrun_max > 1.0 => stretched(bound, self.overrun_max * MARGIN),
            Some(bound) => bound,
            None => stretched(self.output_max, margin(self.rows)),
        };
        Tokens { input, cached: 0, output }
    }

    pub(super) fn add(&mut self, bounds: Bounds, tokens: Tokens) {
        self.rows += 1;
        self.output_max = self.output_max.max(tokens.output);
        if bounds.is_open {
            self.open_rows += 1;
            self.open_input_max = self.open_input_max.max(tokens.input);
        } else {
            let ratio = tokens.input as f64 / (bounds.bytes as f64).max(1.0);
            self.ratio_max = self.ratio_max.max(ratio);
        }
        if let Some(bound) = bounds.output {
            let overrun = tokens.output as f64 / (bound as f64).max(1.0);
            self.overrun_max = self.overrun_max.max(overrun);
        }
    }
}
