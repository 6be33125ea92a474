//! Rotation of credentials: the grace period of the old secret, and when the next rotation may
//! follow.
//!
//! A key is replaced by another key; clients and users of HTTP Basic get a new secret. A repeated
//! rotation, by a client that lost the response or by a second person, must not invalidate a secret
//! that has just come into use: it is rejected while the previous grace period lasts.

use serde::Deserialize;
use tollgate_store::credentials::{NewSecret, Secret};
use tollgate_tokens::generated;

use super::Words;
use crate::error::Problem;
use crate::time::Time;

/// The code of the 409 for a rotation during the grace period of the previous one.
pub(crate) const ROTATING: &str = "credential.rotating";

/// A rotation of a credential.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rotation {
    /// How long the old secret stays valid.
    pub(crate) grace: Grace,
}

/// How long the old secret stays valid after a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
pub(crate) enum Grace {
    /// It expires immediately.
    #[serde(rename = "now")]
    Now,
    /// An hour.
    #[serde(rename = "1h")]
    Hour,
    /// 24 hours.
    #[serde(rename = "24h")]
    Day,
    /// Seven days.
    #[serde(rename = "7d")]
    Week,
}

/// Returns the end of the previous secret's grace, if it is still accepted.
pub(crate) fn previous_until(secret: &Secret, now_us: i64) -> Option<Time> {
    let (_, until_us) = secret.previous?;
    (until_us > now_us).then_some(Time(until_us))
}

impl Words {
    /// Rejects another rotation while the previous secret is still accepted, unless all earlier
    /// secrets expire now.
    pub(crate) fn require_settled(
        &self,
        secret: &Secret,
        grace: Grace,
        now_us: i64,
    ) -> Result<(), Problem> {
        if grace == Grace::Now || previous_until(secret, now_us).is_none() {
            return Ok(());
        }
        let detail = format!(
            "the {} was rotated already, and its earlier secret is accepted until the time in \
             previous_until: wait, or rotate it with the grace \"now\", which ends all earlier \
             secrets",
            self.noun
        );
        Err(Problem::conflict(ROTATING, detail))
    }
}

impl Grace {
    /// Returns when the old secret expires.
    pub(crate) const fn end_us(self, now_us: i64) -> i64 {
        const HOUR_US: i64 = 3_600 * 1_000_000;
        now_us.saturating_add(match self {
            Self::Now => 0,
            Self::Hour => HOUR_US,
            Self::Day => 24 * HOUR_US,
            Self::Week => 7 * 24 * HOUR_US,
        })
    }

    /// Returns the stored form of a secret that replaces another.
    pub(crate) fn secret(self, made: &generated::NewSecret, now_us: i64) -> NewSecret {
        let end_us = self.end_us(now_us);
        NewSecret {
            digest: made.digest,
            hint: made.hint.clone(),
            previous_until_us: (end_us > now_us).then_some(end_us),
        }
    }
}
