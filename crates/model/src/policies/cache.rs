//! The cache of responses (RFC 9111): which responses of a version's `GET` operations gateways
//! store, for how long, and which callers share them.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::cors::HEADERS_MAX;
use crate::fault::{Fault, pointer_token};
use crate::field::{is_free_header, is_token, plain_name};
use crate::security::{Identity, Security};

/// Longest lifetime of a response: one year, in seconds.
pub const SECONDS_MAX: u32 = 31_536_000;
/// Default maximum size of a stored response, bytes.
pub const ENTRY_BYTES: u64 = 1024 * 1024;
/// Largest maximum that a version may set, bytes.
pub const ENTRY_BYTES_MAX: u64 = 10 * 1024 * 1024;

/// Default time for which callers wait for a call in progress, milliseconds.
const WAIT_MS: u32 = 5_000;
/// Longest such time that a version may set, milliseconds.
const WAIT_MS_MAX: u32 = 60_000;

/// Maximum number of statuses with lifetimes of their own.
const STATUSES_MAX: usize = 200;

/// The cache of responses to `GET`. The upstream gets nothing of a call that is not part of the key
/// of its response, except the fields in `pass`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cache {
    /// Whether responses are stored. `false` exempts operations from the cache of their version.
    pub enabled: bool,
    /// Time for which a response is fresh, seconds; at most a year. If absent, the upstream's
    /// `Cache-Control` and `Expires` state it, and responses without either are not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 31_536_000))]
    pub ttl_s: Option<u32>,
    /// The callers that share a stored response.
    #[cfg_attr(feature = "schema", schema(default = "application"))]
    pub share: Share,
    /// Names of the query parameters that go up and are part of the key; if absent, the whole
    /// query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<Vec<String>>,
    /// Header fields that go up and are part of the key.
    pub headers: Vec<String>,
    /// Header fields that go up without being part of the key, such as a correlation id: the
    /// response must not depend on them.
    pub pass: Vec<String>,
    /// Time after its expiry for which a response is sent while one caller waits for a new one,
    /// seconds. If absent, as the upstream states (RFC 5861, section 3).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 31_536_000))]
    pub stale_while_revalidate_s: Option<u32>,
    /// Time after its expiry for which a response is sent if the upstream fails, seconds. If
    /// absent, as the upstream states (RFC 5861, section 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 31_536_000))]
    pub stale_if_error_s: Option<u32>,
    /// Statuses from 400 on that are stored too, each with the time for which it is fresh, seconds.
    #[cfg_attr(feature = "schema", schema(example = json!({"404": 5})))]
    pub negative_s: BTreeMap<String, u32>,
    /// Maximum size of a stored response, bytes of its head and body.
    #[cfg_attr(
        feature = "schema",
        schema(default = 1_048_576, minimum = 1, maximum = 10_485_760)
    )]
    pub entry_bytes_max: u64,
    /// Time for which callers wait for a call in progress that asks for the same response,
    /// milliseconds; at most half of the time that is left of their exchange. Each time it ends, as
    /// many more of them call the upstream as are on their way. 0: nobody waits.
    #[cfg_attr(feature = "schema", schema(default = 5_000, maximum = 60_000))]
    pub wait_ms: u32,
    /// Whether callers decide by `Cache-Control` in their requests whether a stored response is
    /// good enough for them.
    pub obey_request: bool,
    /// Whether responses describe in `Cache-Status` (RFC 9211) what the cache did.
    pub show_status: bool,
}

/// The callers that share a stored response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Those of the same application; calls without a credential share among themselves.
    #[default]
    Application,
    /// Those of the same user of HTTP Basic; calls without a user go by the cache.
    User,
    /// Those with the same plan.
    Plan,
    /// All.
    All,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            enabled: true,
            ttl_s: None,
            share: Share::default(),
            query: None,
            headers: ["accept", "accept-language"].map(str::to_owned).into(),
            pass: Vec::new(),
            stale_while_revalidate_s: None,
            stale_if_error_s: None,
            negative_s: BTreeMap::new(),
            entry_bytes_max: ENTRY_BYTES,
            wait_ms: WAIT_MS,
            obey_request: false,
            show_status: false,
        }
    }
}

/// What of a version matters for its caches.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'c> {
    /// How the caller is identified to the upstream.
    pub identity: Identity,
    /// How callers authenticate.
    pub security: &'c Security,
    /// The header fields that carry the upstreams' credentials.
    pub presented: &'c [&'c str],
}

impl Cache {
    /// Returns the statuses from 400 on that are stored too, each with its lifetime in seconds.
    pub fn negatives(&self) -> impl Iterator<Item = (u16, u32)> {
        let negatives = self.negative_s.iter();
        negatives.filter_map(|(name, &seconds)| Some((parse_status(name)?, seconds)))
    }

