//! One clock for all processes of a machine, and what that machine explains of a delay.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

const MS: u64 = 1_000_000;
const NAP: Duration = Duration::from_millis(1);
const NAPS_PER_LOOK: u64 = 8;

/// A time, or a span of it, in nanoseconds of CLOCK_MONOTONIC.
pub type Nanos = u64;

pub const fn ms(ms: u64) -> Nanos {
    ms * MS
}

pub fn in_ms(span: Nanos) -> u64 {
    span / MS
}

pub fn now() -> Nanos {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call only fills in the structure.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) }, 0);
    u64::try_from(time.tv_sec).unwrap() * 1000 * MS + u64::try_from(time.tv_nsec).unwrap()
}

/// Threads that sleep 1 ms at a time and note when they woke late, and by how much.
#[derive(Default)]
pub struct Canary {
    late: Mutex<Vec<(Nanos, Nanos)>>,
    /// How busy the other threads had been at some times; empty where that is not asked for.
    looks: Mutex<Vec<(Nanos, Busy)>>,
}

impl Canary {
    /// One that looks after every processor of the machine.
    pub fn of_machine() -> &'static Canary {
        let canary: &Canary = Box::leak(Box::default());
        for processor in processors() {
            thread::spawn(move || {
                pin(processor);
                loop {
                    canary.nap();
                }
            });
        }
        canary
    }

    /// One that looks after the threads of this process.
    pub fn of_process() -> &'static Canary {
        let canary: &Canary = Box::leak(Box::default());
        thread::spawn(|| {
            loop {
                let busy = how_busy();
                canary.looks.lock().unwrap().push((now(), busy));
                (0..NAPS_PER_LOOK).for_each(|_| canary.nap());
            }
        });
        canary
    }

    fn nap(&self) {
        let due = now() + u64::try_from(NAP.as_nanos()).unwrap();
        // clock: what is measured
        thread::sleep(NAP);
        let late = now().saturating_sub(due);
        if late > MS {
            self.late.lock().unwrap().push((due, late));
        }
    }

    /// The worst oversleep in this time.
    pub fn worst(&self, from: Nanos, to: Nanos) -> Nanos {
        let late = self.late.lock().unwrap();
        let within = late.iter().filter(|(due, late)| due + late >= from && *due <= to);
        within.map(|(_, late)| *late).max().unwrap_or(0)
    }

    /// How long the two busiest threads had to be run in this time: one that does the I/O, and one
    /// that is woken.
    pub fn busiest(&self, from: Nanos, to: Nanos) -> Nanos {
        let looks = self.looks.lock().unwrap();
        let before = looks.iter().rfind(|(at, _)| *at <= from);
        let after = looks.iter().find(|(at, _)| *at >= to).or(looks.last());
        let mut busy: Vec<Nanos> = after.map_or_else(Vec::new, |(_, after)| {
            let before = |thread| before.and_then(|(_, before)| before.get(thread));
            let since = |(thread, busy): (_, &Nanos)| busy - before(thread).unwrap_or(&0);
            after.iter().map(since).collect()
        });
        busy.sort_unstable();
        busy.iter().rev().take(2).sum()
    }
}

/// The processors that this process may use.
fn processors() -> impl Iterator<Item = usize> {
    // SAFETY: plain data, which the call fills in.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of_val(&set), &raw mut set), 0);
        set
    };
    // SAFETY: every number is below the size of the set.
    (0..libc::CPU_SETSIZE as usize).filter(move |at| unsafe { libc::CPU_ISSET(*at, &set) })
}

/// Keeps the calling thread on this processor.
fn pin(processor: usize) {
    // SAFETY: plain data, and a number that is below its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &raw const set), 0);
    }
}

/// How long each thread ran on a processor, or waited for one.
type Busy = HashMap<OsString, Nanos>;

/// The threads of this process but the calling one.
fn how_busy() -> Busy {
    // SAFETY: has no preconditions.
    let own = OsString::from(unsafe { libc::gettid() }.to_string());
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let others = threads.filter(|thread| thread.file_name() != own);
    let busy = others.filter_map(|thread| {
        // One that ended meanwhile has no file any more.
        let told = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let times = told.split_whitespace().take(2).map(|time| time.parse::<Nanos>().unwrap());
        Some((thread.file_name(), times.sum()))
    });
    busy.collect()
}
