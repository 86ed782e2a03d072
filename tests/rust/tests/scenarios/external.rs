//! Clients whose I/O runs on a tokio runtime of the program's own.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::time::Duration;

use modelwire::{
    Call, Client, CompletionQueue, Error, ErrorKind, Event, Limits, Next, Pop, Request,
    TimeoutPhase, Timeouts, shutdown,
};
use modelwire_testing::{Exchange, Script, Service};
use tokio::runtime::{Builder, Runtime};

use crate::processes::in_child_at;
use crate::support::{config, eventually, hello, respond, silence, stalled_after, until};
use crate::system::{forked, has_thread};

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn three_threads() -> Runtime {
    Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap()
}

fn client_on(runtime: &Runtime, base_url: impl Into<String>) -> Client {
    Client::new(config(base_url).runtime(runtime.handle().clone())).unwrap()
}

async fn text_of(client: &Client, request: Request) -> String {
    let mut stream = client.stream(request).await.unwrap();
    let mut text = String::new();
    while let Some(chunk) = stream.next().await {
        text += &chunk.unwrap().text();
    }
    assert!(stream.response().is_some());
    text
}

fn done(call: &Call) -> Error {
    loop {
        match call.pop(Some(Duration::from_secs(20))).unwrap() {
            Pop::Event(Event::Done(outcome)) => return outcome.unwrap_err(),
            Pop::Event(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn everything_runs_on_the_programs_runtime_and_no_thread_is_started() {
    in_child_at(
        "external::everything_runs_on_the_programs_runtime_and_no_thread_is_started",
        &[],
        || {
            let service = Service::start().unwrap();
            for runtime in [one_thread(), three_threads()] {
                let client = client_on(&runtime, service.base_url());
                runtime.block_on(async {
                    let models = client.models().await.unwrap().model_ids();
                    assert!(models.contains(&"echo".to_owned()), "{models:?}");
                    let mut tasks = tokio::task::JoinSet::new();
                    for _ in 0..20 {
                        let client = client.clone();
                        tasks.spawn(async move {
                            let answer = client.send(hello()).await.unwrap();
                            assert_eq!(answer.text(), "Hello from both sides.");
                            assert_eq!(text_of(&client, hello()).await, "Hello from both sides.");
                            assert_eq!(text_of(&client, respond()).await, "Hello from both sides.");
                        });
                    }
                    tasks.join_all().await;
                });
                assert_eq!(client.usage()["echo"].calls, 60);
            }
            assert!(!has_thread("mw-"));
        },
    );
}

/// Polls a future on this thread without any runtime.
fn park_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Unpark>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        let mut cx = std::task::Context::from_waker(&waker);
        if let std::task::Poll::Ready(found) = future.as_mut().poll(&mut cx) {
            return found;
        }
        std::thread::park();
    }
}

/// Where the client is created on a runtime of several threads, async calls there do their I/O there.
#[test]
fn async_calls_of_a_client_made_on_a_runtime_run_on_it() {
    in_child_at("external::async_calls_of_a_client_made_on_a_runtime_run_on_it", &[], || {
        let service = Service::start().unwrap();
        let runtime = three_threads();
        runtime.block_on(async {
            let client = Client::new(config(service.base_url())).unwrap();
            assert_eq!(client.send(hello()).await.unwrap().text(), "Hello from both sides.");
            assert_eq!(text_of(&client, hello()).await, "Hello from both sides.");
            client.models().await.unwrap();
        });
        assert!(!has_thread("mw-"));
        runtime.block_on(async {
            let client = Client::new(config(service.base_url()).io_thread()).unwrap();
            client.models().await.unwrap();
        });
        assert!(has_thread("mw-io-"));
    });
}

/// A runtime of one thread stands still while that thread waits otherwise.
#[test]
fn async_calls_do_not_wait_for_a_runtime_of_one_thread() {
    let service = Service::start().unwrap();
    let runtime = one_thread();
    let client = runtime.block_on(async {
        let client = Client::new(config(service.base_url())).unwrap();
        assert_eq!(park_on(client.send(hello())).unwrap().text(), "Hello from both sides.");
        client
    });
    let _entered = runtime.enter();
    assert_eq!(park_on(client.send(hello())).unwrap().text(), "Hello from both sides.");
}

#[test]
fn a_connection_that_was_closed_while_the_runtime_stood_still_is_not_used() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let open = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let accepted = open.clone();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            accepted.lock().unwrap().push(connection.try_clone().unwrap());
            std::thread::spawn(move || {
                while connection.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
                    write!(connection, "{head}content-length: 11\r\n\r\n{{\"data\":[]}}").unwrap();
                }
            });
        }
    });
    let runtime = one_thread();
    let client = client_on(&runtime, base_url);
    for _ in 0..8 {
        runtime.block_on(client.models()).unwrap(); // until the server has proved that it keeps them
    }
    // clock: longer than a connection is used without a look at it
    std::thread::sleep(Duration::from_millis(20));
    for connection in open.lock().unwrap().drain(..) {
        connection.shutdown(std::net::Shutdown::Both).unwrap();
    }
    runtime.block_on(client.models()).unwrap();
}

