//! The program's function that runs before each attempt.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use modelwire::{
    BaseUrl, Call, Client, Config, Endpoint, ErrorKind, Event, Metered, Pop, Request, TimeoutPhase,
};
use modelwire_testing::{Fault, Point, Reply, Says, Service, Step};

use crate::processes::in_child_at;
use crate::support::{WAYS, Way, at_once, client, config, eventually, hello};

/// Runs a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Its headers are those of the attempt alone, and replace those of the client; the key too.
#[test]
fn it_sees_each_attempt_and_adds_headers() {
    let service = Service::start().unwrap();
    let config = config(service.base_url()).retry(at_once()).header("x-who", "client");
    let client = Client::new(config.query("a", "b c")).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let notes = seen.clone();
    client
        .before_attempt(move |attempt| {
            let body = attempt.body().to_vec();
            notes.lock().unwrap().push((
                attempt.operation(),
                attempt.url().to_owned(),
                attempt.number(),
                body,
            ));
            attempt.set_header("x-who", format!("hook {}", attempt.number())).unwrap();
            attempt.set_header("Authorization", "Bearer sk-test").unwrap();
            Ok(())
        })
        .unwrap();
    for way in WAYS {
        way.send(&client, Request::chat("recovers").user("a b").query("c", "d")).unwrap();
        let sent = service.recorded("");
        let who: Vec<_> = sent.iter().map(|sent| sent.header("x-who").unwrap()).collect();
        assert_eq!(who, ["hook 1", "hook 2", "hook 3"]);
        let first = std::mem::take(&mut *seen.lock().unwrap());
        let url = format!("{}/chat/completions?a=b+c&c=d", service.base_url());
        for ((operation, seen_url, number, body), expected) in first.iter().zip(1..) {
            let known = (*operation, seen_url.as_str(), *number);
            assert_eq!(known, (Endpoint::Chat, url.as_str(), expected));
            assert_eq!(*body, sent[0].body);
        }
        assert_eq!(first.len(), 3);
        service.clear();
        assert_eq!(way.read(&client, hello()).text(), "Hello from both sides.");
        way.models(&client).unwrap();
        assert_eq!(std::mem::take(&mut *seen.lock().unwrap()).len(), 2);
        service.clear();
    }
    client.clear_before_attempt().unwrap();
    Way::Blocking.send(&client, hello()).unwrap();
    assert_eq!(service.recorded("")[0].header("x-who"), Some("client"));
}

#[test]
fn it_may_refuse_and_nothing_is_sent() {
    let service = Service::start().unwrap();
    let urls = [BaseUrl::new(service.base_url()), BaseUrl::new(service.base_url())];
    let several = Config::new().api_key("sk-test").base_urls(urls).retry(at_once());
    for client in [client(service.base_url()), Client::new(several).unwrap()] {
        client.before_attempt(|_| Err("not on Sundays".to_owned())).unwrap();
        for way in WAYS {
            let error = way.send(&client, hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Callback);
            assert_eq!(error.message(), "before_attempt refused the attempt: not on Sundays");
            assert_eq!((error.metered(), error.attempts()), (Metered::NotSent, 0));
            assert_eq!(way.read(&client, hello()).error().kind(), ErrorKind::Callback);
        }
    }
    assert_eq!(service.recorded("").len(), 0);
}

#[test]
fn invalid_headers_are_refused_where_they_are_set() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let refused = Arc::new(AtomicU32::new(0));
    let count = refused.clone();
    client
        .before_attempt(move |attempt| {
            for (name, value) in
                [("", "x"), ("x-a", "a\nb"), ("host", "x"), ("authorization", "\u{e9}")]
            {
                let error = attempt.set_header(name, value).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Argument, "{name}");
                count.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        })
        .unwrap();
    client.blocking().send(hello()).unwrap();
    assert_eq!(refused.load(Ordering::SeqCst), 4);
}

/// Another call is served while one waits in it: the I/O thread is free.
#[test]
fn it_holds_back_its_own_call_alone() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (open, opened) = mpsc::channel::<()>();
    let opened = Mutex::new(opened);
    client
        .before_attempt(move |attempt| {
            if attempt.operation() == Endpoint::Chat {
                opened.lock().unwrap().recv().unwrap();
            }
            Ok(())
        })
        .unwrap();
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    client.blocking().models().unwrap();
    assert!(matches!(call.try_pop().unwrap(), Pop::Empty));
    open.send(()).unwrap();
    let Pop::Event(Event::Done(outcome)) = call.pop(None).unwrap() else { panic!("no end") };
    outcome.unwrap();
}

