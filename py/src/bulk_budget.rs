//! The budget and the pilot of a bulk job, for Python.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use modelwire_bulk::Error;
use modelwire_bulk::answers::SharedAnswers;
use modelwire_bulk::budget::{Budget, Limits};
use modelwire_bulk::input::{Surveyor, Wish};
use modelwire_bulk::ledger::KnownState;
use modelwire_bulk::pilot::{Estimate, Projection, ROWS_MAX};
use modelwire_bulk::prices::Prices;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::unusable;

/// The limits and the prices that a program set, checked.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeBudget {
    limits: Limits,
    prices: Prices,
}

#[pymethods]
impl NativeBudget {
    /// Prices are per million tokens; those of models are the path of a file, or its text.
    #[new]
    fn new(
        max_cost: Option<f64>,
        max_total_tokens: Option<u64>,
        price_in: Option<f64>,
        price_out: Option<f64>,
        path: Option<PathBuf>,
        text: Option<String>,
    ) -> PyResult<NativeBudget> {
        let limits = Limits { cost: max_cost, tokens: max_total_tokens, rows: None };
        let prices = match &text {
            Some(text) => Prices::new(price_in, price_out, Some(("prices", text))),
            None => Prices::load(price_in, price_out, path.as_deref()),
        };
        let budget = NativeBudget { limits, prices: prices.map_err(unusable)? };
        budget.make().map_err(unusable)?;
        Ok(budget)
    }
}

impl NativeBudget {
    /// A budget for a run.
    pub(crate) fn make(&self) -> Result<Budget, Error> {
        Budget::new(self.limits, self.prices.clone())
    }
}

/// A survey that draws a sample of at most `sample` rows.
pub(crate) fn surveyor(
    sample: usize,
    keeps_unknown: bool,
    answers: Option<SharedAnswers>,
) -> Surveyor {
    let wish = Wish {
        sample: sample.min(usize::try_from(ROWS_MAX).unwrap_or(usize::MAX)),
        seed: RandomState::new().build_hasher().finish(),
        wants: match keeps_unknown {
            true => |met| met == KnownState::New,
            false => |met| matches!(met, KnownState::New | KnownState::Unknown),
        },
    };
    Surveyor::new(wish, answers)
}

/// An estimate: the point, the interval, the worst case.
type Ends = (f64, Option<f64>, Option<f64>, Option<f64>);

/// The fields of a projection, by name.
pub(crate) fn fields<'py>(
    py: Python<'py>,
    projection: &Projection,
) -> PyResult<Bound<'py, PyDict>> {
    let ends = |estimate: Option<Estimate>| {
        estimate.map(|Estimate { point, low, high, most }| -> Ends { (point, low, high, most) })
    };
    let fields = PyDict::new(py);
    fields.set_item("rows", projection.extent.rows)?;
    fields.set_item("pilot_rows", projection.ended)?;
    fields.set_item("failed", projection.failed)?;
    fields.set_item("without_usage", projection.ended - projection.with_usage)?;
    fields.set_item("elapsed", projection.elapsed.as_secs_f64())?;
    fields.set_item("concurrency", projection.at_once)?;
    fields.set_item("time", projection.time)?;
    fields.set_item("failed_share", ends(projection.failed_share))?;
    fields.set_item("tokens_in", ends(projection.tokens_in))?;
    fields.set_item("tokens_out", ends(projection.tokens_out))?;
    fields.set_item("cost", ends(projection.cost))?;
    Ok(fields)
}
