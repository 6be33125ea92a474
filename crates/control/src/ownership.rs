//! API ownership, and how much of an API other users see: decided here, for every handler.
//!
//! An API belongs to its owner. Only the owner and administrators change it and everything below it
//! (versions, drafts, contracts, offers, revisions, deployment, lifecycle), decide on its
//! subscriptions and read its usage. An owner who is disabled, or no longer a publisher, passes no
//! gate (`may`), which leaves the API to administrators.
//!
//! Other publishers see only what the catalogue shows. An API that has a version in the catalogue
//! ([`listed`], deprecated ones included) shows name, kind, context, description and owner; such a
//! version shows name, state, whether it is the default one, the plans that it offers and, for a
//! SOAP service, the document that gateways serve. Everything else is rejected with 403
//! `api.not_owner`. That includes the OpenAPI document that a version was imported from: it is
//! stored as uploaded and names servers. An API without a version in the catalogue gets the same
//! 404 as an unknown id.
//!
//! Handlers load APIs and versions through these functions. Handlers that change something call
//! them during their turn as the writer, so that a transfer of ownership also applies to changes in
//! progress.

use axum::http::StatusCode;
use tollgate_model::id::{ApiId, VersionId};
use tollgate_model::lifecycle::{STATES, State};
use tollgate_store::apis::{self, Api};
use tollgate_store::versions::{self, Offer};

use crate::caller::Caller;
use crate::error::Problem;
use crate::state::Control;

/// How much of an API the caller sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Everything: the caller is its owner or an administrator.
    Whole,
    /// What the catalogue shows.
    Catalogue,
}

impl Sight {
    /// Returns the states of the visible versions.
    pub(crate) fn states(self) -> Vec<State> {
        match self {
            Self::Whole => STATES.to_vec(),
            Self::Catalogue => listed(true),
        }
    }
}

/// Returns the API if the caller may change it.
///
/// # Errors
/// 403 `api.not_owner`; 404 `api.unknown`.
pub(crate) async fn own_api(control: &Control, caller: &Caller, id: ApiId) -> Result<Api, Problem> {
    match api(control, caller, id).await? {
        (api, Sight::Whole) => Ok(api),
        (_, Sight::Catalogue) => Err(not_owner()),
    }
}

/// Returns the API, and how much of it the caller sees.
///
/// # Errors
/// 404 `api.unknown`.
pub(crate) async fn api(
    control: &Control,
    caller: &Caller,
    id: ApiId,
) -> Result<(Api, Sight), Problem> {
    let api = apis::by_id(&control.store, id).await?;
    if caller.owns(api.owner) {
        return Ok((api, Sight::Whole));
    }
    if is_listed(control, id).await? {
        return Ok((api, Sight::Catalogue));
    }
    Err(Problem::unknown("API"))
}

/// Returns the version and its API if the caller may change them.
///
/// # Errors
/// 403 `api.not_owner`; 404 `version.unknown`.
pub(crate) async fn own_version(
    control: &Control,
    caller: &Caller,
    id: VersionId,
) -> Result<Offer, Problem> {
    let offer = versions::with_api(&control.store, id).await?;
    if caller.owns(offer.api.owner) {
        return Ok(offer);
    }
    Err(refusal(control, offer.api.id, "version").await?)
}

/// Returns the version and its API, and how much of them the caller sees.
///
/// # Errors
/// Those of [`own_version`], for a version that is not in the catalogue.
pub(crate) async fn version(
    control: &Control,
    caller: &Caller,
    id: VersionId,
) -> Result<(Offer, Sight), Problem> {
    let offer = versions::with_api(&control.store, id).await?;
    if caller.owns(offer.api.owner) {
        return Ok((offer, Sight::Whole));
    }
    if offer.version.state.in_catalogue().is_listed(true) {
        return Ok((offer, Sight::Catalogue));
    }
    Err(refusal(control, offer.api.id, "version").await?)
}

/// Returns the refusal for a caller who requests a `noun` of another owner's API.
pub(crate) async fn refusal(control: &Control, api: ApiId, noun: &str) -> Result<Problem, Problem> {
    let is_listed = is_listed(control, api).await?;
    Ok(if is_listed {
        not_owner()
    } else {
        Problem::unknown(noun)
    })
}

/// Returns 403 `api.not_owner`.
pub(crate) fn not_owner() -> Problem {
    let detail = "the API belongs to another user: only its owner and administrators may do this";
    Problem::new(StatusCode::FORBIDDEN, "api.not_owner", detail)
}

async fn is_listed(control: &Control, api: ApiId) -> Result<bool, Problem> {
    Ok(versions::any_in(&control.store, api, &listed(true)).await?)
}

/// Returns the states of the versions in the catalogue, with or without deprecated ones.
pub(crate) fn listed(deprecated: bool) -> Vec<State> {
    let states = STATES.into_iter();
    states
        .filter(|state| state.in_catalogue().is_listed(deprecated))
        .collect()
}

#[cfg(test)]
mod tests;