#[test]
fn the_time_of_the_call_bounds_it() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (close, closed) = mpsc::channel::<()>();
    let closed = Mutex::new(closed);
    client
        .before_attempt(move |_| {
            let _ = closed.lock().unwrap().recv();
            Ok(())
        })
        .unwrap();
    let error =
        client.blocking().send(hello().total_timeout(Some(Duration::from_millis(20)))).unwrap_err();
    assert_eq!((error.kind(), error.timeout()), (ErrorKind::Timeout, Some(TimeoutPhase::Total)));
    assert_eq!(error.metered(), Metered::NotSent);
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    call.cancel();
    let Pop::Event(Event::Done(outcome)) = call.pop(None).unwrap() else { panic!("no end") };
    assert_eq!(outcome.unwrap_err().metered(), Metered::NotSent, "it was cancelled before");
    drop(close);
    client.close(None).unwrap();
}

/// What it holds may close the client when it is dropped: by the close, for example.
#[test]
fn a_close_inside_of_its_drop_does_not_deadlock() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let own = client.clone();
    let held = OnDrop(move || _ = own.close(None));
    client
        .before_attempt(move |_| {
            let _held = &held;
            Ok(())
        })
        .unwrap();
    assert!(client.close(None).unwrap());
}

/// Nothing of it runs on a thread that does the I/O: a call inside would wait for itself.
#[test]
fn what_it_holds_may_make_calls_when_it_is_dropped_last_by_a_call() {
    let service = Service::start().unwrap();
    let other = client(service.base_url());
    let (done, is_done) = mpsc::channel();
    let held = OnDrop(move || {
        let name = std::thread::current().name().map(str::to_owned);
        done.send((name, other.blocking().models().is_ok())).unwrap();
    });
    service.queue(vec![Reply {
        says: Says::Played,
        faults: vec![Fault::At(Point::Start, Step::StallForever)],
    }]);
    let client = client(service.base_url());
    client
        .before_attempt(move |_| {
            let _held = &held;
            Ok(())
        })
        .unwrap();
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    eventually("it was sent", || service.recorded("").len() == 1);
    drop(client);
    call.cancel();
    drop(call);
    let (name, is_answered) = is_done.recv().unwrap();
    assert!(is_answered);
    assert!(!name.unwrap_or_default().starts_with("mw-io"));
}

/// It is refused there, and does nothing.
#[test]
fn a_close_when_it_is_replaced_while_it_runs_is_refused() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (own, (closed, is_closed)) = (client.clone(), mpsc::channel());
    let held = OnDrop(move || {
        closed.send(own.close(None).map_err(|error| error.kind())).unwrap();
    });
    let ((enter, entered), (leave, left)) = (mpsc::channel(), mpsc::channel::<()>());
    let left = Mutex::new(left);
    client
        .before_attempt(move |_| {
            let _held = &held;
            enter.send(()).unwrap();
            left.lock().unwrap().recv().unwrap();
            Ok(())
        })
        .unwrap();
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    entered.recv().unwrap();
    client.clear_before_attempt().unwrap();
    leave.send(()).unwrap();
    assert_eq!(is_closed.recv().unwrap(), Err(ErrorKind::Callback));
    let Pop::Event(Event::Done(outcome)) = call.pop(None).unwrap() else { panic!("no end") };
    outcome.unwrap();
    client.blocking().models().unwrap();
}

/// Also for what it holds: none of the program's code runs after a shutdown.
#[test]
fn a_shutdown_waits_for_it() {
    let name = "transport::before_attempt::a_shutdown_waits_for_it";
    in_child_at(name, &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let ((enter, entered), (leave, left)) = (mpsc::channel(), mpsc::channel::<()>());
        let (left, is_dropped) = (Mutex::new(left), Arc::new(AtomicBool::new(false)));
        let notes = is_dropped.clone();
        let held = OnDrop(move || notes.store(true, Ordering::SeqCst));
        client
            .before_attempt(move |_| {
                let _held = &held;
                assert!(!modelwire::shutdown(Duration::MAX), "it would wait for itself");
                enter.send(()).unwrap();
                let _ = left.lock().unwrap().recv();
                Ok(())
            })
            .unwrap();
        let call = Call::new(&client, hello());
        call.start(false).unwrap();
        entered.recv().unwrap();
        drop(client);
        drop(call);
        assert!(!modelwire::shutdown(Duration::from_millis(1)), "it hangs");
        assert!(!is_dropped.load(Ordering::SeqCst));
        drop(leave);
        assert!(modelwire::shutdown(Duration::MAX));
        assert!(is_dropped.load(Ordering::SeqCst));
    });
}

