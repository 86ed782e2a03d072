//! What a call sets for itself wins over its client; when connections and busy services are tried
//! again.

use std::time::{Duration, Instant, SystemTime};

use modelwire::{Client, ErrorKind, Metered, Request, RetryPolicy, TimeoutPhase, Timeouts};
use modelwire_testing::{Exchange, Options, Script, Service};

use crate::support::{
    CHAT_ANSWER, WAYS, at_once, client, config, hello, piece, retry_gaps, silence, stalled_after,
};

/// Runs out in a test.
const SHORT: Duration = Duration::from_millis(300);
/// Never runs out in a test.
const LONG: Duration = Duration::from_secs(120);
const OFF: Timeouts = Timeouts::OFF;

/// A call sets each timeout where its client sets none or another, and switches it off.
#[test]
fn timeouts_of_a_call_win_over_its_clients() {
    let service = Service::start().unwrap();
    let silent = service.script("silent", Script::one(silence()));
    let stalled = service.script("stalled", Script::one(stalled_after(&[&piece("a")])));
    type Set = fn(Request, Option<Duration>) -> Request;
    let cases: [(&str, TimeoutPhase, Set); 3] = [
        (&silent, TimeoutPhase::FirstByte, Request::first_byte_timeout),
        (&stalled, TimeoutPhase::Idle, Request::idle_timeout),
        (&silent, TimeoutPhase::Total, Request::total_timeout),
    ];
    let long = OFF.connect(None).first_byte(Some(LONG)).idle(Some(LONG)).total(Some(LONG));
    for clients in [OFF, long] {
        for (base_url, phase, set) in cases {
            let client = Client::new(config(base_url).timeouts(clients)).unwrap();
            for way in WAYS {
                let error = way.read(&client, set(hello(), Some(SHORT))).error().clone();
                assert_eq!((error.kind(), error.timeout()), (ErrorKind::Timeout, Some(phase)));
                assert!(error.message().contains(&format!("{} of 300 ms", phase.name())));
                // clock: bounds a hang
                assert!(error.elapsed() >= SHORT && error.elapsed() < LONG, "{error:?}");
            }
        }
    }
    // Off for the call: the client's would be over long before the answer comes.
    let slow = Service::start_with(Options { word_pause: SHORT, ..Options::default() }).unwrap();
    let short = OFF.first_byte(Some(SHORT)).idle(Some(SHORT / 3)).total(Some(SHORT));
    let client = Client::new(config(slow.base_url()).timeouts(short)).unwrap();
    for way in WAYS {
        let request = || Request::chat("slow").user("one two three");
        let off = request().first_byte_timeout(None).idle_timeout(None).total_timeout(None);
        assert_eq!(way.read(&client, off.clone()).text(), "one two three");
        assert_eq!(way.send(&client, off).unwrap().text(), "one two three");
    }
    let client = Client::new(config(&silent).timeouts(short)).unwrap();
    for way in WAYS {
        assert_eq!(way.send(&client, hello()).unwrap_err().kind(), ErrorKind::Timeout);
    }
}

#[test]
fn the_retry_policy_of_a_call_wins_over_its_clients() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(429, "{}")));
    let busy = service.script("t", Script::one(Exchange::json(503, "{}")));
    let never = at_once().max_retries(0);
    let on_503 = at_once().max_retries(2).statuses(vec![503]);
    for way in WAYS {
        let patient = Client::new(config(&base_url).retry(at_once())).unwrap();
        assert_eq!(way.send(&patient, hello()).unwrap_err().attempts(), 4);
        assert_eq!(way.send(&patient, hello().retry(never.clone())).unwrap_err().attempts(), 1);
        let strict = Client::new(config(&base_url).retry(never.clone())).unwrap();
        assert_eq!(way.send(&strict, hello()).unwrap_err().attempts(), 1);
        assert_eq!(way.read(&strict, hello().retry(at_once())).error().attempts(), 4);
        // A policy is taken whole: this one no longer covers 429.
        assert_eq!(way.send(&patient, hello().retry(on_503.clone())).unwrap_err().attempts(), 1);
        let other = client(&busy);
        assert_eq!(way.send(&other, hello()).unwrap_err().attempts(), 1);
        assert_eq!(way.read(&other, hello().retry(on_503.clone())).error().attempts(), 3);
    }
}

