//! Faults: where an answer breaks off, pauses or is slow.

use std::time::Duration;

use crate::event_stream::LAST_CHUNK;
use crate::script::{Exchange, Step};

const HEAD_END: &[u8] = b"\r\n\r\n";

/// A fault of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A single event: a pause, a stall, a close or a reset.
    At(Point, Step),
    /// A pause between every two events of a stream; no effect on a plain answer.
    Slow(Duration),
}

/// A position in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Before the head.
    Start,
    /// After the head and this many events, and at the latest before the last one. In a plain answer, which
    /// has no events, halfway through its body.
    Events(usize),
    /// After the head and this many bytes of the body on the wire.
    Bytes(usize),
}

impl Fault {
    /// Adds this fault to the answer.
    pub(crate) fn strike(&self, exchange: Exchange) -> Exchange {
        let mut steps = exchange.steps;
        match self {
            Fault::At(point, step) => {
                let at = place(&mut steps, *point);
                steps.insert(at, step.clone());
            }
            Fault::Slow(pause) => {
                // From the last to the first, so that earlier indices stay valid.
                for at in events(&steps).into_iter().skip(1).rev() {
                    steps.insert(at, Step::Pause(*pause));
                }
            }
        }
        Exchange { steps }
    }
}

/// The index of the step after the point. May split a step in two.
fn place(steps: &mut Vec<Step>, point: Point) -> usize {
    match point {
        Point::Start => 0,
        Point::Events(count) => {
            let events = events(steps);
            if let Some(&at) = events.get(count).or(events.last()) {
                return at;
            }
            let half = body_bytes(steps) / 2;
            after_bytes(steps, half)
        }
        Point::Bytes(bytes) => after_bytes(steps, bytes),
    }
}

/// The indices of the steps that send events; none for a plain answer.
fn events(steps: &[Step]) -> Vec<usize> {
    let Some(Step::Send { bytes: head, .. }) = steps.iter().find(|step| sent(step).is_some())
    else {
        return Vec::new();
    };
    if !head.ends_with(HEAD_END) {
        return Vec::new();
    }
    let sends = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| sent(step).is_some_and(|bytes| bytes != LAST_CHUNK));
    sends.map(|(at, _)| at).skip(1).collect()
}

fn sent(step: &Step) -> Option<&[u8]> {
    match step {
        Step::Send { bytes, .. } => Some(bytes),
        Step::SendSplit { .. }
        | Step::Pause(_)
        | Step::Reset
        | Step::Close
        | Step::StallForever => None,
    }
}

/// The number of bytes before the body; 0 if the answer does not begin with a head.
fn head_bytes(steps: &[Step]) -> usize {
    let first = steps.iter().find_map(sent).unwrap_or_default();
    let end = first.windows(HEAD_END.len()).position(|window| window == HEAD_END);
    end.map_or(0, |end| end + HEAD_END.len())
}

fn body_bytes(steps: &[Step]) -> usize {
    let all: usize = steps.iter().filter_map(sent).map(<[u8]>::len).sum();
    all - head_bytes(steps)
}

fn after_bytes(steps: &mut Vec<Step>, body_bytes: usize) -> usize {
    let mut missing = head_bytes(steps).saturating_add(body_bytes);
    let mut end = 0;
    for (at, step) in steps.iter_mut().enumerate() {
        let Step::Send { bytes, .. } = step else {
            continue;
        };
        if missing < bytes.len() {
            let rest = bytes.split_off(missing);
            steps.insert(at + 1, Step::send(rest));
            return at + 1;
        }
        missing -= bytes.len();
        end = at + 1;
    }
    end
}
