//! Whose an API is, and what others see of it: decided here, for every handler.
//!
//! An API belongs to its owner. Only the owner and administrators change it with everything below
//! it (versions, drafts, contracts, offers, revisions, deployment, lifecycle), decide on its
//! subscriptions and read its usage. An owner who is disabled, or publisher no more, passes no
//! gate (`may`), which leaves the API to administrators.
//!
//! Other publishers read what the catalogue tells anyway. An API that has a version in the
//! catalogue ([`listed`], deprecated ones included) shows name, kind, context,
//! description and owner; such a version shows name, state, whether it is the default one, the
//! plans that it offers and, of a SOAP service, the document that gateways serve. What else there
//! is they are refused with 403 `api.not_owner`. That includes the OpenAPI document that a version
//! was imported from: it is kept as it was uploaded and names servers. An API without a version in
//! the catalogue is answered as an unknown id is, with 404.
//!
//! Handlers load APIs and versions through these functions, and those that change something call
//! them during their turn as the writer, so that a hand-over acts on changes under way too.

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
    /// What the catalogue tells.
    Catalogue,
}

impl Sight {
    /// The states of the versions that are seen.
    pub(crate) fn states(self) -> Vec<State> {
        match self {
            Self::Whole => STATES.to_vec(),
            Self::Catalogue => listed(true),
        }
    }
}

/// The API, if it is the caller's to change.
///
/// # Errors
/// 403 `api.not_owner`; 404 `api.unknown`.
pub(crate) async fn own_api(control: &Control, caller: &Caller, id: ApiId) -> Result<Api, Problem> {
    match api(control, caller, id).await? {
        (api, Sight::Whole) => Ok(api),
        (_, Sight::Catalogue) => Err(not_owner()),
    }
}

/// The API, and how much of it the caller sees.
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

/// The version and its API, if they are the caller's to change.
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

/// The version and its API, and how much of them the caller sees.
///
/// # Errors
/// As [`own_version`], for a version that is not in the catalogue.
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

/// The refusal for a caller who asks for a `noun` of somebody else's API.
pub(crate) async fn refusal(control: &Control, api: ApiId, noun: &str) -> Result<Problem, Problem> {
    let is_listed = is_listed(control, api).await?;
    Ok(if is_listed {
        not_owner()
    } else {
        Problem::unknown(noun)
    })
}

/// 403 `api.not_owner`.
pub(crate) fn not_owner() -> Problem {
    let detail = "the API is somebody else's: its owner and administrators may do this";
    Problem::new(StatusCode::FORBIDDEN, "api.not_owner", detail)
}

async fn is_listed(control: &Control, api: ApiId) -> Result<bool, Problem> {
    Ok(versions::any_in(&control.store, api, &listed(true)).await?)
}

/// The states whose versions are in the catalogue; `deprecated` is whether deprecated ones are
/// asked for.
pub(crate) fn listed(deprecated: bool) -> Vec<State> {
    let states = STATES.into_iter();
    states
        .filter(|state| state.in_catalogue().is_listed(deprecated))
        .collect()
}

#[cfg(test)]
mod tests;
