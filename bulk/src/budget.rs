//! The budget of a job: cost, tokens, rows. Decides whether one more row may begin, from what was spent
//! and the maximum that the rows in flight may still need. Pure: uses no clock, file or call.
//!
//! # How the engine uses it
//!
//! 1. [`Budget::new`] before anything is sent; it rejects a maximum cost without prices.
//! 2. [`Budget::ask`] for each row that is offered. [`BudgetDecision::Go`]: it is pushed; the maximum that it
//!    may need is reserved. [`BudgetDecision::Wait`]: the row is offered again when a row ended, and none
//!    before it. [`BudgetDecision::Stop`]: no more rows are accepted; the error says why.
//! 3. [`Budget::ended`] for each [`Finished`] row, including those of the pilot. [`Budget::repeated`]
//!    when a row is sent again after an attempt that may have been metered (never after a 429),
//!    [`Budget::asked_again`] after an answer that was not accepted. [`Budget::withdrawn`] for a row
//!    that came back unsent (after 401, after a drain).
//! 4. [`Budget::spent`] for the progress and the summary; [`Budget::notice`] once in a while: lines for
//!    the user, each given once.
//!
//! # Assumptions
//!
//! | of a row | the maximum is |
//! |---|---|
//! | input tokens | the bytes of its body: no token is shorter than a byte. If the model was observed to count more (pictures, templates, a conversation that the service keeps), the largest observed ratio plus a quarter |
//! | output tokens | `max_tokens`, `max_completion_tokens` or `max_output_tokens` of its body, the largest, times `n` |
//! | output tokens without a limit | the maximum that a row of this model has used so far, plus a quarter (twice while few are known). Until the first is known, the rows of the model run one at a time |
//!
//! The reserve is far more than most rows use, but this only reduces concurrency near the maximum: the
//! unused part is free again when a row ends, and a job stops only when the next row does not fit in
//! addition to what *is* spent. A row that failed after it was sent may have been metered: it counts
//! with the maximum that it may have used; if rows are retried after that ([`Budget::attempts`]), this
//! much is reserved for each attempt. An answer without usage counts with its bytes.
//!
//! So a maximum is never exceeded if rows limit their output and their input is their text. Otherwise
//! it may be exceeded by what the last rows use beyond all earlier rows; [`Budget::notice`] reports
//! this.
//!
//! A budget is for one run. It does not include what earlier runs of the same job used.

mod learned;

use std::collections::HashMap;
use std::sync::Arc;

use modelwire::Response;

pub(crate) use self::learned::Bounds;
use self::learned::Learned;
use crate::error::Error;
use crate::prices::{Money, Price, Prices, Tokens};
use crate::row::{Finished, Row, may_be_metered};

/// The number of models tracked separately, as many as the engine has lanes for; further models share
/// one entry.
pub const MODELS_MAX: usize = 256;

/// The entry of further models.
const OTHERS: &str = "";

/// The limits set by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The maximum cost, in the currency of the prices.
    pub cost: Option<f64>,
    /// The maximum number of tokens, input and output together.
    pub tokens: Option<u64>,
    /// The maximum number of rows that begin.
    pub rows: Option<u64>,
}

/// Whether one more row may begin.
#[derive(Debug)]
pub enum BudgetDecision {
    /// It may, and counts as begun.
    Go,
    /// Ask again with the same row when a row has ended.
    Wait,
    /// No more rows may begin in this run, for this reason.
    Stop(Error),
}

/// How a row ended, for the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEnd {
    /// Answered, with usage.
    Used(Tokens),
    /// Answered without usage, with this many bytes.
    Unreported {
        /// Of the answer.
        answer_bytes: u64,
    },
    /// It failed, and may have been metered.
    Perhaps,
    /// It failed, and was not metered.
    Unused,
}

/// The usage of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// The tokens that the answers reported.
    pub tokens: Tokens,
    /// Their cost; `None` without prices. Excludes rows of models without a price.
    pub cost: Option<Money>,
    /// Rows answered without usage: neither in `tokens` nor in `cost`.
    pub rows_without_usage: u64,
    /// Rows of models that have no price, although there are prices.
    pub rows_without_price: u64,
    /// Failed attempts that may have been metered.
    pub perhaps: u64,
    /// The maximum that those, and the answers without usage, may have used.
    pub perhaps_tokens: u64,
    /// The maximum cost of that; zero without prices.
    pub perhaps_cost: Money,
}

impl Spent {
    /// The maximum that may have been used, in tokens.
    pub fn most_tokens(&self) -> u64 {
        self.tokens.total().saturating_add(self.perhaps_tokens)
    }

