//! CORS of a version, prepared as field lines (Fetch standard, section 3.2). Pages of the portal
//! have their own (`wire/portal.rs`), unless the version leaves them out.

use std::sync::Arc;

use tollgate_http1::compose::push_field;
use tollgate_model::feed::ServedCors;

/// The header fields that the gateway adds to responses, besides those that every page may read.
const EXPOSED: &str = "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate, \
                       Allow, ETag, Deprecation, Sunset, Link, X-RateLimit-Limit, \
                       X-RateLimit-Remaining, X-RateLimit-Reset";

/// Keeps caches from returning a response for one origin to pages of another.
const VARY: &[u8] = b"vary: Origin\r\n";

/// The web pages that may call a version, by origin.
#[derive(Debug)]
pub(crate) struct Cors {
    /// Whether the portal's pages may call it as they may call any other.
    pub(crate) leaves_portal: bool,
    /// Sorted by origin.
    listed: Box<[Listed]>,
    /// For all other requests, also those without an origin.
    others: Arc<Sharing>,
}

/// An allowed origin.
#[derive(Debug)]
struct Listed {
    origin: Box<[u8]>,
    sharing: Arc<Sharing>,
}

/// What the pages of an origin may do.
#[derive(Debug)]
pub(crate) struct Sharing {
    /// The CORS field lines of every response.
    pub(crate) lines: Box<[u8]>,
    /// What preflights allow; `None` if they are refused.
    pub(crate) preflight: Option<Arc<Preflight>>,
}

/// What preflights allow.
#[derive(Debug)]
pub(crate) struct Preflight {
    /// A bit for each of [`METHODS`](tollgate_model::api::METHODS).
    pub(crate) methods: u8,
    /// The other field lines of the response.
    pub(crate) lines: Box<[u8]>,
}

impl Cors {
    pub(crate) fn new(served: &ServedCors) -> Self {
        let preflight = Arc::new(Preflight::new(served));
        let mut shared = Vec::new();
        if served.credentials {
            push_field(&mut shared, "access-control-allow-credentials", b"true");
        }
        let exposed = served.expose.iter().map(String::as_str);
        let exposed: Vec<_> = std::iter::once(EXPOSED).chain(exposed).collect();
        let exposed = exposed.join(", ");
        push_field(
            &mut shared,
            "access-control-expose-headers",
            exposed.as_bytes(),
        );
        let allowed = |origin: &str, vary: &[u8]| {
            let mut lines = Vec::new();
            push_field(&mut lines, "access-control-allow-origin", origin.as_bytes());
            lines.extend_from_slice(&shared);
            lines.extend_from_slice(vary);
            Arc::new(Sharing {
                lines: lines.into(),
                preflight: Some(Arc::clone(&preflight)),
            })
        };
        let listed = served.origins.iter().flatten();
        let listed = listed.map(|origin| Listed {
            origin: origin.as_bytes().into(),
            sharing: allowed(origin, VARY),
        });
        Self {
            leaves_portal: served.portal,
            listed: listed.collect(),
            others: match served.origins {
                None => allowed("*", b""),
                Some(_) => Arc::new(Sharing {
                    lines: VARY.into(),
                    preflight: None,
                }),
            },
        }
    }

    /// What the pages of an origin may do; the origin is `None` for a request without one.
    pub(crate) fn sharing(&self, origin: Option<&[u8]>) -> &Arc<Sharing> {
        let find = |origin| self.listed.binary_search_by(|it| (*it.origin).cmp(origin));
        let found = origin.and_then(|origin| find(origin).ok());
        found.map_or(&self.others, |at| &self.listed[at].sharing)
    }
}

impl Preflight {
    fn new(served: &ServedCors) -> Self {
        let mut lines = Vec::new();
        if !served.headers.is_empty() {
            let headers = served.headers.join(", ");
            push_field(
                &mut lines,
                "access-control-allow-headers",
                headers.as_bytes(),
            );
        }
        let max_age_s = served.max_age_s.to_string();
        push_field(&mut lines, "access-control-max-age", max_age_s.as_bytes());
        let methods = served.methods.iter();
        Self {
            methods: methods.fold(0, |bits, &method| bits | 1 << method as u8),
            lines: lines.into(),
        }
    }
}

#[cfg(test)]
mod tests;
