//! `authorize`: whether this caller may call this version: its subscription, and the environment
//! that its credential is for.

use tollgate_counters::BoundLimit;
use tollgate_model::credential::Environment;
use tollgate_model::refusal::Refusal;
use tollgate_model::subscription::Status;

use crate::authenticate::Caller;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::route::Routed;
use crate::snapshot::{Snapshot, Subscription};
use crate::version::{Upstream, Version};

/// The ticket of this room: a call that may be made, and the upstream of its environment.
#[derive(Debug)]
pub(crate) struct Allowed<'s> {
    routed: Routed<'s>,
    caller: Caller,
    subscription: &'s Subscription,
    upstream: &'s Upstream,
}

impl<'s> Allowed<'s> {
    pub(crate) fn routed(&self) -> &Routed<'s> {
        &self.routed
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// That of the caller's environment.
    pub(crate) fn upstream(&self) -> &'s Upstream {
        self.upstream
    }

    /// Every limit that this call is held to.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &'s BoundLimit> + Clone + use<'s> {
        let version: &'s Version = self.routed.version();
        let own = self.subscription.bounds.iter();
        own.chain(&version.bounds)
    }
}

/// Decides whether the caller may make the call.
pub(crate) fn permit<'s>(
    snapshot: &'s Snapshot,
    routed: Routed<'s>,
    caller: Caller,
    record: &mut RecordBuilder,
) -> Result<Allowed<'s>, Refused> {
    let version = routed.version();
    let of = (caller.application(), version.served.id);
    let subscription = snapshot
        .subscriptions
        .find(&of)
        .ok_or(Refusal::NotSubscribed)?;
    record.subscription(subscription.id);
    match (subscription.status, caller.environment()) {
        (Status::Active, _) | (Status::BlockedProduction, Environment::Sandbox) => {}
        (Status::Blocked | Status::BlockedProduction, _) => {
            return Err(Refusal::SubscriptionBlocked.into());
        }
        (Status::Pending | Status::Rejected, _) => {
            return Err(Refusal::SubscriptionInactive.into());
        }
    }
    let upstream = version.upstream(caller.environment());
    let upstream = upstream.ok_or(Refusal::NoEnvironment)?;
    Ok(Allowed {
        routed,
        caller,
        subscription,
        upstream,
    })
}
