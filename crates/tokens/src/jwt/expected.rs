//! Expectations of a token's claims. The cheap checks come first.

use super::{Claims, Header, Invalid};

/// `typ` of an access token (RFC 9068, section 2.1).
const ACCESS_TOKEN: &str = "at+jwt";
/// `typ` of the proof that a call is a trial, in no other use (RFC 8725, section 3.11).
pub const TRIAL: &str = "try-it+jwt";
/// `typ` of a client's assertion, if present (RFC 7519, section 5.1; the revision of RFC 7523).
const ASSERTION: [&str; 2] = ["JWT", "client-authentication+jwt"];

/// The purpose of a token, which determines its `typ` and the claims that it must have besides
/// `exp`, `iss` and `aud`.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'a> {
    /// An access token issued by Tollgate (RFC 9068, section 2): `at+jwt`, with `sub`, `client_id`,
    /// `iat` and `jti`.
    AccessToken,
    /// Tollgate's proof that calls of an application, `sub`, are trials of a version, `aud`:
    /// [`TRIAL`]. It authenticates nobody.
    Trial,
    /// An assertion that authenticates a client (RFC 7523, section 3): without `typ`, `JWT` or
    /// `client-authentication+jwt`; `sub` is `iss`, the client's id. The caller must check that it
    /// is used only once.
    ClientAssertion,
    /// A token of another issuer.
    Foreign {
        /// Values of `typ`, without `application/`.
        types: &'a [String],
        /// Whether a token without `typ` is accepted.
        is_untyped_taken: bool,
    },
}

/// Expectations of a token. Times are in microseconds.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// Its purpose.
    pub kind: Kind<'a>,
    /// `iss`, compared byte by byte.
    pub issuer: &'a str,
    /// Our names, one of which `aud` must contain, byte by byte. An assertion must contain no
    /// others.
    pub audiences: &'a [String],
    /// Unix microseconds.
    pub now_us: i64,
    /// Tolerated difference between the issuer's clock and ours, in either direction.
    pub leeway_us: i64,
    /// Maximum time until `exp`, if bounded.
    pub lifetime_us_max: Option<i64>,
}

impl Expected<'_> {
    pub(super) fn check(&self, header: &Header<'_>, claims: &Claims<'_>) -> Result<(), Invalid> {
        if !self.kind.accepts(header.typ()) {
            return Err(Invalid::Type);
        }
        let issuer = claims.issuer().ok_or(Invalid::Missing("iss"))?;
        if issuer != self.issuer {
            return Err(Invalid::Issuer);
        }
        self.check_audience(claims)?;
        self.check_times(claims)?;
        self.kind.check_claims(issuer, claims)
    }

    fn check_audience(&self, claims: &Claims<'_>) -> Result<(), Invalid> {
        let mut named = claims.audiences().peekable();
        if named.peek().is_none() {
            return Err(Invalid::Missing("aud"));
        }
        let is_ours = |name: &str| self.audiences.iter().any(|ours| ours == name);
        if !named.any(is_ours) {
            return Err(Invalid::Audience);
        }
        // Another audience could send it on to Tollgate, as if it were the client.
        let is_assertion = matches!(self.kind, Kind::ClientAssertion);
        match is_assertion && !claims.audiences().all(is_ours) {
            true => Err(Invalid::OtherAudience),
            false => Ok(()),
        }
    }

    /// Checks times (RFC 7519, sections 4.1.4 to 4.1.6).
    fn check_times(&self, claims: &Claims<'_>) -> Result<(), Invalid> {
        let latest_us = self.now_us.saturating_add(self.leeway_us);
        let expires_us = claims.expires_us().ok_or(Invalid::Missing("exp"))?;
        if expires_us.saturating_add(self.leeway_us) <= self.now_us {
            return Err(Invalid::Expired);
        }
        if claims.not_before_us().is_some_and(|from| from > latest_us) {
            return Err(Invalid::NotYetValid);
        }
        // Tollgate's own tokens stay valid when the clock is set back after they were issued.
        let is_own = matches!(self.kind, Kind::AccessToken | Kind::Trial);
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
    fn accepts(self, typ: Option<&str>) -> bool {
        let is = |accepted: &str| typ.is_some_and(|typ| typ.eq_ignore_ascii_case(accepted));
        match self {
            Self::AccessToken => is(ACCESS_TOKEN),
            Self::Trial => is(TRIAL),
            Self::ClientAssertion => typ.is_none() || ASSERTION.into_iter().any(is),
            Self::Foreign {
                types,
                is_untyped_taken,
            } => match typ {
                None => is_untyped_taken,
                Some(_) => types.iter().any(|accepted| is(accepted)),
            },
        }
    }

    fn check_claims(self, issuer: &str, claims: &Claims<'_>) -> Result<(), Invalid> {
        let subject = claims.subject().ok_or(Invalid::Missing("sub"));
        match self {
            Self::AccessToken => {
                subject?;
                claims.client_id().ok_or(Invalid::Missing("client_id"))?;
                claims.issued_us().ok_or(Invalid::Missing("iat"))?;
                claims.token_id().ok_or(Invalid::Missing("jti"))?;
            }
            Self::Trial => {
                subject?;
            }
            Self::ClientAssertion if subject? != issuer => return Err(Invalid::Subject),
            Self::ClientAssertion | Self::Foreign { .. } => {}
        }
        Ok(())
    }
}
