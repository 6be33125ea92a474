//! Rotation of credentials: how long the old secret goes on, and when the next rotation may follow.
//!
//! A key gets a successor, a client or a user of HTTP Basic a new secret in place. A rotation that
//! is repeated, by a client that lost the answer or by a second person, must not end a secret that
//! somebody has just begun to use: it is refused while the one before is under way.

use serde::Deserialize;
use tollgate_store::credentials::{NewSecret, Secret};
use tollgate_tokens::generated;

use super::Words;
use crate::error::Problem;
use crate::time::Time;

/// The code of the 409 where a credential is rotated again before the rotation before has ended.
pub(crate) const ROTATING: &str = "credential.rotating";

/// How a credential is rotated.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rotation {
    /// How long the old one goes on.
    pub(crate) grace: Grace,
}

/// How long the old one goes on after a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
pub(crate) enum Grace {
    /// No longer.
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
    /// Refuses to replace a secret again while the one before it is still accepted, unless all
    /// earlier ones are to end now.
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
    /// When the old one ends.
    pub(crate) const fn end_us(self, now_us: i64) -> i64 {
        const HOUR_US: i64 = 3_600 * 1_000_000;
        now_us.saturating_add(match self {
            Self::Now => 0,
            Self::Hour => HOUR_US,
            Self::Day => 24 * HOUR_US,
            Self::Week => 7 * 24 * HOUR_US,
        })
    }

    /// What is kept of a new secret that takes the place of one.
    pub(crate) fn secret(self, made: &generated::NewSecret, now_us: i64) -> NewSecret {
        let end_us = self.end_us(now_us);
        NewSecret {
            digest: made.digest,
            hint: made.hint.clone(),
            previous_until_us: (end_us > now_us).then_some(end_us),
        }
    }
}
