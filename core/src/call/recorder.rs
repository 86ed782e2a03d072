//! Recorder of a call in flight, which makes the call record at its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::answer::error_kind::ErrorKind;
use crate::answer::head::Head;
use crate::answer::record::{
    ATTEMPTS_RECORDED_MAX, Answered, AttemptRecord, CHUNK_TIMES_MAX, WAITS_RECORDED_MAX,
    WaitReason, WaitRecord,
};
use crate::http::timing::AttemptTiming;

/// The recorder. It works once per attempt, wait and batch of chunks.
pub(crate) struct Recorder {
    /// When the call was started.
    pub(crate) start: SystemTime,
    /// The same moment of the monotonic clock, from which all times are counted.
    origin: Option<Instant>,
    pub(crate) streamed: bool,
    has_chunk_times: bool,
    attempts: VecDeque<Attempt>,
    pub(crate) attempts_count: u64,
    /// Body bytes of attempts that are no longer kept.
    earlier_in: u64,
    earlier_out: u64,
    waits: VecDeque<WaitRecord>,
    waits_count: u64,
    waiting: Option<(WaitReason, Duration)>,
    pub(crate) first_chunk: Option<Duration>,
    pub(crate) last_chunk: Option<Duration>,
    pub(crate) chunks: u64,
    chunk_times: Vec<Duration>,
    /// How long a full queue waited for its consumer.
    pub(crate) consumer_wait: Duration,
    /// The latest values, for a stream.
    pub(crate) answered: Answered,
    /// The head of an answer with a success status.
    pub(crate) accepted: Option<Arc<Head>>,
}

/// An attempt; `failed` is set if it failed before the call ended.
struct Attempt {
    start: Duration,
    base_url: Option<Arc<str>>,
    seen: Arc<AttemptTiming>,
    failed: Option<(Duration, ErrorKind)>,
}

impl Recorder {
    pub(crate) fn new() -> Recorder {
        Recorder {
            start: SystemTime::UNIX_EPOCH,
            origin: None,
            streamed: false,
            has_chunk_times: false,
            attempts: VecDeque::new(),
            attempts_count: 0,
            earlier_in: 0,
            earlier_out: 0,
            waits: VecDeque::new(),
            waits_count: 0,
            waiting: None,
            first_chunk: None,
            last_chunk: None,
            chunks: 0,
            chunk_times: Vec::new(),
            consumer_wait: Duration::ZERO,
            answered: Answered::default(),
            accepted: None,
        }
    }

    pub(crate) fn starts(&mut self, streamed: bool, has_chunk_times: bool) {
        (self.start, self.origin) = (SystemTime::now(), Some(Instant::now()));
        (self.streamed, self.has_chunk_times) = (streamed, has_chunk_times);
    }

    /// The time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.origin.map(|origin| origin.elapsed()).unwrap_or_default()
    }

    pub(crate) fn attempt_begins(&mut self, base_url: Option<Arc<str>>) -> Arc<AttemptTiming> {
        if self.attempts.len() >= ATTEMPTS_RECORDED_MAX
            && let Some(earlier) = self.attempts.pop_front()
        {
            self.earlier_in += earlier.seen.bytes_in();
            self.earlier_out += earlier.seen.bytes_out();
        }
        self.attempts_count += 1;
        let now = Instant::now();
        let origin = self.origin.unwrap_or(now);
        let seen = Arc::new(AttemptTiming::new(origin));
        self.attempts.push_back(Attempt {
            start: now.duration_since(origin),
            base_url,
            seen: seen.clone(),
            failed: None,
        });
        seen
    }

    /// Records the failure of the last attempt, and returns its record. What it answered is forgotten.
    pub(crate) fn attempt_failed(&mut self, kind: ErrorKind) -> Option<AttemptRecord> {
        let now = self.elapsed();
        self.accepted = None;
        self.answered = Answered::default();
        (self.chunks, self.first_chunk, self.last_chunk) = (0, None, None);
        self.chunk_times.clear();
        let last = self.attempts.back_mut()?;
        last.failed = Some((now, kind));
        Some(last.record())
    }

    pub(crate) fn wait_begins(&mut self, reason: WaitReason) {
        self.waiting = Some((reason, self.elapsed()));
    }

    pub(crate) fn wait_ends(&mut self) {
        if let Some((reason, start)) = self.waiting.take() {
            let now = self.elapsed();
            if self.waits.len() >= WAITS_RECORDED_MAX {
                self.waits.pop_front();
            }
            self.waits_count += 1;
            self.waits.push_back(WaitRecord { reason, start, length: now.saturating_sub(start) });
        }
    }

    /// Records an answer with a success status.
    pub(crate) fn accepted(&mut self, head: &Arc<Head>) {
        self.accepted = Some(head.clone());
    }

    /// Records that `count` chunks have arrived in total.
    pub(crate) fn chunks_came(&mut self, count: u64) {
        let more = count.saturating_sub(self.chunks);
        if more == 0 {
            return;
        }
        let now = self.elapsed();
        self.first_chunk.get_or_insert(now);
        (self.last_chunk, self.chunks) = (Some(now), count);
        if self.has_chunk_times {
            let room = CHUNK_TIMES_MAX.saturating_sub(self.chunk_times.len()) as u64;
            self.chunk_times.extend((0..more.min(room)).map(|_| now));
        }
    }

    /// Records what the stream reported. Services report most of it once, and usage repeatedly.
    pub(crate) fn learns(&mut self, answered: &Answered) {
        self.answered.usage = answered.usage;
        let (known, said) = (&mut self.answered, answered);
        if known.response_id.is_none() || known.response_model.is_none() {
            known.response_id.clone_from(&said.response_id);
            known.response_model.clone_from(&said.response_model);
        }
        if known.finish_reason.is_none() {
            known.finish_reason.clone_from(&said.finish_reason);
        }
    }

    /// The times of the chunks; none are recorded after this.
    pub(crate) fn take_chunk_times(&mut self) -> Vec<Duration> {
        self.has_chunk_times = false;
        std::mem::take(&mut self.chunk_times)
    }

    /// The attempts of a call that ends now, open ones with this error kind, and the end time. The state that
    /// other threads record is read first, so nothing is later than the end.
    pub(crate) fn attempts(&self, kind: Option<ErrorKind>) -> (Vec<AttemptRecord>, Duration) {
        let mut attempts: Vec<_> = self.attempts.iter().map(Attempt::record).collect();
        let now = self.elapsed();
        let open = attempts.iter_mut().zip(&self.attempts).filter(|(_, own)| own.failed.is_none());
        for (attempt, _) in open {
            (attempt.end, attempt.kind) = (now, kind);
        }
        (attempts, now)
    }

    /// The waits of a call that ends now; ends a current wait.
    pub(crate) fn waits(&mut self) -> Vec<WaitRecord> {
        self.wait_ends();
        let mut waits: Vec<_> = self.waits.iter().copied().chain(self.waits_to_send()).collect();
        waits.sort_by_key(|wait| wait.start);
        waits.drain(..waits.len().saturating_sub(WAITS_RECORDED_MAX));
        waits
    }

    pub(crate) fn waits_count(&self) -> u64 {
        self.waits_count + self.waits_to_send().count() as u64
    }

    fn waits_to_send(&self) -> impl Iterator<Item = WaitRecord> {
        self.attempts.iter().filter_map(|attempt| {
            let (start, length) = attempt.seen.wait()?;
            Some(WaitRecord { reason: WaitReason::Reuse, start, length })
        })
    }

    /// Body bytes, in and out.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let kept = self.attempts.iter();
        kept.fold((self.earlier_in, self.earlier_out), |(bytes_in, bytes_out), attempt| {
            (bytes_in + attempt.seen.bytes_in(), bytes_out + attempt.seen.bytes_out())
        })
    }
}

