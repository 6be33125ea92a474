//! Answers the pre-flights of the portal's pages (the Fetch standard, section 3.2.2): what a
//! browser asks before it sends a call of a page. Which pages are the portal's is known to
//! `portal.rs`.
//!
//! Each is allowed whatever it asks for, also where its call will be refused: the page can read
//! that refusal only if the call is made.

use tollgate_http1::view::Request;

use crate::answer_head::AnswerHead;
use crate::exchange::Exchange;
use crate::record::RecordBuilder;

/// No content: an answer of this status has no length (RFC 9110, section 8.6).
const STATUS: u16 = 204;
/// Seconds for which a browser remembers what a pre-flight said.
const MAX_AGE_S: &[u8] = b"600";

/// What a pre-flight asks for: a method, and fields.
#[derive(Debug)]
pub(crate) struct PreFlight {
    method: Vec<u8>,
    fields: Option<Vec<u8>>,
}

impl PreFlight {
    /// What a request asks for, if it is a pre-flight of one of the portal's pages.
    pub(crate) fn of(exchange: &Exchange<'_>) -> Option<Self> {
        match exchange.is_for_portal() {
            true => Self::asked(exchange.head()),
            false => None,
        }
    }

    fn asked(head: Request<'_>) -> Option<Self> {
        if head.method() != b"OPTIONS" {
            return None;
        }
        let value = |name: &[u8]| head.lines().named(name).next().map(<[u8]>::to_vec);
        Some(Self {
            method: value(b"access-control-request-method")?,
            fields: value(b"access-control-request-headers"),
        })
    }

    /// The fields of its answer: all is allowed that is asked for.
    fn answer(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        let fields = self.fields.iter();
        let fields = fields.map(|it| ("access-control-allow-headers", &**it));
        let method = ("access-control-allow-methods", &*self.method);
        let age = ("access-control-max-age", MAX_AGE_S);
        [method, age].into_iter().chain(fields)
    }
}

/// Answers a pre-flight.
pub(crate) async fn give(
    asked: PreFlight,
    exchange: &mut Exchange<'_>,
    out: &mut Vec<u8>,
    record: &mut RecordBuilder,
) {
    record.status(STATUS);
    exchange.begin_body();
    let mut head = AnswerHead::own(out, STATUS);
    for (name, value) in asked.answer() {
        head.field(name, value);
    }
    head.field("cache-control", b"no-store");
    exchange.end_head(head);
    exchange.give(out, b"", record).await;
}

#[cfg(test)]
mod tests;
