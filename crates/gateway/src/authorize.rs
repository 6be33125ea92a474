//! `authorize`: checks whether this caller may call this version: its subscription, the scopes that
//! the operation requires, and the environment of its credential.

use std::borrow::Cow;
use std::sync::Arc;

use tollgate_counters::BoundLimit;
use tollgate_http1::view::Request;
use tollgate_model::credential::Environment;
use tollgate_model::refusal::Refusal;
use tollgate_model::subscription::Status;

use crate::authenticate::{Caller, Proven, challenge};
use crate::exchange::Exchange;
use crate::limits::FoundLimit;
use crate::limits::policy_line::PolicyLine;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::route::Routed;
use crate::snapshot::version::{Upstream, Version};
use crate::snapshot::{Snapshot, Subscription};

/// The ticket of this room: a permitted call and the upstream of its environment.
#[derive(Debug)]
pub(crate) struct Allowed<'s> {
    caller: &'s Caller<'s>,
    /// `None` for a call that needs no subscription.
    subscription: Option<&'s Subscription>,
    /// The limits of the subscription's plan and its application, or of the plan `anonymous`.
    bounds: &'s [BoundLimit],
    /// What the caller sees of them, if no other limits apply.
    policy_line: &'s PolicyLine,
    /// Those of them that are found at the call.
    found: [Option<&'s [FoundLimit]>; 2],
    upstream: Option<&'s Upstream>,
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Allowed<'_>>() <= 128);

impl<'s> Allowed<'s> {
    pub(crate) fn routed(&self) -> &'s Routed<'s> {
        self.caller.routed()
    }

    pub(crate) fn caller(&self) -> &'s Caller<'s> {
        self.caller
    }

    /// The effective scopes of a credential: those by approval count only if granted.
    pub(crate) fn scopes<'p>(&self, proven: &'p Proven<'s>) -> impl Iterator<Item = &'p str> {
        let by_approval = &self.routed().version().served.security.by_approval;
        let subscription = self.subscription;
        let counts = move |name: &&str| counts(name, by_approval, subscription);
        proven.scopes().filter(counts)
    }

    /// Checks that the call has all scopes of an operation named by its message.
    pub(crate) fn judge_scopes(
        &self,
        scopes: &[String],
        exchange: &Exchange<'_>,
    ) -> Result<(), Refused> {
        judge_scopes(self.caller, self.subscription, scopes, exchange)
    }

    /// The upstream of the caller's environment; `None` if steps may respond in its place.
    pub(crate) fn upstream(&self) -> Option<&'s Upstream> {
        self.upstream
    }

    /// Path and query below the version, without the caller's credential.
    pub(crate) fn below<'h>(&'h self, head: Request<'h>) -> Cow<'h, [u8]> {
        let below = self.routed().resource(head);
        self.caller.carried().cut_from(below, head.target())
    }

    /// `None` for a call that needs no subscription.
    pub(crate) fn subscription(&self) -> Option<&'s Subscription> {
        self.subscription
    }

    /// The lists of limits that are found at the call.
    pub(crate) fn found(&self) -> impl Iterator<Item = &'s [FoundLimit]> + use<'s> {
        let of_version = self.routed().version().found.as_deref();
        self.found.into_iter().flatten().chain(of_version)
    }

    /// The bound limits with what the caller sees of them; `None` if the version has more.
    pub(crate) fn policy_line(&self) -> Option<(&'s [BoundLimit], &'s PolicyLine)> {
        let is_all = self.routed().version().bounds.is_empty();
        is_all.then_some((self.bounds, self.policy_line))
    }

    /// Every limit of this call that is bound.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &'s BoundLimit> + Clone + use<'s> {
        let version: &'s Version = self.routed().version();
        self.bounds.iter().chain(&version.bounds)
    }
}

/// The limits of a subscription or of calls without one.
struct Limits<'s> {
    bounds: &'s [BoundLimit],
    policy_line: &'s PolicyLine,
    found: [Option<&'s [FoundLimit]>; 2],
}

