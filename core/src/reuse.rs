//! Whether a connection that has just carried a stream may be used again at once. Pure: knows no
//! clock and no socket, only times and local ports.
//!
//! Some servers promise keep-alive and close a moment after each stream. A request that is written
//! into that moment is lost, and sending it again could be metered twice. So until a server has
//! shown that it keeps such connections, a call that follows a stream waits until the moment is
//! over: then a closed connection is seen as closed and replaced before anything is written. One
//! call answered on a connection that carried a stream before is the proof, and from then on
//! nothing is waited for.

use std::time::Duration;

/// How long after the end of a stream a server may close its connection unexpectedly.
pub(crate) const REUSE_GRACE: Duration = Duration::from_millis(10);

/// What is known of a server. Times are since any fixed moment.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    /// It has answered on a connection that carried a stream before.
    keeps: bool,
    /// The local port that carried the last stream, and when that ended.
    streamed: Option<(u16, Duration)>,
}

impl Reuse {
    /// How long a call that is about to be sent has to wait.
    pub(crate) fn wait(&self, now: Duration) -> Option<Duration> {
        let (_, ended) = self.streamed.filter(|_| !self.keeps)?;
        let left = (ended + REUSE_GRACE).saturating_sub(now);
        (left > Duration::ZERO).then_some(left)
    }

    /// A stream ended whole on this local port.
    pub(crate) fn stream_ended(&mut self, port: u16, now: Duration) {
        self.streamed = Some((port, now));
    }

    /// An answer came on this local port.
    pub(crate) fn answered(&mut self, port: u16) {
        self.keeps |= self.streamed.is_some_and(|(streamed, _)| streamed == port);
    }

    /// A connection broke off before it answered: what was believed may be wrong.
    pub(crate) fn broke_off(&mut self) {
        self.keeps = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_call_waits_after_a_stream_until_the_server_has_shown_that_it_keeps_connections() {
        let mut reuse = Reuse::default();
        assert_eq!(reuse.wait(ms(0)), None, "no stream yet");
        reuse.stream_ended(7, ms(100));
        assert_eq!(reuse.wait(ms(100)), Some(REUSE_GRACE));
        assert_eq!(reuse.wait(ms(104)), Some(ms(6)));
        assert_eq!(reuse.wait(ms(110)), None, "the moment is over");
        reuse.answered(8);
        reuse.stream_ended(8, ms(200));
        assert_eq!(reuse.wait(ms(200)), Some(REUSE_GRACE), "another connection proves nothing");
        reuse.answered(8);
        reuse.stream_ended(8, ms(300));
        assert_eq!(reuse.wait(ms(300)), None);
        reuse.broke_off();
        assert_eq!(reuse.wait(ms(301)), Some(ms(9)));
    }
}
