//! Makes programs out of seeds: threads with habits, each a few actions again and again.

use super::server::Plan;

/// A thread is done with its habits after about so many milliseconds.
const THREAD_TIME: u64 = 500;
const HABIT_TIME_MAX: u64 = 250;
const THREADS: [usize; 10] = [1, 1, 1, 1, 1, 1, 2, 2, 3, 4];

/// What a thread does next. Times are in milliseconds; a queue is the thread's own one, but for
/// the one that is shared by all.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Submit(Plan),
    SubmitShared(Plan),
    /// `None` only while a call is owed, for ever is long.
    Wait(Option<u64>),
    WaitMany(u64),
    WaitShared(u64),
    Poll,
    /// Waits for the descriptor and takes what is there.
    Descriptor(u64),
    /// A call that is in no queue; whether its thread says that it is about to wait.
    Start(Plan, bool),
    Pop(u64),
    TryPop,
    /// A blocking call.
    Send(Plan),
    /// A blocking stream: how many pieces are read, and how long is slept after each.
    Read(Plan, u64, u64),
    Handle(Plan, Manner),
    /// So many calls at once on the thread's own tokio runtime.
    Async(Plan, u64),
    Sleep(u64),
    /// Some call of any thread.
    Cancel,
    /// Drops the oldest call of this thread.
    Drop,
    /// Wakes a thread that waits at the shared queue.
    Wakeup,
    Fork,
}

/// How a handler takes its events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// How long it sleeps at each of the first ones.
    pub nap: u64,
    pub starts: Starts,
    /// It breaks at this piece.
    pub breaks_at: Option<u64>,
}

/// What a handler starts at its first event.
#[derive(Clone, Copy, Debug, Default)]
pub enum Starts {
    #[default]
    Nothing,
    Handled,
    Blocking,
}

#[derive(Clone, Debug)]
pub struct Habit {
    pub actions: Vec<Action>,
    pub times: u64,
}

/// What becomes of the library when all is done, or before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exit,
    Shutdown,
    /// So many milliseconds after the start.
    ShutdownAt(u64),
}

#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub clients: usize,
    /// How many milliseconds after the others each thread begins, and what it does.
    pub threads: Vec<(u64, Vec<Habit>)>,
    /// Threads that wait at the shared queue all the time, and how long each sleeps at an event.
    pub readers: Vec<u64>,
    /// Events of one call that a queue holds.
    pub call_events_max: Option<usize>,
    pub end: End,
}

