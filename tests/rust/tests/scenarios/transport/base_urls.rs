//! Several base URLs: which of them gets an attempt, and what a move to the next may cost.

use std::net::TcpListener;
use std::time::Duration;

use modelwire::{
    BaseUrl, Call, Client, Config, ErrorKind, Event, Limits, Metered, Pop, Request, Response,
    RetryPolicy, key_id,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::support::{CHAT_ANSWER, WAYS, Way, at_once, hello};

fn several<'a>(base_urls: impl IntoIterator<Item = &'a str>) -> Config {
    Config::new().api_key("sk-test").base_urls(base_urls.into_iter().map(BaseUrl::new))
}

/// A base URL at which nothing listens.
fn dead() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

fn refusal(headers: &[(&str, &str)]) -> Exchange {
    Exchange::json_with_headers(429, headers, r#"{"error":{"message":"slow down"}}"#)
}

fn answer() -> Script {
    Script::one(Exchange::json(200, CHAT_ANSWER))
}

/// To which base URLs the attempts went.
fn attempts(answer: &Response) -> Vec<String> {
    let record = answer.record().unwrap();
    let urls = record.attempts().iter().map(|attempt| attempt.base_url.as_deref().unwrap());
    urls.map(str::to_owned).collect()
}

#[test]
fn an_attempt_that_was_not_sent_moves_on_at_once_and_the_service_rests() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let (dead, well) = (dead(), service.base_url());
        let config = several([&*dead, &well]).retry(RetryPolicy::default().max_retries(0));
        let client = Client::new(config).unwrap();
        let first = way.send(&client, hello()).unwrap();
        assert_eq!(attempts(&first), [dead.clone(), well.clone()]);
        assert_eq!(first.record().unwrap().waits_count(), 0);
        assert_eq!(first.record().unwrap().attempts()[0].kind, Some(ErrorKind::Connect));
        let read = way.read(&client, hello());
        assert_eq!(attempts(read.response()), [well], "the first one rests");
    }
}

#[test]
fn a_refusal_moves_on_and_a_retry_after_belongs_to_its_service() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let busy = service.script("busy", Script::one(refusal(&[("Retry-After", "600")])));
        let well = service.script("well", answer());
        let client = Client::new(several([&*busy, &well])).unwrap();
        for _ in 0..5 {
            way.send(&client, hello()).unwrap();
        }
        assert_eq!(service.recorded("busy").len(), 1);
        assert_eq!(service.recorded("well").len(), 5);
    }
}

#[test]
fn without_a_retry_after_some_refusals_in_a_row_let_a_service_rest() {
    let service = Service::start().unwrap();
    let busy = service.script("busy", Script::one(refusal(&[])));
    let well = service.script("well", answer());
    let client = Client::new(several([&*busy, &well])).unwrap();
    for _ in 0..10 {
        client.blocking().send(hello()).unwrap();
    }
    assert_eq!(service.recorded("busy").len(), 3);
}

/// If all refuse, the retry policy decides, and the next round begins with the first.
#[test]
fn rounds_of_refusals_are_retried_by_the_policy() {
    let service = Service::start().unwrap();
    let one = service.script("one", Script::one(refusal(&[])));
    let other = service.script("other", Script::one(refusal(&[])));
    let config = several([&*one, &other]).retry(at_once().max_retries(1));
    let error = Client::new(config).unwrap().blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 4));
    assert_eq!((service.recorded("one").len(), service.recorded("other").len()), (2, 2));
    assert_eq!(error.record().unwrap().waits_count(), 1);
    let busy = service.script("busy", Script::one(refusal(&[("Retry-After", "600")])));
    let long = service.script("long", Script::one(refusal(&[("Retry-After", "500")])));
    let error =
        Client::new(several([&*busy, &long])).unwrap().blocking().send(hello()).unwrap_err();
    assert_eq!(error.attempts(), 2, "no wait that is longer than the policy allows");
}

