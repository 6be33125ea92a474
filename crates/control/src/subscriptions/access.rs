//! Access to subscriptions: who sees one, and who may change what.

use axum::http::StatusCode;
use tollgate_model::id::{SubscriptionId, VersionId};
use tollgate_model::subscription::Status;
use tollgate_model::user::Role;
use tollgate_store::subscriptions::{self as rows, Concerning, Subscription};
use tollgate_store::{StoreError, versions};

use super::filter::SubscriptionFilter;
use super::{SubscriptionPatch, require_open};
use crate::applications;
use crate::caller::Caller;
use crate::error::Problem;
use crate::may::{Act, may};
use crate::ownership::own_version;
use crate::state::Control;

/// Returns the subscription, or 404 if it has ended.
pub(super) async fn live(control: &Control, id: SubscriptionId) -> Result<Subscription, Problem> {
    let subscription = rows::by_id(&control.store, id).await?;
    match subscription.ended_us {
        None => Ok(subscription),
        Some(_) => Err(StoreError::NotFound("subscription").into()),
    }
}

pub(super) async fn require_own(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<(), Problem> {
    let application = subscription.application;
    applications::require_own(control, caller, application, "subscription").await
}

/// Checks whether the caller may subscribe to a version: developers to any, publishers to those of
/// their own APIs.
///
/// # Errors
/// 403 `api.not_owner`; 404 if other publishers do not see the version.
pub(super) async fn require_subscriber(
    control: &Control,
    caller: &Caller,
    version: VersionId,
) -> Result<(), Problem> {
    if caller.is(Role::Developer) || caller.is(Role::Administrator) {
        return Ok(());
    }
    own_version(control, caller, version).await.map(drop)
}

/// Returns the users to list subscriptions for, on either side of them; `None` for an
/// administrator, who sees all.
///
/// # Errors
/// 403 or 404 for an application or a version that the caller has no access to.
pub(super) async fn seen_by(
    control: &Control,
    caller: &Caller,
    filter: &SubscriptionFilter,
) -> Result<Option<Concerning>, Problem> {
    let is_publisher = may(&caller.roles, Act::DecideSubscriptions);
    if let Some(application) = filter.application {
        match applications::own(control, caller, application).await {
            // A publisher does not learn whether such an application exists.
            Err(problem) if !is_publisher || problem.status() != StatusCode::NOT_FOUND => {
                return Err(problem);
            }
            _ => {}
        }
    } else if let Some(version) = filter.version
        && !caller.is(Role::Developer)
    {
        // A developer may have subscriptions to any version; the list has only those and the
        // subscriptions to own APIs.
        own_version(control, caller, version).await?;
    }
    Ok(concerning(caller))
}

/// Returns the users on either side of the subscriptions that the caller sees; `None` for an
/// administrator, who sees all.
pub(crate) fn concerning(caller: &Caller) -> Option<Concerning> {
    let if_may = |act| may(&caller.roles, act).then_some(caller.user);
    (!caller.is(Role::Administrator)).then(|| Concerning {
        consumer: if_may(Act::Subscribe),
        publisher: if_may(Act::DecideSubscriptions),
    })
}

/// Checks whether the caller may make these changes.
pub(super) async fn require_changeable(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
    patch: &SubscriptionPatch,
) -> Result<(), Problem> {
    let is_request = patch.status == Some(Status::Pending);
    if patch.plan.is_some() {
        require_subscriber(control, caller, subscription.version).await?;
    }
    if patch.plan.is_some() || !may(&caller.roles, Act::DecideSubscriptions) {
        require_own(control, caller, subscription).await?;
    }
    if patch.status.is_some() && !is_request {
        caller.may(Act::DecideSubscriptions)?;
        require_own_api(control, caller, subscription).await?;
    }
    require_seen(control, caller, subscription).await
}

/// Checks that a subscription may get another status. Only the application's owner requests a
/// rejected one again, while its version accepts subscriptions.
///
/// # Errors
/// 409 `subscription.status`, or `version.not_open`.
pub(super) async fn require_next(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
    to: Status,
) -> Result<(), Problem> {
    let refused = |detail| Problem::conflict("subscription.status", detail).blaming("/status");
    let next = subscription.status.require_next(to);
    next.map_err(|error| refused(error.to_string()))?;
    if to != Status::Pending {
        return Ok(());
    }
    match require_own(control, caller, subscription).await {
        Err(problem) if problem.status() == StatusCode::NOT_FOUND => {
            let detail = "only the application's owner can request its subscription again";
            return Err(refused(detail.to_owned()));
        }
        own => own?,
    }
    require_subscriber(control, caller, subscription.version).await?;
    let version = versions::by_id(&control.store, subscription.version).await?;
    require_open(&version)
}

/// Checks whether the subscription is of an application or to an API of the caller's.
pub(super) async fn require_seen(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<(), Problem> {
    match require_own(control, caller, subscription).await {
        Err(_) if may(&caller.roles, Act::DecideSubscriptions) => {
            require_own_api(control, caller, subscription).await
        }
        own => own,
    }
}

/// Checks whether the subscription is to an API of the caller's. If it is not, and the API is not
/// in the catalogue, the subscription is reported as unknown.
pub(super) async fn require_own_api(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<(), Problem> {
    match own_version(control, caller, subscription.version).await {
        Ok(_) => Ok(()),
        Err(problem) if problem.status() == StatusCode::NOT_FOUND => {
            Err(Problem::unknown("subscription"))
        }
        Err(problem) => Err(problem),
    }
}
