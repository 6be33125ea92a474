//! What surrounds every request: its id, the caller's address behind trusted proxies, the check of
//! its host, origin and credential, the security headers, the rendering of problems, 304 for what
//! the caller has already, and a handler that runs to its end.
//!
//! A handler runs in a task of its own: a caller who hangs up cannot stop it between the store
//! and the feed, and a panic becomes an answer.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use tollgate_fetch::Hops;
use tollgate_model::scheme::UriScheme;

use crate::bodies::Reading;
use crate::error::Problem;
use crate::hosts;
use crate::pages;
use crate::peer::{Peer, Via};
use crate::random;
use crate::state::Control;

/// The header that carries a request's id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What proxies write about the callers before them.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Sent with every answer: nothing of it is a page, a script or fit for a cache.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// Puts the frame around routes; unknown paths and methods are answered inside it.
pub(crate) fn around(routes: Router<Control>, control: Control) -> Router {
    routes
        .fallback(pages::show)
        .method_not_allowed_fallback(unknown_method)
        .layer(middleware::from_fn_with_state(control.clone(), frame))
        .with_state(control)
}

async fn frame(State(control): State<Control>, mut request: Request, next: Next) -> Response {
    let id = request_id();
    request.extensions_mut().insert(control.clone());
    find_caller(&control, &mut request);
    let via = request.extensions().get().copied();
    let known = known_tags(&request);
    let checked = control.hosts.check(&request, via);
    let mut answer = match checked.and_then(|()| one_credential(&request)) {
        Ok(()) => match https_url(&control, &request, via) {
            Some(url) => Redirect::permanent(&url).into_response(),
            None => to_the_end(request, next).await,
        },
        Err(problem) => problem.into_response(),
    };
    if let Some(problem) = answer.extensions_mut().remove::<Problem>() {
        if let Some(cause) = problem.cause() {
            let code = problem.code();
            tracing::error!(request_id = %id, code, cause, "a request failed inside: {cause}");
        }
        *answer.body_mut() = Body::from(problem.render(&id));
    }
    if known.is_some_and(|known| is_known(&known, &answer)) {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        *answer.body_mut() = Body::empty();
        answer.headers_mut().remove(header::CONTENT_TYPE);
        answer.headers_mut().remove(header::CONTENT_ENCODING);
    }
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(value);
    }
    if control.hsts && matches!(via, Some(Via(UriScheme::Https))) {
        let value = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, value);
    }
    let id = HeaderValue::try_from(id).expect("hexadecimal digits");
    headers.insert(REQUEST_ID, id);
    answer
}

/// Puts the caller's address and scheme in place of a trusted proxy's.
fn find_caller(control: &Control, request: &mut Request) {
    let Some(&Peer(peer)) = request.extensions().get() else {
        return;
    };
    if !control.trusted_proxies.contain(peer) {
        return;
    }
    let lines = request.headers().get_all(FORWARDED_FOR).iter();
    let from_last = lines.rev().map(HeaderValue::as_bytes);
    let hops = Hops::behind(peer, &control.trusted_proxies, from_last);
    let caller = Peer(hops.caller());
    let told = request
        .headers()
        .get_all(FORWARDED_PROTO)
        .iter()
        .next_back();
    let via = told.and_then(|told| UriScheme::told_last(told.as_bytes()));
    request.extensions_mut().insert(caller);
    if let Some(scheme) = via {
        request.extensions_mut().insert(Via(scheme));
    }
}

/// Where a plain request is sent on to, if it is: probes of the process's health are not.
fn https_url(control: &Control, request: &Request, via: Option<Via>) -> Option<String> {
    let port = control.redirect_port?;
    let is_probe = matches!(request.uri().path(), "/healthz" | "/readyz");
    if is_probe || !matches!(via, Some(Via(UriScheme::Http))) {
        return None;
    }
    let host = hosts::authority(request.uri(), request.headers())?;
    let url = UriScheme::https_url(host.as_str(), port)?;
    let target = request.uri().path_and_query()?;
    Some(format!("{url}{target}"))
}

/// The entity tags that the caller has already, of a request that reads.
fn known_tags(request: &Request) -> Option<HeaderValue> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let tags = request.headers().get(header::IF_NONE_MATCH);
    tags.filter(|_| is_read).cloned()
}

/// Whether an answer is one of those that the caller has, by weak comparison (RFC 9110, section
/// 13.1.2). The handler has run: whether the caller may see it is known.
fn is_known(known: &HeaderValue, answer: &Response) -> bool {
    let tag = answer.headers().get(header::ETAG);
    let (Some(tag), Ok(known)) = (tag.and_then(|it| it.to_str().ok()), known.to_str()) else {
        return false;
    };
    let mut known = known.split(',').map(str::trim);
    answer.status() == StatusCode::OK
        && known.any(|it| it == "*" || it.trim_start_matches("W/") == tag.trim_start_matches("W/"))
}

/// Refuses two credentials: which of them counts would be a guess, and `Authorization` is no list
/// (RFC 9110, section 11.6.2).
fn one_credential(request: &Request) -> Result<(), Problem> {
    let values = request.headers().get_all(header::AUTHORIZATION);
    // The key manager has errors of its own (RFC 6749, section 5.2).
    if values.iter().count() <= 1 || request.uri().path().starts_with("/oauth2/") {
        return Ok(());
    }
    let detail = "Authorization may be sent once";
    let status = StatusCode::BAD_REQUEST;
    Err(Problem::new(status, "authorization.repeated", detail))
}

async fn to_the_end(request: Request, next: Next) -> Response {
    // The body counts for as long as its handler may keep it, also once the caller has left.
    let reading = request.extensions().get::<Arc<Reading>>().cloned();
    let answer = async move {
        let answer = next.run(request).await;
        drop(reading);
        answer
    };
    match tokio::spawn(answer).await {
        Ok(answer) => answer,
        Err(error) => Problem::internal(&error).into_response(),
    }
}

/// 32 hexadecimal digits. Where the machine has no randomness, zeros: the answer still goes out.
fn request_id() -> String {
    let bytes = random::bytes().unwrap_or_default();
    format!("{:032x}", u128::from_be_bytes(bytes))
}

async fn unknown_method() -> Problem {
    let detail = "this path does not take this method; Allow names those that it takes";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "route.method", detail)
}

#[cfg(test)]
mod tests;
