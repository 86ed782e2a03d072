//! Whether a connection that has just carried an answer may be used again at once. Pure: knows no
//! clock and no socket, only times and local ports.
//!
//! Some servers and proxies promise keep-alive and close a moment after an answer. A request that
//! is written into that moment is lost, and sending it again could be metered twice. So until a
//! server has shown that it keeps connections, a call that follows an answer waits until the moment
//! is over: then a closed connection is seen as closed and replaced before anything is written. One
//! call answered on a connection that carried an answer before is the proof, and from then on
//! nothing is waited for. Streams and whole answers are judged apart: some servers keep their
//! connections after the one and close them after the other.

use std::time::Duration;

/// How long after the end of an answer a server may close its connection unexpectedly.
pub(crate) const REUSE_GRACE: Duration = Duration::from_millis(10);

/// What is known of a server. Times are since any fixed moment.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    streams: Kept,
    documents: Kept,
}

/// The same of one kind of answers.
#[derive(Debug, Default)]
struct Kept {
    /// It has answered on a connection that carried one before.
    is_proved: bool,
    /// The local port that carried the last one, and when that ended.
    last: Option<(u16, Duration)>,
}

impl Kept {
    fn wait(&self, now: Duration) -> Option<Duration> {
        let (_, ended) = self.last.filter(|_| !self.is_proved)?;
        let left = (ended + REUSE_GRACE).saturating_sub(now);
        (left > Duration::ZERO).then_some(left)
    }
}

impl Reuse {
    /// How long a call that is about to be sent has to wait.
    pub(crate) fn wait(&self, now: Duration) -> Option<Duration> {
        self.streams.wait(now).max(self.documents.wait(now))
    }

    /// An answer ended whole on this local port.
    pub(crate) fn ended(&mut self, is_stream: bool, port: u16, now: Duration) {
        let kept = if is_stream { &mut self.streams } else { &mut self.documents };
        kept.last = Some((port, now));
    }

    /// An answer came on this local port.
    pub(crate) fn answered(&mut self, port: u16) {
        for kept in [&mut self.streams, &mut self.documents] {
            kept.is_proved |= kept.last.is_some_and(|(last, _)| last == port);
        }
    }

    /// A connection broke off before it answered: what was believed may be wrong.
    pub(crate) fn broke_off(&mut self) {
        self.streams.is_proved = false;
        self.documents.is_proved = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_call_waits_after_an_answer_until_the_server_has_shown_that_it_keeps_connections() {
        let mut reuse = Reuse::default();
        assert_eq!(reuse.wait(ms(0)), None, "no answer yet");
        reuse.ended(true, 7, ms(100));
        assert_eq!(reuse.wait(ms(100)), Some(REUSE_GRACE));
        assert_eq!(reuse.wait(ms(104)), Some(ms(6)));
        assert_eq!(reuse.wait(ms(110)), None, "the moment is over");
        reuse.answered(8);
        reuse.ended(true, 8, ms(200));
        assert_eq!(reuse.wait(ms(200)), Some(REUSE_GRACE), "another connection proves nothing");
        reuse.answered(8);
        reuse.ended(true, 8, ms(300));
        assert_eq!(reuse.wait(ms(300)), None);
        reuse.broke_off();
        assert_eq!(reuse.wait(ms(301)), Some(ms(9)));
    }

    #[test]
    fn a_server_that_closes_after_streams_alone_is_not_waited_for_after_documents() {
        let mut reuse = Reuse::default();
        reuse.ended(false, 7, ms(0));
        reuse.answered(7);
        reuse.ended(false, 7, ms(10));
        assert_eq!(reuse.wait(ms(10)), None);
        reuse.ended(true, 7, ms(20));
        assert_eq!(reuse.wait(ms(20)), Some(REUSE_GRACE));
        reuse.answered(8);
        reuse.ended(false, 8, ms(40));
        assert_eq!(reuse.wait(ms(40)), None);
    }
}
