//! The fields of a line, declared once: their names in JSON and in templates, and the reference
//! page, come from here.

use std::fmt::Display;
use std::net::Ipv6Addr;

use tollgate_model::call_text::CallText;
use tollgate_model::record::{CacheUse, Flags, Record, request_id};

use super::names::LineNames;
use super::secrets::{self, Secrets};

/// A call, as its line is written from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) record: &'c Record,
    /// The upper half of its request id.
    pub(super) worker: u64,
    /// `None` if its texts were lost.
    pub(super) texts: Option<CallText<'c>>,
    /// `None` if its version is unknown, or no longer served.
    pub(super) names: Option<&'c LineNames>,
    /// The parameters to hide; `None` if they are unknown, then lines have no queries.
    pub(super) secrets: Option<&'c Secrets>,
}

/// The value of a field.
pub(super) enum Value<'c> {
    /// Text of the caller, or a name: any bytes, to be escaped.
    Text(&'c [u8]),
    /// Like [`Self::Text`], made for this line.
    Made(Vec<u8>),
    /// A word of the program itself; it needs no escaping.
    Word(&'static str),
    /// An id or an address, which needs no escaping.
    Id(&'c dyn Display),
    Address(Ipv6Addr),
    RequestId(u128),
    Number(u64),
    /// A time span, written in milliseconds with three decimals.
    Microseconds(u32),
    /// Only written if it is true.
    True,
    /// Unix microseconds.
    Time(i64),
}

/// The declaration of a field.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub help: &'static str,
    value: for<'c> fn(&Call<'c>) -> Option<Value<'c>>,
}

impl Field {
    /// Returns the value for a call, if it is known.
    pub(super) fn value<'c>(&self, call: &Call<'c>) -> Option<Value<'c>> {
        (self.value)(call)
    }
}

macro_rules! fields {
    ($($name:literal, $help:literal, |$call:ident| $value:expr;)*) => {
        /// Every field, in the order of JSON lines.
        pub const FIELDS: &[Field] = &[$(Field {
            name: $name,
            help: $help,
            value: {
                fn value<'c>($call: &Call<'c>) -> Option<Value<'c>> {
                    $value
                }
                value
            },
        },)*];
    };
}

