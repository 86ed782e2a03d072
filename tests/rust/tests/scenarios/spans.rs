//! Calls and attempts as spans of `tracing`, and that the log of other programs has none of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use modelwire::{Call, Client, log};
use modelwire_testing::{Exchange, Script, Service};
use tokio::runtime::Builder;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{set_default, with_default};
use tracing::{Event, Metadata, Subscriber};

use crate::processes::in_child_at;
use crate::support::{
    CHAT_ANSWER, at_once, client, config, eventually, hello, piece, stalled_after,
};
use crate::system::forked;

/// A span as it was told.
#[derive(Clone, Debug, Default)]
struct Told {
    name: String,
    parent: Option<u64>,
    fields: BTreeMap<String, String>,
    is_closed: bool,
}

/// Keeps the spans of this library and of the test, in their order.
#[derive(Clone, Default)]
struct Keeps(Arc<Mutex<Vec<Told>>>, Arc<Mutex<BTreeMap<u64, usize>>>);

thread_local! {
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Keeps {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && (metadata.target() == "modelwire" || metadata.name() == "caller")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut all = self.0.lock().unwrap();
        let entered = ENTERED.with_borrow(|entered| entered.last().copied());
        let parent = match span.parent() {
            Some(parent) => Some(parent.into_u64()),
            None => entered.filter(|_| span.is_contextual()),
        };
        let name = span.metadata().name().to_owned();
        let mut told = Told { name, parent, ..Told::default() };
        span.record(&mut Fields(&mut told.fields));
        all.push(told);
        let id = all.len() as u64;
        self.1.lock().unwrap().insert(id, 1);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let place = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Fields(&mut self.0.lock().unwrap()[place].fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, _: &Id) {
        ENTERED.with_borrow_mut(Vec::pop);
    }

    fn clone_span(&self, id: &Id) -> Id {
        *self.1.lock().unwrap().get_mut(&id.into_u64()).unwrap() += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut counts = self.1.lock().unwrap();
        let count = counts.get_mut(&id.into_u64()).unwrap();
        *count -= 1;
        let is_closed = *count == 0;
        if is_closed {
            let place = usize::try_from(id.into_u64()).unwrap() - 1;
            self.0.lock().unwrap()[place].is_closed = true;
        }
        is_closed
    }
}

impl Keeps {
    /// All of them, once all are closed.
    fn told(&self) -> Vec<Told> {
        eventually("all spans are closed", || {
            self.0.lock().unwrap().iter().all(|span| span.is_closed)
        });
        self.0.lock().unwrap().clone()
    }
}

/// One span a call, below its caller's, and one for each attempt below it.
#[test]
fn a_call_is_a_span_with_one_for_each_attempt() {
    let service = Service::start().unwrap();
    let answers = vec![Exchange::json(429, "{}"), Exchange::json(200, CHAT_ANSWER)];
    let url = service.script("s", Script::sequence(answers));
    let client = Client::new(config(url).retry(at_once())).unwrap();
    let keeps = Keeps::default();
    let answer = with_default(keeps.clone(), || {
        let _caller = tracing::info_span!("caller").entered();
        client.blocking().send(hello()).unwrap()
    });
    let told = keeps.told();
    let names: Vec<_> = told.iter().map(|span| (&*span.name, span.parent)).collect();
    let expected =
        [("caller", None), ("call", Some(1)), ("attempt", Some(2)), ("attempt", Some(2))];
    assert_eq!(names, expected);
    let field = |place: usize, name: &str| told[place].fields.get(name).map(String::as_str);
    assert_eq!((field(1, "operation"), field(1, "model")), (Some("chat"), Some("echo")));
    assert_eq!((field(1, "attempts"), field(1, "status")), (Some("2"), Some("200")));
    assert_eq!((field(1, "kind"), field(1, "metered")), (None, Some("entered")));
    assert_eq!((field(2, "status"), field(2, "kind")), (Some("429"), Some("rate_limited")));
    assert_eq!((field(3, "status"), field(3, "kind")), (Some("200"), None));
    assert_eq!(field(3, "address"), Some(&*service.address().to_string()));
    for (place, attempt) in [2, 3].into_iter().zip(answer.record().unwrap().attempts()) {
        let times = [
            ("dns_us", attempt.dns),
            ("connect_us", attempt.connect),
            ("tls_us", attempt.tls),
            ("head_us", attempt.head),
            ("first_byte_us", attempt.first_byte),
        ];
        for (name, time) in times {
            let time = time.map(|time| time.as_micros().to_string());
            assert_eq!(field(place, name), time.as_deref(), "{name}");
        }
        assert_eq!(
            field(place, "reused"),
            attempt.reused.map(|it| if it { "true" } else { "false" })
        );
    }
    assert!(field(3, "head_us").is_some());
    assert!(!format!("{told:?}").contains("sk-test"));
}

/// Also of calls that nobody waits for to their end, and of those that never start.
#[test]
fn every_span_is_closed() {
    let service = Service::start().unwrap();
    let keeps = Keeps::default();
    with_default(keeps.clone(), || {
        let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
        let mut stream = client.blocking().stream(hello()).unwrap();
        stream.next().unwrap().unwrap();
        drop(stream);
        let call = Call::new(&client, hello());
        call.start(true).unwrap();
        call.cancel();
        client.blocking().send(modelwire::Request::chat("")).unwrap_err();
        let call = Call::new(&client, hello());
        call.cancel();
        call.start(true).unwrap_err();
    });
    let told = keeps.told();
    let calls = told.iter().filter(|span| span.name == "call");
    let kinds: Vec<_> = calls.map(|span| span.fields.get("cancelled_by").cloned()).collect();
    let (dropped, program) = (Some("dropped".to_owned()), Some("program".to_owned()));
    assert_eq!(kinds[..3], [dropped, program, None]);
    assert_eq!(kinds.len(), 4);
}

/// Design: a child that is forked while a call is under way calls no subscriber for it.
#[test]
fn a_forked_child_leaves_the_spans_of_its_parent() {
    in_child_at("spans::a_forked_child_leaves_the_spans_of_its_parent", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
        let keeps = Keeps::default();
        let mut stream = with_default(keeps.clone(), || client.blocking().stream(hello()).unwrap());
        stream.next().unwrap().unwrap();
        // As if another thread were in the subscriber.
        let held = keeps.1.lock().unwrap();
        let mut inherited = Some(stream);
        assert!(forked(|| drop(inherited.take())));
        drop(held);
        drop(inherited.take());
        keeps.told();
    });
}

