//! Does what a program says: one actor for each of its threads.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use modelwire::{
    Call, Client, CompletionQueue, Event, Handler, Next, Pop, Request, RetryPolicy, Taken, Timeouts,
};

use super::clock::{Nanos, ms, now};
use super::ledger::{Ledger, Taker, Way};
use super::programs::{Action, Dice, Habit, Manner, Program, Starts};
use super::server::{PLAN_HEADER, Plan};
use crate::support::{config, hello};

/// No habit begins later, however slow the machine is.
const HABITS_END: Nanos = ms(2500);
/// A handler sleeps at so many events: handlers wait for each other.
const NAPS_MAX: u64 = 3;
const FORK_SECONDS_MAX: u32 = 10;
/// Far more than between two pieces of a plan.
const IDLE: Duration = Duration::from_millis(300);
const FIRST_BYTE: Duration = Duration::from_millis(400);

/// What the threads of a program share.
pub struct Stage {
    pub program: Program,
    pub base_url: String,
    pub clients: Vec<Client>,
    pub shared: CompletionQueue,
    pub ledger: Ledger,
    /// What each thread is doing, for the one who finds it hanging.
    pub doing: Mutex<Vec<String>>,
}

pub fn client(base_url: &str) -> Client {
    let (first_byte, idle) = (Some(FIRST_BYTE), Some(IDLE));
    let timeouts = Timeouts::default().first_byte(first_byte).idle(idle);
    let retry = RetryPolicy::default().max_retries(0);
    Client::new(config(base_url).timeouts(timeouts).retry(retry)).unwrap()
}

pub fn request(tag: usize, plan: Plan) -> Request {
    hello().header(PLAN_HEADER, plan.header(tag))
}

fn sleep(ms: u64) {
    // clock: the habit of a program
    thread::sleep(Duration::from_millis(ms));
}

impl Stage {
    pub fn does(&self, thread: usize, what: String) {
        self.doing.lock().unwrap()[thread] = what;
    }

    fn is_tight(&self) -> bool {
        self.program.call_events_max.is_some()
    }

    /// Notes what the queue gave; whether that was an event.
    pub fn note(&self, next: modelwire::Result<Next>, taker: Taker) -> bool {
        match next {
            Ok(Next::Event(tag, event)) => {
                self.ledger.event(usize::try_from(tag).unwrap(), &event, taker);
                return true;
            }
            Ok(Next::Empty) => {}
            other => self.ledger.fault(format!("a queue gave {other:?}")),
        }
        false
    }

    /// The life of a thread that waits at the shared queue until that is closed.
    pub fn read(&self, thread: usize, nap: u64) {
        self.does(thread, "waits at the shared queue".into());
        loop {
            let since = now();
            match self.shared.next(None) {
                Ok(Next::Closed) => return,
                next => drop(self.note(next, Taker::Waiting(since))),
            }
            // clock: the habit of a program
            sleep(nap);
        }
    }

    fn start_handled(self: &Arc<Self>, client: usize, plan: Plan, manner: Manner) {
        let tag = self.ledger.ask(Way::Handler, plan, false);
        let call = Call::new(&self.clients[client], request(tag, plan));
        let stage = self.clone();
        let handler = Handling { stage, client, tag, plan, manner, events: 0, pieces: 0 };
        let outcome = call.start_with(plan.chunks > 0, handler);
        self.ledger.started(tag, call, outcome);
    }

    fn send(&self, client: usize, plan: Plan) {
        let tag = self.ledger.ask(Way::Blocking, plan, false);
        let since = now();
        let outcome = self.clients[client].blocking().send(request(tag, plan));
        self.ledger.end(tag, outcome, Taker::Waiting(since));
    }
}

/// The handler of one call.
struct Handling {
    stage: Arc<Stage>,
    client: usize,
    tag: usize,
    plan: Plan,
    manner: Manner,
    events: u64,
    pieces: u64,
}

