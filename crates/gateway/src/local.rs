//! What the gateway answers by itself before any API is looked for: health checks of balancers,
//! redirects to HTTPS, and the key set that upstreams verify identity JWTs with. None of it is
//! recorded.

use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_model::scheme::UriScheme;

use crate::answer_head::AnswerHead;
use crate::exchange::Exchange;
use crate::identities;
use crate::record::RecordBuilder;
use crate::worker::Worker;

/// Path of the key set that upstreams verify identity JWTs with. No API's context has a segment
/// that begins with a dot.
const KEYS_PATH: &[u8] = b"/.well-known/jwks.json";

/// An answer of the gateway's own.
#[derive(Debug)]
pub(crate) enum Local {
    Health,
    /// The key set that upstreams verify identity JWTs with.
    Keys,
    /// To this URL; 400 where the request tells none.
    Redirect(Option<String>),
}

/// Whether a request is answered here.
pub(crate) fn find(exchange: &Exchange<'_>, worker: &Worker) -> Option<Local> {
    let (settings, head) = (&worker.settings, exchange.head());
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

/// What a request asks for, as an `https` URL.
fn https_url(head: Request<'_>, port: u16) -> Option<String> {
    let host = std::str::from_utf8(head.lines().first(Known::Host)?).ok()?;
    let target = std::str::from_utf8(head.target()).ok()?;
    let url = UriScheme::https_url(host, port)?;
    target.starts_with('/').then(|| format!("{url}{target}"))
}

/// Gives it.
pub(crate) async fn give(
    local: Local,
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) {
    let keys;
    let (status, body): (_, &[u8]) = match &local {
        Local::Keys => {
            keys = identities::keys();
            (200, keys.as_bytes())
        }
        // Balancers should turn to another gateway.
        Local::Health if worker.is_draining() => (503, b"stopping\n"),
        Local::Health => (200, b"ok\n"),
        Local::Redirect(Some(_)) => (308, b""),
        Local::Redirect(None) => (400, b""),
    };
    exchange.begin_body();
    let mut out = worker.buffer_pool.scratch();
    let mut head = AnswerHead::own(&mut out, status);
    match &local {
        Local::Health => head.field("content-type", b"text/plain"),
        Local::Keys => head.field("content-type", b"application/jwk-set+json"),
        Local::Redirect(Some(url)) => head.field("location", url.as_bytes()),
        Local::Redirect(None) => {}
    }
    head.field("cache-control", b"no-store");
    head.length(body.len() as u64);
    exchange.end_head(head);
    let body = if exchange.is_head() { b"" } else { body };
    exchange.give(&out, body, record).await;
}
