//! What a token says: the claims that we know are of their type or the token is refused, so that a
//! wrongly typed one is never taken for one that is absent (CVE-2026-25537).

use std::borrow::Cow;

use super::Invalid;
use crate::json::{self, Object, Value};

/// Claims that are a text wherever they are there: RFC 7519, section 4.1; RFC 9068, section 2.2.
const TEXTS: [&str; 5] = ["iss", "sub", "jti", "client_id", "scope"];
const SECOND_US: i64 = 1_000_000;

/// The claims of a token (RFC 7519, section 4). Times are Unix microseconds: fractions below a
/// microsecond are cut off, and what is too far away for the integer is its greatest value.
pub struct Claims<'a> {
    members: Object<'a>,
    /// Of a list; one audience alone is among the members.
    audiences: Vec<Cow<'a, str>>,
    expires_us: Option<i64>,
    not_before_us: Option<i64>,
    issued_us: Option<i64>,
}

impl<'a> Claims<'a> {
    /// Reads the payload of a JWS.
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

    /// `iss`: who made the token.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.text("iss")
    }

    /// `sub`: whom it is about.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.text("sub")
    }

    /// `aud`: whom it is for; nothing where it is absent.
    pub fn audiences(&self) -> impl Iterator<Item = &str> {
        let list = self.audiences.iter().map(AsRef::as_ref);
        self.text("aud").into_iter().chain(list)
    }

    /// `exp`: from when on it is no longer valid.
    #[must_use]
    pub fn expires_us(&self) -> Option<i64> {
        self.expires_us
    }

    /// `nbf`: from when on it is valid.
    #[must_use]
    pub fn not_before_us(&self) -> Option<i64> {
        self.not_before_us
    }

    /// `iat`: when it was made.
    #[must_use]
    pub fn issued_us(&self) -> Option<i64> {
        self.issued_us
    }

    /// `jti`: the token's own id.
    #[must_use]
    pub fn token_id(&self) -> Option<&str> {
        self.text("jti")
    }

    /// `client_id`: the program that it was made for (RFC 8693, section 4.3).
    #[must_use]
    pub fn client_id(&self) -> Option<&str> {
        self.text("client_id")
    }

    /// `scope`: what it is good for (RFC 8693, section 4.2).
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let scope = self.text("scope").unwrap_or_default();
        scope.split(' ').filter(|word| !word.is_empty())
    }

    /// Any claim that is a text, such as `azp` of another issuer.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.members.member(name).and_then(Value::text)
    }

    /// The words of any claim that is a text with spaces between them or a list of texts, such as
    /// `scp` of another issuer; none for a claim that is neither or absent.
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

/// `aud` where it is a list: of at least one text (RFC 7519, section 4.1.3).
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

/// A `NumericDate` (RFC 7519, section 2): seconds, perhaps with a fraction, not before 1970.
fn time_us(members: &Object<'_>, name: &'static str) -> Result<Option<i64>, Invalid> {
    match members.member(name) {
        None => Ok(None),
        Some(Value::Number(number)) => microseconds(number).map(Some).ok_or(Invalid::Claim(name)),
        Some(_) => Err(Invalid::Claim(name)),
    }
}

/// `None` for a negative number, and one that is not finite as a double.
fn microseconds(number: &str) -> Option<i64> {
    if number.starts_with('-') {
        return None;
    }
    if let Ok(seconds) = number.parse::<i64>() {
        return Some(seconds.saturating_mul(SECOND_US));
    }
    let seconds: f64 = number.parse().ok()?;
    // A cast keeps within the integer's range.
    seconds
        .is_finite()
        .then(|| (seconds * SECOND_US as f64).floor() as i64)
}
