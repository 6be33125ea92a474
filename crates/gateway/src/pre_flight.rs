//! Responds to CORS preflight requests of the portal's pages (Fetch standard, section 3.2.2).
//! `portal.rs` knows the portal's origins.
//!
//! Every preflight is allowed, even if the call itself will be refused: a page can read that
//! refusal only if it makes the call.

use tollgate_http1::view::Request;

use crate::exchange::Exchange;
use crate::reply::Reply;
use crate::worker::Worker;

/// Seconds for which a browser caches a preflight response.
const MAX_AGE_S: &[u8] = b"600";

/// The method and fields requested by a preflight.
#[derive(Debug)]
pub(crate) struct PreFlight {
    method: Vec<u8>,
    fields: Option<Vec<u8>>,
}

impl PreFlight {
    /// Parses the request, if it is a preflight of a portal page.
    pub(crate) fn parse(exchange: &Exchange<'_>) -> Option<Self> {
        match exchange.is_for_portal() {
            true => Self::parse_head(exchange.head()),
            false => None,
        }
    }

    fn parse_head(head: Request<'_>) -> Option<Self> {
        if head.method() != b"OPTIONS" {
            return None;
        }
        let value = |name: &[u8]| head.lines().named(name).next().map(<[u8]>::to_vec);
        Some(Self {
            method: value(b"access-control-request-method")?,
            fields: value(b"access-control-request-headers"),
        })
    }

    /// The fields of its response: everything requested is allowed.
    fn answer(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        let fields = self.fields.iter();
        let fields = fields.map(|it| ("access-control-allow-headers", &**it));
        let method = ("access-control-allow-methods", &*self.method);
        let age = ("access-control-max-age", MAX_AGE_S);
        [method, age].into_iter().chain(fields)
    }
}

/// Builds the response to a preflight.
pub(crate) fn reply(preflight: &PreFlight, worker: &Worker) -> Reply<'static> {
    let mut reply = Reply::own(204, worker.buffer_pool.scratch());
    for (name, value) in preflight.answer() {
        reply.push_field(name, value);
    }
    reply.push_field("cache-control", b"no-store");
    reply
}

#[cfg(test)]
mod tests;