impl Handler for Handling {
    fn on_event(&mut self, event: Event) -> ControlFlow<()> {
        self.stage.ledger.event(self.tag, &event, Taker::Busy);
        if self.events < NAPS_MAX {
            // clock: the habit of a program
            sleep(self.manner.nap);
        }
        self.events += 1;
        let plan = Plan { chunks: 0, closes: false, ..self.plan };
        match std::mem::take(&mut self.manner.starts) {
            Starts::Nothing => {}
            Starts::Handled => self.stage.start_handled(self.client, plan, Manner::default()),
            Starts::Blocking => self.stage.send(self.client, plan),
        }
        if matches!(event, Event::Chunk(_)) {
            self.pieces += 1;
            if self.manner.breaks_at.is_some_and(|at| self.pieces > at) {
                self.stage.ledger.cancels(self.tag);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Handling {
    fn drop(&mut self) {
        self.stage.ledger.handler_dropped(self.tag);
    }
}

/// One thread of a program.
pub struct Actor {
    stage: Arc<Stage>,
    thread: usize,
    client: usize,
    dice: Dice,
    own: CompletionQueue,
    /// Calls of the own queue whose end was not taken.
    owed: Vec<usize>,
    /// When there was nothing in it last.
    was_empty_at: Nanos,
    /// Calls in no queue, and when each had nothing last.
    direct: Vec<(usize, Nanos)>,
    runtime: Option<tokio::runtime::Runtime>,
    forks: Vec<libc::pid_t>,
}

impl Actor {
    pub fn new(stage: &Arc<Stage>, thread: usize) -> Actor {
        let seed = stage.program.seed.wrapping_mul(31).wrapping_add(thread as u64);
        Actor {
            stage: stage.clone(),
            thread,
            client: thread % stage.clients.len(),
            dice: Dice::new(seed),
            own: CompletionQueue::new(stage.program.call_events_max),
            owed: Vec::new(),
            was_empty_at: 0,
            direct: Vec::new(),
            runtime: None,
            forks: Vec::new(),
        }
    }

    /// Its habits, then the ends of all that it began.
    pub fn run(mut self, delay: u64, habits: &[Habit]) {
        // clock: the habit of a program
        sleep(delay);
        let start = now();
        for habit in habits {
            for round in 0..habit.times {
                for action in &habit.actions {
                    if now() > start + HABITS_END {
                        break;
                    }
                    self.stage.does(self.thread, format!("round {round} of {action:?}"));
                    self.act(*action);
                }
            }
        }
        self.stage.does(self.thread, format!("takes the ends of {:?}", self.owed));
        while !self.owed.is_empty() {
            self.wait(None);
        }
        self.take_empty();
        self.stage.does(self.thread, format!("takes the ends of {:?}", self.direct));
        while let Some((tag, _)) = self.direct.last().copied() {
            self.pop(tag, None);
        }
        self.stage.does(self.thread, format!("waits for its children {:?}", self.forks));
        std::mem::take(&mut self.forks).into_iter().for_each(|child| self.reap(child));
        self.stage.does(self.thread, "has ended".into());
    }

    fn client(&self) -> &Client {
        &self.stage.clients[self.client]
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Submit(plan) => {
                let own = self.own.clone();
                if let Some(tag) = self.submit(&own, plan) {
                    self.owed.push(tag);
                }
            }
            Action::SubmitShared(plan) => {
                let shared = self.stage.shared.clone();
                let _is_the_takers = self.submit(&shared, plan);
            }
            Action::Wait(Some(time)) => self.wait(Some(time)),
            Action::Wait(None) if self.owed.is_empty() => {}
            Action::Wait(None) => self.wait(None),
            Action::WaitMany(time) => self.wait_many(time),
            Action::WaitShared(time) => {
                let since = now();
                let next = self.stage.shared.next(Some(Duration::from_millis(time)));
                self.stage.note(next, Taker::Waiting(since));
                self.stage.ledger.due(since + ms(time), "a wait with a timeout ended");
            }
            Action::Poll => {
                self.poll(None);
            }
            Action::Descriptor(time) => self.wait_for_descriptor(time),
            Action::Start(plan, waits) => self.start(plan, waits),
            Action::Pop(time) => self.pop_one(Some(time)),
            Action::TryPop => self.pop_one(Some(0)),
            Action::Send(plan) => self.stage.send(self.client, plan),
            Action::Read(plan, taken, nap) => self.read(plan, taken, nap),
            Action::Handle(plan, manner) => self.stage.start_handled(self.client, plan, manner),
            Action::Async(plan, many) => self.run_tasks(plan, many),
            // clock: the habit of a program
            Action::Sleep(time) => sleep(time),
            Action::Cancel => self.cancel(),
            Action::Drop => self.drop_one(),
            Action::Wakeup => self.stage.shared.wakeup(),
            Action::Fork => self.fork(),
        }
    }

    fn submit(&mut self, queue: &CompletionQueue, plan: Plan) -> Option<usize> {
        let tag = self.stage.ledger.ask(Way::Queue, plan, self.stage.is_tight());
        let call = Call::new(self.client(), request(tag, plan));
        let outcome = queue.submit(&call, plan.chunks > 0, tag as u64);
        self.stage.ledger.started(tag, call, outcome).then_some(tag)
    }

    /// Notes what the own queue gave; whether that was an event.
    fn note_own(&mut self, next: modelwire::Result<Next>, taker: Taker) -> bool {
        if let Ok(Next::Event(tag, Event::Done(_))) = &next {
            self.owed.retain(|owed| *owed as u64 != *tag);
        }
        self.stage.note(next, taker)
    }

    fn wait(&mut self, time: Option<u64>) {
        let since = now();
        let next = self.own.next(time.map(Duration::from_millis));
        let found = self.note_own(next, Taker::Waiting(since));
        if let Some(time) = time {
            self.stage.ledger.due(since + ms(time), "a wait with a timeout ended");
            if !found {
                self.was_empty_at = since + ms(time);
            }
        }
    }

    fn wait_many(&mut self, time: u64) {
        let (since, mut events) = (now(), Vec::new());
        let timeout = Some(Duration::from_millis(time));
        let taken = self.own.next_many(8, timeout, &mut events).unwrap();
        self.stage.ledger.due(since + ms(time), "a wait with a timeout ended");
        let mut taker = Taker::Waiting(since);
        for next in events {
            self.note_own(Ok(next), taker);
            taker = Taker::Busy; // it may have come with the first
        }
        if taken == Taken::Closed {
            self.stage.ledger.fault("a queue was closed by itself");
        }
    }

    /// Looks for one event; whether there was one.
    fn poll(&mut self, taker: Option<Taker>) -> bool {
        let at = now();
        let next = self.own.next(Some(Duration::ZERO));
        let found = self.note_own(next, taker.unwrap_or(Taker::Looking(self.was_empty_at)));
        if !found {
            self.was_empty_at = at;
        }
        found
    }

    fn wait_for_descriptor(&mut self, time: u64) {
        let since = now();
        let fd = self.own.fd().unwrap();
        let mut watched = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one structure, which is ours.
        let found = unsafe { libc::poll(&raw mut watched, 1, i32::try_from(time).unwrap()) };
        if found > 0 {
            let mut taker = Some(Taker::Waiting(since));
            while self.poll(taker) {
                taker = Some(Taker::Busy);
            }
        } else if self.poll(Some(Taker::Waiting(since))) {
            self.take_empty();
        }
    }

    /// The own queue is to have nothing once it was emptied, where nothing is owed.
    fn take_empty(&mut self) {
        while self.poll(Some(Taker::Busy)) {
            if self.owed.is_empty() {
                self.stage.ledger.fault("an event came after the last end");
            }
        }
    }

    fn start(&mut self, plan: Plan, waits: bool) {
        let tag = self.stage.ledger.ask(Way::Own, plan, false);
        let call = Call::new(self.client(), request(tag, plan));
        let is_stream = plan.chunks > 0;
        let outcome = if waits { call.start_to_wait(is_stream) } else { call.start(is_stream) };
        if self.stage.ledger.started(tag, call, outcome) {
            self.direct.push((tag, 0));
        }
    }

    fn pop_one(&mut self, time: Option<u64>) {
        if !self.direct.is_empty() {
            let (tag, _) = self.dice.pick(&self.direct);
            self.pop(tag, time);
        }
    }

    /// The next event of a call that is in no queue.
    fn pop(&mut self, tag: usize, time: Option<u64>) {
        let call = self.stage.ledger.call(tag).unwrap();
        let at = self.direct.iter().position(|(direct, _)| *direct == tag).unwrap();
        let since = now();
        let (popped, taker) = match time {
            Some(0) => (call.try_pop(), Taker::Looking(self.direct[at].1)),
            _ => (call.pop(time.map(Duration::from_millis)), Taker::Waiting(since)),
        };
        if let Some(time) = time {
            self.stage.ledger.due(since + ms(time), "a pop with a timeout ended");
        }
        match popped {
            Ok(Pop::Event(event)) => {
                self.stage.ledger.event(tag, &event, taker);
                if matches!(event, Event::Done(_)) {
                    self.direct.remove(at);
                }
            }
            Ok(Pop::Empty) => self.direct[at].1 = since + time.map_or(0, ms),
            other => {
                self.stage.ledger.fault(format!("call {tag} gave {other:?}"));
                self.direct.remove(at);
            }
        }
    }

    fn read(&mut self, plan: Plan, taken: u64, nap: u64) {
        let ledger = &self.stage.ledger;
        let tag = ledger.ask(Way::Blocking, plan, false);
        let mut stream = match self.client().blocking().stream(request(tag, plan)) {
            Ok(stream) => stream,
            Err(error) => return ledger.end(tag, Err(error), Taker::Busy),
        };
        ledger.opened(tag);
        let mut pieces = 0;
        while pieces < taken || taken == plan.chunks {
            let since = now();
            match stream.next() {
                Some(Ok(chunk)) => ledger.piece(tag, &chunk, Taker::Waiting(since)),
                Some(Err(error)) => return ledger.end(tag, Err(error), Taker::Busy),
                None => {
                    return ledger.end(tag, Ok(stream.response().unwrap().clone()), Taker::Busy);
                }
            }
            pieces += 1;
            // clock: the habit of a program
            sleep(nap);
        }
        ledger.leaves(tag);
    }

    fn run_tasks(&mut self, plan: Plan, many: u64) {
        let runtime = self
            .runtime
            .get_or_insert_with(|| tokio::runtime::Builder::new_current_thread().build().unwrap());
        let task = || {
            let (stage, client) = (self.stage.clone(), self.client);
            runtime.spawn(async move { run_task(&stage, client, plan).await })
        };
        let tasks: Vec<_> = (0..many).map(|_| task()).collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
    }

    fn cancel(&mut self) {
        let running = self.stage.ledger.running();
        if !running.is_empty() {
            let tag = self.dice.pick(&running);
            self.stage.ledger.cancels(tag);
            if let Some(call) = self.stage.ledger.call(tag) {
                call.cancel();
            }
        }
    }

    fn drop_one(&mut self) {
        let ledger = &self.stage.ledger;
        if let Some((tag, _)) = self.direct.first().copied() {
            self.direct.remove(0);
            ledger.cancels(tag);
            ledger.leaves(tag);
            drop(ledger.take_call(tag));
        } else if let Some(tag) = self.owed.first().copied() {
            ledger.cancels(tag);
            drop(ledger.take_call(tag));
        }
    }

    /// The child makes one call of its own, and this thread goes on.
    fn fork(&mut self) {
        // SAFETY: the child uses the library under test, which promises to work there, touches no
        // lock of the test's and leaves through _exit. Only this thread lives on in it.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "no fork");
        if child > 0 {
            return self.forks.push(child);
        }
        // SAFETY: no handler is installed; the default action ends the process.
        unsafe { libc::alarm(FORK_SECONDS_MAX) };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let sent = client(&self.stage.base_url).blocking().send(request(7, Plan::default()));
            sent.is_ok_and(|answer| answer.text().starts_with("7 0 "))
        }));
        // SAFETY: leaves at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(!outcome.unwrap_or(false))) };
    }

