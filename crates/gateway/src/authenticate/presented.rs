//! The credentials that a request presents: at most an API key, and the one in `Authorization`.
//! They are not forwarded to the upstream.

use std::borrow::Cow;
use std::ops::Range;

use tollgate_http1::head::{Known, Span};
use tollgate_http1::view::{Line, Lines, Request};
use tollgate_model::path;
use tollgate_model::refusal::Refusal;
use tollgate_model::security::Require;

use crate::refusal::Refused;
use crate::snapshot::version::Security;

/// Where a request carries its credentials.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// The indexes of their field lines.
    fields: [Option<u16>; 2],
    /// The byte range in the target: a query parameter with its separator.
    query: Option<Range<usize>>,
}

impl Carried {
    /// The field lines of the credentials in the head; unused spans are empty.
    pub(crate) fn lines(&self, lines: Lines<'_>) -> [Span; 2] {
        self.fields.map(|index| {
            let index = index.map(usize::from);
            index.map_or(Span::default(), |index| lines.get(index).line)
        })
    }

    /// The end of a target, without the parameter that holds a credential.
    pub(crate) fn cut_from<'h>(&self, end: &'h [u8], target: &[u8]) -> Cow<'h, [u8]> {
        let Some(held) = self.query.as_ref().filter(|_| !end.is_empty()) else {
            return Cow::Borrowed(end);
        };
        let at = |at: usize| end.len().saturating_sub(target.len() - at);
        Cow::Owned([&end[..at(held.start)], &end[at(held.end)..]].concat())
    }
}

/// A credential as sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    ApiKey(&'a [u8]),
    Bearer(&'a [u8]),
    Basic(&'a [u8]),
}

/// The credentials of a request.
#[derive(Debug, Default)]
pub(super) struct Presented<'a> {
    pub(super) key: Option<Value<'a>>,
    /// A token or a Basic user.
    pub(super) authorization: Option<Value<'a>>,
    pub(super) carried: Carried,
    /// The name of a known `Authorization` scheme that the version does not accept.
    pub(super) other: Option<&'static str>,
}

/// Collects the request's credentials for the schemes of the version. Rejects two of a kind, and
/// two of any kind if one suffices: choosing between them would be a guess.
pub(super) fn find<'a>(head: Request<'a>, security: &Security) -> Result<Presented<'a>, Refused> {
    let mut presented = Presented::default();
    for (index, line) in head.lines().iter().enumerate() {
        if matches!(line.known, Known::Other | Known::Origin) {
            presented.read_line(line, index, security)?;
        }
    }
    if let Some(name) = security
        .api_key
        .as_ref()
        .and_then(|key| key.query.as_deref())
    {
        presented.read_query(head.target(), name)?;
    }
    let is_double = presented.key.is_some() && presented.authorization.is_some();
    if is_double && security.require == Require::Any {
        return Err(two_credentials());
    }
    Ok(presented)
}

impl<'a> Presented<'a> {
    fn read_line(
        &mut self,
        line: Line<'a>,
        index: usize,
        security: &Security,
    ) -> Result<(), Refused> {
        let places = security.api_key.as_ref();
        let value = match places.filter(|places| line.is(&places.header)) {
            Some(_) => Value::ApiKey(strip_scheme(b"apikey", line.value()).unwrap_or(line.value())),
            None if line.is(b"authorization") => {
                match self.read_authorization(line.value(), security) {
                    Some(value) => value,
                    None => return Ok(()),
                }
            }
            None => return Ok(()),
        };
        self.set_value(value)?;
        let free = self.carried.fields.iter_mut().find(|it| it.is_none());
        // Heads have far fewer lines than this.
        let index = u16::try_from(index).map_err(|_| Refusal::Internal)?;
        *free.ok_or(Refusal::Internal)? = Some(index);
        Ok(())
    }

