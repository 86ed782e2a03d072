//! `modelwire bulk` with the arguments of a run, or with a command about a job: `bulk status`, `bulk set`.

use clap::{ArgMatches, Args, FromArgMatches, Subcommand};

use super::arguments::Bulk;
use super::set::Set;
use super::status::Status;
use crate::connection::{Calling, Connection};
use crate::failure::Failure;

/// `modelwire bulk`: a run, or one of the commands about a job.
#[derive(Debug)]
pub(crate) enum BulkCommand {
    /// A run.
    Run(Box<Calling<Bulk>>),
    /// A command about a job.
    Other(Box<OtherCommand>),
}

/// The commands about a job.
#[derive(Debug, Subcommand)]
pub(crate) enum OtherCommand {
    Status(Status),
    Set(Set),
}

/// Clap cannot derive it: the arguments of a run are required unless there is a subcommand.
impl Args for BulkCommand {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = command.args_conflicts_with_subcommands(true);
        let command = command.subcommand_negates_reqs(true).disable_help_subcommand(true);
        OtherCommand::augment_subcommands(Calling::<Bulk>::augment_args(command))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        BulkCommand::augment_args(command)
    }
}

impl FromArgMatches for BulkCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BulkCommand, clap::Error> {
        match matches.subcommand_name() {
            Some(_) => {
                let other = OtherCommand::from_arg_matches(matches)?;
                Ok(BulkCommand::Other(Box::new(other)))
            }
            None => {
                let run = Calling::<Bulk>::from_arg_matches(matches)?;
                Ok(BulkCommand::Run(Box::new(run)))
            }
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BulkCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

impl BulkCommand {
    /// The connection of a run.
    pub(crate) fn connection(&self) -> Option<&Connection> {
        match self {
            BulkCommand::Run(run) => Some(&run.connection),
            BulkCommand::Other(_) => None,
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            BulkCommand::Run(run) => run.command.run(&run.connection),
            BulkCommand::Other(other) => match &**other {
                OtherCommand::Status(status) => status.run(),
                OtherCommand::Set(set) => set.run(),
            },
        }
    }
}
