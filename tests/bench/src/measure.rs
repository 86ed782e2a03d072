//! What every Rust client of the benchmark does around its work: reads the arguments, takes CPU and
//! wall time, tells what it received as one line of JSON.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// What a chat client sends; every client sends the same.
pub const CHAT: &str = r#"{"model":"bench","messages":[{"role":"user","content":"hello"}]}"#;
/// The same for a stream.
pub const CHAT_STREAM: &str =
    r#"{"model":"bench","messages":[{"role":"user","content":"hello"}],"stream":true}"#;

/// The command line of a client: `WORK BASE_URL OPERATIONS AT_ONCE`.
pub struct Task {
    /// What to do.
    pub work: String,
    /// Where, ending in `/v1`.
    pub base_url: String,
    /// How often in all: calls, clients or connections.
    pub operations: u64,
    /// How many run at the same time.
    pub at_once: u64,
}

/// What was received; the harness compares it with what was sent.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    /// Chunks, or whole answers.
    pub events: u64,
    /// Bytes of output text in them.
    pub text_bytes: u64,
}

impl Seen {
    /// Counts one chunk or answer.
    pub fn add(&mut self, text: &str) {
        self.events += 1;
        self.text_bytes += text.len() as u64;
    }

    /// Adds what another stream received.
    pub fn join(&mut self, other: Seen) {
        self.events += other.events;
        self.text_bytes += other.text_bytes;
    }
}

/// What the work found out beside its cost: a name and a number each.
pub type Found = Vec<(&'static str, f64)>;

/// Runs the work that the command line names between two looks at the clocks, and tells.
pub fn measure(work: impl FnOnce(&Task) -> (Seen, Found)) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [work_name, base_url, operations, at_once] = arguments.as_slice() else {
        eprintln!("usage: WORK BASE_URL OPERATIONS AT_ONCE");
        std::process::exit(2);
    };
    let number = |text: &String| text.parse().unwrap_or(1);
    let task = Task {
        work: work_name.clone(),
        base_url: base_url.clone(),
        operations: number(operations),
        at_once: number(at_once),
    };
    let (cpu, wall) = (cpu_time(), Instant::now());
    let (seen, found) = work(&task);
    let (cpu, wall) = (cpu_time() - cpu, wall.elapsed());
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let found: String =
        found.iter().map(|(name, value)| format!(",\"{name}\":{value:.3}")).collect();
    println!(
        "{{\"cpu_us\":{:.1},\"wall_us\":{:.1},\"events\":{},\"text_bytes\":{}{found}}}",
        us(cpu),
        us(wall),
        seen.events,
        seen.text_bytes,
    );
}

/// CPU time of this process so far, all its threads.
pub fn cpu_time() -> Duration {
    // SAFETY: plain data that the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let time = |value: libc::timeval| {
        Duration::from_secs(value.tv_sec as u64) + Duration::from_micros(value.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Memory of this process that is resident now, in KiB.
pub fn resident_kib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0.0)
}

/// The median of times, in microseconds.
pub fn median_us(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

/// Streams that stay open after their first chunk: what each adds to the resident memory. `begin`
/// opens one; so many are under way at once that none is refused.
pub async fn memory_of_open<S, F>(task: &Task, begin: impl Fn() -> F) -> (Seen, Found)
where
    S: Send + 'static,
    F: Future<Output = S> + Send + 'static,
{
    let limit = Arc::new(Semaphore::new(64));
    let opened = async |count: u64| {
        let mut begun = JoinSet::new();
        for _ in 0..count {
            let (limit, stream) = (limit.clone(), begin());
            begun.spawn(async move {
                let _permit = limit.acquire().await;
                stream.await
            });
        }
        begun.join_all().await
    };
    let warm = opened(8).await;
    let before = resident_kib();
    let open = opened(task.at_once).await;
    let each = (resident_kib() - before) / task.at_once as f64;
    drop((warm, open));
    (Seen::default(), vec![("kib_per_stream", each)])
}