impl Attempt {
    fn record(&self) -> AttemptRecord {
        let state = self.seen.state();
        let connected = state.connected();
        AttemptRecord {
            start: self.start,
            base_url: self.base_url.clone(),
            address: connected.address,
            reused: connected.reused,
            dns: connected.dns,
            connect: connected.connect,
            tls: connected.tls,
            head: state.head,
            first_byte: self.seen.first_byte(),
            end: self.failed.map_or(self.start, |(end, _)| end),
            status: state.status,
            kind: self.failed.map(|(_, kind)| kind),
            is_opening: state.is_opening(),
            is_proxied: state.is_proxied,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    /// The first ones are no longer kept; their bytes are counted all the same.
    #[test]
    fn the_bytes_of_every_attempt_are_counted() {
        let mut recorder = Recorder::new();
        recorder.starts(false, false);
        for number in 1..=ATTEMPTS_RECORDED_MAX + 3 {
            let seen = recorder.attempt_begins(None);
            seen.sends(10 * number);
            seen.received(number);
        }
        let count = ATTEMPTS_RECORDED_MAX as u64 + 3;
        let sum = count * (count + 1) / 2;
        assert_eq!(recorder.bytes(), (sum, 10 * sum));
        assert_eq!(
            (recorder.attempts.len(), recorder.attempts_count),
            (ATTEMPTS_RECORDED_MAX, count)
        );
    }

    #[test]
    fn the_waits_are_counted_and_the_last_ones_kept() {
        let mut recorder = Recorder::new();
        recorder.starts(false, false);
        for _ in 0..WAITS_RECORDED_MAX + 3 {
            recorder.wait_begins(WaitReason::Retry);
            recorder.wait_ends();
        }
        recorder.attempt_begins(None).waited(Duration::ZERO);
        recorder.wait_begins(WaitReason::Turn);
        let waits = recorder.waits();
        assert_eq!(
            (waits.len(), recorder.waits_count()),
            (WAITS_RECORDED_MAX, WAITS_RECORDED_MAX as u64 + 5)
        );
        let reasons = [WaitReason::Reuse, WaitReason::Turn]
            .map(|reason| waits.iter().filter(|wait| wait.reason == reason).count());
        assert_eq!(reasons, [1, 1]);
    }

    /// Names come once, most of them with the first chunk; usage is the latest.
    #[test]
    fn what_a_stream_says_is_learned_as_it_comes() {
        let said = |id: Option<&str>, model: Option<&str>, reason: Option<&str>| Answered {
            response_id: id.map(str::to_owned),
            response_model: model.map(str::to_owned),
            finish_reason: reason.map(str::to_owned),
            usage: None,
        };
        let mut recorder = Recorder::new();
        let mut learns = |given: Answered| {
            recorder.learns(&given);
            let Answered { response_id, response_model, finish_reason, .. } =
                recorder.answered.clone();
            [response_id, response_model, finish_reason].map(Option::unwrap_or_default)
        };
        assert_eq!(learns(said(Some("1"), None, None)), ["1", "", ""]);
        assert_eq!(learns(said(Some("1"), Some("m"), Some("stop"))), ["1", "m", "stop"]);
        assert_eq!(learns(said(Some("2"), Some("n"), Some("length"))), ["1", "m", "stop"]);
    }
}
