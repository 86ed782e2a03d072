//! The limits of a run that can change while it runs, as JSON: in its status, and in a request to change
//! them.

use modelwire_bulk::budget::Limits;
use modelwire_bulk::controller::Fixed;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// All limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLimits {
    /// For each model.
    pub(crate) fixed: Fixed,
    /// For the whole run.
    pub(crate) budget: Limits,
}

impl RunLimits {
    /// The limits by the names of their options; null where there is none.
    pub(crate) fn members(&self) -> Map<String, Value> {
        let RunLimits { fixed, budget } = self;
        let members = [
            ("max_concurrency", json!(fixed.concurrency_max)),
            ("rpm", json!(fixed.requests_per_minute)),
            ("tpm", json!(fixed.tokens_per_minute)),
            ("max_cost", json!(budget.cost)),
            ("max_total_tokens", json!(budget.tokens)),
            ("max_rows", json!(budget.rows)),
        ];
        members.into_iter().map(|(name, limit)| (name.to_owned(), limit)).collect()
    }

    /// The limits after a request, which has the new ones.
    pub(crate) fn changed(mut self, request: &Map<String, Value>) -> Result<RunLimits, Failure> {
        for (name, limit) in request {
            let RunLimits { fixed, budget } = &mut self;
            match &**name {
                "max_concurrency" => {
                    let number = limit.as_u64().and_then(|number| u32::try_from(number).ok());
                    fixed.concurrency_max = number;
                }
                "rpm" => fixed.requests_per_minute = limit.as_f64(),
                "tpm" => fixed.tokens_per_minute = limit.as_f64(),
                "max_cost" => budget.cost = limit.as_f64(),
                "max_total_tokens" => budget.tokens = limit.as_u64(),
                "max_rows" => budget.rows = limit.as_u64(),
                _ => return Err(Failure::usage(format!("this run has no limit {name:?}"))),
            }
        }
        Ok(self)
    }
}

/// A limit as the command writes it: `--max-rows 100`.
pub(crate) fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// Its value.
pub(crate) fn value(limit: Option<&Value>) -> String {
    match limit.and_then(Value::as_f64) {
        Some(number) => number.to_string(),
        None => "none".to_owned(),
    }
}
