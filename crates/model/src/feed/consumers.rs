//! Plans, applications and subscriptions as gateways get them.

use serde::{Deserialize, Serialize};

use crate::id::{ApplicationId, PlanId, SubscriptionId, UserId, VersionId};
use crate::limit::ServedLimit;
use crate::subscription;

/// A plan as gateways enforce it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedPlan {
    /// The plan.
    pub id: PlanId,
    /// Its name, shown to callers.
    pub name: String,
    /// Its limits; empty for an unlimited plan.
    pub limits: Vec<ServedLimit>,
    /// Whether calls that fail count.
    pub counts_failures: bool,
}

/// An application as sent to gateways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedApplication {
    /// The application.
    pub id: ApplicationId,
    /// Its owner.
    pub owner: UserId,
    /// Its own limits, across all its calls.
    pub limits: Vec<ServedLimit>,
    /// Unix microseconds: tokens that were issued before are not valid.
    pub tokens_from_us: i64,
}

/// A subscription as sent to gateways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSubscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// The application that calls.
    pub application: ApplicationId,
    /// The version that is called.
    pub version: VersionId,
    /// The plan.
    pub plan: PlanId,
    /// Whether calls are allowed.
    pub status: subscription::Status,
    /// The granted scopes among those that need approval.
    pub scopes: Vec<String>,
}