/// A call's header replaces the client's of that name, in any case.
#[test]
fn headers_of_a_call_win_over_its_clients() {
    let service = Service::start().unwrap();
    let config = config(service.base_url()).header("x-tenant", "client").header("x-kept", "k");
    let client = Client::new(config).unwrap();
    for way in WAYS {
        service.clear();
        let request = hello().header("X-Tenant", "call").header("x-more", "m");
        way.send(&client, request.clone()).unwrap();
        way.read(&client, request).response();
        way.send(&client, hello()).unwrap();
        let tenants: Vec<String> = service
            .recorded("")
            .iter()
            .map(|sent| {
                let all = sent.headers.iter().filter(|(name, _)| name == "x-tenant");
                assert_eq!(all.count(), 1, "one value, not two");
                assert_eq!(sent.header("x-kept"), Some("k"));
                assert_eq!(sent.header("authorization"), Some("Bearer sk-test"));
                sent.header("x-tenant").unwrap().to_owned()
            })
            .collect();
        assert_eq!(tenants, ["call", "call", "client"]);
        assert_eq!(service.recorded("")[0].header("x-more"), Some("m"));
        assert_eq!(service.recorded("")[2].header("x-more"), None);
    }
}

/// A wrong option of a call is an argument error before anything is sent.
#[test]
fn wrong_options_of_a_call_send_nothing() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let jittery = RetryPolicy::default().jitter(2.0);
    let requests = [
        hello().header("Authorization", "Bearer other"),
        hello().header("host", "elsewhere"),
        hello().header("bad name", "v"),
        hello().header("x", "a\r\nb: c"),
        hello().first_byte_timeout(Some(Duration::ZERO)),
        hello().idle_timeout(Some(Duration::MAX)),
        hello().total_timeout(Some(Duration::ZERO)),
        hello().retry(jittery),
    ];
    for request in requests {
        for way in WAYS {
            let error = way.send(&client, request.clone()).unwrap_err();
            assert_eq!((error.kind(), error.metered()), (ErrorKind::Argument, Metered::NotSent));
            assert_eq!(way.read(&client, request.clone()).error().kind(), ErrorKind::Argument);
        }
    }
    assert_eq!(service.connections(), 0);
}

