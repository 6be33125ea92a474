//! Credentials of applications: their kinds, what they are besides their secrets, and how long an
//! access token of a user may last. How secrets are made and checked is the crate `tokens`'
//! business.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::id::{ApiKeyId, BasicUserId, ClientId, TokenId};

/// SHA-256 of a secret: all that is kept of it.
pub type Digest = [u8; 32];

/// What an application proves who it is with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CredentialId {
    /// An API key.
    ApiKey(ApiKeyId),
    /// An OAuth2 client, by one of its access tokens.
    Client(ClientId),
    /// A user of HTTP Basic.
    BasicUser(BasicUserId),
    /// An access token that the application has without a client, to try an API.
    Token(TokenId),
}

impl CredentialId {
    /// The word of its kind, as in JSON and headers.
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

/// From where a credential may be used; without any, from everywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Allowed {
    /// Addresses of callers, or networks of them, such as `192.0.2.0/24`.
    pub addresses: Vec<String>,
    /// Origins of web pages (RFC 6454, section 6.2), such as `https://shop.example`.
    pub origins: Vec<String>,
}

/// Which of a version's upstreams a credential reaches.
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
    /// The word of this environment, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Sandbox => "sandbox",
        }
    }

    /// The environment of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Production, Self::Sandbox]
            .into_iter()
            .find(|it| it.word() == word)
    }
}

/// Microseconds of a day.
const DAY_US: i64 = 86_400 * 1_000_000;

/// When a personal access token that is made at `now_us` ends at the latest, Unix microseconds.
#[must_use]
pub fn access_token_end_max(now_us: i64, days_max: u32) -> i64 {
    now_us.saturating_add(i64::from(days_max) * DAY_US)
}

/// How long a personal access token may last. All in Unix microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessTokenTerm {
    /// When it is made.
    pub now_us: i64,
    /// When every token ends at the latest, [`access_token_end_max`].
    pub end_max_us: i64,
    /// When the token ends that asks for it, where one does.
    pub parent_end_us: Option<i64>,
}

impl AccessTokenTerm {
    /// When the token ends: as `wanted_us` says, without it at the latest instant.
    ///
    /// # Errors
    /// The fault of `/expires_at`: in the past, beyond the maximum, or after its parent's end.
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