    /// The maximum that it may cost.
    pub fn most_cost(&self) -> Money {
        self.cost.unwrap_or_default() + self.perhaps_cost
    }
}

/// The maximum that a row may use, and its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Most {
    tokens: Tokens,
    cost: Money,
}

/// A row in flight.
#[derive(Clone, Debug)]
struct Begun {
    /// Of one attempt.
    most: Most,
    /// The number of attempts that it is reserved for.
    attempts: u32,
    is_probe: bool,
}

/// Counts what a job uses, and stops it in time. The default has no limits and no prices.
#[derive(Debug, Default)]
pub struct Budget {
    limits: Limits,
    attempts: u32,
    cost_max: Option<Money>,
    prices: Prices,
    know_cached: bool,
    begun_rows: u64,
    /// By [`Row::number`].
    begun: HashMap<u64, Begun>,
    /// The maximum that those may use.
    aside: Most,
    spent: Spent,
    learned: HashMap<Arc<str>, Learned>,
    notices: Vec<String>,
    said: Notices,
}

/// Notices that were already given.
#[derive(Clone, Copy, Debug, Default)]
struct Notices {
    unbounded: bool,
    open: bool,
    overrun: bool,
    no_usage: bool,
}

impl Budget {
    /// Creates the budget of one run. Rejects a maximum cost without prices.
    pub fn new(limits: Limits, prices: Prices) -> Result<Budget, Error> {
        if limits.cost.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
            return Err(Error::CostInvalid);
        }
        if limits.cost.is_some() && prices.are_none() {
            return Err(Error::CostWithoutPrices);
        }
        let know_cached = prices.know_cached();
        let spent = Spent { cost: (!prices.are_none()).then(Money::default), ..Spent::default() };
        Ok(Budget {
            limits,
            attempts: 1,
            cost_max: limits.cost.map(Money::new),
            prices,
            know_cached,
            begun_rows: 0,
            begun: HashMap::new(),
            aside: Most::default(),
            spent,
            learned: HashMap::new(),
            notices: Vec::new(),
            said: Notices::default(),
        })
    }

    /// Sets how many times a row may be metered: once, unless the user allows more.
    pub fn attempts(self, attempts: u32) -> Budget {
        Budget { attempts: attempts.max(1), ..self }
    }

    /// The prices that it uses.
    pub fn prices(&self) -> &Prices {
        &self.prices
    }

    /// The limits set by the user.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Changes the limits; the usage so far counts. Rejects what [`Budget::new`] rejects, and then changes
    /// nothing. Call [`Budget::reserve`] for each row in flight.
    pub fn set_limits(&mut self, limits: Limits) -> Result<(), Error> {
        self.cost_max = Budget::new(limits, self.prices.clone())?.cost_max;
        self.limits = limits;
        Ok(())
    }

    /// Reserves what a row in flight may need, if nothing is reserved for it: it began without a limit on
    /// tokens and cost.
    pub fn reserve(&mut self, row: &Row) {
        let is_limited = self.limits.cost.is_some() || self.limits.tokens.is_some();
        if is_limited && !self.begun.contains_key(&row.number) {
            let bounds = Bounds::of(&row.body);
            let (most, is_probe) = self.most_of(row, bounds);
            self.begin(row, bounds, most, is_probe);
        }
    }

    /// Checks that these rows' models have prices, if a maximum cost needs them: for a file that was
    /// read before anything is sent. [`Budget::ask`] checks again.
    pub fn check_models<'a>(&self, models: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        if self.limits.cost.is_none() {
            return Ok(());
        }
        match models.into_iter().find(|model| self.prices.of(model).is_none()) {
            Some(model) => Err(no_price(model)),
            None => Ok(()),
        }
    }

    /// Whether this row may begin. See [`BudgetDecision`].
    pub fn ask(&mut self, row: &Row) -> BudgetDecision {
        if let Some(rows_max) = self.limits.rows
            && self.begun_rows >= rows_max
        {
            return BudgetDecision::Stop(Error::RowsMax(rows_max));
        }
        if self.limits.cost.is_none() && self.limits.tokens.is_none() {
            self.begun_rows += 1;
            return BudgetDecision::Go;
        }
        if self.limits.cost.is_some() && self.prices.of(&row.model).is_none() {
            return BudgetDecision::Stop(no_price(&row.model));
        }
        let bounds = Bounds::of(&row.body);
        let (most, is_probe) = self.most_of(row, bounds);
        if is_probe && self.learned_of(row).probes > 0 {
            return BudgetDecision::Wait;
        }
        let of_all = most.times(self.attempts);
        if let Some(why) = self.lacks(&of_all, Most::default()) {
            return BudgetDecision::Stop(why);
        }
        if self.lacks(&of_all, self.aside).is_some() {
            return BudgetDecision::Wait;
        }
        self.begin(row, bounds, most, is_probe);
        self.begun_rows += 1;
        BudgetDecision::Go
    }

    fn learned_of(&self, row: &Row) -> Learned {
        self.learned.get(slot(&self.learned, &row.model)).copied().unwrap_or_default()
    }

    /// The maximum of an attempt, and whether too little is known about such rows to send several.
    fn most_of(&self, row: &Row, bounds: Bounds) -> (Most, bool) {
        let learned = self.learned_of(row);
        let most = Most::new(learned.most(bounds), self.prices.of(&row.model));
        (most, !learned.knows(bounds))
    }

    /// Reserves this much for each attempt of a row.
    fn begin(&mut self, row: &Row, bounds: Bounds, most: Most, is_probe: bool) {
        self.say_what_is_assumed(row, bounds);
        self.aside = self.aside.and(most.times(self.attempts));
        self.begun.insert(row.number, Begun { most, attempts: self.attempts, is_probe });
        if is_probe {
            self.learned_mut(&row.model).probes += 1;
        }
    }

    /// Records the end of a row, with or without an answer.
    pub fn ended(&mut self, finished: &Finished) {
        let ending = match &finished.outcome {
            Ok(response) => self.answered(response),
            Err(error) if may_be_metered(error) => RowEnd::Perhaps,
            Err(_) => RowEnd::Unused,
        };
        self.settle(&finished.row, ending);
    }

    /// Like [`Budget::ended`], for an end known by other means.
    pub fn settle(&mut self, row: &Row, ending: RowEnd) {
        let begun = self.take(row);
        self.account(row, ending, begun);
    }

    fn account(&mut self, row: &Row, ending: RowEnd, begun: Option<Begun>) {
        match ending {
            RowEnd::Used(tokens) => self.used(row, tokens),
            RowEnd::Unreported { answer_bytes } => self.unreported(row, answer_bytes, begun),
            RowEnd::Perhaps => self.perhaps(begun),
            RowEnd::Unused => {}
        }
    }

    /// Records the retry of a row after an attempt that may have been metered.
    pub fn repeated(&mut self, row: &Row) {
        let begun = self.release_attempt(row);
        self.perhaps(begun);
    }

    /// Records an answer of a row that was asked again.
    pub fn asked_again(&mut self, row: &Row, answer: &Response) {
        let begun = self.release_attempt(row);
        self.account(row, self.answered(answer), begun);
    }

    /// Records that a row came back unsent: it counts as never begun.
    pub fn withdrawn(&mut self, row: &Row) {
        self.take(row);
        self.begun_rows = self.begun_rows.saturating_sub(1);
    }

    /// The usage so far.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// A notice for the user; each is given once.
    pub fn notice(&mut self) -> Option<String> {
        self.notices.pop()
    }

    fn lacks(&self, most: &Most, aside: Most) -> Option<Error> {
        let spent = &self.spent;
        if let Some(tokens_max) = self.limits.tokens {
            let (used, needs) = (spent.most_tokens(), most.tokens.total());
            if used.saturating_add(aside.tokens.total()).saturating_add(needs) > tokens_max {
                let left = tokens_max.saturating_sub(used);
                return Some(Error::TokensMax { most: tokens_max, needs, left });
            }
        }
        if let Some(cost_max) = self.cost_max
            && spent.most_cost() + aside.cost + most.cost > cost_max
        {
            let left = cost_max.less(spent.most_cost());
            return Some(Error::CostMax { most: cost_max, needs: most.cost, left });
        }
        None
    }

    fn answered(&self, answer: &Response) -> RowEnd {
        match Tokens::of(answer, self.know_cached) {
            Some(tokens) => RowEnd::Used(tokens),
            None => RowEnd::Unreported { answer_bytes: answer.json().len() as u64 },
        }
    }

    /// One attempt less is reserved for the row.
    fn release_attempt(&mut self, row: &Row) -> Option<Begun> {
        let begun = self.begun.get_mut(&row.number)?;
        if begun.attempts > 1 {
            begun.attempts -= 1;
            self.aside = self.aside.without(begun.most);
        }
        Some(begun.clone())
    }

    fn take(&mut self, row: &Row) -> Option<Begun> {
        let begun = self.begun.remove(&row.number)?;
        self.aside = self.aside.without(begun.most.times(begun.attempts));
        if begun.is_probe {
            let learned = self.learned_mut(&row.model);
            learned.probes = learned.probes.saturating_sub(1);
        }
        Some(begun)
    }

    fn used(&mut self, row: &Row, tokens: Tokens) {
        self.spent.tokens += tokens;
        match self.prices.of(&row.model) {
            Some(price) => {
                let cost = self.spent.cost.get_or_insert_default();
                *cost += price.of(tokens);
            }
            None if self.prices.are_none() => {}
            None => self.spent.rows_without_price += 1,
        }
        let is_watched = self.limits.cost.is_some() || self.limits.tokens.is_some();
        let bounds = match is_watched {
            true => Bounds::of(&row.body),
            false => Bounds::of_size(&row.body),
        };
        if bounds.output.is_some_and(|bound| tokens.output > bound) && !self.said.overrun {
            self.said.overrun = true;
            self.notices.push(format!(
                "{}: the answer used {} tokens, more than the row allows: rows are assumed to need more \
                 than they say, and a maximum may be exceeded",
                row.key.text(),
                tokens.output
            ));
        }
        self.learned_mut(&row.model).add(bounds, tokens);
    }

    fn unreported(&mut self, row: &Row, answer_bytes: u64, begun: Option<Begun>) {
        self.spent.rows_without_usage += 1;
        let Some(Begun { most, is_probe, .. }) = begun else { return };
        // No token is shorter than a byte. Hidden reasoning is not visible.
        let bounds = Bounds::of(&row.body);
        let output = bounds.output.map_or(answer_bytes, |_| most.tokens.output);
        let input = if is_probe { bounds.bytes } else { most.tokens.input };
        let tokens = Tokens { input, cached: 0, output };
        self.spent.perhaps_tokens = self.spent.perhaps_tokens.saturating_add(tokens.total());
        if let Some(price) = self.prices.of(&row.model) {
            self.spent.perhaps_cost += price.most_of(tokens);
        }
        self.learned_mut(&row.model).add(bounds, tokens);
        if !self.said.no_usage {
            self.said.no_usage = true;
            self.notices.push(
                "answers report no usage: rows count as the most that they may have used, so the maximum is \
                 reached early"
                    .to_owned(),
            );
        }
    }

    fn perhaps(&mut self, begun: Option<Begun>) {
        self.spent.perhaps += 1;
        if let Some(Begun { most, .. }) = begun {
            self.spent.perhaps_tokens =
                self.spent.perhaps_tokens.saturating_add(most.tokens.total());
            self.spent.perhaps_cost += most.cost;
        }
    }

    fn learned_mut(&mut self, model: &Arc<str>) -> &mut Learned {
        let slot = match slot(&self.learned, model) {
            OTHERS => Arc::from(OTHERS),
            _ => Arc::clone(model),
        };
        self.learned.entry(slot).or_default()
    }

    fn say_what_is_assumed(&mut self, row: &Row, bounds: Bounds) {
        if bounds.output.is_none() && !self.said.unbounded {
            self.said.unbounded = true;
            self.notices.push(format!(
                "{} does not limit its output (max_tokens, max_completion_tokens, max_output_tokens): such \
                 rows are assumed to use a quarter more than the longest before them, and the maximum may be \
                 exceeded by what they use beyond that",
                row.key.text()
            ));
        }
        if bounds.is_open && !self.said.open {
            self.said.open = true;
            self.notices.push(format!(
                "{} has more than text (an image, a file, a conversation): its input is estimated from such \
                 rows before it, and the maximum may be exceeded by what it uses beyond that",
                row.key.text()
            ));
        }
    }
}

