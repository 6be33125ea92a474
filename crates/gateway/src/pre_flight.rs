//! Responds to CORS preflight requests (Fetch standard, section 3.2.2): those of the portal's
//! pages, and those for versions with CORS.
//!
//! Every preflight of the portal is allowed, even if the call itself will be refused: a page can
//! read that refusal only if it makes the call. A version allows what it lists.

use tollgate_http1::view::Request;
use tollgate_model::record::AnsweredBy;
use tollgate_model::refusal::Refusal;

use crate::exchange::Exchange;
use crate::refusal::{Refused, push_methods};
use crate::reply::Reply;

/// Seconds for which a browser caches a preflight response to a portal page.
const MAX_AGE_S: &[u8] = b"600";

/// Builds the response to a preflight; `refused` is the outcome of `route`, if it refused the
/// request.
///
/// # Errors
/// [`Refusal::Cors`] if the version does not list the page's origin.
pub(crate) fn reply(
    refused: Option<&Refused>,
    exchange: &Exchange<'_>,
) -> Result<Reply<'static>, Refused> {
    let reply = Reply::own(204, exchange.worker().buffer_pool.scratch());
    let mut reply = reply.with_source(AnsweredBy::Preflight);
    if let Some(sharing) = exchange.sharing() {
        let preflight = sharing.preflight.as_ref().ok_or(Refusal::Cors)?;
        // If `route` found no methods, the page has to read the reason in the response to its call.
        let methods = refused.and_then(Refused::allowed).unwrap_or(u8::MAX);
        let methods = preflight.methods & methods;
        push_methods(&mut reply.head, "access-control-allow-methods", methods);
        reply.head.extend_from_slice(&preflight.lines);
    } else {
        for (name, value) in requested(exchange.head()) {
            reply.push_field(name, value);
        }
    }
    reply.push_field("cache-control", b"no-store");
    Ok(reply)
}

/// The fields of the response to a portal page: everything requested is allowed.
fn requested(head: Request<'_>) -> impl Iterator<Item = (&'static str, &[u8])> {
    let value = |name: &[u8]| head.lines().named(name).next();
    let method = value(b"access-control-request-method");
    let method = method.map(|it| ("access-control-allow-methods", it));
    let fields = value(b"access-control-request-headers");
    let fields = fields.map(|it| ("access-control-allow-headers", it));
    let age = ("access-control-max-age", MAX_AGE_S);
    method.into_iter().chain([age]).chain(fields)
}

#[cfg(test)]
mod tests;
