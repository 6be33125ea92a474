//! Claims of tokens: a known claim of the wrong type makes a token invalid, so it is never treated
//! as absent (CVE-2026-25537).

use std::borrow::Cow;

use super::Invalid;
use crate::json::{self, Object, Value};

/// Claims that must be strings if present: RFC 7519, section 4.1; RFC 9068, section 2.2.
const TEXTS: [&str; 5] = ["iss", "sub", "jti", "client_id", "scope"];
const SECOND_US: i64 = 1_000_000;

/// The claims of a token (RFC 7519, section 4). Times are Unix microseconds: fractions of a
/// microsecond are truncated, and values beyond the integer's range are its maximum.
pub struct Claims<'a> {
    members: Object<'a>,
    /// The audiences of a list; a single one is among the members.
    audiences: Vec<Cow<'a, str>>,
    expires_us: Option<i64>,
    not_before_us: Option<i64>,
    issued_us: Option<i64>,
}

impl<'a> Claims<'a> {
    /// Parses the payload of a JWS.
    pub(super) fn parse(json: &'a [u8]) -> Result<Self, Invalid> {
        let members = Object::parse(json)?;
        for name in TEXTS {
            let is_typed = members.member(name).is_none_or(|it| it.text().is_some());
            is_typed.then_some(()).ok_or(Invalid::Claim(name))?;
        }
        Ok(Self {
            expires_us: time_us(&members, "exp")?,
            not_before_us: time_us(&members, "nbf")?,
            issued_us: time_us(&members, "iat")?,
            audiences: audiences(&members)?,
            members,
        })
    }

    /// `iss`: the issuer of the token.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.text("iss")
    }

    /// `sub`: the subject.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.text("sub")
    }

    /// `aud`: the audiences; none if absent.
    pub fn audiences(&self) -> impl Iterator<Item = &str> {
        let list = self.audiences.iter().map(AsRef::as_ref);
        self.text("aud").into_iter().chain(list)
    }

    /// `exp`: the expiry.
    #[must_use]
    pub fn expires_us(&self) -> Option<i64> {
        self.expires_us
    }

    /// `nbf`: the beginning of its validity.
    #[must_use]
    pub fn not_before_us(&self) -> Option<i64> {
        self.not_before_us
    }

    /// `iat`: the time of issue.
    #[must_use]
    pub fn issued_us(&self) -> Option<i64> {
        self.issued_us
    }

    /// `jti`: the token's id.
    #[must_use]
    pub fn token_id(&self) -> Option<&str> {
        self.text("jti")
    }

    /// `client_id`: the client that it was issued to (RFC 8693, section 4.3).
    #[must_use]
    pub fn client_id(&self) -> Option<&str> {
        self.text("client_id")
    }

    /// `scope`: its scopes (RFC 8693, section 4.2).
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let scope = self.text("scope").unwrap_or_default();
        scope.split(' ').filter(|word| !word.is_empty())
    }

    /// Returns any claim that is a string, such as `azp` of another issuer.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.members.member(name).and_then(Value::text)
    }

    /// Returns the words of any claim that is a string with spaces between them or a list of
    /// strings, such as `scp` of another issuer; none if the claim is of another type or absent.
    #[must_use]
    pub fn words(&self, name: &str) -> Vec<Cow<'_, str>> {
        match self.members.member(name) {
            Some(Value::String(text)) => {
                let words = text.split(' ').filter(|word| !word.is_empty());
                words.map(Cow::Borrowed).collect()
            }
            Some(Value::List(list)) => json::texts(list).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

/// Returns `aud` if it is a list: at least one string (RFC 7519, section 4.1.3).
fn audiences<'a>(members: &Object<'a>) -> Result<Vec<Cow<'a, str>>, Invalid> {
    match members.member("aud") {
        None | Some(Value::String(_)) => Ok(Vec::new()),
        Some(Value::List(list)) => {
            let texts = json::texts(list).filter(|texts| !texts.is_empty());
            texts.ok_or(Invalid::Claim("aud"))
        }
        Some(_) => Err(Invalid::Claim("aud")),
    }
}

/// Returns a `NumericDate` (RFC 7519, section 2): seconds, possibly with a fraction, not before
/// 1970.
fn time_us(members: &Object<'_>, name: &'static str) -> Result<Option<i64>, Invalid> {
    match members.member(name) {
        None => Ok(None),
        Some(Value::Number(number)) => microseconds(number).map(Some).ok_or(Invalid::Claim(name)),
        Some(_) => Err(Invalid::Claim(name)),
    }
}

/// Converts seconds; `None` for a negative number, and one that is not finite as a double.
fn microseconds(number: &str) -> Option<i64> {
    if number.starts_with('-') {
        return None;
    }
    if let Ok(seconds) = number.parse::<i64>() {
        return Some(seconds.saturating_mul(SECOND_US));
    }
    let seconds: f64 = number.parse().ok()?;
    // A cast saturates at the integer's range.
    seconds
        .is_finite()
        .then(|| (seconds * SECOND_US as f64).floor() as i64)
}
