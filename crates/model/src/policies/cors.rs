//! Cross-origin resource sharing of a version (Fetch standard, section 3.2): the web pages that may
//! call it and read its responses.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::field::is_token;
use crate::operation::{METHODS, Method};
use crate::origin;

/// The word for everything.
const ANY: &str = "*";
/// Maximum number of origins.
const ORIGINS_MAX: usize = 100;
/// Maximum number of names in each list of header fields.
pub(crate) const HEADERS_MAX: usize = 100;
/// Maximum time for which browsers may cache the response to a preflight: one day. None of them
/// caches it longer.
const MAX_AGE_S_MAX: u32 = 86_400;
/// Fault of the method `TRACE`.
const NO_TRACE: &str = "browsers do not send TRACE";
/// Fault of an invalid header name.
const HEADER_FORM: &str = "a header name has 1 to 64 letters, digits or \"-\", \"_\" and the like";

/// The web pages that may call a version and read its responses. The gateway answers their
/// preflights, and replaces the CORS fields of the back end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cors {
    /// The origins of the pages, as browsers send them, such as `https://shop.example`; or only
    /// `*` for all.
    #[cfg_attr(feature = "schema", schema(example = json!(["https://shop.example"])))]
    pub origins: Vec<String>,
    /// Whether the portal's pages may call the version, for try-it, whatever the other fields are.
    pub portal: bool,
    /// The methods that pages may use. If absent, those of the operations at the called path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<Method>>,
    /// The header fields that pages may send, besides those that every page may. If absent, the
    /// header of the API key, `Authorization`, `Content-Type`, the header parameters of the
    /// version's document and, for SOAP, `SOAPAction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<String>>,
    /// The header fields of responses that pages may read, besides those that every page may and
    /// those that the gateway adds, such as `RateLimit`, `Retry-After` and `X-Request-Id`.
    pub expose: Vec<String>,
    /// Whether pages may call with the browser's own credentials: cookies, HTTP Basic, client
    /// certificates. Not with `*`.
    pub credentials: bool,
    /// Time for which browsers may cache the response to a preflight, seconds; at most a day.
    #[cfg_attr(feature = "schema", schema(maximum = 86400))]
    pub max_age_s: u32,
}

impl Default for Cors {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            portal: true,
            methods: None,
            headers: None,
            expose: Vec::new(),
            credentials: false,
            max_age_s: 600,
        }
    }
}

impl Cors {
    /// Returns whether pages of all origins may call.
    #[must_use]
    pub fn allows_any_origin(&self) -> bool {
        self.origins.iter().any(|origin| origin == ANY)
    }

    /// Returns all faults; fields are JSON Pointers from the CORS policy.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let is_alone = self.origins.len() == 1;
        let origins = self
            .origins
            .iter()
            .map(|origin| (origin.clone(), origin_fault(origin, is_alone)));
        add_list_faults(&mut faults, "origins", ORIGINS_MAX, origins);
        let methods = self.methods.iter().flatten().map(|method| {
            let is_trace = *method == Method::Trace;
            (method.word().to_owned(), is_trace.then_some(NO_TRACE))
        });
        add_list_faults(&mut faults, "methods", METHODS.len(), methods);
        let headers = self
            .headers
            .iter()
            .flatten()
            .map(|name| (name.to_ascii_lowercase(), header_fault(name)));
        add_list_faults(&mut faults, "headers", HEADERS_MAX, headers);
        let exposed = self
            .expose
            .iter()
            .map(|name| (name.to_ascii_lowercase(), exposed_fault(name)));
        add_list_faults(&mut faults, "expose", HEADERS_MAX, exposed);
        if self.credentials && self.allows_any_origin() {
            let detail = "browsers reject credentials together with \"*\": list the origins";
            faults.push(Fault::new("/credentials", "cors.credentials", detail));
        }
        if self.max_age_s > MAX_AGE_S_MAX {
            let detail = format!("at most {MAX_AGE_S_MAX} seconds, which is a day");
            faults.push(Fault::new("/max_age_s", "cors.max_age_s", detail));
        }
        faults
    }
}

/// Adds the faults of a list with at most `count_max` entries. Each is given as its identity, which
/// no other may have, and its own fault.
fn add_list_faults(
    faults: &mut Vec<Fault>,
    list: &str,
    count_max: usize,
    entries: impl Iterator<Item = (String, Option<&'static str>)>,
) {
    let code = format!("cors.{list}");
    let mut seen = HashSet::new();
    for (index, (identity, fault)) in entries.enumerate() {
        if index == count_max {
            let detail = format!("at most {count_max} entries");
            faults.push(Fault::new(format!("/{list}"), &code, detail));
            return;
        }
        let is_repeated = !seen.insert(identity);
        let fault = fault.or(is_repeated.then_some("it is listed twice"));
        faults.extend(fault.map(|detail| Fault::new(format!("/{list}/{index}"), &code, detail)));
    }
}

fn origin_fault(origin: &str, is_alone: bool) -> Option<&'static str> {
    match origin {
        ANY if is_alone => None,
        ANY => Some("\"*\" allows all origins: list it alone"),
        "null" => Some("null is the origin of every sandboxed page and local file"),
        _ if origin.contains('*') => Some("origins are compared as a whole: list each one"),
        _ => origin::form_fault(origin),
    }
}

/// Returns the fault of a header field for requests, if any: browsers do not let pages set those
/// that the Fetch standard forbids (section 2.2.2), whatever a preflight allows.
pub(crate) fn header_fault(name: &str) -> Option<&'static str> {
    const FORBIDDEN: [&str; 21] = [
        "accept-charset",
        "accept-encoding",
        "connection",
        "content-length",
        "cookie",
        "cookie2",
        "date",
        "dnt",
        "expect",
        "host",
        "keep-alive",
        "origin",
        "referer",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        "access-control-request-headers",
        "access-control-request-method",
    ];
    const BEGINS: [&str; 2] = ["proxy-", "sec-"];
    let lower = name.to_ascii_lowercase();
    let is_forbidden =
        FORBIDDEN.contains(&&*lower) || BEGINS.iter().any(|begin| lower.starts_with(begin));
    match name {
        ANY => Some("list each header: pages may send no others"),
        _ if !is_token(name) => Some(HEADER_FORM),
        _ => is_forbidden.then_some("browsers do not let pages set this header"),
    }
}

/// Returns the fault of a header field of responses, if any (Fetch standard, section 2.2.2).
fn exposed_fault(name: &str) -> Option<&'static str> {
    let is_forbidden = ["set-cookie", "set-cookie2"]
        .iter()
        .any(|forbidden| name.eq_ignore_ascii_case(forbidden));
    match name {
        ANY => Some("list each header"),
        _ if !is_token(name) => Some(HEADER_FORM),
        _ => is_forbidden.then_some("browsers do not let pages read this header"),
    }
}

#[cfg(test)]
mod tests;
