//! Subscriptions: application × version × plan, and whether calls are allowed.

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

    /// Returns whether a new subscription gets this status again after unsubscribing: an
    /// application that unsubscribes while blocked is still blocked when it subscribes again.
    #[must_use]
    pub const fn outlives_unsubscribing(self) -> bool {
        matches!(
            self,
            Self::Blocked | Self::BlockedProduction | Self::Rejected
        )
    }
}
