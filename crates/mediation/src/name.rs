//! The closed list of names that an expression can read, and how a name is resolved.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// `request.method`
    Method,
    /// `request.path`: as sent, without the query.
    Path,
    /// `request.query["q"]`: the first value, decoded.
    Query,
    /// `request.headers["h"]`: the lines of this name, joined with `, ` (RFC 9110, section 5.2).
    RequestHeader,
    /// `request.id`: the value of `X-Request-Id`.
    RequestId,
    /// `request.address`: the client's address.
    Address,
    /// `path.x`: a parameter of the operation's path, decoded; the rest of a path as sent.
    PathParameter,
    /// `response.status`
    Status,
    /// `response.headers["h"]`: joined like those of a request.
    ResponseHeader,
    /// `body`: the message's JSON.
    Body,
    /// `caller.application`
    Application,
    /// `caller.subscription`
    Subscription,
    /// `caller.plan`
    Plan,
    /// `caller.environment`
    Environment,
    /// `caller.claims.x`: a claim of the caller's token.
    Claim,
    /// `api.name`
    ApiName,
    /// `api.version`
    ApiVersion,
    /// `api.operation`
    Operation,
    /// `var.x`: what a step `let` has set.
    Variable,
    /// `now`: seconds since 1970.
    Now,
    /// `error.code`: the code of a refusal.
    ErrorCode,
    /// `error.status`
    ErrorStatus,
    /// `error.detail`
    ErrorDetail,
    /// A name that the surrounding step defines, such as `$as` of an array's items.
    Local,
}

/// A name that an expression reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    /// Its source.
    pub source: Source,
    /// The key of the header (in lower case), parameter, claim, variable or local; else empty.
    pub key: Box<str>,
}

/// The names that exist where an expression is written. Those of requests, callers and APIs always
/// do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Available<'a> {
    /// `response`: in steps for responses.
    pub response: bool,
    /// `body`: where steps may read the body.
    pub body: bool,
    /// `error`: in steps for the gateway's own refusals.
    pub error: bool,
    /// Names that the surrounding step defines.
    pub locals: &'a [&'a str],
}

/// A row of the list of names.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) source: Source,
    /// Its words, separated by dots.
    pub(crate) path: &'static str,
    pub(crate) key: Key,
    pub(crate) meaning: &'static str,
    /// An example, and its value as JSON.
    pub(crate) example: (&'static str, &'static str),
}

/// The last part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// The name is complete without one.
    No,
    /// A header: case does not matter.
    Header,
    /// Any other.
    Exact,
}

macro_rules! declared {
    ($(
        $source:ident $path:literal $key:ident, $meaning:literal,
        $example:literal => $value:literal;
    )*) => {
        &[$(Declared {
            source: Source::$source,
            path: $path,
            key: Key::$key,
            meaning: $meaning,
            example: ($example, $value),
        }),*]
    };
}

