//! A call and its attempts as `tracing` spans, for Rust programs that subscribe to them.
//!
//! Without a subscriber, no span is created: spans would go into the log instead. A subscriber may run any
//! code, so none is called under a lock. A forked child does not close inherited spans: the subscriber's
//! locks may be held forever.

use tracing::dispatcher::{get_default, with_default};
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::NoSubscriber;
use tracing::{Span, debug_span, info_span};

use crate::answer::error_kind::ErrorKind;
use crate::answer::record::{AttemptRecord, CallRecord, CancelledBy};
use crate::protocol::endpoint::Endpoint;
use crate::system::process;

/// The open spans of a call.
pub(crate) struct Spans {
    /// The process that created them.
    generation: u64,
    call: Span,
    attempt: Span,
}

impl Spans {
    /// No open span.
    pub(crate) fn none() -> Spans {
        Spans { generation: process::generation(), call: Span::none(), attempt: Span::none() }
    }

    /// The span of a call, as a child of the caller's current span.
    pub(crate) fn of_call(operation: Endpoint, path: &str, streamed: bool) -> Spans {
        let mut spans = Spans::none();
        if LevelFilter::current() >= LevelFilter::INFO
            && get_default(|subscriber| !subscriber.is::<NoSubscriber>())
        {
            spans.call = info_span!(
                target: "modelwire",
                "call",
                operation = operation.name(),
                path,
                streamed,
                model = Empty,
                attempts = Empty,
                first_chunk_us = Empty,
                chunks = Empty,
                elapsed_us = Empty,
                kind = Empty,
                status = Empty,
                request_id = Empty,
                response_id = Empty,
                response_model = Empty,
                finish_reason = Empty,
                input_tokens = Empty,
                output_tokens = Empty,
                metered = Empty,
                bytes_out = Empty,
                bytes_in = Empty,
                cancelled_by = Empty,
            );
        }
        spans
    }

    /// The call's span, to create that of an attempt in it.
    pub(crate) fn call(&self) -> Span {
        self.call.clone()
    }

    /// Stores the span of a starting attempt; returns that of the previous one, if open.
    pub(crate) fn attempts(&mut self, attempt: Span) -> Span {
        std::mem::replace(&mut self.attempt, attempt)
    }

    /// Closes the spans with the data of the record.
    pub(crate) fn close(mut self, record: &CallRecord) {
        if let Some(last) = record.attempts().last() {
            close_attempt(self.attempts(Span::none()), last);
        }
        let call = std::mem::replace(&mut self.call, Span::none());
        if call.is_disabled() {
            return;
        }
        call.record("model", record.model());
        call.record("attempts", record.attempts_count());
        call.record("first_chunk_us", microseconds(record.first_chunk()));
        call.record("chunks", record.chunks());
        call.record("elapsed_us", microseconds(Some(record.elapsed())));
        call.record("kind", record.kind().map(ErrorKind::name));
        call.record("status", record.status());
        call.record("request_id", record.request_id());
        call.record("response_id", record.response_id());
        call.record("response_model", record.response_model());
        call.record("finish_reason", record.finish_reason());
        call.record("input_tokens", record.usage().map(|usage| usage.input_tokens));
        call.record("output_tokens", record.usage().map(|usage| usage.output_tokens));
        call.record("metered", record.metered().name());
        call.record("bytes_out", record.bytes_out());
        call.record("bytes_in", record.bytes_in());
        call.record("cancelled_by", record.cancelled_by().map(CancelledBy::name));
    }
}

impl Drop for Spans {
    fn drop(&mut self) {
        if process::generation() != self.generation {
            std::mem::forget(std::mem::replace(&mut self.call, Span::none()));
            std::mem::forget(std::mem::replace(&mut self.attempt, Span::none()));
        }
    }
}

/// The span of an attempt, for the subscriber of its call.
pub(crate) fn of_attempt(call: &Span, base_url: Option<&str>) -> Span {
    let made = call.with_subscriber(|(id, subscriber)| {
        with_default(subscriber, || {
            debug_span!(
                target: "modelwire",
                parent: id,
                "attempt",
                base_url,
                address = Empty,
                reused = Empty,
                dns_us = Empty,
                connect_us = Empty,
                tls_us = Empty,
                head_us = Empty,
                first_byte_us = Empty,
                status = Empty,
                kind = Empty,
            )
        })
    });
    made.unwrap_or_else(Span::none)
}

/// Closes the span of an attempt.
pub(crate) fn close_attempt(span: Span, attempt: &AttemptRecord) {
    if span.is_disabled() {
        return;
    }
    span.record("address", attempt.address.map(tracing::field::display));
    span.record("reused", attempt.reused);
    span.record("dns_us", microseconds(attempt.dns));
    span.record("connect_us", microseconds(attempt.connect));
    span.record("tls_us", microseconds(attempt.tls));
    span.record("head_us", microseconds(attempt.head));
    span.record("first_byte_us", microseconds(attempt.first_byte));
    span.record("status", attempt.status);
    span.record("kind", attempt.kind.map(ErrorKind::name));
}

fn microseconds(time: Option<std::time::Duration>) -> Option<u64> {
    time.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}
