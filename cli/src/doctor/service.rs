//! The checks of the service: models, key, permission, chats, streams, responses; and the clock, from the
//! date of its answer.

use std::time::Duration;

use modelwire::Error;

use crate::doctor::calls::{Caller, answered, words_of};
use crate::doctor::causes::{Fault, Scene};
use crate::doctor::context::Context;
use crate::doctor::report::{Finding, State, time};
use crate::doctor::settings;

/// Smaller differences of clocks are ignored: the Date header has whole seconds, and answers take time.
const CLOCK_SKEW_MAX: Duration = Duration::from_secs(60);

/// Minimum similarity of a listed name for a suggestion.
const LIKENESS_MIN: f64 = 0.8;

/// Maximum models shown.
const MODELS_SHOWN_MAX: usize = 5;

/// `GET /models`.
pub(crate) fn models(seen: &mut Context<'_>) -> Finding {
    let (Some(url), Some(hop)) = (&seen.url, &seen.hop) else {
        return Finding::skipped("no base URL");
    };
    let scene = Scene {
        through_proxy: hop.is_proxy,
        has_version: settings::has_version(url),
        ..Scene::default()
    };
    let is_plain = url.scheme() == "http" && !hop.is_proxy;
    let address = seen.addresses.first().filter(|_| is_plain);
    let plain = address.map(|address| (*address, hop.host.clone()));
    seen.socket = None;
    let time_max = seen.asked.time_max;
    let made =
        seen.asked.connection.config().map_err(|failure| failure.message).and_then(|config| {
            Caller::new(config, scene, plain, time_max).map_err(|error| error.to_string())
        });
    let caller = match made {
        Ok(caller) => caller,
        Err(why) => {
            seen.end_service("the client cannot be created");
            return Finding::failed(Fault::OptionWrong, why);
        }
    };
    let told = caller.models();
    let finding = match &told.outcome {
        Ok(answer) => {
            seen.listed = answer.model_ids();
            let count = seen.listed.len();
            let (took, s) = (time(answer.elapsed()), if count == 1 { "" } else { "s" });
            Finding::ok(format!("status {} in {took}, {count} model{s}", answer.head().status()))
        }
        Err(error) => {
            let finding = judge_models(&caller, error);
            if let Some(why) = ends_everything(finding.fault) {
                seen.end_service(why);
            }
            finding
        }
    };
    seen.models = Some(told);
    seen.caller = Some(caller);
    finding
}

/// Leaves 401 and 403 to their own checks.
fn judge_models(caller: &Caller, error: &Error) -> Finding {
    let finding = caller.failed(error, false);
    match finding.fault {
        Some(Fault::Status401 | Fault::Status403) => {
            let status = error.status().unwrap_or_default();
            let took = time(error.elapsed());
            Finding::ok(format!("the service answered status {status} in {took}: see below"))
        }
        _ => finding,
    }
}

/// The reason to skip the chats after a failed list of models, if there is one.
fn ends_everything(fault: Option<Fault>) -> Option<&'static str> {
    match fault? {
        Fault::Status403 | Fault::Status404 | Fault::Status405 | Fault::Status5xx => None,
        Fault::Status400 | Fault::StatusOther | Fault::ErrorInAnswer => None,
        Fault::Status429 => Some("the service is rate-limiting this account"),
        Fault::Status429Quota => Some("a quota of this account is exhausted"),
        _ => Some("GET /models failed"),
    }
}

/// Whether the service accepts the key: from its answer to `GET /models`.
pub(crate) fn key(seen: &mut Context<'_>) -> Finding {
    let (Some(caller), Some(told)) = (&seen.caller, &seen.models) else {
        return Finding::skipped("GET /models was skipped");
    };
    match &told.outcome {
        Ok(_) => Finding::ok("accepted by GET /models"),
        Err(error) if error.status() == Some(401) => {
            let finding = caller.failed(error, false);
            seen.end_service("the key was rejected");
            finding
        }
        Err(error) if error.status() == Some(403) => {
            Finding::ok("known to the service (403, not 401)")
        }
        Err(_) => Finding::skipped("GET /models failed"),
    }
}

/// Whether the key has permission: from the same answer.
pub(crate) fn permission(seen: &mut Context<'_>) -> Finding {
    let (Some(caller), Some(told)) = (&seen.caller, &seen.models) else {
        return Finding::skipped("GET /models was skipped");
    };
    match &told.outcome {
        Ok(_) => Finding::ok("GET /models is allowed"),
        Err(error) if error.status() == Some(403) => caller.failed(error, false),
        Err(_) => Finding::skipped("GET /models failed"),
    }
}

/// Whether the model is listed.
pub(crate) fn model(seen: &mut Context<'_>) -> Finding {
    let given = settings::model(seen.asked.model, seen.asked.variables);
    let no_calls = seen.asked.no_calls;
    let finding = match (given, seen.listed.first()) {
        (Some(given), _) => {
            seen.model = Some(given.text.clone());
            judge_model(&given.text, &given.from, &seen.listed, no_calls)
        }
        (None, Some(first)) => {
            seen.model = Some(first.clone());
            let which = if seen.listed.len() == 1 { "the only one" } else { "the first" };
            Finding::ok(format!("{first}, {which} of the list (--model names another)"))
        }
        (None, None) => {
            seen.no_model = Some("no model to call".to_owned());
            Finding::failed(Fault::NoModel, "none specified, and none listed")
        }
    };
    if no_calls {
        seen.no_model = Some("--no-calls: it would be billed".to_owned());
    }
    finding
}