/// What waits for its own end is refused and does nothing; for others it may wait.
#[test]
fn it_may_wait_for_all_but_its_own_end() {
    let service = Service::start().unwrap();
    let (client, others) = (client(service.base_url()), client(service.base_url()));
    let (own, base_url) = (client.clone(), service.base_url());
    let own_call = Arc::new(Mutex::new(None::<Call>));
    let call_inside = own_call.clone();
    client
        .before_attempt(move |attempt| {
            if attempt.operation() == Endpoint::Models {
                return Ok(());
            }
            assert_eq!(own.close(None).unwrap_err().kind(), ErrorKind::Callback);
            let call = call_inside.lock().unwrap();
            let waited = call.as_ref().unwrap().wait_over(None);
            assert_eq!(waited.unwrap_err().kind(), ErrorKind::Callback);
            for client in [&own, &others] {
                let call = Call::new(client, Request::models());
                call.start_with(false, |_: Event| ControlFlow::Continue(())).unwrap();
                assert!(call.wait_over(None).unwrap());
            }
            let third = crate::support::client(base_url.clone());
            third.blocking().models().unwrap();
            assert!(third.close(None).unwrap());
            Ok(())
        })
        .unwrap();
    let (done, is_done) = mpsc::channel();
    {
        let mut place = own_call.lock().unwrap();
        let call = Call::new(&client, hello());
        call.start_with(false, move |event: Event| {
            if let Event::Done(outcome) = event {
                done.send(outcome).unwrap();
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        *place = Some(call);
    }
    is_done.recv().unwrap().unwrap();
    client.blocking().models().unwrap();
    client.clear_before_attempt().unwrap();
}

/// And what it holds is dropped by then.
#[test]
fn a_close_waits_for_it() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (is_dropped, has_returned) =
        (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (began, begin) = mpsc::channel();
    let (notes, returned, own) = (is_dropped.clone(), has_returned.clone(), client.clone());
    let held = OnDrop(move || notes.store(true, Ordering::SeqCst));
    client
        .before_attempt(move |_| {
            let _held = &held;
            let error = own.close(None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Callback);
            began.send(()).unwrap();
            let observe = || own.on_call(|_| ControlFlow::Continue(()));
            eventually("the client is closed", || observe().is_err());
            returned.store(true, Ordering::SeqCst);
            Ok(())
        })
        .unwrap();
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    begin.recv().unwrap();
    assert!(client.close(None).unwrap());
    assert!(has_returned.load(Ordering::SeqCst) && is_dropped.load(Ordering::SeqCst));
    assert!(client.before_attempt(|_| Ok(())).is_err());
}

#[test]
fn a_panic_in_it_ends_its_call_alone() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    client
        .before_attempt(|attempt| match attempt.operation() {
            Endpoint::Models => Ok(()),
            _ => panic!("no chats"),
        })
        .unwrap();
    assert_eq!(client.blocking().send(hello()).unwrap_err().kind(), ErrorKind::Internal);
    client.blocking().models().unwrap();
}

#[test]
fn many_calls_run_it_at_once() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let counts = Arc::new(Mutex::new(BTreeMap::<String, u32>::new()));
    let book = counts.clone();
    client
        .before_attempt(move |attempt| {
            let text = String::from_utf8_lossy(attempt.body()).into_owned();
            *book.lock().unwrap().entry(text).or_default() += 1;
            Ok(())
        })
        .unwrap();
    let (client, threads) = (&client, 8);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for each in 0..25 {
                    let text = format!("{thread} {each}");
                    let request = Request::chat("echo").user(&text);
                    assert_eq!(client.blocking().send(request).unwrap().text(), text);
                }
            });
        }
    });
    let counts = counts.lock().unwrap();
    assert!(counts.len() == 200 && counts.values().all(|count| *count == 1), "{counts:?}");
}
