//! The portals' pages and files, served at paths that the HTTP API does not have.
//!
//! The page is the same for every path, since the portals do their own routing. Browsers
//! (`Accept: text/html`) get it at any path; programs that accept anything, such as curl, only
//! where the portals have pages. So a program that requests a wrong path gets a problem.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tollgate_portal::File;

use crate::error::Problem;
use crate::gateways::{Asked, GatewayUrls};
use crate::headers::names;
use crate::random;
use crate::state::Control;

/// Paths of the HTTP API, the key manager and probes, which never serve a page.
const NO_PAGES: [&str; 5] = ["/api", "/oauth2", "/.well-known", "/healthz", "/readyz"];

/// First segments of the paths of pages (`portal/src/routes.tsx`).
const PAGES: [&str; 8] = [
    "",
    "account",
    "admin",
    "apis",
    "applications",
    "explain",
    "publish",
    "sign-in",
];

/// One year: the name of a file changes with its content (RFC 8246).
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Responds to requests that match no route.
pub(crate) async fn show(
    State(control): State<Control>,
    asked: Asked,
    request: Request,
) -> Response {
    let path = request.uri().path();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_api = NO_PAGES.iter().any(|it| is_at_or_below(it, path));
    if !is_read || is_api {
        return unknown_path().into_response();
    }
    if let Some(file) = tollgate_portal::file(&path[1..]) {
        return file_response(file, request.headers()).unwrap_or_else(IntoResponse::into_response);
    }
    // Everything below the folder of files is a file: an unknown one is missing, not a page.
    let headers = request.headers();
    let gets_page = wants_page(headers) || is_page(path) && accepts_anything(headers);
    if path.starts_with("/assets/") || !gets_page {
        return unknown_path().into_response();
    }
    page(&control.gateways.urls(&asked)).unwrap_or_else(IntoResponse::into_response)
}

fn unknown_path() -> Problem {
    let detail = "no such path; /api/v1/openapi.json lists all paths";
    Problem::new(StatusCode::NOT_FOUND, "route.unknown", detail)
}

fn is_at_or_below(above: &str, path: &str) -> bool {
    let rest = path.strip_prefix(above);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether the client accepts HTML by name, as browsers do for an opened address.
fn wants_page(headers: &HeaderMap) -> bool {
    names(headers, header::ACCEPT, "text/html")
}

/// Returns whether the portals have pages at paths that begin like this one.
fn is_page(path: &str) -> bool {
    let first = path.split('/').nth(1);
    first.is_some_and(|first| PAGES.contains(&first))
}

/// Returns whether the client names no media type: `Accept` is `*/*` or missing.
fn accepts_anything(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(header::ACCEPT).iter();
    lines.all(|line| line.to_str().is_ok_and(|line| line.trim() == "*/*"))
}

fn file_response(file: &File, headers: &HeaderMap) -> Result<Response, Problem> {
    let accepts = |coding| names(headers, header::ACCEPT_ENCODING, coding);
    let coded = file.codings().find(|&(coding, _)| accepts(coding));
    let body = match coded {
        Some((_, bytes)) => Body::from(bytes),
        None => Body::from(file.plain().map_err(|it| Problem::internal(&it))?),
    };
    let mut answer = Response::new(body);
    let fields = answer.headers_mut();
    let content_type = HeaderValue::from_static(file.content_type());
    fields.insert(header::CONTENT_TYPE, content_type);
    fields.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some((coding, _)) = coded {
        fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    if file.is_immutable() {
        fields.insert(header::CACHE_CONTROL, IMMUTABLE);
    }
    Ok(answer)
}

/// Returns the page, with a nonce of its own (CSP Level 3, section 7.1).
fn page(gateways: &GatewayUrls) -> Result<Response, Problem> {
    let nonce = format!("{:032x}", u128::from_be_bytes(random::bytes()?));
    let policy = policy(&nonce, gateways);
    let policy = HeaderValue::try_from(policy).map_err(|it| Problem::internal(&it))?;
    let mut answer = Response::new(Body::from(tollgate_portal::page(&nonce)));
    let fields = answer.headers_mut();
    let content_type = HeaderValue::from_static("text/html; charset=utf-8");
    fields.insert(header::CONTENT_TYPE, content_type);
    fields.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(answer)
}

/// Returns the page's policy: it may run its own files and connect to its own origin and the
/// gateways, nothing else.
fn policy(nonce: &str, gateways: &GatewayUrls) -> String {
    let origins = gateways.origins();
    let origins = origins
        .map(|origin| format!(" {origin}"))
        .collect::<String>();
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data:; connect-src 'self'{origins}; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

#[cfg(test)]
mod tests;