/// Everything else of such a client works where its runtime cannot serve it: the library's thread does it.
#[test]
fn a_client_outlives_the_runtime_on_which_it_was_made() {
    let service = Service::start().unwrap();
    let runtime = three_threads();
    let client = runtime.block_on(async {
        let client = Client::new(config(service.base_url())).unwrap();
        assert_eq!(client.send(hello()).await.unwrap().text(), "Hello from both sides.");
        // A blocking call in a task of that runtime blocks it, and does not wait for itself.
        assert_eq!(client.blocking().send(hello()).unwrap().text(), "Hello from both sides.");
        client
    });
    assert_eq!(client.blocking().send(hello()).unwrap().text(), "Hello from both sides.");
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    assert!(matches!(call.pop(None).unwrap(), Pop::Event(Event::Done(Ok(_)))));
    let other = three_threads();
    other.block_on(async {
        assert_eq!(text_of(&client, hello()).await, "Hello from both sides.");
    });
    drop(runtime);
    other.block_on(async {
        assert_eq!(client.send(hello()).await.unwrap().text(), "Hello from both sides.");
    });
    assert_eq!(client.usage()["echo"].calls, 6);
}

/// The connections on the runtime and those of the library's thread have one limit.
#[test]
fn connections_max_holds_for_both_places() {
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(stalled_after(&["{}"])));
    let runtime = three_threads();
    runtime.block_on(async {
        let pool = Some(Duration::from_millis(50));
        let timeouts = Timeouts::default().pool(pool);
        let limits = Limits::default().connections_max(1);
        let client = Client::new(config(url).limits(limits).timeouts(timeouts)).unwrap();
        let stream = client.stream(hello()).await.unwrap();
        let refused = client.clone();
        let blocked = tokio::task::spawn_blocking(move || refused.blocking().send(hello()));
        assert_eq!(blocked.await.unwrap().unwrap_err().timeout(), Some(TimeoutPhase::Pool));
        drop(stream);
        until("closed", || service.open_connections() == 0).await;
        let call = Call::new(&client, hello());
        call.start(true).unwrap();
        until("sent", || service.recorded("s").len() == 2).await;
        let error = client.send(hello()).await.unwrap_err();
        assert_eq!(error.timeout(), Some(TimeoutPhase::Pool));
    });
}

#[test]
fn a_forked_child_does_not_use_the_runtime_of_its_parents() {
    in_child_at("external::a_forked_child_does_not_use_the_runtime_of_its_parents", &[], || {
        let service = Service::start().unwrap();
        let runtime = three_threads();
        let client = runtime.block_on(async {
            let client = Client::new(config(service.base_url())).unwrap();
            client.send(hello()).await.unwrap();
            client
        });
        assert!(forked(|| {
            assert_eq!(client.blocking().send(hello()).unwrap().text().len(), 22);
            let own = one_thread();
            assert_eq!(own.block_on(client.send(hello())).unwrap().text().len(), 22);
        }));
        assert_eq!(client.blocking().send(hello()).unwrap().text(), "Hello from both sides.");
    });
}

