//! Decides whether a connection that has just carried an answer may be reused at once. Pure: no clock, no
//! socket, only times and local ports.
//!
//! Some servers and proxies promise keep-alive but close shortly after an answer. A request written during
//! this grace period is lost, and sending it again could be metered twice. So until a server has proved
//! that it keeps connections, a call after an answer waits until the grace period is over: a closed
//! connection is then detected and replaced before anything is written. After a document, it may open a
//! fresh connection instead, which is cheap without TLS. The proof is one answer on a connection that
//! carried an answer before; from then on no call waits. Streams and documents are judged separately,
//! because some servers keep connections after one and close them after the other.

use std::time::Duration;

/// How long after the end of an answer a server may close its connection unexpectedly.
pub(crate) const REUSE_GRACE: Duration = Duration::from_millis(10);

/// The number of fresh connections opened after documents instead of waiting, until the server has proved its
/// behaviour. Further calls wait for the rest of the grace period. After a stream, a call always waits,
/// because its connection is to be reused (R-STR3).
const FRESH_MAX: u32 = 2;

/// After this time without an answer, the sockets are polled before a connection is used.
const UNREAD_MAX: Duration = Duration::from_millis(10);

/// The number of local ports remembered until the server has proved its behaviour.
const PORTS_MAX: usize = 256;

/// What is known about a server. Times are durations since a fixed moment.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    streams: Kept,
    documents: Kept,
    fresh: u32,
}

/// The connection for the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// An idle one, or a new one if there is none.
    Pooled,
    /// A new one.
    Fresh,
    /// Like `Pooled`, after this wait, which may be zero, and after a poll of the sockets: a close that was
    /// not read yet would go unnoticed.
    PooledAfter(Duration),
}

/// What is known about one kind of answer.
#[derive(Debug, Default)]
struct Kept {
    /// It has answered on a connection that carried one before.
    is_proved: bool,
    /// The local ports of connections that carried one. Empty once it is proved.
    ports: Vec<u16>,
    /// When the last one ended.
    ended: Option<Duration>,
}

impl Kept {
    /// The rest of the grace period, if a call has to wait for it.
    fn wait(&self, now: Duration) -> Option<Duration> {
        let ended = self.ended.filter(|_| !self.is_proved)?;
        Some((ended + REUSE_GRACE).saturating_sub(now))
    }

    fn carried(&mut self, port: u16, now: Duration) {
        self.ended = Some(now);
        if !self.is_proved && !self.ports.contains(&port) && self.ports.len() < PORTS_MAX {
            self.ports.push(port);
        }
    }

    fn answered(&mut self, port: u16) {
        if self.ports.contains(&port) {
            (self.is_proved, self.ports) = (true, Vec::new());
        }
    }

    fn broke_off(&mut self) {
        (self.is_proved, self.ports) = (false, Vec::new());
    }
}

impl Reuse {
    /// Chooses the connection for the next request. `is_cheap`: a fresh connection costs less than the grace
    /// period.
    pub(crate) fn choose(&mut self, is_cheap: bool, now: Duration) -> Connection {
        let (streams, documents) = (self.streams.wait(now), self.documents.wait(now));
        let Some(wait) = streams.max(documents) else {
            // A runtime that nobody drove meanwhile has not read that a connection was closed.
            let ended = self.streams.ended.max(self.documents.ended);
            return match ended.is_some_and(|ended| now.saturating_sub(ended) > UNREAD_MAX) {
                true => Connection::PooledAfter(Duration::ZERO),
                false => Connection::Pooled,
            };
        };
        if is_cheap && wait > streams.unwrap_or_default() && self.fresh < FRESH_MAX {
            self.fresh += 1;
            return Connection::Fresh;
        }
        Connection::PooledAfter(wait)
    }

    /// Records that an answer ended completely on this local port; its connection is in the pool now.
    pub(crate) fn ended(&mut self, is_stream: bool, port: u16, now: Duration) {
        let kept = if is_stream { &mut self.streams } else { &mut self.documents };
        kept.carried(port, now);
    }

    /// Records an answer on this local port.
    pub(crate) fn answered(&mut self, port: u16) {
        self.streams.answered(port);
        self.documents.answered(port);
    }