    fn reap(&self, child: libc::pid_t) {
        let mut status = 0;
        // SAFETY: `status` is ours, and so is the child.
        let reaped = unsafe { libc::waitpid(child, &raw mut status, 0) };
        if reaped != child || status != 0 {
            self.stage.ledger.fault(format!("a forked child ended with status {status:#x}"));
        }
    }
}

async fn run_task(stage: &Stage, client: usize, plan: Plan) {
    let (ledger, client) = (&stage.ledger, &stage.clients[client]);
    let tag = ledger.ask(Way::Async, plan, false);
    let since = now();
    if plan.chunks == 0 {
        let outcome = client.send(request(tag, plan)).await;
        return ledger.end(tag, outcome, Taker::Waiting(since));
    }
    let mut stream = match client.stream(request(tag, plan)).await {
        Ok(stream) => stream,
        Err(error) => return ledger.end(tag, Err(error), Taker::Busy),
    };
    ledger.opened(tag);
    loop {
        let since = now();
        match stream.next().await {
            Some(Ok(chunk)) => ledger.piece(tag, &chunk, Taker::Waiting(since)),
            Some(Err(error)) => return ledger.end(tag, Err(error), Taker::Busy),
            None => return ledger.end(tag, Ok(stream.response().unwrap().clone()), Taker::Busy),
        }
    }
}
