//! The reader thread: selects the rows to send, and stops the run at an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use modelwire_bulk::input::{BadRow, InputItem, Rows, Sources};
use modelwire_bulk::ledger::{KnownState, Ledger};
use modelwire_bulk::row::Row;
use modelwire_bulk::store::Order;

use super::feed::Sender;
use crate::bulk::arguments::{Changed, Unknown};
use crate::failure::Failure;

/// What to do with rows of earlier runs, and with invalid lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    pub(super) unknown: Unknown,
    pub(super) changed: Changed,
    pub(super) skips_bad_lines: bool,
    pub(super) allows_empty: bool,
}

impl Policy {
    /// Whether to send a row.
    pub(super) fn wants(self, met: KnownState) -> bool {
        match met {
            KnownState::New => true,
            KnownState::Unknown => self.unknown == Unknown::Send,
            KnownState::Changed(_) => self.changed == Changed::Run,
            KnownState::AlreadyDone | KnownState::AlreadyFailed | KnownState::Twice => false,
        }
    }
}

/// An item of the input.
#[derive(Debug)]
pub(super) enum InputRow {
    /// A row to send.
    Row(Row),
    /// An invalid line, which has an outcome without being sent.
    Bad(Box<BadRow>),
}

/// Counts while reading.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Rows that succeeded in earlier runs; then those that failed.
    pub(super) done_before: AtomicU64,
    pub(super) failed_before: AtomicU64,
    /// Rows of unknown outcome or with changed content that are left out.
    pub(super) kept_out: AtomicU64,
    /// Rows and invalid lines that the run got.
    pub(super) fed: AtomicU64,
}

impl Read {
    /// Whether no row was met.
    pub(super) fn is_nothing(&self) -> bool {
        let Read { done_before, failed_before, kept_out, fed } = self;
        let counts = [done_before, failed_before, kept_out, fed];
        counts.iter().all(|count| count.load(Ordering::Relaxed) == 0)
    }
}

/// How reading ended.
pub(super) enum ReadEnd {
    /// At the end of the input, with the order of its rows if requested.
    Whole(Option<Order>),
    /// Early, because of this failure.
    Failed(Failure),
    /// Early, because the receiver closed the queue.
    Closed,
}

/// Reads until the end of the input, an error, or a closed queue.
pub(super) fn read(
    mut rows: Rows,
    sources: &Sources,
    mut ledger: Ledger,
    policy: Policy,
    mut order: Option<Order>,
    counts: &Arc<Read>,
    inlet: Sender<InputRow>,
) -> ReadEnd {
    let count = |counter: &AtomicU64| _ = counter.fetch_add(1, Ordering::Relaxed);
    loop {
        let come = match rows.next(&mut ledger) {
            Ok(Some(come)) => come,
            Ok(None) if rows.is_empty() && !policy.allows_empty => {
                return ReadEnd::Failed(empty(sources));
            }
            Ok(None) => return ReadEnd::Whole(order),
            Err(error) => return ReadEnd::Failed(error.into()),
        };
        let (key, met) = match &come {
            InputItem::Row(row, met) => (&row.key, *met),
            InputItem::Bad(bad) => (&bad.key, bad.met),
        };
        let has_result = !matches!(&come, InputItem::Bad(bad) if bad.is_twice);
        if let Some(order) = &mut order
            && has_result
        {
            order.push(key);
        }
        let (fed, bytes) = match come {
            InputItem::Bad(bad) if !policy.skips_bad_lines => {
                return ReadEnd::Failed(Failure::usage(bad_line(&bad)));
            }
            InputItem::Bad(_) if met == KnownState::AlreadyFailed => {
                count(&counts.failed_before);
                continue;
            }
            InputItem::Bad(_)
                if matches!(met, KnownState::AlreadyDone | KnownState::Changed(_)) =>
            {
                count(&counts.kept_out);
                continue;
            }
            InputItem::Bad(bad) => (InputRow::Bad(Box::new(bad)), 0),
            InputItem::Row(row, _) if policy.wants(met) => {
                let bytes = row.body.len();
                (InputRow::Row(row), bytes)
            }
            InputItem::Row(row, _) => {
                match met {
                    KnownState::AlreadyDone => count(&counts.done_before),
                    KnownState::AlreadyFailed => count(&counts.failed_before),
                    KnownState::Changed(_) if policy.changed == Changed::Refuse => {
                        return ReadEnd::Failed(changed(sources, row.number, row.key.text()));
                    }
                    KnownState::Changed(_)
                    | KnownState::Unknown
                    | KnownState::New
                    | KnownState::Twice => count(&counts.kept_out),
                }
                continue;
            }
        };
        count(&counts.fed);
        if !inlet.put(fed, bytes) {
            return ReadEnd::Closed;
        }
    }
}

/// The message about an invalid line that ends a run.
pub(super) fn bad_line(bad: &BadRow) -> String {
    format!("{bad}, or give --skip-bad-lines")
}

/// The failure for an input without rows.
pub(super) fn empty(sources: &Sources) -> Failure {
    let (name, has) = (sources.name(), if sources.are_several() { "have" } else { "has" });
    Failure::usage(format!("{name} {has} no rows; --allow-empty accepts that"))
}

/// The failure for a row whose content has changed.
pub(super) fn changed(sources: &Sources, number: u64, key: &str) -> Failure {
    let place = sources.place(number);
    Failure::usage(format!(
        "{place}: {key:?} had different content when it was sent before. Give it another custom_id; \
         or use --changed run to send such rows again, --changed skip to leave them out"
    ))
}
