//! `authorize`: whether this caller may call this version: its subscription, the scopes that the
//! operation asks for, and the environment that its credential is for.

use std::sync::Arc;

use tollgate_counters::BoundLimit;
use tollgate_model::credential::Environment;
use tollgate_model::refusal::Refusal;
use tollgate_model::subscription::Status;

use crate::authenticate::{Caller, Proven, challenge};
use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::route::Routed;
use crate::snapshot::version::{Upstream, Version};
use crate::snapshot::{Snapshot, Subscription};
use crate::worker::Worker;

/// The ticket of this room: a call that may be made, and the upstream of its environment.
#[derive(Debug)]
pub(crate) struct Allowed<'s> {
    routed: Routed<'s>,
    caller: Caller<'s>,
    /// None of a call that may come without one.
    subscription: Option<&'s Subscription>,
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

    /// The scopes of a credential that count here: of those by approval, the granted ones.
    pub(crate) fn scopes<'p>(&self, proven: &'p Proven<'s>) -> impl Iterator<Item = &'p str> {
        let by_approval = &self.routed.version().served.security.by_approval;
        let subscription = self.subscription;
        let counts = move |name: &&str| counts(name, by_approval, subscription);
        proven.scopes().filter(counts)
    }

    /// Checks that the call has all scopes of an operation that its message names.
    pub(crate) fn judge_scopes(
        &self,
        scopes: &[String],
        asked: (&Exchange<'_>, &Worker),
    ) -> Result<(), Refused> {
        let who = (&self.caller, self.subscription);
        judge_scopes(who, scopes, self.routed.version(), asked)
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
        snapshot.subscriptions.find(&of).map(Arc::as_ref)
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
            (&caller, subscription),
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
        subscription,
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

/// Whether the call has all scopes that an operation asks for: its token carries them, and its
/// subscription was granted those by approval. Calls without a credential are not checked.
fn judge_scopes(
    (caller, subscription): (&Caller<'_>, Option<&Subscription>),
    scopes: &[String],
    version: &Version,
    asked: (&Exchange<'_>, &Worker),
) -> Result<(), Refused> {
    let by_approval = &version.served.security.by_approval;
    let all_count = || {
        by_approval.is_empty() || {
            let mut scopes = scopes.iter();
            scopes.all(|name| counts(name, by_approval, subscription))
        }
    };
    if caller.application().is_none() || caller.has_scopes(scopes) && all_count() {
        return Ok(());
    }
    let wanting = scopes.iter().map(String::as_str);
    let wanting = wanting.filter(|name| !counts(name, by_approval, subscription));
    let refused = Refused::because(Refusal::Scope, detail(scopes, &wanting.collect::<Vec<_>>()));
    let error = challenge::Error::InsufficientScope(scopes);
    Err(challenge::add(refused, version, asked, error))
}

/// Whether a scope that a token carries counts: it is given freely, or the subscription was granted
/// it.
fn counts(name: &str, by_approval: &[String], subscription: Option<&Subscription>) -> bool {
    let is_in = |names: &[String]| names.iter().any(|it| it == name);
    !is_in(by_approval) || subscription.is_some_and(|it| is_in(&it.granted))
}

/// What the operation asks for, and what of it the API's owner has not granted.
fn detail(scopes: &[String], wanting: &[&str]) -> String {
    let asked = format!("The operation asks for the scopes {}.", scopes.join(", "));
    if wanting.is_empty() {
        return asked;
    }
    format!(
        "{asked} Given by approval, and not granted to the subscription of this application: {}. \
         Ask the owner of the API to grant them.",
        wanting.join(", ")
    )
}
