//! The plan of a job from its arguments, checked before anything is opened.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use modelwire::limits::{CONNECTIONS_MAX, IDLE_CONNECTIONS_MAX};
use modelwire::{Client, Endpoint};
use modelwire_bulk::Error;
use modelwire_bulk::answers::SharedAnswers;
use modelwire_bulk::budget::{Budget, Limits};
use modelwire_bulk::checks::Check;
use modelwire_bulk::controller::Fixed;
use modelwire_bulk::engine::{EngineOptions, PAID_ATTEMPTS_MAX, Rules};
use modelwire_bulk::input::{RowOptions, Sources, Template};
use modelwire_bulk::ledger::Ledger;
use modelwire_bulk::prices::Prices;
use modelwire_bulk::store::{StoreOptions, answers, check_reuse, look};

use super::descriptors;
use super::reader::Policy;
use crate::bulk::arguments::{Bulk, Changed};
use crate::connection::Connection;
use crate::failure::Failure;

/// The name of standard input or output.
const STANDARD: &str = "-";

/// The work of a job.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) sources: Sources,
    pub(super) rows: RowOptions,
    pub(super) policy: Policy,
    pub(super) store: StoreOptions,
    pub(super) engine: EngineOptions,
    once: bool,
    reuse: Vec<PathBuf>,
    pub(super) checks: Vec<Check>,
    /// The seed for random samples.
    pub(super) seed: u64,
    limits: Limits,
    prices: Prices,
}

impl Plan {
    pub(super) fn of(bulk: &Bulk, connection: &Connection) -> Result<Plan, Failure> {
        let rows = row_options(bulk, connection);
        rows.check()?;
        let money = &bulk.money;
        let store = store_options(bulk);
        let sources = Sources::of(&bulk.inputs, |path| store.writes(path))?;
        let plan = Plan {
            policy: Policy {
                unknown: bulk.resume.unknown,
                changed: bulk.resume.changed,
                skips_bad_lines: bulk.reading.skip_bad_lines,
                allows_empty: bulk.reading.allow_empty,
            },
            store: StoreOptions { readers: sources.readers(), ..store },
            sources,
            engine: engine_options(bulk),
            once: bulk.reading.once,
            reuse: bulk.reading.reuse.clone(),
            checks: bulk.answers.check.clone(),
            seed: RandomState::new().build_hasher().finish(),
            limits: Limits {
                cost: money.max_cost,
                tokens: money.max_total_tokens,
                rows: money.max_rows,
            },
            prices: Prices::load(money.price_in, money.price_out, money.prices.as_deref())?,
            rows,
        };
        plan.budget()?;
        if let Some(results) = &plan.store.results {
            plan.sources.check_output(results)?;
        }
        check_reuse(&plan.reuse, &plan.store)?;
        for (extract, path) in plan.store.extracts() {
            let prices = Sources::of(money.prices.as_slice(), |_| false)?;
            let wrong = |fault| {
                let path = path.to_owned();
                Failure::from(Error::ExtractFile { extract, path, fault })
            };
            plan.sources.check_output(path).map_err(|_| wrong("is also the input"))?;
            prices.check_output(path).map_err(|_| wrong("has the prices"))?;
        }
        plan.store.check()?;
        Ok(plan)
    }

    /// The budget of the run.
    pub(super) fn budget(&self) -> Result<Budget, Failure> {
        Ok(Budget::new(self.limits, self.prices.clone())?)
    }

    /// The answers to copy, of other jobs and of earlier runs of this one.
    pub(super) fn answers(&self) -> Result<Option<SharedAnswers>, Failure> {
        Ok(answers(&self.reuse, self.once, &self.store)?)
    }

    /// Creates the client of the run, and sets the maximum concurrency.
    pub(super) fn client(&mut self, connection: &Connection) -> Result<Client, Failure> {
        let connections = descriptors::connections_max();
        let mut most = connections;
        let client = connection.client_with(|config| {
            // The engine decides on retries and rate.
            (config.retry_mut().max_retries, config.retry_mut().adaptive) = (0, false);
            let limits = config.limits_mut();
            if limits.connections_max == CONNECTIONS_MAX {
                limits.connections_max = connections;
            }
            if limits.idle_connections_max == IDLE_CONNECTIONS_MAX {
                limits.idle_connections_max = limits.connections_max;
            }
            most = limits.connections_max.min(connections);
        })?;
        self.engine.in_flight_max = most;
        Ok(client)
    }

    /// The rows known from earlier runs, without starting a run.
    pub(super) fn known_rows(&self) -> Result<Ledger, Failure> {
        let mut ledger = Ledger::new();
        look(&self.store, &mut ledger)?;
        Ok(ledger)
    }
}

/// How lines become rows.
fn row_options(bulk: &Bulk, connection: &Connection) -> RowOptions {
    let reading = &bulk.reading;
    RowOptions {
        model: reading.model.clone(),
        operation: reading.operation.map(Endpoint::from),
        prompt: reading.prompt.clone(),
        system: reading.system.clone(),
        id: reading.id_field.clone(),
        set: reading.default.clone(),
        shard: reading.shard,
        stream_only: connection.option("stream_only") == Some("true"),
        checks_schemas: bulk.answers.check.contains(&Check::Schema),
    }
}

/// Where results and journal go.
fn store_options(bulk: &Bulk) -> StoreOptions {
    let (reading, writing) = (&bulk.reading, &bulk.writing);
    let text = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| (name.to_owned(), value.clone()))
    };
    let operation = reading.operation.map(|operation| Endpoint::from(operation).path().to_owned());
    let default = |(name, json): &(String, String)| (format!("--default {name}="), json.clone());
    let defaults = reading.default.iter().map(default);
    let settings = [
        text("--model", &reading.model),
        text("--operation", &operation),
        text("--prompt", &reading.prompt.as_ref().map(Template::to_string)),
        text("--system", &reading.system),
        text("--id-field", &reading.id_field),
    ];
    let is_standard = writing.output.as_os_str() == STANDARD;
    StoreOptions {
        results: (!is_standard).then(|| writing.output.clone()),
        journal: writing.journal.clone(),
        errors: writing.errors.clone(),
        csv: writing.csv.clone(),
        is_ordered: writing.ordered,
        is_overwriting: writing.overwrite,
        retries_failed: bulk.resume.retry_failed,
        replaces_changed: bulk.resume.changed == Changed::Run,
        settings: settings.into_iter().flatten().chain(defaults).collect(),
        ..StoreOptions::default()
    }
}

/// The options of the engine.
fn engine_options(bulk: &Bulk) -> EngineOptions {
    let rate = &bulk.rate;
    EngineOptions {
        fixed: Fixed {
            concurrency_max: rate.max_concurrency,
            requests_per_minute: rate.rpm,
            tokens_per_minute: rate.tpm,
        },
        rules: Rules {
            attempts_max: rate.attempts,
            paid_attempts_max: if rate.may_pay_twice { PAID_ATTEMPTS_MAX } else { 1 },
            ask_again_max: bulk.answers.ask_again.unwrap_or(0),
            retry_after_max: rate.retry_after_max,
        },
        patience: rate.patience,
        ..EngineOptions::default()
    }
}
