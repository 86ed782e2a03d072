//! The list of checks, in order.

use std::time::Instant;

use crate::doctor::report::{Check, Finding};
use crate::doctor::seen::{Asked, Needs, Seen};
use crate::doctor::service::{
    chat, clock, key, model, models, permission, responses, streaming, versions,
};
use crate::doctor::way::{base_url, configuration, dns, proxy, tcp, tls};

/// One check.
struct Look {
    name: &'static str,
    needs: Needs,
    look: fn(&mut Seen<'_>) -> Finding,
}

const LOOKS: [Look; 15] = [
    Look { name: "configuration", needs: Needs::Nothing, look: configuration },
    Look { name: "base_url", needs: Needs::Nothing, look: base_url },
    Look { name: "proxy", needs: Needs::Network, look: proxy },
    Look { name: "dns", needs: Needs::Network, look: dns },
    Look { name: "tcp", needs: Needs::Network, look: tcp },
    Look { name: "tls", needs: Needs::Network, look: tls },
    Look { name: "models", needs: Needs::Service, look: models },
    Look { name: "key", needs: Needs::Service, look: key },
    Look { name: "permission", needs: Needs::Service, look: permission },
    Look { name: "model", needs: Needs::Service, look: model },
    Look { name: "chat", needs: Needs::Model, look: chat },
    Look { name: "streaming", needs: Needs::Model, look: streaming },
    Look { name: "responses", needs: Needs::Model, look: responses },
    Look { name: "clock", needs: Needs::Nothing, look: clock },
    Look { name: "versions", needs: Needs::Nothing, look: versions },
];

/// Runs all checks in order. `tell` gets each finding at once; its error ends the examination.
pub(crate) fn examine<E>(
    asked: &Asked<'_>,
    mut tell: impl FnMut(Check) -> Result<(), E>,
) -> Result<(), E> {
    let mut seen = Seen::new(asked);
    for Look { name, needs, look } in &LOOKS {
        let start = Instant::now();
        let finding = match seen.missing(*needs) {
            Some(why) => Finding::skipped(why),
            None => look(&mut seen),
        };
        tell(Check { name, finding, took: start.elapsed() })?;
    }
    Ok(())
}
