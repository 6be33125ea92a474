//! Responses that the gateway makes itself before routing: health checks of load balancers,
//! redirects to HTTPS, and the key set that upstreams verify identity JWTs with. None of them is
//! recorded.

use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_model::scheme::UriScheme;

use crate::exchange::Exchange;
use crate::reply::{Body, Reply};
use crate::worker::Worker;
use crate::worker::identities;

/// Path of the key set that upstreams verify identity JWTs with. No API's context has a segment
/// that begins with a dot.
const KEYS_PATH: &[u8] = b"/.well-known/jwks.json";

/// A response that the gateway makes itself.
#[derive(Debug)]
pub(crate) enum Local {
    Health,
    /// The key set that upstreams verify identity JWTs with.
    Keys,
    /// To this URL; 400 if none can be derived from the request.
    Redirect(Option<String>),
}

/// Returns the local response for a request, if there is one.
pub(crate) fn find(exchange: &Exchange<'_>) -> Option<Local> {
    let (settings, head) = (&exchange.worker().settings, exchange.head());
    let asks_for_keys = head.target() == KEYS_PATH;
    if settings.health_path.is_none() && settings.redirect_port.is_none() && !asks_for_keys {
        return None;
    }
    let is_read = matches!(head.method(), b"GET" | b"HEAD");
    if is_read && asks_for_keys {
        return Some(Local::Keys);
    }
    if is_read && settings.health_path.as_deref().map(str::as_bytes) == Some(head.target()) {
        return Some(Local::Health);
    }
    let port = settings.redirect_port?;
    if exchange.peer().scheme(head) == UriScheme::Https {
        return None;
    }
    Some(Local::Redirect(https_url(head, port)))
}

/// The request's URL with the scheme `https`.
fn https_url(head: Request<'_>, port: u16) -> Option<String> {
    let host = std::str::from_utf8(head.lines().first(Known::Host)?).ok()?;
    let target = std::str::from_utf8(head.target()).ok()?;
    let url = UriScheme::https_url(host, port)?;
    target.starts_with('/').then(|| format!("{url}{target}"))
}

/// Builds the response.
pub(crate) fn reply(local: Local, worker: &Worker) -> Reply<'static> {
    worker.count_unrecorded(|counts| match local {
        Local::Health => counts.health += 1,
        Local::Keys => counts.keys += 1,
        Local::Redirect(_) => counts.redirects += 1,
    });
    let own = |status| Reply::own(status, worker.buffer_pool.scratch());
    let mut reply = match local {
        Local::Keys => {
            let mut reply = own(200);
            reply.push_field("content-type", b"application/jwk-set+json");
            reply.with_body(Body::Bytes(identities::keys().into_bytes().into()))
        }
        Local::Health => {
            // Load balancers should choose another gateway.
            let (status, body) = match worker.is_draining() {
                true => (503, "stopping\n"),
                false => (200, "ok\n"),
            };
            let mut reply = own(status);
            reply.push_field("content-type", b"text/plain");
            reply.with_body(Body::Bytes(body.as_bytes().into()))
        }
        Local::Redirect(Some(url)) => {
            let mut reply = own(308);
            reply.push_field("location", url.as_bytes());
            reply
        }
        Local::Redirect(None) => own(400),
    };
    reply.push_field("cache-control", b"no-store");
    reply
}