    /// Records that a connection was lost before an answer: the proof may no longer hold.
    pub(crate) fn broke_off(&mut self) {
        self.streams.broke_off();
        self.documents.broke_off();
        self.fresh = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// The wait of a call for which a fresh connection is expensive.
    fn wait(reuse: &mut Reuse, now: Duration) -> Option<Duration> {
        match reuse.choose(false, now) {
            Connection::Pooled => None,
            Connection::PooledAfter(wait) => Some(wait).filter(|wait| *wait > Duration::ZERO),
            Connection::Fresh => unreachable!(),
        }
    }

    #[test]
    fn a_call_waits_until_the_server_has_proved_keep_alive() {
        let mut reuse = Reuse::default();
        assert_eq!(wait(&mut reuse, ms(0)), None, "no answer yet");
        reuse.ended(true, 7, ms(100));
        assert_eq!(wait(&mut reuse, ms(100)), Some(REUSE_GRACE));
        assert_eq!(wait(&mut reuse, ms(104)), Some(ms(6)));
        assert_eq!(wait(&mut reuse, ms(110)), None, "the grace period is over");
        reuse.answered(8);
        reuse.ended(true, 8, ms(200));
        assert_eq!(
            wait(&mut reuse, ms(200)),
            Some(REUSE_GRACE),
            "another connection proves nothing"
        );
        reuse.answered(8);
        reuse.ended(true, 8, ms(300));
        assert_eq!(wait(&mut reuse, ms(300)), None);
        reuse.broke_off();
        assert_eq!(wait(&mut reuse, ms(301)), Some(ms(9)));
    }

    #[test]
    fn a_server_closing_only_after_streams_needs_no_wait_after_documents() {
        let mut reuse = Reuse::default();
        reuse.ended(false, 7, ms(0));
        reuse.answered(7);
        reuse.ended(false, 7, ms(10));
        assert_eq!(wait(&mut reuse, ms(10)), None);
        reuse.ended(true, 7, ms(20));
        assert_eq!(wait(&mut reuse, ms(20)), Some(REUSE_GRACE));
        reuse.answered(8);
        reuse.ended(false, 8, ms(40));
        assert_eq!(wait(&mut reuse, ms(40)), None);
    }

    /// A fresh connection would be one more than the streams need.
    #[test]
    fn after_a_stream_no_fresh_connection_is_taken() {
        let mut reuse = Reuse::default();
        reuse.ended(false, 7, ms(0));
        reuse.ended(true, 7, ms(2));
        assert_eq!(reuse.choose(true, ms(3)), Connection::PooledAfter(ms(9)));
        reuse.ended(false, 8, ms(5));
        assert_eq!(reuse.choose(true, ms(6)), Connection::Fresh, "the last was a document");
    }

    #[test]
    fn any_of_several_connections_that_carried_an_answer_is_the_proof() {
        let mut reuse = Reuse::default();
        (1..=3).for_each(|port| reuse.ended(true, port, ms(0)));
        reuse.answered(4);
        assert_eq!(wait(&mut reuse, ms(1)), Some(ms(9)));
        reuse.answered(2);
        assert_eq!(wait(&mut reuse, ms(1)), None);
    }

    #[test]
    fn a_bounded_number_of_connections_is_remembered() {
        let mut reuse = Reuse::default();
        (0..=PORTS_MAX as u16).for_each(|port| reuse.ended(true, port, ms(0)));
        assert_eq!(reuse.streams.ports.len(), PORTS_MAX);
        reuse.answered(PORTS_MAX as u16);
        assert_eq!(wait(&mut reuse, ms(1)), Some(ms(9)), "one too many");
        reuse.answered(PORTS_MAX as u16 - 1);
        assert_eq!(wait(&mut reuse, ms(1)), None);
        reuse.ended(true, 9, ms(2));
        assert!(reuse.streams.ports.is_empty(), "none is needed after the proof");
    }

    #[test]
    fn the_sockets_are_polled_first_after_a_pause() {
        let mut reuse = Reuse::default();
        reuse.ended(true, 7, ms(0));
        reuse.answered(7);
        reuse.ended(true, 7, ms(20));
        let at = ms(20) + UNREAD_MAX;
        assert_eq!(reuse.choose(false, at), Connection::Pooled);
        let later = at + Duration::from_nanos(1);
        assert_eq!(reuse.choose(false, later), Connection::PooledAfter(Duration::ZERO));
    }

    #[test]
    fn a_few_fresh_connections_are_taken_where_they_are_cheap() {
        let mut reuse = Reuse::default();
        assert_eq!(reuse.choose(true, ms(0)), Connection::Pooled, "no answer yet");
        reuse.ended(false, 7, ms(0));
        for _ in 0..FRESH_MAX {
            assert_eq!(reuse.choose(true, ms(1)), Connection::Fresh);
        }
        assert_eq!(reuse.choose(true, ms(1)), Connection::PooledAfter(ms(9)));
        assert_eq!(reuse.choose(true, ms(10)), Connection::PooledAfter(ms(0)), "grace period over");
        reuse.answered(7);
        reuse.ended(false, 7, ms(20));
        assert_eq!(reuse.choose(true, ms(20)), Connection::Pooled);
        reuse.broke_off();
        assert_eq!(reuse.choose(true, ms(21)), Connection::Fresh);
    }
}
