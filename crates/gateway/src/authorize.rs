//! `authorize`: whether this caller may call this version: its subscription, the scopes that the
//! operation asks for, and the environment that its credential is for.

use tollgate_counters::BoundLimit;
use tollgate_model::credential::Environment;
use tollgate_model::refusal::Refusal;
use tollgate_model::subscription::Status;

use crate::authenticate::{Caller, challenge};
use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::route::Routed;
use crate::snapshot::{Snapshot, Subscription};
use crate::version::{Upstream, Version};
use crate::worker::Worker;

/// The ticket of this room: a call that may be made, and the upstream of its environment.
#[derive(Debug)]
pub(crate) struct Allowed<'s> {
    routed: Routed<'s>,
    caller: Caller<'s>,
    /// Those of the subscription's plan and its application, or of the plan `anonymous`.
    bounds: &'s [BoundLimit],
    upstream: &'s Upstream,
}

impl<'s> Allowed<'s> {
    pub(crate) fn routed(&self) -> &Routed<'s> {
        &self.routed
    }

    pub(crate) fn caller(&self) -> &Caller<'s> {
        &self.caller
    }

    /// That of the caller's environment.
    pub(crate) fn upstream(&self) -> &'s Upstream {
        self.upstream
    }

    /// Every limit that this call is held to.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &'s BoundLimit> + Clone + use<'s> {
        let version: &'s Version = self.routed.version();
        self.bounds.iter().chain(&version.bounds)
    }
}

/// Decides whether the caller may make the call.
pub(crate) fn permit<'s>(
    snapshot: &'s Snapshot,
    (routed, caller): (Routed<'s>, Caller<'s>),
    exchange: &Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Allowed<'s>, Refused> {
    judge_source(&caller, exchange)?;
    let version = routed.version();
    let subscription = caller.application().and_then(|application| {
        let of = (application, version.served.id);
        snapshot.subscriptions.find(&of)
    });
    let bounds = match subscription {
        Some(subscription) => {
            record.subscription(subscription.id);
            judge_status(subscription, caller.environment())?;
            &subscription.bounds
        }
        None if routed.is_open() => anonymous_bounds(snapshot, version)?,
        None => return Err(Refusal::NotSubscribed.into()),
    };
    if let Some(operation) = routed.operation() {
        judge_scopes(
            &caller,
            &operation.access.scopes,
            version,
            (exchange, worker),
        )?;
    }
    let upstream = version.upstream(caller.environment());
    let upstream = upstream.ok_or(Refusal::NoEnvironment)?;
    Ok(Allowed {
        routed,
        caller,
        bounds,
        upstream,
    })
}

/// Whether the credentials may be used from where the call came.
fn judge_source(caller: &Caller<'_>, exchange: &Exchange<'_>) -> Result<(), Refused> {
    if !caller.is_bound() {
        return Ok(());
    }
    let head = exchange.head();
    let origin = head.lines().named(b"origin").next();
    let is_allowed = caller.may_be_here(exchange.peer().caller(head), origin);
    is_allowed.then_some(()).ok_or(Refusal::NotFromHere.into())
}

fn judge_status(subscription: &Subscription, environment: Environment) -> Result<(), Refused> {
    match (subscription.status, environment) {
        (Status::Active, _) | (Status::BlockedProduction, Environment::Sandbox) => Ok(()),
        (Status::Blocked | Status::BlockedProduction, _) => {
            Err(Refusal::SubscriptionBlocked.into())
        }
        (Status::Pending | Status::Rejected, _) => Err(Refusal::SubscriptionInactive.into()),
    }
}

/// The limits of who calls without a subscription.
fn anonymous_bounds<'s>(
    snapshot: &'s Snapshot,
    version: &Version,
) -> Result<&'s [BoundLimit], Refused> {
    let bound = snapshot.anonymous.as_ref();
    let bounds = bound.and_then(|bound| bound.get(&version.served.id));
    bounds.map(Vec::as_slice).ok_or_else(|| {
        let detail = "There is no plan \"anonymous\" for calls without a subscription.";
        Refused::because(Refusal::NotSubscribed, detail)
    })
}

/// Whether the call has all scopes that an operation asks for. Who needs no credential needs none.
pub(crate) fn judge_scopes(
    caller: &Caller<'_>,
    scopes: &[String],
    version: &Version,
    asked: (&Exchange<'_>, &Worker),
) -> Result<(), Refused> {
    if caller.application().is_none() || caller.has_scopes(scopes) {
        return Ok(());
    }
    let detail = format!("The operation asks for the scopes {}.", scopes.join(", "));
    let refused = Refused::because(Refusal::Scope, detail);
    let error = challenge::Error::InsufficientScope(scopes);
    Err(challenge::add(refused, version, asked, error))
}
