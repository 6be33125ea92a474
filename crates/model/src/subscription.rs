//! Subscriptions: application × version × plan, and whether calls are allowed. [`Status::next`] is
//! the table of the statuses that may follow one another.

use serde::{Deserialize, Serialize};

/// The status of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SubscriptionStatus))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for approval.
    Pending,
    /// Calls are allowed.
    Active,
    /// Every call is refused.
    Blocked,
    /// Calls with production credentials are refused.
    BlockedProduction,
    /// Was not approved.
    Rejected,
}

/// Every status.
pub const STATUSES: [Status; 5] = [
    Status::Pending,
    Status::Active,
    Status::Blocked,
    Status::BlockedProduction,
    Status::Rejected,
];

impl Status {
    /// Returns the word of this status, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::BlockedProduction => "blocked_production",
            Self::Rejected => "rejected",
        }
    }

    /// Parses a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        STATUSES.into_iter().find(|status| status.word() == word)
    }

    /// Returns the statuses that may follow. `Pending` is requested by the application's owner, all
    /// others are decisions of the API's owner.
    #[must_use]
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Pending => &[Self::Active, Self::Rejected],
            Self::Active => &[Self::Blocked, Self::BlockedProduction],
            Self::Blocked => &[Self::Active, Self::BlockedProduction],
            Self::BlockedProduction => &[Self::Active, Self::Blocked],
            Self::Rejected => &[Self::Active, Self::Pending],
        }
    }

    /// Decides whether a subscription may get another status.
    ///
    /// # Errors
    /// [`NotNext`] if the other status does not follow this one.
    pub fn require_next(self, to: Self) -> Result<(), NotNext> {
        match self.next().contains(&to) {
            true => Ok(()),
            false => Err(NotNext { from: self, to }),
        }
    }

    /// Returns the status of a new subscription, if the application's last one to the same version
    /// ended with the status `last`. A block outlives unsubscribing; after a request that was
    /// rejected or not decided, the new one waits for a decision.
    #[must_use]
    pub const fn after(self, last: Self) -> Self {
        match (last, self) {
            (Self::Blocked, _) | (Self::BlockedProduction, Self::Blocked) => Self::Blocked,
            (Self::BlockedProduction, _) => Self::BlockedProduction,
            (Self::Pending | Self::Rejected, Self::Active) => Self::Pending,
            (Self::Active | Self::Pending | Self::Rejected, _) => self,
        }
    }
}

/// A change of status that is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a subscription that is {} cannot become {}; it can become {}",
    .from.word(), .to.word(), words(.from.next()))]
pub struct NotNext {
    /// The present status.
    pub from: Status,
    /// The requested status.
    pub to: Status,
}

/// Lists statuses, such as `active or pending`.
fn words(statuses: &[Status]) -> String {
    let words: Vec<_> = statuses.iter().map(|status| status.word()).collect();
    words.join(" or ")
}

#[cfg(test)]
mod tests;
