//! The sources of a job in their order: the files that were named, and those of patterns.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::MatchOptions;

use crate::error::Error;
use crate::input::source::Source;
use crate::system::Readers;

/// The bits of a row's number that are its line; those above are the index of its source. So rows of
/// different files have different numbers, which sort like the input.
const LINE_BITS: u32 = 40;

/// The number of a row in this source.
pub(crate) fn number_of(source: usize, line: u64) -> u64 {
    (source as u64) << LINE_BITS | line
}

/// The line in its file of the row with this number, from 1.
pub fn line_of(number: u64) -> u64 {
    number & ((1 << LINE_BITS) - 1)
}

/// The sources of rows, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources(Arc<[Source]>);

impl Sources {
    /// The sources that arguments name: files, `-` for standard input, and patterns, whose files come in
    /// the order of their names, without those that the job `writes`: the next run finds them there.
    pub fn of(
        arguments: &[impl AsRef<OsStr>],
        writes: impl Fn(&Path) -> bool,
    ) -> Result<Sources, Error> {
        let mut all = Vec::new();
        for argument in arguments {
            match files_of(argument.as_ref(), &writes)? {
                Some(files) => all.extend(files.into_iter().map(Source::Path)),
                None => all.push(Source::of(argument)),
            }
        }
        let mut known = HashSet::new();
        let is_twice = |source: &&Source| !known.insert(source.identity());
        match all.iter().find(is_twice) {
            Some(twice) => Err(Error::InputTwice(twice.name())),
            None => Ok(Sources(all.into())),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Source> {
        self.0.get(index)
    }

    /// Their name in messages.
    pub fn name(&self) -> String {
        match &*self.0 {
            [first, _, ..] => format!("{} and {} more", first.name(), self.0.len() - 1),
            sources => sources.first().map(Source::name).unwrap_or_default(),
        }
    }

    /// Whether there are several.
    pub fn are_several(&self) -> bool {
        self.0.len() > 1
    }

    /// The name of the source of the row with this number.
    pub fn name_of(&self, number: u64) -> String {
        let index = usize::try_from(number >> LINE_BITS).ok();
        index.and_then(|index| self.get(index)).map(Source::name).unwrap_or_default()
    }

    /// Where the row with this number is: `FILE:LINE`.
    pub fn place(&self, number: u64) -> String {
        format!("{}:{}", self.name_of(number), line_of(number))
    }

    /// Whether they can be read more than once: regular files can, a pipe cannot.
    pub fn can_be_read_again(&self) -> bool {
        self.0.iter().all(Source::can_be_read_again)
    }

    /// The bytes of the files.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(Source::bytes).sum()
    }

    /// Checks that they exist and can be read, before anything is created for them.
    pub fn check(&self) -> Result<(), Error> {
        self.0.iter().try_for_each(Source::check)
    }

    /// Checks that a file may be written: if it were one of them, that one would be lost.
    pub fn check_output(&self, path: &Path) -> Result<(), Error> {
        self.0.iter().try_for_each(|source| source.check_output(path))
    }

    /// The permissions of results and journal: those who may read all of them, and nobody else.
    pub fn readers(&self) -> Readers {
        self.0.iter().map(Source::readers).fold(Readers::ANYBODY, Readers::and)
    }
}

/// The files of a pattern; `None` if the argument is none: it has no `*`, `?` or `[`, or is the name of a
/// file.
fn files_of(
    argument: &OsStr,
    writes: impl Fn(&Path) -> bool,
) -> Result<Option<Vec<PathBuf>>, Error> {
    let pattern = argument.to_str().filter(|text| text.contains(['*', '?', '[']));
    let Some(pattern) = pattern.filter(|pattern| fs::symlink_metadata(pattern).is_err()) else {
        return Ok(None);
    };
    let wrong = |reason: String| Error::InputPattern { pattern: pattern.to_owned(), reason };
    let like_a_shell = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let found = glob::glob_with(pattern, like_a_shell).map_err(|error| wrong(error.to_string()))?;
    let mut files = Vec::new();
    for path in found {
        match path {
            Ok(path) if path.is_dir() || writes(&path) => {}
            Ok(path) => files.push(path),
            Err(error) => {
                let name = error.path().display().to_string();
                return Err(Error::Input { name, error: error.into() });
            }
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(wrong("no file has such a name".to_owned())),
        false => Ok(Some(files)),
    }
}

#[cfg(test)]
#[path = "sources_tests.rs"]
mod tests;