fields! {
    "time", "Arrival of the request's head, as in RFC 3339, in UTC.",
        |call| Some(Value::Time(call.record.at_us));
    "request_id", "The id of the request, as in `X-Request-Id` of its response.",
        |call| Some(Value::RequestId(request_id(call.worker, call.record.number)));
    "address", "The client's address, also behind `gateway.trusted_proxies`.",
        |call| Some(Value::Address(call.record.address.into()));
    "method", "The method.", |call| text(call, |texts| texts.method);
    "host", "The requested host, with its port.", |call| text(call, |texts| texts.host);
    "path", "The path, without the query.", |call| text(call, |texts| texts.path);
    "query", "The query, if `access_log.query` is on. The values of parameters that carry \
        credentials are `***`: those that API keys may be in, and those with names such as \
        `token`, `code`, `password` or `signature`. Requests that found no version have none, and \
        calls of a revision that was replaced meanwhile.",
        |call| call.query().map(Value::Made);
    "protocol", "`HTTP/1.1` or `HTTP/1.0`.", |call| Some(Value::Word(call.protocol()?));
    "status", "The status; absent if the client disconnected before one was sent.",
        |call| number(call.record.status.into());
    "refusal", "The code of the refusal, if the gateway refused the call or cut its response off.",
        |call| Some(Value::Word(call.record.refusal?.facts().code));
    "api", "The API's name.", |call| Some(Value::Text(call.names?.api.as_bytes()));
    "version", "The version's name.", |call| Some(Value::Text(call.names?.version.as_bytes()));
    "operation", "The operation: its method and path, or its name if it is one of SOAP.",
        |call| {
            let operation = call.record.operation?;
            Some(Value::Text(call.names?.operations.get(&operation)?.as_bytes()))
        };
    "application", "The id of the calling application.",
        |call| Some(Value::Id(call.record_ref().application.as_ref()?));
    "credential", "The id of the key, token or user that the call used.",
        |call| Some(Value::Made(call.record.credential()?.to_string().into_bytes()));
    "plan", "The id of the plan that the call is counted under.",
        |call| Some(Value::Id(call.record_ref().plan.as_ref()?));
    "environment", "`sandbox` if the call used a credential for it.",
        |call| flag(call, Flags::SANDBOX).map(|()| Value::Word("sandbox"));
    "answered_by", "Where the response comes from: `gateway`, `upstream`, `policy`, `mock` or \
        `preflight`.",
        |call| Some(Value::Word(call.record.answered.by().word()));
    "cache", "What the cache did: `miss`, `hit`, `stale`, `revalidated` or `bypass`.",
        |call| match call.record.answered.cache() {
            CacheUse::None => None,
            used => Some(Value::Word(used.word())),
        };
    "over", "`true` if the call exceeded a limit and was admitted nevertheless.",
        |call| flag(call, Flags::OVER).map(|()| Value::True);
    "mismatched", "`true` if the message contradicts itself or its contract and was forwarded \
        nevertheless.",
        |call| flag(call, Flags::MISMATCHED).map(|()| Value::True);
    "incomplete", "`true` if the exchange ended before its last byte.",
        |call| flag(call, Flags::CUT).map(|()| Value::True);
    "bytes_in", "Bytes of the request's body.", |call| Some(Value::Number(call.record.bytes_in));
    "bytes_out", "Bytes of the response's body.",
        |call| Some(Value::Number(call.record.bytes_out));
    "total_ms", "Time from the arrival of the head to the last byte.",
        |call| Some(Value::Microseconds(call.record.total_us));
    "before_ms", "Time until the request was sent to the upstream.",
        |call| call.sent().then_some(Value::Microseconds(call.record.before_us));
    "upstream_ms", "Time from then to the first byte of the upstream's response.",
        |call| call.sent().then_some(Value::Microseconds(call.record.upstream_us));
    "upstream_status", "The status of the upstream's response.",
        |call| number(call.record.upstream_status.into());
    "mediate_ms", "Time spent in the steps of policies.",
        |call| match call.record.mediate_us {
            0 => None,
            time => Some(Value::Microseconds(time.into())),
        };
    "agent", "`User-Agent` of the request.", |call| text(call, |texts| texts.agent);
    "referer", "`Referer` of the request, without user and password, and without its query and \
        fragment unless the line may have a `query`; then credentials in it are `***`.",
        |call| {
            let referrer = text_of(call, |texts| texts.referrer)?;
            let mut shown = Vec::with_capacity(referrer.len());
            secrets::push_url(referrer, call.secrets, &mut shown);
            Some(Value::Made(shown))
        };
    "cut", "`true` if texts of the request were longer than 512 bytes together and are cut here: \
        agent and referrer first.",
        |call| call.texts?.is_cut.then_some(Value::True);
}

impl<'c> Call<'c> {
    fn record_ref(&self) -> &'c Record {
        self.record
    }

    /// The protocol; `None` if the texts were lost.
    pub(super) fn protocol(&self) -> Option<&'static str> {
        Some(match self.texts?.is_http_1_0 {
            true => "HTTP/1.0",
            false => "HTTP/1.1",
        })
    }

    /// The query without credentials, if it is kept.
    pub(super) fn query(&self) -> Option<Vec<u8>> {
        let (secrets, query) = (self.secrets?, self.texts?.query?);
        let mut shown = Vec::with_capacity(query.len());
        secrets.push_query(query, &mut shown);
        Some(shown)
    }

    /// Whether the request was sent to the upstream.
    fn sent(&self) -> bool {
        let Record {
            before_us,
            upstream_us,
            upstream_status,
            ..
        } = *self.record;
        before_us > 0 || upstream_us > 0 || upstream_status > 0
    }
}

fn text_of<'c>(call: &Call<'c>, of: fn(CallText<'c>) -> &'c [u8]) -> Option<&'c [u8]> {
    call.texts.map(of).filter(|it| !it.is_empty())
}

fn text<'c>(call: &Call<'c>, of: fn(CallText<'c>) -> &'c [u8]) -> Option<Value<'c>> {
    text_of(call, of).map(Value::Text)
}

fn number<'c>(number: u64) -> Option<Value<'c>> {
    (number > 0).then_some(Value::Number(number))
}

fn flag(call: &Call<'_>, mark: Flags) -> Option<()> {
    call.record.flags.has(mark).then_some(())
}