#[test]
fn threads_can_wait_for_calls_on_an_external_runtime() {
    let service = Service::start().unwrap();
    let runtime = three_threads();
    let client = client_on(&runtime, service.base_url());
    assert_eq!(client.blocking().send(hello()).unwrap().text(), "Hello from both sides.");
    let stream = client.blocking().stream(hello()).unwrap();
    let texts = stream.map(|chunk| chunk.unwrap().text().into_owned());
    assert_eq!(texts.collect::<String>(), "Hello from both sides.");
    let (send, texts) = mpsc::channel();
    let call = Call::new(&client, hello());
    call.start_with(true, move |event: Event| {
        if let Event::Chunk(chunk) = event {
            send.send(chunk.text().into_owned()).unwrap();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(texts.into_iter().collect::<String>(), "Hello from both sides.");
}

#[test]
fn cancelling_and_timeouts_work_on_a_programs_runtime() {
    let service = Service::start().unwrap();
    let runtime = one_thread();
    runtime.block_on(async {
        let url = service.script("s", Script::one(stalled_after(&["{}"])));
        let client = client_on(&runtime, url);
        let mut stream = client.stream(hello()).await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        drop(stream);
        until("closed", || service.open_connections() == 0).await;
        let first_byte = Some(Duration::from_millis(50));
        let timeouts = Timeouts::default().first_byte(first_byte);
        let url = service.script("silent", Script::one(silence()));
        let config = config(url).timeouts(timeouts).runtime(runtime.handle().clone());
        let error = Client::new(config).unwrap().send(hello()).await.unwrap_err();
        assert_eq!(error.timeout(), Some(TimeoutPhase::FirstByte));
    });
}

fn check_refused<T>(waited: modelwire::Result<T>) {
    let error = waited.err().expect("it waited");
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.hint().contains("spawn_blocking"), "{}", error.hint());
}

/// It would wait for itself. Nothing is sent, and the task goes on as before.
#[test]
fn a_blocking_call_in_a_task_of_the_clients_runtime_is_refused() {
    fn refuse(client: &Client) {
        check_refused(client.blocking().models());
        check_refused(client.blocking().send(hello()));
        check_refused(client.blocking().stream(hello()));
        assert!(tokio::task::coop::has_budget_remaining());
    }
    let service = Service::start().unwrap();
    for runtime in [one_thread(), three_threads()] {
        let client = client_on(&runtime, service.base_url());
        runtime.block_on(async { refuse(&client) });
        let in_task = client.clone();
        runtime.block_on(runtime.spawn(async move { refuse(&in_task) })).unwrap();
        assert!(service.recorded("").is_empty());
        let answer = runtime.block_on(client.send(hello())).unwrap();
        assert_eq!(answer.text(), "Hello from both sides.");
        service.clear();
    }
}

#[test]
fn blocking_waits_in_a_task_of_the_runtime_are_refused() {
    let service = Service::start().unwrap();
    for runtime in [one_thread(), three_threads()] {
        let client = client_on(&runtime, service.script("s", Script::one(silence())));
        let started = Call::new(&client, hello());
        runtime.block_on(async {
            let call = Call::new(&client, hello());
            call.make_interruptible().unwrap();
            call.start(true).unwrap();
            check_refused(call.pop(None));
            check_refused(call.pop(Some(Duration::from_secs(60))));
            check_refused(call.pop_interruptible(None));
            assert!(matches!(call.pop(Some(Duration::ZERO)), Ok(Pop::Empty)));
            assert!(matches!(call.pop_interruptible(Some(Duration::ZERO)), Ok(Some(Pop::Empty))));
            call.cancel();
            // What is there needs no wait.
            assert!(matches!(call.pop_interruptible(None), Ok(Some(Pop::Event(Event::Done(_))))));
            let queue = CompletionQueue::new(None);
            queue.submit_owned(Call::new(&client, hello()), true, 1).unwrap();
            check_refused(queue.next(None));
            check_refused(queue.next_many(4, None, &mut Vec::new()));
            assert!(matches!(queue.next(Some(Duration::ZERO)), Ok(Next::Empty)));
            assert!(queue.cancel(1));
            assert!(matches!(queue.next(None), Ok(Next::Event(1, Event::Done(_)))));
            started.start_with(true, |_: Event| ControlFlow::Continue(())).unwrap();
            check_refused(started.wait_over(None));
            assert!(!started.wait_over(Some(Duration::ZERO)).unwrap());
            started.cancel();
        });
        assert!(started.wait_over(None).unwrap());
        runtime.block_on(async { assert!(started.wait_over(None).unwrap()) });
    }
}

#[test]
fn blocking_threads_of_the_runtime_can_wait() {
    fn ask(client: &Client) {
        let answer = client.blocking().send(hello()).unwrap();
        assert_eq!(answer.text(), "Hello from both sides.");
    }
    let service = Service::start().unwrap();
    for runtime in [one_thread(), three_threads()] {
        let client = client_on(&runtime, service.base_url());
        runtime.block_on(runtime.spawn_blocking(move || ask(&client))).unwrap();
    }
    let runtime = three_threads();
    let client = client_on(&runtime, service.base_url());
    let in_place = client.clone();
    let task = runtime.spawn(async move { tokio::task::block_in_place(|| ask(&in_place)) });
    runtime.block_on(task).unwrap();
    // A task of another runtime.
    one_thread().block_on(async { ask(&client) });
}

/// A stream that has given its first chunk and waits for more.
fn under_way(service: &Service, client: &Client) -> Call {
    let call = Call::new(client, hello());
    call.start(true).unwrap();
    eventually("sent", || service.recorded("s").len() == 1);
    call
}

#[test]
fn a_runtime_that_ends_ends_its_calls() {
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(stalled_after(&["{}"])));
    let runtime = three_threads();
    let client = client_on(&runtime, url);
    let call = under_way(&service, &client);
    drop(runtime);
    for error in [done(&call), client.blocking().send(hello()).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Shutdown);
        assert!(error.to_string().contains("the client's runtime ended"), "{error}");
    }
    eventually("closed", || service.open_connections() == 0);
}