fn judge_model(model: &str, from: &str, listed: &[String], no_calls: bool) -> Finding {
    if listed.iter().any(|name| name == model) {
        return Finding::ok(format!("{model} from {from} is listed"));
    }
    if listed.is_empty() {
        return Finding::ok(format!("{model} from {from}; there is no list to check it against"));
    }
    let shown: Vec<&str> = listed.iter().take(MODELS_SHOWN_MAX).map(String::as_str).collect();
    let more = if listed.len() > MODELS_SHOWN_MAX { ", ..." } else { "" };
    let saw = format!("{model} from {from} is not among {}{more}", shown.join(", "));
    // Some services accept names that they do not list: the chat check shows it, if it runs.
    let finding = match no_calls {
        true => Finding::failed(Fault::ModelNotListed, saw),
        false => Finding::warning(Fault::ModelNotListed, saw),
    };
    match nearest(model, listed) {
        Some(nearest) => {
            finding.so_do(format!("Did you mean {nearest}? Names must match exactly."))
        }
        None => finding,
    }
}

/// The most similar listed name, for a suggestion.
pub(crate) fn nearest<'a>(model: &str, listed: &'a [String]) -> Option<&'a str> {
    let lower = model.to_lowercase();
    let likeness = |name: &String| strsim::jaro_winkler(&lower, &name.to_lowercase());
    let rated = listed.iter().map(|name| (likeness(name), name));
    let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 >= LIKENESS_MIN).then_some(best.1.as_str())
}

/// A chat with a one-token answer.
pub(crate) fn chat(seen: &mut Context<'_>) -> Finding {
    let (Some(caller), Some(model)) = (&seen.caller, &seen.model) else {
        return Finding::skipped("no model to call");
    };
    let told = caller.chat(model, false);
    let error = match told.outcome {
        Ok(answer) => return answered(&answer, "choices"),
        Err(error) => error,
    };
    // If the error may mean that the model only streams, the client's hint names the option; a second call
    // proves it.
    if error.hint().contains("stream_only")
        && let Ok(answer) = caller.chat(model, true).outcome
    {
        seen.streams_only = true;
        let saw = format!("{}; streamed: {}", words_of(&error), answered(&answer, "choices").saw);
        return Finding::warning(Fault::OnlyStreams, saw);
    }
    let finding = caller.failed(&error, false);
    seen.no_model = Some("the chat failed".to_owned());
    if matches!(finding.fault, Some(Fault::Status404)) && !seen.listed.is_empty() {
        let action =
            "GET /models works, so the path is right: check the model's name in the control panel.";
        return finding.so_do(action);
    }
    finding
}

/// Whether a stream is incremental.
pub(crate) fn streaming(seen: &mut Context<'_>) -> Finding {
    let (Some(caller), Some(model)) = (&seen.caller, &seen.model) else {
        return Finding::skipped("no model to call");
    };
    let streamed = caller.stream(model);
    let Some(error) = &streamed.error else { return streamed.judge() };
    let has_chunks = !streamed.arrivals.is_empty();
    let mut finding = caller.failed(error, has_chunks);
    if has_chunks {
        finding.saw = format!("{}; then {}", streamed.words(), finding.saw);
    }
    finding
}

/// `/responses`, which not every service has.
pub(crate) fn responses(seen: &mut Context<'_>) -> Finding {
    let (Some(caller), Some(model)) = (&seen.caller, &seen.model) else {
        return Finding::skipped("no model to call");
    };
    let mut told = caller.response(model, seen.streams_only);
    if let Err(error) = &told.outcome
        && error.hint().contains("stream_only")
    {
        let again = caller.response(model, true);
        if again.outcome.is_ok() {
            told = again;
        }
    }
    match &told.outcome {
        Ok(answer) => {
            let mut finding = answered(answer, "output");
            if finding.state != State::Failed {
                finding.saw = format!("supported: {}", finding.saw);
            }
            finding
        }
        Err(error) if matches!(error.status(), Some(404 | 405 | 501)) => Finding::ok(format!(
            "not supported here (status {}): use chat completions",
            error.status().unwrap_or_default()
        )),
        Err(error) => caller.failed(error, false),
    }
}

/// Compares the clocks of this machine and the service.
pub(crate) fn clock(seen: &mut Context<'_>) -> Finding {
    let Some(told) = &seen.models else { return Finding::skipped("no answer") };
    let (date, elapsed) = match &told.outcome {
        Ok(answer) => (answer.head().header("date").map(str::to_owned), answer.elapsed()),
        Err(error) => {
            let date = error.headers().iter().find(|(name, _)| name == "date");
            (date.map(|(_, value)| value.clone()), error.elapsed())
        }
    };
    let Some(theirs) = date.as_deref().and_then(|date| httpdate::parse_http_date(date).ok()) else {
        return Finding::skipped("the answer has no Date header");
    };
    let ours = told.asked + elapsed;
    let (skew, which) = match ours.duration_since(theirs) {
        Ok(ahead) => (ahead, "ahead of"),
        Err(behind) => (behind.duration(), "behind"),
    };
    let seconds = skew.as_secs();
    match skew > CLOCK_SKEW_MAX {
        true => {
            let saw = format!("this machine is {seconds} s {which} the service");
            Finding::warning(Fault::ClockSkewed, saw)
        }
        false => Finding::ok(format!("within {seconds} s of the service's")),
    }
}

/// The versions of this program and the system.
pub(crate) fn versions(_: &mut Context<'_>) -> Finding {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    Finding::ok(format!("modelwire {}, {system} {machine}", modelwire::VERSION))
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
