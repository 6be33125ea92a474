//! Which calls a caller may see.

use axum::http::StatusCode;
use serde::Deserialize;
use tollgate_analytics::{Filter, Sight};
use tollgate_model::id::{ApiId, ApplicationId, UserId, VersionId};
use tollgate_model::user::Role;
use tollgate_store::{LIST_MAX, Store, StoreError, applications, owners, versions};

use crate::caller::Caller;
use crate::error::Problem;
use crate::ownership::refusal;
use crate::state::Control;

/// One half of what a caller sees who is developer and publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageHalf)]
pub(crate) enum Half {
    /// Calls by one's own applications.
    Developer,
    /// Calls of one's own APIs.
    Publisher,
}

/// Restricts a filter to calls by the caller's own applications and, for a publisher, calls of own
/// APIs; does not restrict it for an administrator. A filter that accepts only such calls stays as
/// it is.
///
/// # Errors
/// For a caller who is not a developer, 403 `api.not_owner` or 404 for an API, a version or an
/// operation of another owner; for one who is not a publisher, 404 `application.unknown` for an
/// application of another owner. A caller who is both may name all of them, and gets the calls of
/// own APIs and by own applications among them. 403 `role.missing` for a half without that role.
pub(crate) async fn narrow(
    filter: &mut Filter,
    control: &Control,
    caller: &Caller,
    half: Option<Half>,
) -> Result<(), Problem> {
    let is_all = caller.is(Role::Administrator) && half.is_none();
    if is_all {
        return Ok(());
    }
    let halves = Halves::of(caller, half)?;
    let mut sight = Sight::default();
    if halves.is_publisher {
        sight.apis = own_apis(&control.store, caller.user).await?;
    }
    if halves.is_developer || half.is_none() {
        sight.applications = own_applications(&control.store, caller.user).await?;
    }
    if !halves.is_developer {
        require_own_apis(control, caller, filter).await?;
    }
    let mut applications = filter.applications.iter().flatten();
    if !halves.is_publisher && applications.any(|id| !sight.applications.contains(id)) {
        return Err(Problem::unknown("application"));
    }
    if !is_within(filter, &sight, control, caller.user).await? {
        filter.sight = Some(sight);
    }
    Ok(())
}

/// The halves that a caller sees.
struct Halves {
    is_developer: bool,
    is_publisher: bool,
}

impl Halves {
    /// # Errors
    /// 403 `role.missing` for a half without that role.
    fn of(caller: &Caller, half: Option<Half>) -> Result<Self, Problem> {
        let is = |role, wanted| caller.is(role) && half.is_none_or(|half| half == wanted);
        let halves = Self {
            is_developer: is(Role::Developer, Half::Developer),
            is_publisher: is(Role::Publisher, Half::Publisher),
        };
        if half.is_some() && !halves.is_developer && !halves.is_publisher {
            let detail = "as: you do not have this role";
            return Err(Problem::new(StatusCode::FORBIDDEN, "role.missing", detail));
        }
        Ok(halves)
    }
}

/// Whether a filter accepts only calls that are visible anyway.
async fn is_within(
    filter: &Filter,
    sight: &Sight,
    control: &Control,
    user: UserId,
) -> Result<bool, Problem> {
    if let Some(ids) = &filter.applications
        && ids.iter().all(|id| sight.applications.contains(id))
    {
        return Ok(true);
    }
    if sight.apis.is_empty() {
        return Ok(false);
    }
    if let Some(ids) = &filter.apis
        && ids.iter().all(|id| sight.apis.contains(id))
    {
        return Ok(true);
    }
    let store = &control.store;
    if let Some(ids) = &filter.versions {
        return are_own(store, ids, user).await;
    }
    if let Some(ids) = &filter.operations {
        let mut versions = Vec::new();
        for &id in ids {
            match owners::version_of(store, id).await? {
                Some(version) => versions.push(version),
                None => return Ok(false),
            }
        }
        return are_own(store, &versions, user).await;
    }
    Ok(false)
}

async fn are_own(store: &Store, versions: &[VersionId], user: UserId) -> Result<bool, Problem> {
    for &version in versions {
        if owners::of_version(store, version).await? != Some(user) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the APIs of a user, including deleted ones.
async fn own_apis(store: &Store, user: UserId) -> Result<Vec<ApiId>, StoreError> {
    let mut own = Vec::new();
    loop {
        let page = owners::apis(store, user, own.last().copied(), LIST_MAX).await?;
        if page.is_empty() {
            return Ok(own);
        }
        own.extend(page);
    }
}

async fn own_applications(store: &Store, user: UserId) -> Result<Vec<ApplicationId>, StoreError> {
    let mut own = Vec::new();
    loop {
        let after = own.last().copied();
        let page = applications::list(store, Some(user), after, LIST_MAX).await?;
        if page.is_empty() {
            return Ok(own);
        }
        own.extend(page.iter().map(|application| application.id));
    }
}

/// Checks that every API, version and operation in a filter belongs to the caller.
async fn require_own_apis(
    control: &Control,
    caller: &Caller,
    filter: &Filter,
) -> Result<(), Problem> {
    let store = &control.store;
    for &api in filter.apis.iter().flatten() {
        if owners::of_api(store, api).await? != Some(caller.user) {
            return Err(refusal(control, api, "API").await?);
        }
    }
    for &version in filter.versions.iter().flatten() {
        require_own_version(control, caller, version, "version").await?;
    }
    for &operation in filter.operations.iter().flatten() {
        let version = owners::version_of(store, operation)
            .await?
            .ok_or_else(|| Problem::unknown("operation"))?;
        require_own_version(control, caller, version, "operation").await?;
    }
    Ok(())
}

async fn require_own_version(
    control: &Control,
    caller: &Caller,
    version: VersionId,
    noun: &str,
) -> Result<(), Problem> {
    let store = &control.store;
    if owners::of_version(store, version).await? == Some(caller.user) {
        return Ok(());
    }
    match versions::by_id(store, version).await {
        Ok(version) => Err(refusal(control, version.api, noun).await?),
        Err(StoreError::NotFound(_)) => Err(Problem::unknown(noun)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