    /// Returns all faults; fields are JSON Pointers from the cache.
    #[must_use]
    pub fn faults(&self, surroundings: Surroundings<'_>) -> Vec<Fault> {
        let mut faults = self.time_faults();
        faults.extend(self.share_faults(surroundings.identity));
        faults.extend(self.query_faults());
        let key = surroundings.security.api_key.as_ref();
        let taken = surroundings.presented.iter().copied();
        let taken = taken.chain(key.map(|key| &*key.header)).map(plain_name);
        let taken: Vec<_> = taken.collect();
        let mut seen = HashSet::new();
        for (list, names) in [("headers", &self.headers), ("pass", &self.pass)] {
            if names.len() > HEADERS_MAX {
                let detail = format!("at most {HEADERS_MAX} entries");
                faults.push(Fault::new(format!("/{list}"), "cache.headers", detail));
                continue;
            }
            for (index, name) in names.iter().enumerate() {
                let fault = header_fault(name, &taken);
                let is_repeated = !seen.insert(plain_name(name));
                let fault = fault.or(is_repeated.then_some("it is listed twice"));
                let field = format!("/{list}/{index}");
                faults.extend(fault.map(|detail| Fault::new(field, "cache.headers", detail)));
            }
        }
        if !(1..=ENTRY_BYTES_MAX).contains(&self.entry_bytes_max) {
            let detail = format!("from 1 to {ENTRY_BYTES_MAX} bytes");
            let fault = Fault::new("/entry_bytes_max", "cache.entry_bytes_max", detail);
            faults.push(fault);
        }
        if self.wait_ms > WAIT_MS_MAX {
            let detail = format!("from 0 to {WAIT_MS_MAX} milliseconds");
            faults.push(Fault::new("/wait_ms", "cache.wait_ms", detail));
        }
        faults
    }

    fn time_faults(&self) -> Vec<Fault> {
        let times = [
            ("ttl_s", self.ttl_s, 1),
            ("stale_while_revalidate_s", self.stale_while_revalidate_s, 0),
            ("stale_if_error_s", self.stale_if_error_s, 0),
        ];
        let times = times.into_iter().filter_map(|(name, seconds, min)| {
            let is_wrong = !(min..=SECONDS_MAX).contains(&seconds?);
            let detail = format!("from {min} to {SECONDS_MAX} seconds, which is a year");
            is_wrong.then(|| Fault::new(format!("/{name}"), &format!("cache.{name}"), detail))
        });
        times.chain(self.negative_faults()).collect()
    }

    fn negative_faults(&self) -> Vec<Fault> {
        if self.negative_s.len() > STATUSES_MAX {
            let detail = format!("at most {STATUSES_MAX} statuses");
            return vec![Fault::new("/negative_s", "cache.negative_s", detail)];
        }
        let faults = self.negative_s.iter().filter_map(|(name, seconds)| {
            let detail = match (parse_status(name), seconds) {
                (Some(401 | 407 | 416 | 429), _) => {
                    "a response with this status is for one call only"
                }
                (Some(400..=599), 1..=SECONDS_MAX) => return None,
                (Some(400..=599), _) => "from 1 to 31536000 seconds, which is a year",
                _ => "a status from 400 to 599",
            };
            let field = format!("/negative_s/{}", pointer_token(name));
            Some(Fault::new(field, "cache.negative_s", detail))
        });
        faults.collect()
    }

    /// Rejects a cache of responses that are for fewer callers than share them.
    fn share_faults(&self, identity: Identity) -> Option<Fault> {
        let (field, detail) = match (identity, self.share) {
            (Identity::Jwt, _) => (
                "",
                "each call has another identity JWT: use identity \"headers\" or none",
            ),
            (Identity::Headers, Share::All) => (
                "/share",
                "the upstream gets the caller's identity, so callers cannot share its responses",
            ),
            _ => return None,
        };
        self.enabled
            .then(|| Fault::new(field, "cache.share", detail))
    }

    fn query_faults(&self) -> Vec<Fault> {
        let names = self.query.as_deref().unwrap_or_default();
        if names.len() > HEADERS_MAX {
            let detail = format!("at most {HEADERS_MAX} entries");
            return vec![Fault::new("/query", "cache.query", detail)];
        }
        let mut seen = HashSet::new();
        let faults = names.iter().enumerate().filter_map(|(index, name)| {
            let detail = match name.len() {
                1..=64 if seen.insert(name) => return None,
                1..=64 => "it is listed twice",
                _ => "a name of a parameter has 1 to 64 bytes",
            };
            let field = format!("/query/{index}");
            Some(Fault::new(field, "cache.query", detail))
        });
        faults.collect()
    }
}

/// Parses a status: three digits.
fn parse_status(name: &str) -> Option<u16> {
    let is_number = name.len() == 3 && name.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| name.parse().ok())?
}

/// Returns why a header field can be neither part of the key nor pass, if so.
fn header_fault(name: &str, taken: &[String]) -> Option<&'static str> {
    const CALLS: [&str; 4] = ["cookie", "authorization", "range", "origin"];
    const ROUTES: [&str; 8] = [
        "forwarded",
        "x-real-ip",
        "x-original-url",
        "x-rewrite-url",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-host",
    ];
    const BEGINS: [&str; 2] = ["x-forwarded-", "x-tollgate-"];
    let plain = plain_name(name);
    let begins = |begins: &[&str]| begins.iter().any(|it| plain.starts_with(it));
    if !is_token(name) {
        return Some("a header name has 1 to 64 letters, digits or \"-\", \"_\" and the like");
    }
    if taken.contains(&plain) {
        return Some("this field carries a credential");
    }
    if CALLS.contains(&&*plain) || begins(&["if-"]) {
        return Some("calls with this field go by the cache, or the cache answers it itself");
    }
    if ROUTES.contains(&&*plain) || begins(&BEGINS) {
        return Some("this field can change which resource a back end responds with");
    }
    if plain == "accept-encoding" {
        return Some("the codings that callers accept are part of each key already");
    }
    let is_sent = ["traceparent", "tracestate", "x-request-id", "via"].contains(&&*plain);
    if is_sent {
        return Some("the gateway sends this field itself");
    }
    let is_free = is_free_header(&plain) && !begins(&["content-"]);
    (!is_free).then_some("this field frames or routes the message")
}

#[cfg(test)]
mod tests;