/// Design: nor does it where the task of that call is dropped with a runtime of the program.
#[test]
fn a_forked_child_that_drops_a_runtime_leaves_the_spans_of_its_parent() {
    let name = "spans::a_forked_child_that_drops_a_runtime_leaves_the_spans_of_its_parent";
    in_child_at(name, &[], || {
        let service = Service::start().unwrap();
        let url = service.script("s", Script::one(stalled_after(&[&piece("a")])));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = Client::new(config(url).runtime(runtime.handle().clone())).unwrap();
        let keeps = Keeps::default();
        let mut stream = runtime
            .block_on(async {
                let _listens = set_default(keeps.clone());
                client.stream(hello()).await
            })
            .unwrap();
        runtime.block_on(stream.next()).unwrap().unwrap();
        // As if another thread were in the subscriber.
        let held = keeps.1.lock().unwrap();
        let mut inherited = Some((stream, runtime));
        let is_left = forked(|| drop(inherited.take()));
        drop(held);
        assert!(is_left);
        drop(inherited.take());
        keeps.told();
    });
}

/// Design: where nobody listens to spans, the log of programs that are not Rust has none of them.
#[test]
fn the_log_has_no_spans() {
    in_child_at("spans::the_log_has_no_spans", &[], || {
        log::start(log::Level::Trace).unwrap();
        let service = Service::start().unwrap();
        let answers = vec![Exchange::json(429, "{}"), Exchange::json(200, CHAT_ANSWER)];
        let url = service.script("s", Script::sequence(answers));
        let client = Client::new(config(url).retry(at_once())).unwrap();
        client.blocking().send(hello()).unwrap();
        client.blocking().send(modelwire::Request::chat("")).unwrap_err();
        let mut ours = Vec::new();
        while let Some(records) = log::take(1000, Duration::ZERO).filter(|all| !all.is_empty()) {
            for record in records {
                assert!(!record.target.starts_with("tracing"), "{record:?}");
                assert!(!record.message.contains("sk-test"), "{record:?}");
                if record.target == "modelwire" {
                    ours.push(record.message);
                }
            }
        }
        let beginnings: Vec<_> =
            ours.iter().map(|text| text.split(" status=").next().unwrap()).collect();
        assert_eq!(ours.len(), 2, "{ours:?}");
        assert!(beginnings[0].starts_with("retrying after a delay"), "{ours:?}");
        assert!(beginnings[1].starts_with("call done"), "{ours:?}");
    });
}
