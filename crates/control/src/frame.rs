//! The middleware around all routes: assigns the request id, finds the caller's address behind
//! trusted proxies, checks host, origin and credential, adds security headers, renders problems,
//! responds with 304 to conditional requests, and runs handlers to completion.
//!
//! A handler runs in a separate task: a client that disconnects cannot stop it between the store
//! and the feed, and a panic becomes an error response.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
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
use crate::watch::{AnswerObserver, ObservedAnswer};

/// Header with the request's id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Headers in which proxies forward the client's address and scheme.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Default headers of every response, which is no page or script and must not be cached.
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

/// Wraps the routes in the middleware, including the responses for unknown paths and methods.
pub(crate) fn around(routes: Router<Control>, control: Control) -> Router {
    routes
        .fallback(pages::show)
        .method_not_allowed_fallback(unknown_method)
        .layer(middleware::from_fn_with_state(control.clone(), frame))
        .with_state(control)
}

async fn frame(State(control): State<Control>, request: Request, next: Next) -> Response {
    let Some(watch) = &control.watch else {
        return answer(control, request, next).await;
    };
    let mut observing = Observing {
        observer: Arc::clone(&watch.observer),
        began: Instant::now(),
        method: request.method().clone(),
        path: request.extensions().get().cloned(),
        status: None,
    };
    let answer = answer(control, request, next).await;
    observing.status = Some(answer.status());
    answer
}

/// A request that is reported to the observer once this is dropped: when its response is complete,
/// or when the client has disconnected.
struct Observing {
    observer: Arc<dyn AnswerObserver>,
    began: Instant,
    method: Method,
    path: Option<MatchedPath>,
    status: Option<StatusCode>,
}

impl Drop for Observing {
    fn drop(&mut self) {
        self.observer.answered(ObservedAnswer {
            method: &self.method,
            path: self.path.as_ref().map(MatchedPath::as_str),
            status: self.status,
            took: self.began.elapsed(),
        });
    }
}

async fn answer(control: Control, mut request: Request, next: Next) -> Response {
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
            tracing::error!(request_id = %id, code, cause, "a request failed: {cause}");
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

/// Replaces the address and scheme of a trusted proxy by those of the client.
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
    let proto = request
        .headers()
        .get_all(FORWARDED_PROTO)
        .iter()
        .next_back();
    let via = proto.and_then(|value| UriScheme::told_last(value.as_bytes()));
    request.extensions_mut().insert(caller);
    if let Some(scheme) = via {
        request.extensions_mut().insert(Via(scheme));
    }
}

/// Returns the HTTPS URL that a plain HTTP request is redirected to, if enabled. Health probes are
/// not redirected.
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

/// Returns `If-None-Match` of a GET or HEAD request.
fn known_tags(request: &Request) -> Option<HeaderValue> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let tags = request.headers().get(header::IF_NONE_MATCH);
    tags.filter(|_| is_read).cloned()
}

/// Whether the client has the response already, by weak comparison (RFC 9110, section 13.1.2). Must
/// run after the handler, which checks whether the caller may read it.
fn is_known(known: &HeaderValue, answer: &Response) -> bool {
    let tag = answer.headers().get(header::ETAG);
    let (Some(tag), Ok(known)) = (tag.and_then(|it| it.to_str().ok()), known.to_str()) else {
        return false;
    };
    let mut known = known.split(',').map(str::trim);
    answer.status() == StatusCode::OK
        && known.any(|it| it == "*" || it.trim_start_matches("W/") == tag.trim_start_matches("W/"))
}

/// Rejects several `Authorization` headers: the intended one is unknown, and the field is no list
/// (RFC 9110, section 11.6.2).
fn one_credential(request: &Request) -> Result<(), Problem> {
    let values = request.headers().get_all(header::AUTHORIZATION);
    // The key manager sends its own errors (RFC 6749, section 5.2).
    if values.iter().count() <= 1 || request.uri().path().starts_with("/oauth2/") {
        return Ok(());
    }
    let detail = "send the Authorization header only once";
    let status = StatusCode::BAD_REQUEST;
    Err(Problem::new(status, "authorization.repeated", detail))
}

async fn to_the_end(request: Request, next: Next) -> Response {
    // The body counts as long as its handler may keep it, even if the client has disconnected.
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

/// Returns 32 hexadecimal digits; zeros if randomness is unavailable, so that the response is still
/// sent.
fn request_id() -> String {
    let bytes = random::bytes().unwrap_or_default();
    format!("{:032x}", u128::from_be_bytes(bytes))
}

async fn unknown_method() -> Problem {
    let detail = "this path does not support the method; Allow lists the supported ones";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "route.method", detail)
}

#[cfg(test)]
mod tests;