/// Design: every started call ends with `Done`, whatever its runtime does.
#[test]
fn shutdown_ends_calls_of_a_runtime_that_is_not_driven() {
    in_child_at("external::shutdown_ends_calls_of_a_runtime_that_is_not_driven", &[], || {
        let service = Service::start().unwrap();
        let url = service.script("s", Script::one(stalled_after(&["{}"])));
        let runtime = one_thread();
        let client = client_on(&runtime, url);
        let call = Call::new(&client, hello());
        call.start(true).unwrap();
        runtime.block_on(async {
            let opened = std::future::poll_fn(|cx| call.poll_pop(cx)).await.unwrap();
            assert!(matches!(opened, Pop::Event(Event::Open(_))), "{opened:?}");
        });
        let never_sent = Call::new(&client, hello());
        never_sent.start(false).unwrap();
        assert!(shutdown(Duration::ZERO));
        for call in [&call, &never_sent] {
            assert_eq!(done(call).kind(), ErrorKind::Shutdown);
        }
        // Afterwards the same client begins anew.
        let url = service.script("t", Script::one(Exchange::json(200, "[]")));
        runtime.block_on(client_on(&runtime, url).models()).unwrap();
        let again = Call::new(&client, hello());
        again.start(true).unwrap();
        runtime.block_on(until("sent", || service.recorded("s").len() == 2));
        assert!(shutdown(Duration::ZERO));
        assert_eq!(done(&again).kind(), ErrorKind::Shutdown);
    });
}

#[test]
fn a_forked_child_has_no_runtime_of_its_parents() {
    in_child_at("external::a_forked_child_has_no_runtime_of_its_parents", &[], || {
        let service = Service::start().unwrap();
        let runtime = three_threads();
        let client = client_on(&runtime, service.base_url());
        client.blocking().send(hello()).unwrap();
        assert!(forked(|| {
            let error = client.blocking().send(hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Forked);
            let own = one_thread();
            let client = client_on(&own, service.base_url());
            assert_eq!(own.block_on(client.send(hello())).unwrap().text().len(), 22);
        }));
        assert_eq!(client.blocking().send(hello()).unwrap().text(), "Hello from both sides.");
    });
}
