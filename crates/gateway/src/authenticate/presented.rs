//! What a request presents as proof of who calls: at most a key, and what came in `Authorization`.
//! What is a credential here is not passed on.

use std::borrow::Cow;
use std::ops::Range;

use tollgate_http1::head::{Known, Span};
use tollgate_http1::view::{Line, Lines, Request};
use tollgate_model::path;
use tollgate_model::refusal::Refusal;
use tollgate_model::security::Require;

use crate::refusal::Refused;
use crate::snapshot::version::{KeyPlaces, Security};

/// Where a request carries its credentials.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// The field lines of these indexes.
    fields: [Option<u16>; 2],
    /// These bytes of the target: a parameter of the query, with what separates it.
    query: Option<Range<usize>>,
}

impl Carried {
    /// Where the field lines of the credentials are in the head; empty spans where there are none.
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

/// A credential, as it was sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    ApiKey(&'a [u8]),
    Bearer(&'a [u8]),
    Basic(&'a [u8]),
}

/// What a request presents.
#[derive(Debug, Default)]
pub(super) struct Presented<'a> {
    pub(super) key: Option<Value<'a>>,
    /// A token or a user.
    pub(super) authorization: Option<Value<'a>>,
    pub(super) carried: Carried,
    /// The word of a scheme of `Authorization` that is known, but not taken by the version.
    pub(super) other: Option<&'static str>,
}

/// What the request presents in the schemes of the version. Two of a kind are refused, and two of
/// any kind where one is enough: which of them counts would be a guess.
pub(super) fn find<'a>(head: Request<'a>, security: &Security) -> Result<Presented<'a>, Refused> {
    let mut presented = Presented::default();
    for (index, line) in head.lines().iter().enumerate() {
        if matches!(line.known, Known::Other | Known::Origin) {
            presented.read(line, index, security)?;
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
    fn read(&mut self, line: Line<'a>, index: usize, security: &Security) -> Result<(), Refused> {
        let places = security.api_key.as_ref();
        let value = match places.filter(|places| line.is(&places.header)) {
            Some(_) => Value::ApiKey(after(b"apikey", line.value()).unwrap_or(line.value())),
            None if line.is(b"authorization") => {
                match self.read_authorization(line.value(), (places, security)) {
                    Some(value) => value,
                    None => return Ok(()),
                }
            }
            None => return Ok(()),
        };
        self.take(value)?;
        let free = self.carried.fields.iter_mut().find(|it| it.is_none());
        // Heads have far fewer lines than that.
        let index = u16::try_from(index).map_err(|_| Refusal::Internal)?;
        *free.ok_or(Refusal::Internal)? = Some(index);
        Ok(())
    }

    fn read_authorization(
        &mut self,
        value: &'a [u8],
        (places, security): (Option<&KeyPlaces>, &Security),
    ) -> Option<Value<'a>> {
        if let Some(text) = after(b"apikey", value) {
            self.other = Some("ApiKey");
            return places.map(|_| Value::ApiKey(text));
        }
        if let Some(text) = after(b"bearer", value) {
            self.other = Some("Bearer");
            return security.oauth2.then_some(Value::Bearer(text));
        }
        let text = after(b"basic", value)?;
        self.other = Some("Basic");
        security.basic.then_some(Value::Basic(text))
    }

    /// Each parameter of this name; the last one is what is left out of the upstream's query, since
    /// two are refused.
    fn read_query(&mut self, target: &'a [u8], name: &[u8]) -> Result<(), Refused> {
        let Some(question) = memchr::memchr(b'?', target) else {
            return Ok(());
        };
        let mut at = question + 1;
        for pair in target[question + 1..].split(|&byte| byte == b'&') {
            let end = at + pair.len();
            if let Some(value) = value_of(name, pair) {
                self.take(Value::ApiKey(value))?;
                self.carried.query = Some(with_separator(target, at..end));
            }
            at = end + 1;
        }
        Ok(())
    }

    fn take(&mut self, value: Value<'a>) -> Result<(), Refused> {
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

/// The value of a parameter of this name, in any encoding of the name.
fn value_of<'a>(name: &[u8], pair: &'a [u8]) -> Option<&'a [u8]> {
    let middle = memchr::memchr(b'=', pair).unwrap_or(pair.len());
    let (own, value) = (&pair[..middle], pair.get(middle + 1..).unwrap_or_default());
    let is_it = own == name || (own.contains(&b'%') && *path::decoded(own) == *name);
    is_it.then_some(value)
}

/// The bytes of a parameter and one separator beside it, so that what is left is a query.
fn with_separator(target: &[u8], pair: Range<usize>) -> Range<usize> {
    match target.get(pair.end) {
        Some(b'&') => pair.start..pair.end + 1,
        _ => pair.start - 1..pair.end,
    }
}

/// What follows a scheme (RFC 9110, section 11.4), in any case; `scheme` is in lower case.
fn after<'a>(scheme: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    let (word, rest) = value.split_at_checked(scheme.len())?;
    let is_whole = rest
        .first()
        .is_none_or(|&byte| matches!(byte, b' ' | b'\t'));
    (is_whole && word.eq_ignore_ascii_case(scheme)).then(|| rest.trim_ascii_start())
}

/// Whether a token came, good or not.
pub(super) fn has_bearer(head: Request<'_>) -> bool {
    let mut values = head.lines().named(b"authorization");
    values.any(|value| after(b"bearer", value).is_some())
}

fn two_credentials() -> Refused {
    Refused::because(Refusal::Invalid, "The call carries two credentials.")
}

/// That a call does not carry what the version takes: of another kind, or nothing.
pub(super) fn missing(security: &Security, other: Option<&'static str>) -> Refused {
    let schemes = [
        (security.api_key.is_some(), "an API key"),
        (security.oauth2, "a Bearer token"),
        (security.basic, "a user of HTTP Basic"),
    ];
    let taken = schemes.iter().filter(|(is_taken, _)| *is_taken);
    let taken: Vec<_> = taken.map(|&(_, name)| name).collect();
    match (security.require, other) {
        (Require::All, _) if taken.len() > 1 => {
            let detail = format!("The API takes {}, together.", taken.join(" and "));
            Refused::because(Refusal::Missing, detail)
        }
        (_, Some(other)) => {
            let detail = format!("The API takes {}, not {other}.", taken.join(" or "));
            Refused::because(Refusal::WrongKind, detail)
        }
        (_, None) => Refusal::Missing.into(),
    }
}
