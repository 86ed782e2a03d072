//! The list of checks, in order.

use std::time::Instant;

use crate::doctor::context::{Asked, Context, Needs};
use crate::doctor::path::{base_url, configuration, dns, proxy, tcp, tls};
use crate::doctor::report::{Check, Finding};
use crate::doctor::service::{
    chat, clock, key, model, models, permission, responses, streaming, versions,
};

/// One check.
struct Step {
    name: &'static str,
    needs: Needs,
    look: fn(&mut Context<'_>) -> Finding,
}

const STEPS: [Step; 15] = [
    Step { name: "configuration", needs: Needs::Nothing, look: configuration },
    Step { name: "base_url", needs: Needs::Nothing, look: base_url },
    Step { name: "proxy", needs: Needs::Network, look: proxy },
    Step { name: "dns", needs: Needs::Network, look: dns },
    Step { name: "tcp", needs: Needs::Network, look: tcp },
    Step { name: "tls", needs: Needs::Network, look: tls },
    Step { name: "models", needs: Needs::Service, look: models },
    Step { name: "key", needs: Needs::Service, look: key },
    Step { name: "permission", needs: Needs::Service, look: permission },
    Step { name: "model", needs: Needs::Service, look: model },
    Step { name: "chat", needs: Needs::Model, look: chat },
    Step { name: "streaming", needs: Needs::Model, look: streaming },
    Step { name: "responses", needs: Needs::Model, look: responses },
    Step { name: "clock", needs: Needs::Nothing, look: clock },
    Step { name: "versions", needs: Needs::Nothing, look: versions },
];

/// Runs all checks in order. `tell` gets each finding at once; its error ends the examination.
pub(crate) fn examine<E>(
    asked: &Asked<'_>,
    mut tell: impl FnMut(Check) -> Result<(), E>,
) -> Result<(), E> {
    let mut seen = Context::new(asked);
    for Step { name, needs, look } in &STEPS {
        let start = Instant::now();
        let finding = match seen.missing(*needs) {
            Some(why) => Finding::skipped(why),
            None => look(&mut seen),
        };
        tell(Check { name, finding, took: start.elapsed() })?;
    }
    Ok(())
}
