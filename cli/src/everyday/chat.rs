//! `modelwire chat`: a chat completion.

use modelwire::Endpoint;

use crate::connection::Connection;
use crate::everyday::question::Question;
use crate::failure::Failure;

/// Asks through `/chat/completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Chat {
    #[command(flatten)]
    question: Question,
}

impl Chat {
    pub(crate) fn run(&self, connection: &Connection) -> Result<(), Failure> {
        self.question.ask(Endpoint::Chat, connection)
    }
}
