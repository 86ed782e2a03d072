//! `modelwire models`: lists the models of the service.

use modelwire::Endpoint;

use crate::connection::Connection;
use crate::console::Output;
use crate::everyday::curl;
use crate::failure::Failure;

/// Lists the models.
#[derive(Debug, clap::Args)]
pub(crate) struct Models {
    /// Print the service's answer as it arrived, not only the ids
    #[arg(long)]
    json: bool,

    /// Print the request as a curl command, and send nothing
    #[arg(long, conflicts_with = "json")]
    curl: bool,
}

impl Models {
    pub(crate) fn run(&self, connection: &Connection) -> Result<(), Failure> {
        let mut output = Output::standard();
        if self.curl {
            output.line(&curl::command(connection, Endpoint::Models, None, false)?)?;
            return output.flush();
        }
        let answer = connection.client()?.blocking().models()?;
        if self.json {
            output.text(answer.json())?;
            return output.end_line();
        }
        for id in answer.model_ids() {
            output.line(&id)?;
        }
        output.flush()
    }
}