    fn read_authorization(&mut self, value: &'a [u8], security: &Security) -> Option<Value<'a>> {
        if let Some(text) = strip_scheme(b"apikey", value) {
            self.other = Some("ApiKey");
            return security.api_key.as_ref().map(|_| Value::ApiKey(text));
        }
        if let Some(text) = strip_scheme(b"bearer", value) {
            self.other = Some("Bearer");
            return security.oauth2.then_some(Value::Bearer(text));
        }
        let text = strip_scheme(b"basic", value)?;
        self.other = Some("Basic");
        security.basic.then_some(Value::Basic(text))
    }

    /// Reads each query parameter with this name. Only the last one is removed from the upstream's
    /// query, since two are rejected anyway.
    fn read_query(&mut self, target: &'a [u8], name: &[u8]) -> Result<(), Refused> {
        let Some(question) = memchr::memchr(b'?', target) else {
            return Ok(());
        };
        let mut at = question + 1;
        for pair in target[question + 1..].split(|&byte| byte == b'&') {
            let end = at + pair.len();
            if let Some(value) = value_of(name, pair) {
                self.set_value(Value::ApiKey(value))?;
                self.carried.query = Some(with_separator(target, at..end));
            }
            at = end + 1;
        }
        Ok(())
    }

    fn set_value(&mut self, value: Value<'a>) -> Result<(), Refused> {
        let slot = match value {
            Value::ApiKey(_) => &mut self.key,
            Value::Bearer(_) | Value::Basic(_) => &mut self.authorization,
        };
        match slot.replace(value) {
            Some(_) => Err(two_credentials()),
            None => Ok(()),
        }
    }
}

/// Returns the value of the parameter with this name, however the name is encoded.
fn value_of<'a>(name: &[u8], pair: &'a [u8]) -> Option<&'a [u8]> {
    let middle = memchr::memchr(b'=', pair).unwrap_or(pair.len());
    let (own, value) = (&pair[..middle], pair.get(middle + 1..).unwrap_or_default());
    let is_it = own == name || (own.contains(&b'%') && *path::decoded(own) == *name);
    is_it.then_some(value)
}

/// The bytes of a parameter with one adjacent separator, so that the rest is still a query.
fn with_separator(target: &[u8], pair: Range<usize>) -> Range<usize> {
    match target.get(pair.end) {
        Some(b'&') => pair.start..pair.end + 1,
        _ => pair.start - 1..pair.end,
    }
}

/// Returns what follows the scheme (RFC 9110, section 11.4), ignoring case; `scheme` is lower case.
pub(super) fn strip_scheme<'a>(scheme: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    let (word, rest) = value.split_at_checked(scheme.len())?;
    let is_whole = rest
        .first()
        .is_none_or(|&byte| matches!(byte, b' ' | b'\t'));
    (is_whole && word.eq_ignore_ascii_case(scheme)).then(|| rest.trim_ascii_start())
}

/// Whether the request carries a token, valid or not.
pub(super) fn has_bearer(head: Request<'_>) -> bool {
    let mut values = head.lines().named(b"authorization");
    values.any(|value| strip_scheme(b"bearer", value).is_some())
}

fn two_credentials() -> Refused {
    Refused::because(Refusal::Invalid, "The request carries two credentials.")
}

/// The refusal of a call without an accepted credential: of another kind, or none.
pub(super) fn missing(security: &Security, other: Option<&'static str>) -> Refused {
    let schemes = [
        (security.api_key.is_some(), "an API key"),
        (security.oauth2, "a Bearer token"),
        (security.basic, "HTTP Basic credentials"),
    ];
    let taken = schemes.iter().filter(|(is_taken, _)| *is_taken);
    let taken: Vec<_> = taken.map(|&(_, name)| name).collect();
    match (security.require, other) {
        (Require::All, _) if taken.len() > 1 => {
            let detail = format!("The API requires {}.", taken.join(" and "));
            Refused::because(Refusal::Missing, detail)
        }
        (_, Some(other)) => {
            let detail = format!("The API accepts {}, not {other}.", taken.join(" or "));
            Refused::because(Refusal::WrongKind, detail)
        }
        (_, None) => Refusal::Missing.into(),
    }
}