/// Decides whether the caller may make the call.
pub(crate) fn permit<'s>(
    snapshot: &'s Snapshot,
    caller: &'s Caller<'s>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Allowed<'s>, Refused> {
    judge_source(caller, exchange)?;
    let routed = caller.routed();
    let version = routed.version();
    let subscription = caller.application().and_then(|application| {
        let key = (application, version.served.id);
        snapshot.subscriptions.find(&key).map(Arc::as_ref)
    });
    let limits = match subscription {
        Some(subscription) => {
            record.plan(subscription.plan_id);
            judge_status(subscription, caller.environment())?;
            let [of_plan, own] = &subscription.found;
            Limits {
                bounds: &subscription.bounds,
                policy_line: &subscription.policy_line,
                found: [of_plan.as_deref(), own.as_deref()],
            }
        }
        None if routed.is_open() => {
            if let Some(anonymous) = &snapshot.anonymous {
                record.plan(anonymous.plan);
            }
            anonymous_bounds(snapshot, version)?
        }
        None => return Err(Refusal::NotSubscribed.into()),
    };
    if let Some(operation) = routed.operation() {
        judge_scopes(caller, subscription, &operation.access.scopes, exchange)?;
    }
    let owner = match (subscription, caller.application()) {
        (Some(subscription), _) => subscription.owner,
        (None, Some(id)) => snapshot.applications.find(&id).map(|it| it.owner),
        (None, None) => None,
    };
    exchange.is_of(owner);
    let upstream = version.upstream(caller.environment());
    if upstream.is_none() && !routed.may_respond() {
        return Err(Refusal::NoEnvironment.into());
    }
    Ok(Allowed {
        caller,
        subscription,
        bounds: limits.bounds,
        policy_line: limits.policy_line,
        found: limits.found,
        upstream,
    })
}

/// Checks that the credentials may be used from the call's address and origin.
fn judge_source(caller: &Caller<'_>, exchange: &Exchange<'_>) -> Result<(), Refused> {
    if !caller.is_bound() {
        return Ok(());
    }
    let head = exchange.head();
    let origin = head.lines().named(b"origin").next();
    let is_allowed = caller.may_be_here(exchange.address(), origin);
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

/// The limits for calls without a subscription.
fn anonymous_bounds<'s>(snapshot: &'s Snapshot, version: &Version) -> Result<Limits<'s>, Refused> {
    let anonymous = snapshot.anonymous.as_deref();
    let bounds = anonymous.and_then(|it| {
        let bounds = it.bounds.get(&version.served.id)?;
        Some(Limits {
            bounds,
            policy_line: &it.policy_line,
            found: [it.found.as_deref(), None],
        })
    });
    bounds.ok_or_else(|| {
        let detail = "Calls without a subscription need the plan \"anonymous\", which does not \
                      exist.";
        Refused::because(Refusal::NotSubscribed, detail)
    })
}

/// Checks that the call has all scopes that an operation requires: its token carries them, and
/// scopes by approval are granted to its subscription. Calls without a credential are not checked.
fn judge_scopes(
    caller: &Caller<'_>,
    subscription: Option<&Subscription>,
    scopes: &[String],
    exchange: &Exchange<'_>,
) -> Result<(), Refused> {
    let version = caller.routed().version();
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
    let not_granted = scopes.iter().map(String::as_str);
    let not_granted = not_granted.filter(|name| !counts(name, by_approval, subscription));
    let refused = Refused::because(
        Refusal::Scope,
        detail(scopes, &not_granted.collect::<Vec<_>>()),
    );
    let error = challenge::Error::InsufficientScope(scopes);
    Err(challenge::add(refused, version, exchange, error))
}

/// Whether a scope of a token is effective: it needs no approval, or it is granted to the
/// subscription.
fn counts(name: &str, by_approval: &[String], subscription: Option<&Subscription>) -> bool {
    let is_in = |names: &[String]| names.iter().any(|it| it == name);
    !is_in(by_approval) || subscription.is_some_and(|it| is_in(&it.granted))
}

/// The scopes that the operation requires, and those that the API's owner has not granted.
fn detail(scopes: &[String], not_granted: &[&str]) -> String {
    let required = format!("The operation requires the scopes {}.", scopes.join(", "));
    if not_granted.is_empty() {
        return required;
    }
    format!(
        "{required} Granted by approval only, and not yet to the subscription of this application: \
         {}. Ask the API's owner to grant them.",
        not_granted.join(", ")
    )
}
