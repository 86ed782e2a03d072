//! `modelwire respond`: a response.

use modelwire::Endpoint;

use crate::connection::Connection;
use crate::everyday::question::Question;
use crate::failure::Failure;

/// Asks through `/responses`.
#[derive(Debug, clap::Args)]
pub(crate) struct Respond {
    #[command(flatten)]
    question: Question,
}

impl Respond {
    pub(crate) fn run(&self, connection: &Connection) -> Result<(), Failure> {
        self.question.ask(Endpoint::Responses, connection)
    }
}