/// What may have been metered is not sent again, at no service.
#[test]
fn no_other_failure_moves_on() {
    let service = Service::start().unwrap();
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"id\":";
    let cut = Exchange { steps: vec![Step::send(head), Step::Close] };
    let silent = Exchange { steps: vec![Step::Close] };
    let failures = [
        ("500", Exchange::json(500, "{}"), ErrorKind::Server),
        ("400", Exchange::json(400, "{}"), ErrorKind::InvalidRequest),
        ("401", Exchange::json(401, "{}"), ErrorKind::Authentication),
        ("cut", cut, ErrorKind::Disconnected),
        ("silent", silent, ErrorKind::Disconnected),
        ("web", Exchange::json(200, "<html>"), ErrorKind::Protocol),
    ];
    let well = service.script("well", answer());
    for (name, failure, kind) in failures {
        let ill = service.script(name, Script::one(failure));
        let client = Client::new(several([&*ill, &well])).unwrap();
        for way in WAYS {
            let error = way.send(&client, hello()).unwrap_err();
            assert_eq!((error.kind(), error.attempts()), (kind, 1), "{name}");
        }
    }
    assert_eq!(service.recorded("well").len(), 0);
}

#[test]
fn an_answer_that_fails_before_its_content_moves_on_by_option() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let failed = Exchange::events(&[r#"{"error":{"message":"busy"}}"#]);
        let ill = service.script("ill", Script::one(failed));
        let well = service.base_url();
        let read = way.read(&Client::new(several([&*ill, &well])).unwrap(), hello());
        assert_eq!((read.error().kind(), read.error().attempts()), (ErrorKind::Stream, 1));
        let slow = RetryPolicy::default().first_wait(Duration::from_secs(1000));
        let config = several([&*ill, &well]).retry(slow.before_content(true));
        let read = way.read(&Client::new(config).unwrap(), hello());
        assert_eq!(read.text(), "Hello from both sides.");
        assert_eq!(read.response().attempts(), 2);
    }
}

#[test]
fn balanced_calls_are_spread_by_weight() {
    let service = Service::start().unwrap();
    let one = service.script("one", answer());
    let other = service.script("other", answer());
    let urls = [BaseUrl::new(&*one).weight(3), BaseUrl::new(&*other)];
    let config = Config::new().api_key("sk-test").base_urls(urls).balance(true);
    let client = Client::new(config).unwrap();
    (0..40).for_each(|_| drop(client.blocking().send(hello()).unwrap()));
    assert_eq!((service.recorded("one").len(), service.recorded("other").len()), (30, 10));
}

#[test]
fn each_service_gets_its_own_key_and_model_name() {
    let service = Service::start().unwrap();
    let echo = r#"{"error":{"message":"no sk-test, no sk-other-test"}}"#;
    let busy = service.script("busy", Script::one(Exchange::json(429, echo)));
    let well = service.script("well", answer());
    let own = |url: &str| BaseUrl::new(url).api_key("sk-other-test").model("echo", "echo \"2\"");
    let urls = [BaseUrl::new(&*busy), own(&well)];
    let client = Client::new(Config::new().api_key("sk-test").base_urls(urls)).unwrap();
    for way in WAYS {
        way.send(&client, hello().header("x-way", format!("{way:?}"))).unwrap();
        let bodies = ["busy", "well"].map(|name| service.recorded(name).pop().unwrap());
        let models = bodies.each_ref().map(|sent| {
            serde_json::from_slice::<serde_json::Value>(&sent.body).unwrap()["model"].clone()
        });
        assert_eq!(models, ["echo", "echo \"2\""]);
        let keys = bodies.each_ref().map(|sent| sent.header("authorization").unwrap().to_owned());
        assert_eq!(keys, ["Bearer sk-test", "Bearer sk-other-test"]);
    }
    let usage = client.usage_by_key();
    assert_eq!(usage[&key_id("sk-other-test")]["echo"].calls, 2, "under the name of the requests");
    let urls = [BaseUrl::new(&*busy), own(&busy)];
    let client = Client::new(Config::new().api_key("sk-test").base_urls(urls)).unwrap();
    let policy = RetryPolicy::default().max_retries(0);
    let error = client.blocking().send(hello().retry(policy)).unwrap_err();
    assert_eq!(error.message(), "no [key], no [key]");
    let error = client.blocking().send(hello().api_key("sk-test")).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Argument, 0), "{error}");
}

/// Each has a congestion controller: one that refuses everything holds back nobody else.
#[test]
fn adaptive_calls_go_to_those_that_admit_them() {
    let service = Service::start().unwrap();
    let busy = service.script("busy", Script::one(refusal(&[])));
    let well = service.script("well", answer());
    let config = several([&*busy, &well]).balance(true);
    let client = Client::new(config.retry(at_once().adaptive(true))).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                (0..20).for_each(|_| drop(client.blocking().send(hello()).unwrap()));
            });
        }
    });
    let (refused, answered) = (service.recorded("busy").len(), service.recorded("well").len());
    assert_eq!(answered, 320);
    assert!(refused < 160, "{refused}");
}