/// A URL of a proxy may have a password: an error does not show it.
#[test]
fn what_is_not_a_proxy_is_refused_unseen() {
    let service = Service::start().unwrap();
    let proxied = |url: &str| Client::new(config(service.base_url()).proxy(url)).map(drop);
    for url in [
        "",
        "user:secret@127.0.0.1:8080",
        "http:user:secret@127.0.0.1:8080",
        "http://",
        "socks5://",
        "ftp://user:secret@127.0.0.1",
        "mailto:secret",
    ] {
        let error = proxied(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{url}");
        assert!(error.hint().contains("http://host:port"), "{url}: {error:?}");
        assert!(!error.report().contains("secret"), "{error:?}");
    }
    for url in ["http://u:p@127.0.0.1:1", " https://h ", "socks4a://h:1", "socks5h://u:p@h"] {
        proxied(url).unwrap();
    }
}

/// An option tries a connection again that could not be opened; nothing was sent.
#[test]
fn a_service_that_starts_late_is_reached_if_wanted() {
    let port = crate::system::closed_port();
    let wait = Duration::from_millis(100);
    let policy =
        RetryPolicy::default().max_retries(200).first_wait(wait).connect_errors(true).jitter(1.0);
    let base_url = format!("http://127.0.0.1:{port}/v1");
    let refused = client(&base_url).blocking().send(hello()).unwrap_err();
    assert_eq!((refused.kind(), refused.attempts()), (ErrorKind::Connect, 1));
    let twice = policy.clone().max_retries(2).first_wait(wait / 100);
    let refused = client(&base_url).blocking().send(hello().retry(twice)).unwrap_err();
    assert_eq!((refused.kind(), refused.attempts()), (ErrorKind::Connect, 3));
    assert_eq!(refused.metered(), Metered::NotSent);
    let patient = Client::new(config(&base_url).retry(policy)).unwrap();
    let calls: Vec<_> = WAYS
        .into_iter()
        .map(|way| {
            let client = patient.clone();
            std::thread::spawn(move || way.send(&client, hello()).unwrap().text().into_owned())
        })
        .collect();
    // clock: some attempts fail, or none: both are to end the same
    std::thread::sleep(wait * 3);
    let service = Service::start_with(Options { port, ..Options::default() }).unwrap();
    for call in calls {
        assert_eq!(call.join().unwrap(), "Hello from both sides.");
    }
    assert_eq!(service.recorded("").len(), 2, "each call was sent once");
}

/// Chance shortens waits, each differently, and never below what the service asks for.
#[test]
fn jitter_spreads_the_retries() {
    let wait = Duration::from_secs(1);
    let policy = RetryPolicy::default().first_wait(wait).jitter(1.0);
    let gaps = |policy: &RetryPolicy, headers: &[(&str, &str)]| {
        retry_gaps(16, headers, |url| config(url).retry(policy.clone()))
    };
    let gaps_of_chance = gaps(&policy, &[]);
    let (first, last) =
        (gaps_of_chance.iter().min().unwrap(), gaps_of_chance.iter().max().unwrap());
    assert!(*last - *first > wait / 10, "{gaps_of_chance:?}");
    assert!(*first >= wait, "no wait is shorter: {gaps_of_chance:?}");
    let short = policy.first_wait(wait / 1000);
    let gaps_asked = gaps(&short, &[("Retry-After", "1")]);
    assert!(gaps_asked.iter().all(|gap| *gap >= wait), "{gaps_asked:?}");
}

/// Seconds, milliseconds, a date; also with a fraction, and past.
#[test]
fn the_wait_that_the_service_asks_for_has_three_forms() {
    let date = |ahead: Duration| httpdate::fmt_http_date(SystemTime::now() + ahead);
    let second = Duration::from_secs(1);
    let check = |header: &str, value: &str, wait: Duration| {
        let gaps = retry_gaps(16, &[(header, value)], |url| config(url).retry(at_once()));
        assert!(gaps.iter().all(|gap| *gap >= wait), "{header}: {value}: {gaps:?}");
        assert!(gaps.iter().all(|gap| *gap < Duration::from_secs(30)), "{value}: {gaps:?}");
    };
    let forms = [
        ("Retry-After", "1", second),
        ("Retry-After", "1.5", second * 3 / 2),
        ("retry-after-ms", "700", second * 7 / 10),
        ("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT", Duration::ZERO),
    ];
    std::thread::scope(|scope| {
        for (header, value, wait) in forms {
            scope.spawn(move || check(header, value, wait));
        }
        // A date has whole seconds, so 8 s ahead is at least 7 s away; on a busy machine the calls
        // start some seconds later.
        scope.spawn(move || check("Retry-After", &date(second * 8), second));
    });
}

/// A wait that would outlast the deadline ends the call with what is known.
#[test]
fn a_total_deadline_cuts_the_waits() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(429, r#"{"error":"busy"}"#)));
    let policy = at_once().max_retries(1000).first_wait(100 * LONG);
    let client = Client::new(config(base_url).retry(policy)).unwrap();
    let request = || hello().total_timeout(Some(LONG));
    let start = Instant::now();
    for way in WAYS {
        let error = way.send(&client, request()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 1));
        assert_eq!(way.read(&client, request()).error().message(), "busy");
    }
    // clock: half of the wait that is not to be waited for
    assert!(start.elapsed() < LONG / 2, "not waited for");
    // Three waits fit in; the fourth one does not.
    let refusal = |wait: &str| Exchange::json_with_headers(429, &[("Retry-After", wait)], "{}");
    let script = Script::sequence(vec![refusal("0"), refusal("0"), refusal("0"), refusal("60")]);
    let policy = at_once().max_retries(1000);
    let client = Client::new(config(service.script("t", script)).retry(policy)).unwrap();
    let request = hello().total_timeout(Some(Duration::from_secs(30)));
    let error = client.blocking().send(request).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 4), "{error:?}");
}

