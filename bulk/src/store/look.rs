//! Reads the state of a job's rows without sending: creates, locks and repairs nothing.

use std::fs::{self, File};
use std::path::PathBuf;

use super::places::{Places, StoreOptions, is_stream, temporary};
use super::replay;
use super::results::Format;
use super::rewrite;
use crate::error::Error;
use crate::ledger::Ledger;

/// The file with the results of earlier runs, if there is one that can be read.
pub(crate) fn written(options: &StoreOptions) -> Option<PathBuf> {
    let has_lines =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    let places = [Places::arrivals(options), options.results.clone()];
    places.into_iter().flatten().find(has_lines).filter(|_| !options.is_overwriting)
}

/// Fills the ledger with what a run with these options would know about its rows.
pub fn look(options: &StoreOptions, ledger: &mut Ledger) -> Result<(), Error> {
    let Some(path) = Places::journal(options).filter(|path| path.is_file()) else { return Ok(()) };
    if options.is_overwriting {
        return Ok(());
    }
    let unreadable = |error| Error::Unreadable(path.clone(), error);
    let journal = File::open(&path).map_err(unreadable)?;
    let mut replayed = replay::journal(&journal, &path, ledger)?;
    if let Some(mut path) = Places::arrivals(options).filter(|path| !is_stream(path)) {
        let format = if options.is_ordered { Format::Plain } else { Format::of(&path) };
        let rewritten = temporary(&path);
        if replayed.rewritten.is_some_and(|end| rewrite::is_complete(&rewritten, end)) {
            path = rewritten;
        }
        // For results already in order, the journal is complete.
        if let (None, Ok(file)) = (replayed.ordered(&path), File::open(&path)) {
            for found in replay::results(&file, &path, format, &journal, &replayed)?.ended {
                replayed.found(&found, &path, ledger)?;
            }
        }
    }
    if options.retries_failed {
        ledger.forget_failed();
    }
    Ok(())
}