/// The single call to a service that rested finds that it is well again.
#[test]
fn a_service_that_rested_is_called_again() {
    let service = Service::start().unwrap();
    let sequence = vec![refusal(&[("Retry-After", "0.05")]), Exchange::json(200, CHAT_ANSWER)];
    let first = service.script("first", Script::sequence(sequence));
    let other = service.script("other", answer());
    let client = Client::new(several([&*first, &other])).unwrap();
    client.blocking().send(hello()).unwrap();
    crate::support::eventually("the first one is called again", || {
        client.blocking().send(hello()).unwrap();
        service.recorded("first").len() > 1
    });
}

#[test]
fn a_model_list_comes_from_the_first_that_is_well() {
    let service = Service::start().unwrap();
    let client = Client::new(several([&*dead(), &service.base_url()])).unwrap();
    assert!(Way::Async.models(&client).unwrap().model_ids().len() > 3);
}

#[test]
fn errors_and_hints_are_those_of_the_last_service() {
    let service = Service::start().unwrap();
    let other = service.script("other", Script::one(Exchange::json(404, "{}")));
    let client = Client::new(several([&*dead(), &other])).unwrap();
    let error = client.blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.metered()), (ErrorKind::NotFound, Metered::Unknown));
    assert_eq!(error.path(), "/scripts/other/v1/chat/completions");
    assert_eq!(error.record().unwrap().path(), "/scripts/other/v1/chat/completions");
}

