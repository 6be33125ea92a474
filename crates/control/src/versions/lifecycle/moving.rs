//! Moving subscriptions from another version on publishing.

use serde::Serialize;
use tollgate_model::id::VersionId;
use tollgate_store::subscriptions::{self, NewSubscription};
use tollgate_store::versions::{self, Version};
use tollgate_store::{LIST_MAX, Tx};

use super::configuration;
use crate::error::Problem;
use crate::state::Control;
use crate::subscriptions::exists;

/// What moving means for the applications, as a dry run returns it. Counters of subscriptions, APIs
/// and operations belong to a version; those of applications, users and addresses do not.
pub(super) const NOTES: [&str; 2] = [
    "Limits per subscription, API or operation begin to count anew for the moved subscriptions; \
     limits per application, user or address go on.",
    "The subscriptions to the other version stay until they end: until then, each application can \
     call both versions, and has the plan's amounts per subscription once for each.",
];

/// The number of subscriptions that moved from another version.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub(super) struct MovedSubscriptions {
    /// Subscriptions that moved.
    subscriptions: u64,
    /// Subscriptions that did not move: their application is subscribed already.
    skipped: u64,
}

/// Copies the live subscriptions of another version, with plan, status, reason, and those granted
/// scopes that this version has too.
pub(super) async fn move_along(
    control: &Control,
    tx: &mut Tx,
    version: &Version,
    from: VersionId,
) -> Result<MovedSubscriptions, Problem> {
    let store = &control.store;
    if from == version.id {
        let detail = "a version's subscriptions cannot move to itself";
        return Err(Problem::at("/from", "lifecycle.from", detail));
    }
    let offered = versions::plans(store, version.id).await?;
    let declared = configuration(store, version).await?.security().scopes;
    let mut moved = MovedSubscriptions {
        subscriptions: 0,
        skipped: subscriptions::shared(tx, from, version.id).await?,
    };
    let mut after = None;
    loop {
        let page = subscriptions::movable(store, from, version.id, after, LIST_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(moved);
        };
        after = Some(last.id);
        for old in page {
            if !offered.iter().any(|plan| plan.id == old.plan) {
                let detail = format!(
                    "{} has the plan {}, which this version does not offer",
                    old.id, old.plan
                );
                return Err(Problem::conflict("lifecycle.plan_not_offered", detail));
            }
            let mut scopes = old.scopes;
            scopes.retain(|name| declared.contains_key(name));
            let new = NewSubscription {
                id: control.id()?,
                application: old.application,
                version: version.id,
                plan: old.plan,
                status: old.status,
                reason: old.reason,
                created_us: control.now_us(),
                scopes,
            };
            subscriptions::create(tx, &new).await.map_err(exists)?;
            moved.subscriptions += 1;
        }
    }
}