/// Random numbers: xorshift64*.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        // Neighbours are to differ from their first number on.
        let mut dice = Dice(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// Both ends included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.next().is_multiple_of(many)
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let last = from.len() as u64 - 1;
        from[self.between(0, last) as usize].clone()
    }

    fn think(&mut self) -> u64 {
        let most = self.pick(&[0, 0, 0, 4, 10, 60]);
        self.between(0, most)
    }

    fn plain(&mut self) -> Plan {
        Plan { think: self.think(), closes: self.one_in(12), ..Plan::default() }
    }

    fn stream(&mut self) -> Plan {
        let gap = self.pick(&[0, 1, 3, 10, 20, 25]);
        let chunks_max = if gap < 5 { 30 } else { 12 };
        Plan { chunks: self.between(1, chunks_max), gap, ..self.plain() }
    }

    fn plan(&mut self) -> Plan {
        if self.one_in(2) { self.plain() } else { self.stream() }
    }

    fn manner(&mut self) -> Manner {
        let nap = self.pick(&[0, 0, 0, 2, 10, 40]);
        let starts = self.pick(&[
            Starts::Nothing,
            Starts::Nothing,
            Starts::Nothing,
            Starts::Handled,
            Starts::Blocking,
        ]);
        let breaks_at = self.one_in(6).then(|| self.between(0, 5));
        Manner { nap, starts, breaks_at }
    }

    fn read(&mut self) -> Action {
        let plan = self.stream();
        let nap_max = self.pick(&[0, 0, 5, 20]);
        let taken = if self.one_in(4) { self.between(0, plan.chunks) } else { plan.chunks };
        Action::Read(plan, taken, self.between(0, nap_max))
    }

    fn any_action(&mut self) -> Action {
        match self.between(0, 20) {
            0 | 1 => Action::Submit(self.plan()),
            2 => Action::SubmitShared(self.plan()),
            3 => Action::Wait(None),
            4 => Action::Wait(Some(self.between(1, 40))),
            5 => Action::WaitMany(self.between(1, 40)),
            6 => Action::WaitShared(self.between(1, 40)),
            7 => Action::Poll,
            8 => Action::Descriptor(self.between(1, 40)),
            9 => Action::Start(self.plan(), self.one_in(2)),
            10 => Action::Pop(self.between(1, 40)),
            11 => Action::TryPop,
            12 => Action::Send(self.plain()),
            13 => self.read(),
            14 => Action::Handle(self.plan(), self.manner()),
            15 => Action::Async(self.plan(), self.between(1, 3)),
            16 | 17 => Action::Sleep(self.between(0, 100)),
            18 => self.pick(&[Action::Cancel, Action::Drop]),
            19 => Action::Wakeup,
            _ => Action::Fork,
        }
    }

    /// The habit of a thread that waits for what it began.
    fn waiting(&mut self) -> (Vec<Action>, u64, u64) {
        let nap = self.nap();
        match self.between(0, 9) {
            0 => (vec![Action::Submit(self.plan()), Action::Wait(None), nap], 5, 30),
            1..=3 => (vec![Action::Submit(self.plain()), Action::Wait(None)], 8, 40),
            4 => (vec![Action::Send(self.plain())], 8, 40),
            5 => (vec![self.read()], 1, 5),
            6 => (vec![Action::Start(self.plan(), true), Action::Pop(30), Action::TryPop], 8, 30),
            7 => (vec![Action::Submit(self.plan()), Action::Descriptor(30), nap], 5, 30),
            8 => (vec![Action::SubmitShared(self.plan()), Action::WaitShared(20), nap], 5, 30),
            _ => {
                // A crowd that one thread waits for.
                let plan = self.plan();
                let submits = vec![Action::Submit(plan); self.between(2, 8) as usize];
                (submits.into_iter().chain(vec![Action::Wait(None); 12]).collect(), 1, 4)
            }
        }
    }

    /// The habit of a thread that looks after what it began now and then, or never.
    fn absent(&mut self) -> (Vec<Action>, u64, u64) {
        let nap = self.nap();
        match self.between(0, 9) {
            0..=2 => (vec![Action::Submit(self.plain()), Action::Poll, nap], 8, 40),
            3 => (vec![Action::Submit(self.plan()), Action::Poll, Action::Poll, nap], 8, 30),
            4 => (vec![Action::Submit(self.plain()), nap], 8, 20),
            5 => (vec![Action::Wait(None), nap, Action::Submit(self.plain())], 5, 40),
            6 => (vec![Action::Start(self.plan(), self.one_in(2)), nap, Action::TryPop], 5, 30),
            7 => (vec![Action::Handle(self.plan(), self.manner()), nap], 3, 20),
            8 => (vec![Action::Submit(self.plan()), nap, Action::SubmitShared(self.plan())], 5, 20),
            _ => {
                let end = self.pick(&[Action::Cancel, Action::Drop]);
                (vec![Action::Submit(self.plan()), nap, end, Action::Poll], 5, 20)
            }
        }
    }

    fn other(&mut self) -> (Vec<Action>, u64, u64) {
        let nap = self.nap();
        match self.between(0, 4) {
            0 | 1 => (vec![Action::Async(self.plan(), self.between(1, 4)), nap], 2, 10),
            2 => (vec![Action::Fork, Action::Send(self.plain()), nap], 1, 2),
            _ => {
                let count = self.between(2, 5);
                ((0..count).map(|_| self.any_action()).collect(), 3, 12)
            }
        }
    }

    fn nap(&mut self) -> Action {
        let most = self.pick(&[5, 12, 18, 18, 30]);
        Action::Sleep(self.between(1, most))
    }

    /// One habit after the other: mostly a thread waits for some time and then does not.
    fn habits(&mut self) -> Vec<Habit> {
        let (mut habits, mut time) = (Vec::new(), 0);
        let mut is_waiting = self.one_in(2);
        while time < THREAD_TIME {
            is_waiting = !is_waiting;
            let (actions, least, most) = match (self.one_in(6), is_waiting) {
                (true, _) => self.other(),
                (false, true) => self.waiting(),
                (false, false) => self.absent(),
            };
            let once: u64 = actions.iter().map(Action::time).sum();
            let time_max = (THREAD_TIME - time).min(HABIT_TIME_MAX);
            let times = self.between(least, most).min(time_max.div_ceil(once.max(1)));
            time += times * once.max(1);
            habits.push(Habit { actions, times });
        }
        habits
    }
}

impl Plan {
    /// About how long an answer takes.
    pub fn time(&self) -> u64 {
        1 + self.think + self.chunks * self.gap
    }
}

impl Action {
    /// About how long it takes.
    fn time(&self) -> u64 {
        match self {
            Action::Wait(None) => 5,
            Action::Wait(Some(time))
            | Action::WaitMany(time)
            | Action::WaitShared(time)
            | Action::Descriptor(time)
            | Action::Pop(time) => time / 2,
            Action::Sleep(time) => *time,
            Action::Send(plan) | Action::Async(plan, _) => plan.time(),
            Action::Read(plan, taken, nap) => plan.time() + taken * nap,
            Action::Fork => 10,
            _ => 1,
        }
    }
}

impl Program {
    pub fn of(seed: u64) -> Program {
        let mut dice = Dice::new(seed);
        let threads = dice.pick(&THREADS);
        let threads: Vec<_> = (0..threads).map(|_| (dice.between(0, 30), dice.habits())).collect();
        let readers = dice.pick(&[0, 0, 0, 1, 2]);
        let end = match dice.between(0, 9) {
            0 => End::ShutdownAt(dice.between(10, THREAD_TIME)),
            1..=4 => End::Shutdown,
            _ => End::Exit,
        };
        Program {
            seed,
            clients: dice.pick(&[1, 1, 2]),
            threads,
            readers: (0..readers).map(|_| dice.pick(&[0, 0, 5, 30])).collect(),
            call_events_max: dice.one_in(5).then(|| dice.between(2, 8) as usize),
            end,
        }
    }
}