/// What a caller may want to know of how an answer came: attempts, time, headers of a failure; and
/// a query of its own.
#[test]
fn answers_and_errors_report_attempts_and_time() {
    let service = Service::start().unwrap();
    let busy = Exchange::json(429, "{}");
    let gone = Exchange::json(404, r#"{"error":{"message":"no"}}"#);
    let good = Exchange::json(200, CHAT_ANSWER);
    let url = service.script("s", Script::sequence(vec![busy, good, gone]));
    let client = Client::new(config(url + "?tenant=1").retry(at_once())).unwrap();
    let request = hello().query("a b", "c&d").query("e", "");
    let answer = client.blocking().send(request).unwrap();
    assert_eq!(answer.attempts(), 2);
    assert!(answer.elapsed() > Duration::ZERO);
    let error = client.blocking().send(hello()).unwrap_err();
    let names: Vec<String> = error.headers().iter().map(|(name, _)| name.to_lowercase()).collect();
    assert!(names.contains(&"content-type".to_owned()), "{names:?}");
    let targets: Vec<String> =
        service.recorded("s").iter().map(|request| request.target.clone()).collect();
    assert!(targets[0].ends_with("?tenant=1&a+b=c%26d&e="), "{targets:?}");
    assert_eq!(targets[0], targets[1]);
    assert!(targets[2].ends_with("/chat/completions?tenant=1"), "{targets:?}");
}

/// Options that are set by name, of the client and of the call, are sent.
#[test]
fn options_by_name_reach_the_service() {
    let service = Service::start_with(Options { key: "sk-call".into(), ..Options::default() });
    let service = service.unwrap();
    let mut config = config(service.base_url() + "?of=url").query("of", "client");
    config.set_options(r#"{"headers":{"x-a":"1","x-b":"2"},"query":{"a b":"c&d"}}"#).unwrap();
    let client = Client::new(config).unwrap();
    let mut request = hello();
    request
        .set_options(
            r#"{"headers":{"X-A":"3","x-c":"4"},"without_headers":["x-b"],"query":{"e":"é"},
            "api_key":"sk-call","gather":true}"#,
        )
        .unwrap();
    for way in WAYS {
        service.clear();
        assert_eq!(way.send(&client, request.clone()).unwrap().text(), "Hello from both sides.");
        let read = way.read(&client, request.clone());
        assert!(read.response().is_gathered());
        for sent in service.recorded("") {
            let end = "/chat/completions?of=url&of=client&a+b=c%26d&e=%C3%A9";
            assert!(sent.target.ends_with(end), "{}", sent.target);
            let values = ["x-a", "x-b", "x-c", "authorization"].map(|name| sent.header(name));
            assert_eq!(values, [Some("3"), None, Some("4"), Some("Bearer sk-call")]);
        }
        // What a call sets is its own.
        assert_eq!(way.send(&client, hello()).unwrap_err().kind(), ErrorKind::Authentication);
        let mut underneath = request.clone();
        underneath.set_options(r#"{"stream_only":true}"#).unwrap();
        assert!(way.send(&client, underneath).unwrap().is_gathered());
    }
}

/// A call changes a part of its client's policy by name, and the others stay.
#[test]
fn a_part_of_the_retry_policy_is_changed_for_a_call() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(503, "{}")));
    let client = Client::new(config(base_url).retry(at_once().statuses(vec![503]))).unwrap();
    for way in WAYS {
        for (json, attempts) in [
            ("{}", 4),
            (r#"{"max_retries":1}"#, 2),
            (r#"{"max_retries":0}"#, 1),
            (r#"{"retry_statuses":[429]}"#, 1),
            (r#"{"max_retries":5,"retry_jitter":0,"retry_adaptive":false}"#, 6),
        ] {
            let mut request = hello();
            request.set_options(json).unwrap();
            assert_eq!(way.send(&client, request.clone()).unwrap_err().attempts(), attempts);
            assert_eq!(way.read(&client, request).error().attempts(), attempts, "{json}");
        }
    }
}

/// The timeouts of a call by name, and null for none.
#[test]
fn timeouts_by_name_win_over_the_clients() {
    let service = Service::start().unwrap();
    let silent = service.script("silent", Script::one(silence()));
    let stalled = service.script("stalled", Script::one(stalled_after(&[&piece("a")])));
    for (base_url, phase) in [
        (&silent, TimeoutPhase::FirstByte),
        (&silent, TimeoutPhase::Total),
        (&stalled, TimeoutPhase::Idle),
    ] {
        let client = Client::new(config(base_url).timeouts(OFF)).unwrap();
        let mut request = hello();
        request.set_options(&format!(r#"{{"{}_ms":300}}"#, phase.name())).unwrap();
        let error = WAYS[1].read(&client, request).error().clone();
        assert_eq!(error.timeout(), Some(phase));
        assert!(error.to_json().contains(&format!(r#""timeout":"{}""#, phase.name())));
    }
    let slow = Service::start_with(Options { word_pause: SHORT, ..Options::default() }).unwrap();
    let short = |url: &str| Client::new(config(url).timeouts(OFF.total(Some(SHORT)))).unwrap();
    let error = WAYS[1].send(&short(&silent), hello()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let client = short(&slow.base_url());
    let mut request = Request::chat("slow").user("one two three");
    request.set_options(r#"{"total_timeout_ms":null}"#).unwrap();
    assert_eq!(WAYS[1].send(&client, request).unwrap().text(), "one two three");
}
