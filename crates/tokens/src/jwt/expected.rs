//! What a token must say. The cheap judgements come first.

use super::{Claims, Header, Invalid};

/// `typ` of an access token (RFC 9068, section 2.1).
const ACCESS_TOKEN: &str = "at+jwt";
/// `typ` of a client's assertion, where it has one (RFC 7519, section 5.1; the revision of
/// RFC 7523).
const ASSERTION: [&str; 2] = ["JWT", "client-authentication+jwt"];

/// What a token is for, which decides on its `typ` and on the claims that it must have besides
/// `exp`, `iss` and `aud`.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'a> {
    /// An access token of ours (RFC 9068, section 2): `at+jwt`, with `sub`, `client_id`, `iat` and
    /// `jti`.
    AccessToken,
    /// What a client proves with who it is (RFC 7523, section 3): without `typ`, `JWT` or
    /// `client-authentication+jwt`; `sub` is `iss`, the client's id. That it comes once is judged
    /// by the caller.
    ClientAssertion,
    /// A token of another issuer.
    Foreign {
        /// Values of `typ`, without `application/`.
        types: &'a [String],
        /// Whether a token without `typ` is taken.
        is_untyped_taken: bool,
    },
}

/// What a token must say. Times are in microseconds.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// What it is for.
    pub kind: Kind<'a>,
    /// `iss`, compared byte by byte.
    pub issuer: &'a str,
    /// Our names, of which `aud` must name one, byte by byte. An assertion must name no other.
    pub audiences: &'a [String],
    /// Unix microseconds.
    pub now_us: i64,
    /// How far the issuer's clock may be from ours, in either direction.
    pub leeway_us: i64,
    /// How far away `exp` may be, where that is bounded.
    pub lifetime_us_max: Option<i64>,
}

impl Expected<'_> {
    pub(super) fn judge(&self, header: &Header<'_>, claims: &Claims<'_>) -> Result<(), Invalid> {
        if !self.kind.takes(header.typ()) {
            return Err(Invalid::Type);
        }
        let issuer = claims.issuer().ok_or(Invalid::Missing("iss"))?;
        if issuer != self.issuer {
            return Err(Invalid::Issuer);
        }
        self.judge_audience(claims)?;
        self.judge_times(claims)?;
        self.kind.judge_rest(issuer, claims)
    }

    fn judge_audience(&self, claims: &Claims<'_>) -> Result<(), Invalid> {
        let mut named = claims.audiences().peekable();
        if named.peek().is_none() {
            return Err(Invalid::Missing("aud"));
        }
        let is_ours = |name: &str| self.audiences.iter().any(|ours| ours == name);
        if !named.any(is_ours) {
            return Err(Invalid::Audience);
        }
        // Another audience could send it on to us, as if it were the client.
        let is_assertion = matches!(self.kind, Kind::ClientAssertion);
        match is_assertion && !claims.audiences().all(is_ours) {
            true => Err(Invalid::OtherAudience),
            false => Ok(()),
        }
    }

    /// RFC 7519, sections 4.1.4 to 4.1.6.
    fn judge_times(&self, claims: &Claims<'_>) -> Result<(), Invalid> {
        let latest_us = self.now_us.saturating_add(self.leeway_us);
        let expires_us = claims.expires_us().ok_or(Invalid::Missing("exp"))?;
        if expires_us.saturating_add(self.leeway_us) <= self.now_us {
            return Err(Invalid::Expired);
        }
        if claims.not_before_us().is_some_and(|from| from > latest_us) {
            return Err(Invalid::NotYetValid);
        }
        // Our own tokens stay valid when the clock is set back after they were issued.
        let is_own = matches!(self.kind, Kind::AccessToken);
        if !is_own && claims.issued_us().is_some_and(|at| at > latest_us) {
            return Err(Invalid::IssuedInFuture);
        }
        let end_us = self
            .lifetime_us_max
            .map(|max| latest_us.saturating_add(max));
        if end_us.is_some_and(|end_us| expires_us > end_us) {
            return Err(Invalid::Lifetime);
        }
        Ok(())
    }
}

impl Kind<'_> {
    fn takes(self, typ: Option<&str>) -> bool {
        let is = |wanted: &str| typ.is_some_and(|typ| typ.eq_ignore_ascii_case(wanted));
        match self {
            Self::AccessToken => is(ACCESS_TOKEN),
            Self::ClientAssertion => typ.is_none() || ASSERTION.into_iter().any(is),
            Self::Foreign {
                types,
                is_untyped_taken,
            } => match typ {
                None => is_untyped_taken,
                Some(_) => types.iter().any(|wanted| is(wanted)),
            },
        }
    }

    fn judge_rest(self, issuer: &str, claims: &Claims<'_>) -> Result<(), Invalid> {
        let subject = claims.subject().ok_or(Invalid::Missing("sub"));
        match self {
            Self::AccessToken => {
                subject?;
                claims.client_id().ok_or(Invalid::Missing("client_id"))?;
                claims.issued_us().ok_or(Invalid::Missing("iat"))?;
                claims.token_id().ok_or(Invalid::Missing("jti"))?;
            }
            Self::ClientAssertion if subject? != issuer => return Err(Invalid::Subject),
            Self::ClientAssertion | Self::Foreign { .. } => {}
        }
        Ok(())
    }
}