#[test]
fn faulty_base_urls_are_refused_by_their_place() {
    let refused = |config: Config| {
        let error = Client::new(config.api_key("sk-test")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        error.message().to_owned()
    };
    let good = || BaseUrl::new("http://127.0.0.1:9/v1");
    let both = |second| refused(Config::new().base_urls([good(), second]));
    assert!(both(BaseUrl::new("127.0.0.1")).starts_with("base_urls[1]: base_url"));
    assert!(both(good().weight(0)).starts_with("base_urls[1]: weight must be"));
    assert!(both(good().weight(1_001)).contains("WEIGHT_MAX"));
    assert!(both(good().api_key("")).starts_with("base_urls[1]: the API key is empty"));
    assert!(both(good().model("echo", "")).contains("model is empty"));
    assert!(refused(Config::new().base_urls((0..65).map(|_| good()))).contains("BASE_URLS_MAX"));
    let config = Config::new().base_url("http://127.0.0.1:9/v1").base_urls([good()]);
    assert_eq!(refused(config), "both base_url and base_urls are set");
    assert_eq!(refused(Config::new().balance(true)), "balance needs base_urls");
    for (json, expected) in [
        (r#"[1]"#, "base_urls[0] is neither a string nor an object"),
        (r#"[{}]"#, "base_urls[0] has no url"),
        (
            r#"["http://127.0.0.1:9/v1",{"url":"http://127.0.0.1:9/v1","wieght":1}]"#,
            "did you mean \"weight\"?",
        ),
        (r#"[{"url":"x","weight":-1}]"#, "base_urls[0] has a weight that is no whole number"),
        (r#"[{"url":"x","models":["a"]}]"#, "models that are no object"),
        (r#""http://127.0.0.1:9/v1""#, "base_urls takes an array of base URLs"),
    ] {
        let error = Config::new().set_options(&format!(r#"{{"base_urls":{json}}}"#)).unwrap_err();
        assert!(error.message().contains(expected), "{json}: {error}");
    }
    let mut config = Config::new();
    let urls = r#"{"base_urls":["http://127.0.0.1:9/v1",
        {"url":"http://127.0.0.1:9/v2","api_key":"sk-other-test","weight":2,"models":{"a":"b"}}],
        "balance":true,"api_key":"sk-test"}"#;
    config.set_options(urls).unwrap();
    let shown = format!("{config:?}");
    assert!(!shown.contains("sk-"), "{shown}");
    assert_eq!(Client::new(config).unwrap().base_url(), "http://127.0.0.1:9/v1");
}

/// A call to a service that hangs ends by its own timeout, and after some of those others are called.
#[test]
fn a_service_that_hangs_rests_after_some_timeouts() {
    let service = Service::start().unwrap();
    let hung = service.script("hung", Script::one(Exchange { steps: vec![Step::StallForever] }));
    let well = service.script("well", answer());
    let client = Client::new(several([&*hung, &well])).unwrap();
    let request =
        || Request::chat("echo").user("Hello.").first_byte_timeout(Some(Duration::from_millis(1)));
    for _ in 0..3 {
        let error = client.blocking().send(request()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    }
    client.blocking().send(hello()).unwrap();
    assert_eq!(service.recorded("well").len(), 1);
}

/// An error with a status of 4xx resets the count of failures.
#[test]
fn an_error_of_the_request_is_no_failure_of_the_service() {
    let service = Service::start().unwrap();
    for status in [400, 404, 499] {
        let of = |status| Exchange::json(status, r#"{"error":{"message":"no"}}"#);
        let first = Script::sequence([500, 500, status, 500, 500].map(of).to_vec());
        let name = format!("first-{status}");
        let (first, well) = (service.script(&name, first), service.script("well", answer()));
        let config = several([&*first, &well]).retry(RetryPolicy::default().max_retries(0));
        let client = Client::new(config).unwrap();
        for expected in [500, 500, status, 500, 500] {
            let error = client.blocking().send(hello()).unwrap_err();
            assert_eq!(error.status(), Some(expected));
        }
    }
    assert!(service.recorded("well").is_empty());
}

/// Errors with a status of 5xx are counted, and the third in a row lets the service rest.
#[test]
fn a_service_that_answers_with_its_own_errors_rests() {
    let service = Service::start().unwrap();
    for status in [500, 503, 599] {
        let failure = Exchange::json(status, r#"{"error":{"message":"no"}}"#);
        let (first, second) = (format!("first-{status}"), format!("second-{status}"));
        let first = service.script(&first, Script::one(failure));
        let well = service.script(&second, answer());
        let config = several([&*first, &well]).retry(RetryPolicy::default().max_retries(0));
        let client = Client::new(config).unwrap();
        for _ in 0..3 {
            assert_eq!(client.blocking().send(hello()).unwrap_err().status(), Some(status));
        }
        client.blocking().send(hello()).unwrap();
        assert_eq!(service.recorded(&second).len(), 1);
    }
}

/// Ten refusals at once are one reason to rest, and no reason to wait for another attempt.
#[test]
fn a_burst_of_refusals_does_not_hold_a_service_back_for_long() {
    let service = Service::start().unwrap();
    let mut exchanges = vec![refusal(&[]); 10];
    exchanges.push(Exchange::json(200, CHAT_ANSWER));
    let only = service.script("only", Script::sequence(exchanges));
    // A rest in place of a Retry-After would be longer than that, and end the calls.
    let policy = at_once().retry_after_max(Duration::from_millis(100));
    let client = Client::new(several([&*only]).retry(policy)).unwrap();
    let calls: Vec<_> = (0..10).map(|_| Call::new(&client, hello())).collect();
    calls.iter().for_each(|call| call.start(false).unwrap());
    for call in calls {
        let Pop::Event(Event::Done(outcome)) = call.pop(None).unwrap() else { panic!("no end") };
        outcome.unwrap();
    }
}

/// A status that may be billed, though the program retries it, is sent again only as a retry.
#[test]
fn named_statuses_move_on_within_the_retries() {
    let service = Service::start().unwrap();
    let failing =
        ["a", "b", "c"].map(|name| service.script(name, Script::one(Exchange::json(500, "{}"))));
    for retries in 0..3 {
        let policy = at_once().statuses(vec![429, 500]).max_retries(retries);
        let urls = failing.iter().map(String::as_str);
        let client = Client::new(several(urls).retry(policy)).unwrap();
        let error = client.blocking().send(hello()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Server, retries + 1));
    }
}

/// The refusal of one service is retried though the other cannot be reached.
#[test]
fn a_refusal_is_retried_if_the_next_service_is_not_there() {
    let service = Service::start().unwrap();
    let exchanges = vec![refusal(&[]), Exchange::json(200, CHAT_ANSWER)];
    let first = service.script("first", Script::sequence(exchanges));
    let client = Client::new(several([&*first, &dead()]).retry(at_once())).unwrap();
    let answer = client.blocking().send(hello()).unwrap();
    assert_eq!(answer.attempts(), 3);
    let refuses = service.script("refuses", Script::one(refusal(&[])));
    let policy = at_once().max_retries(0);
    let client = Client::new(several([&*refuses, &dead()]).retry(policy)).unwrap();
    assert_eq!(client.blocking().send(hello()).unwrap_err().kind(), ErrorKind::RateLimited);
}

/// Through all rounds that the policy allows, whichever of them comes first.
#[test]
fn refusals_are_retried_beside_a_service_that_is_not_there() {
    let service = Service::start().unwrap();
    for dead_first in [false, true] {
        let refusals = [(); 3].map(|()| refusal(&[("Retry-After", "0.001")]));
        let exchanges = [&refusals[..], &[Exchange::json(200, CHAT_ANSWER)]].concat();
        let script = format!("refuses-{dead_first}");
        let refuses = service.script(&script, Script::sequence(exchanges));
        let (here, dead) = (&*refuses, dead());
        let base_urls = if dead_first { [&*dead, here] } else { [here, &dead] };
        let client = Client::new(several(base_urls).retry(at_once().max_retries(3))).unwrap();
        client.blocking().send(hello()).unwrap();
        assert_eq!(service.recorded(&script).len(), 4);
    }
}

/// Each retry begins with the first that can be called, also if another one's rest ended in the wait.
#[test]
fn a_probe_of_a_service_that_is_not_there_costs_no_retry() {
    let service = Service::start().unwrap();
    let exchanges = vec![refusal(&[]), refusal(&[]), Exchange::json(200, CHAT_ANSWER)];
    let first = service.script("first", Script::sequence(exchanges));
    // The second wait, of 1.2 s, outlasts the rest of a second.
    let policy = RetryPolicy::default().max_retries(2).jitter(0.0);
    let policy = policy.first_wait(Duration::from_millis(600));
    let client = Client::new(several([&*first, &dead()]).retry(policy)).unwrap();
    client.blocking().send(hello()).unwrap();
    assert_eq!(service.recorded("first").len(), 3);
}

/// Only if it does not ask to wait, and at no cost: nothing was sent to the other.
#[test]
fn a_call_goes_to_a_service_that_rests_before_it_ends_at_one_that_is_not_there() {
    let service = Service::start().unwrap();
    for (wait, is_called) in [(&[][..], true), (&[("Retry-After", "600")], false)] {
        let refusals = [(); 3].map(|()| refusal(wait));
        let exchanges = [&refusals[..], &[Exchange::json(200, CHAT_ANSWER)]].concat();
        let script = format!("rests-{is_called}");
        let rests = service.script(&script, Script::sequence(exchanges));
        let policy = at_once().max_retries(0);
        let client = Client::new(several([&*rests, &dead()]).retry(policy)).unwrap();
        for _ in 0..3 {
            client.blocking().send(hello().to_service(0)).unwrap_err();
        }
        let answer = client.blocking().send(hello());
        assert_eq!(
            answer.map_err(|error| error.kind()).err(),
            (!is_called).then_some(ErrorKind::Connect)
        );
        assert_eq!(service.recorded(&script).len(), if is_called { 4 } else { 3 });
    }
}

/// Also where calls wait for a connection.
#[test]
fn calls_that_wait_for_a_connection_are_balanced() {
    let service = Service::start().unwrap();
    let urls = ["one", "other"].map(|name| service.script(name, answer()));
    let limits = Limits::default().connections_max(2);
    let config = several(urls.iter().map(String::as_str)).balance(true).limits(limits);
    let client = Client::new(config).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..25).for_each(|_| drop(client.blocking().send(hello()).unwrap())));
        }
    });
    assert_eq!((service.recorded("one").len(), service.recorded("other").len()), (100, 100));
}

/// A time of the whole call that the program sets says nothing of the service.
#[test]
fn total_timeouts_let_no_service_rest() {
    let service = Service::start().unwrap();
    let first = service.base_url();
    let other = service.script("other", answer());
    let client = Client::new(several([&*first, &other])).unwrap();
    let slow = || Request::chat("slow").user("one two three");
    for _ in 0..4 {
        let short = slow().total_timeout(Some(Duration::from_millis(1)));
        assert_eq!(client.blocking().send(short).unwrap_err().kind(), ErrorKind::Timeout);
    }
    client.blocking().send(hello()).unwrap();
    assert_eq!(service.recorded("other").len(), 0);
}

#[test]
fn an_empty_list_of_base_urls_is_refused() {
    let error = Client::new(Config::new().api_key("sk-test").base_urls([])).unwrap_err();
    assert_eq!(error.message(), "base_urls is empty");
}