/// All names except locals, in the order of [`Source`].
pub(crate) static NAMES: &[Declared] = declared! {
    Method "request.method" No, "The method.",
        "request.method" => "\"POST\"";
    Path "request.path" No, "The path as the client sent it, without the query.",
        "request.path" => "\"/shop/1.0/orders/42\"";
    Query "request.query" Exact, "A parameter of the query, decoded; the first of several.",
        "request.query[\"lang\"]" => "\"en\"";
    RequestHeader "request.headers" Header,
        "A header, in any case; several lines are joined with `, `.",
        "request.headers[\"Accept\"]" => "\"application/json\"";
    RequestId "request.id" No, "The id of the request, as in `X-Request-Id`.",
        "request.id" => "\"0f8c2a\"";
    Address "request.address" No, "The client's IP address.",
        "request.address" => "\"203.0.113.9\"";
    PathParameter "path" Exact,
        "A parameter of the operation's path, decoded; the rest of a path, `{x*}`, as sent.",
        "path.id" => "\"42\"";
    Status "response.status" No, "The status of the response. In steps for responses.",
        "response.status" => "200";
    ResponseHeader "response.headers" Header,
        "A header of the response, like those of requests. In steps for responses.",
        "response.headers[\"content-type\"]" => "\"application/json\"";
    Body "body" No, "The body of the message, if it is JSON. The step waits for the whole body.",
        "body.items[0].price" => "12.50";
    Application "caller.application" No, "The id of the caller's application.",
        "caller.application" => "\"app_7\"";
    Subscription "caller.subscription" No, "The id of the subscription that the call uses.",
        "caller.subscription" => "\"sub_9\"";
    Plan "caller.plan" No, "The name of the plan that limits the caller.",
        "caller.plan" => "\"gold\"";
    Environment "caller.environment" No, "`production` or `sandbox`, by the credential.",
        "caller.environment" => "\"production\"";
    Claim "caller.claims" Exact, "A claim of the caller's token.",
        "caller.claims.address.country" => "\"DE\"";
    ApiName "api.name" No, "The name of the API.",
        "api.name" => "\"shop\"";
    ApiVersion "api.version" No, "The version of the API.",
        "api.version" => "\"1.0\"";
    Operation "api.operation" No, "Method and path template of the operation.",
        "api.operation" => "\"POST /orders/{id}\"";
    Variable "var" Exact, "A value that an earlier step `let` has set.",
        "var.total" => "25";
    Now "now" No, "The time when the request arrived, in seconds since 1970 (UTC).",
        "now - now % 86400" => "1798156800";
    ErrorCode "error.code" No, "The code of the refusal. In steps for errors.",
        "error.code" => "\"admit.subscription\"";
    ErrorStatus "error.status" No, "The status of the refusal. In steps for errors.",
        "error.status" => "429";
    ErrorDetail "error.detail" No, "The sentence that explains the refusal. In steps for errors.",
        "error.detail" => "\"the plan allows 60 calls per minute\"";
};

impl Source {
    pub(crate) fn declared(self) -> Option<&'static Declared> {
        NAMES.get(self as usize)
    }
}

impl Available<'_> {
    /// Returns why a source does not exist here, if so.
    pub(crate) fn refuse(&self, declared: &Declared) -> Option<String> {
        let (root, _) = declared.path.split_once('.').unwrap_or((declared.path, ""));
        let (is_available, place) = match root {
            "response" => (self.response, "only known in steps for responses"),
            "error" => (self.error, "only known in steps for errors"),
            "body" => (self.body, "not available here"),
            _ => return None,
        };
        (!is_available).then(|| format!("`{root}` is {place}"))
    }
}

impl Name {
    /// Whether this is the body of the message.
    pub(crate) fn is_body(&self) -> bool {
        self.source == Source::Body
    }

    pub(crate) fn local(key: &str) -> Self {
        Self {
            source: Source::Local,
            key: key.into(),
        }
    }

    pub(crate) fn new(declared: &Declared, key: &str) -> Self {
        let key = match declared.key {
            Key::No => Box::default(),
            Key::Header => key.to_ascii_lowercase().into(),
            Key::Exact => key.into(),
        };
        Self {
            source: declared.source,
            key,
        }
    }
}

/// The name as written in an expression.
impl Display for Name {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.source.declared() {
            None => formatter.write_str(&self.key),
            Some(declared) if declared.key == Key::No => formatter.write_str(declared.path),
            Some(declared) => write!(formatter, "{}[{:?}]", declared.path, self.key),
        }
    }
}

/// Returns the candidate nearest to a word, if it takes at most two edits, and one for each three
/// bytes.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    let distances = candidates.map(|candidate| (edits(word, candidate), candidate));
    let nearest = distances.min_by_key(|it| it.0)?;
    (nearest.0 <= 2 && nearest.0 * 3 <= word.len()).then_some(nearest.1)
}

/// Returns the number of insertions, deletions and substitutions between two words (Levenshtein).
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, left) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, right) in other.bytes().enumerate() {
            let substituted = diagonal + usize::from(left != right);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
