//! Answers the pre-flights of the portal's pages (the Fetch standard, section 3.2.2): what a
//! browser asks before it sends a call of a page. Which pages are the portal's is known to
//! `portal.rs`.
//!
//! Each is allowed whatever it asks for, also where its call will be refused: the page can read
//! that refusal only if the call is made.

use tollgate_http1::view::Request;

use crate::exchange::Exchange;
use crate::reply::Reply;
use crate::worker::Worker;

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
pub(crate) fn reply(asked: &PreFlight, worker: &Worker) -> Reply<'static> {
    let mut reply = Reply::own(204, worker.buffer_pool.scratch());
    for (name, value) in asked.answer() {
        reply.push_field(name, value);
    }
    reply.push_field("cache-control", b"no-store");
    reply
}

#[cfg(test)]
mod tests;
