//! Credentials of applications: their kinds, their bounds, and how long an access token of a user
//! may last. The crate `tokens` creates and verifies the secrets.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::id::{ApiKeyId, BasicUserId, ClientId, TokenId};

/// SHA-256 of a secret, stored in its place.
pub type Digest = [u8; 32];

/// The credential that an application authenticated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CredentialId {
    /// An API key.
    ApiKey(ApiKeyId),
    /// An OAuth2 client, by one of its access tokens.
    Client(ClientId),
    /// A user of HTTP Basic.
    BasicUser(BasicUserId),
    /// An access token of the application itself, without a client, to try an API.
    Token(TokenId),
}

/// The kind of a [`CredentialId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CredentialKind {
    /// An API key.
    ApiKey = 1,
    /// An OAuth2 client.
    Client = 2,
    /// A user of HTTP Basic.
    BasicUser = 3,
    /// An access token of the application itself.
    Token = 4,
}

impl CredentialKind {
    /// Returns its number in stored records; never 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the kind with a stored number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::ApiKey,
            2 => Self::Client,
            3 => Self::BasicUser,
            4 => Self::Token,
            _ => return None,
        })
    }
}

impl CredentialId {
    /// Splits it into its kind and its raw id.
    #[must_use]
    pub const fn parts(self) -> (CredentialKind, i64) {
        match self {
            Self::ApiKey(id) => (CredentialKind::ApiKey, id.raw()),
            Self::Client(id) => (CredentialKind::Client, id.raw()),
            Self::BasicUser(id) => (CredentialKind::BasicUser, id.raw()),
            Self::Token(id) => (CredentialKind::Token, id.raw()),
        }
    }

    /// The inverse of [`Self::parts`].
    #[must_use]
    pub const fn from_parts(kind: CredentialKind, raw: i64) -> Self {
        match kind {
            CredentialKind::ApiKey => Self::ApiKey(ApiKeyId::from_raw(raw)),
            CredentialKind::Client => Self::Client(ClientId::from_raw(raw)),
            CredentialKind::BasicUser => Self::BasicUser(BasicUserId::from_raw(raw)),
            CredentialKind::Token => Self::Token(TokenId::from_raw(raw)),
        }
    }

    /// Returns the word of its kind, as in JSON and headers.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::ApiKey(_) => "api_key",
            Self::Client(_) | Self::Token(_) => "oauth2",
            Self::BasicUser(_) => "basic",
        }
    }
}

impl fmt::Display for CredentialId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApiKey(id) => id.fmt(out),
            Self::Client(id) => id.fmt(out),
            Self::BasicUser(id) => id.fmt(out),
            Self::Token(id) => id.fmt(out),
        }
    }
}

/// Where a credential may be used from; everywhere if empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Allowed {
    /// Addresses of callers or networks, such as `192.0.2.0/24`.
    pub addresses: Vec<String>,
    /// Origins of web pages (RFC 6454, section 6.2), such as `https://shop.example`.
    pub origins: Vec<String>,
}

/// The upstream of a version that a credential reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// The production upstream; keys begin with `tg_live_`.
    Production,
    /// The sandbox upstream; keys begin with `tg_test_`.
    Sandbox,
}

impl Environment {
    /// Returns the word of this environment, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Sandbox => "sandbox",
        }
    }

    /// Parses a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Production, Self::Sandbox]
            .into_iter()
            .find(|it| it.word() == word)
    }
}

/// Microseconds of a day.
const DAY_US: i64 = 86_400 * 1_000_000;

/// Returns the latest possible expiry of a personal access token created at `now_us`, Unix
/// microseconds.
#[must_use]
pub fn access_token_end_max(now_us: i64, days_max: u32) -> i64 {
    now_us.saturating_add(i64::from(days_max) * DAY_US)
}

/// Bounds of the expiry of a personal access token. All in Unix microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessTokenTerm {
    /// Creation time.
    pub now_us: i64,
    /// Latest expiry of every token, [`access_token_end_max`].
    pub end_max_us: i64,
    /// Expiry of the token that authenticated the request, if one did.
    pub parent_end_us: Option<i64>,
}

impl AccessTokenTerm {
    /// Returns the expiry: `wanted_us`, or without it the latest instant allowed.
    ///
    /// # Errors
    /// The fault of `/expires_at`: in the past, beyond the maximum, or after the expiry of its
    /// parent.
    pub fn end(self, wanted_us: Option<i64>) -> Result<i64, Fault> {
        let refused = |code, detail| Err(Fault::new("/expires_at", code, detail));
        let latest_us = self.parent_end_us.unwrap_or(i64::MAX).min(self.end_max_us);
        let Some(wanted_us) = wanted_us else {
            return Ok(latest_us);
        };
        if wanted_us <= self.now_us {
            return refused("access_token.expired", "a token must end in the future");
        }
        if wanted_us > self.end_max_us {
            let detail = "a token cannot last that long: control.access_token_days_max says how \
                long; without expires_at it lasts as long as it may";
            return refused("access_token.too_long", detail);
        }
        if wanted_us > latest_us {
            let detail = "a token cannot outlive the token that makes it";
            return refused("access_token.outlives", detail);
        }
        Ok(wanted_us)
    }
}

#[cfg(test)]
mod tests;