/// The entry with what was learned about a model.
fn slot<'a>(learned: &HashMap<Arc<str>, Learned>, model: &'a str) -> &'a str {
    if learned.len() < MODELS_MAX || learned.contains_key(model) { model } else { OTHERS }
}

fn no_price(model: &str) -> Error {
    Error::PriceUnknown(model.to_owned())
}

impl Most {
    fn new(tokens: Tokens, price: Option<Price>) -> Most {
        Most { tokens, cost: price.map_or(Money::default(), |price| price.most_of(tokens)) }
    }

    fn times(self, factor: u32) -> Most {
        let factor = u64::from(factor);
        let tokens = Tokens {
            input: self.tokens.input.saturating_mul(factor),
            cached: 0,
            output: self.tokens.output.saturating_mul(factor),
        };
        Most { tokens, cost: self.cost.times(factor) }
    }

    fn and(mut self, other: Most) -> Most {
        self.tokens += other.tokens;
        Most { cost: self.cost + other.cost, ..self }
    }

    fn without(self, other: Most) -> Most {
        let tokens = Tokens {
            input: self.tokens.input.saturating_sub(other.tokens.input),
            cached: 0,
            output: self.tokens.output.saturating_sub(other.tokens.output),
        };
        Most { tokens, cost: self.cost.less(other.cost) }
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
