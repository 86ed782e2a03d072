//! The thread that reads rows: which of them are sent, and what stops a run before its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use modelwire_bulk::input::{BadRow, Come, Rows};
use modelwire_bulk::ledger::{Ledger, Met};
use modelwire_bulk::row::Row;
use modelwire_bulk::store::Order;

use super::feed::Inlet;
use crate::bulk::arguments::{Changed, Unknown};
use crate::failure::Failure;

/// What becomes of rows of earlier runs, and of lines that are no rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    pub(super) unknown: Unknown,
    pub(super) changed: Changed,
    pub(super) skips_bad_lines: bool,
}

impl Policy {
    /// Whether a row is to be sent.
    pub(super) fn wants(self, met: Met) -> bool {
        match met {
            Met::New => true,
            Met::Unknown => self.unknown == Unknown::Send,
            Met::Changed(_) => self.changed == Changed::Run,
            Met::AlreadyDone | Met::AlreadyFailed | Met::Twice => false,
        }
    }
}

/// What comes from the input.
#[derive(Debug)]
pub(super) enum Fed {
    /// It is to be sent.
    Row(Row),
    /// It is an outcome by itself.
    Bad(Box<BadRow>),
}

/// What is counted while it is read.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Rows that earlier runs ended: well, and otherwise.
    pub(super) done_before: AtomicU64,
    pub(super) failed_before: AtomicU64,
    /// Rows of unknown outcome, or with another content, that are kept out.
    pub(super) kept_out: AtomicU64,
}

/// How the reading ended.
pub(super) enum ReadEnd {
    /// With the input; the order of its rows, where that was wanted.
    Whole(Option<Order>),
    /// Before, because of this.
    Failed(Failure),
    /// Before: nothing more was wanted.
    Closed,
}

/// Reads until the input, which is called so, ends, something stops it or nothing more is wanted.
pub(super) fn read(
    mut rows: Rows,
    name: &str,
    mut ledger: Ledger,
    policy: Policy,
    mut order: Option<Order>,
    counts: &Arc<Read>,
    inlet: Inlet<Fed>,
) -> ReadEnd {
    let count = |counter: &AtomicU64| _ = counter.fetch_add(1, Ordering::Relaxed);
    loop {
        let come = match rows.next(&mut ledger) {
            Ok(Some(come)) => come,
            Ok(None) => return ReadEnd::Whole(order),
            Err(error) => return ReadEnd::Failed(error.into()),
        };
        let (key, met) = match &come {
            Come::Row(row, met) => (&row.key, *met),
            Come::Bad(bad) => (&bad.key, bad.met),
        };
        let has_result = !matches!(&come, Come::Bad(bad) if bad.is_twice);
        if let Some(order) = &mut order
            && has_result
        {
            order.push(key);
        }
        let (fed, bytes) = match come {
            Come::Bad(bad) if !policy.skips_bad_lines => {
                return ReadEnd::Failed(Failure::usage(bad_line(&bad)));
            }
            Come::Bad(_) if met == Met::AlreadyFailed => {
                count(&counts.failed_before);
                continue;
            }
            Come::Bad(_) if matches!(met, Met::AlreadyDone | Met::Changed(_)) => {
                count(&counts.kept_out);
                continue;
            }
            Come::Bad(bad) => (Fed::Bad(Box::new(bad)), 0),
            Come::Row(row, _) if policy.wants(met) => {
                let bytes = row.body.len();
                (Fed::Row(row), bytes)
            }
            Come::Row(row, _) => {
                match met {
                    Met::AlreadyDone => count(&counts.done_before),
                    Met::AlreadyFailed => count(&counts.failed_before),
                    Met::Changed(_) if policy.changed == Changed::Refuse => {
                        return ReadEnd::Failed(changed(name, row.number, row.key.text()));
                    }
                    Met::Changed(_) | Met::Unknown | Met::New | Met::Twice => {
                        count(&counts.kept_out)
                    }
                }
                continue;
            }
        };
        if !inlet.put(fed, bytes) {
            return ReadEnd::Closed;
        }
    }
}

/// What is said of a line that is no request, where that ends a run.
pub(super) fn bad_line(bad: &BadRow) -> String {
    format!("{bad}, or give --skip-bad-lines")
}

/// What is said of a row whose content is another than before.
pub(super) fn changed(name: &str, number: u64, key: &str) -> Failure {
    Failure::usage(format!(
        "{name}:{number}: {key:?} had different content when it was sent before. Give it another custom_id; \
         or use --changed run to send such rows again, --changed skip to leave them out"
    ))
}
