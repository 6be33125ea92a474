//! The limit that refused a call, as it is now.

use serde::Serialize;
use tollgate_model::api::{Configuration, Operation};
use tollgate_model::compile::operation_id;
use tollgate_model::id::{OperationId, VersionId};
use tollgate_model::plan::Limit;
use tollgate_model::record::{Flags, Owner, Record, RefusedBy};
use tollgate_model::soap::{UNKNOWN, soap_operation_id};
use tollgate_store::{Store, StoreError, applications, plans, revisions, versions};

use crate::error::Problem;

/// What a limit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LimitOwner {
    /// The plan of the subscription.
    Plan,
    /// The application.
    Application,
    /// The version.
    Version,
    /// The operation.
    Operation,
    /// The upstream.
    Upstream,
}

impl LimitOwner {
    /// The owner of a limit; `None` for that of a policy's step.
    pub(super) const fn of(owner: Owner) -> Option<Self> {
        match owner {
            Owner::Plan => Some(Self::Plan),
            Owner::Application => Some(Self::Application),
            Owner::Version => Some(Self::Version),
            Owner::Operation => Some(Self::Operation),
            Owner::Upstream => Some(Self::Upstream),
            Owner::Request | Owner::Response => None,
        }
    }
}

/// A limit that refused a call.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CallLimit {
    /// What it belongs to.
    pub(super) of: LimitOwner,
    /// Its index among the limits of that, when the call was made.
    pub(super) index: u16,
    /// The limit with this index now; absent if there is none, and that of an upstream for callers
    /// who neither own the API nor are administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<Limit>,
    /// Whether it may be another than when the call was made: its plan was changed since, another
    /// revision with another limit is deployed, or there is none any more. Changes of an
    /// application are not known.
    pub(super) is_changed: bool,
}

/// Returns the limit that refused a call; `None` if none did.
pub(super) async fn of(
    store: &Store,
    record: &Record,
    sees_upstream: bool,
) -> Result<Option<CallLimit>, Problem> {
    let Some(by) = record.refused_by else {
        return Ok(None);
    };
    let Some(of) = LimitOwner::of(by.owner()) else {
        return Ok(None);
    };
    let now = match of {
        LimitOwner::Plan => of_plan(store, record, by).await?,
        LimitOwner::Application => of_application(store, record, by).await?,
        _ => of_version(store, record, by).await?,
    };
    let is_hidden = of == LimitOwner::Upstream && !sees_upstream;
    Ok(Some(CallLimit {
        of,
        index: by.index(),
        limit: now.limit.filter(|_| !is_hidden),
        is_changed: now.is_changed,
    }))
}

/// A limit as it is now.
struct Now {
    limit: Option<Limit>,
    is_changed: bool,
}

impl Now {
    const GONE: Self = Self {
        limit: None,
        is_changed: true,
    };

    const fn same(limit: Option<Limit>) -> Self {
        Self {
            limit,
            is_changed: false,
        }
    }
}

async fn of_plan(store: &Store, record: &Record, by: RefusedBy) -> Result<Now, StoreError> {
    let Some(id) = record.plan else {
        return Ok(Now::GONE);
    };
    Ok(match found(plans::by_id(store, id).await)? {
        Some(plan) => Now {
            limit: plan.terms.limits.get(usize::from(by.index())).cloned(),
            is_changed: plan.updated_us > record.at_us,
        },
        None => Now::GONE,
    })
}

async fn of_application(store: &Store, record: &Record, by: RefusedBy) -> Result<Now, StoreError> {
    let Some(id) = record.application else {
        return Ok(Now::GONE);
    };
    Ok(match found(applications::by_id(store, id).await)? {
        Some(application) => Now {
            limit: application.limits.get(usize::from(by.index())).cloned(),
            is_changed: application.limits.len() <= usize::from(by.index()),
        },
        None => Now::GONE,
    })
}

/// The limit in the deployed revision, compared with the one that served the call.
async fn of_version(store: &Store, record: &Record, by: RefusedBy) -> Result<Now, StoreError> {
    let (Some(id), Some(served)) = (record.version, record.revision) else {
        return Ok(Now::GONE);
    };
    let Some(version) = found(versions::by_id(store, id).await)? else {
        return Ok(Now::GONE);
    };
    let limit = |configuration: &Configuration| {
        let limits = limits_of(configuration, by.owner(), record)?;
        limits.get(usize::from(by.index())).cloned()
    };
    let then = found(revisions::by_id(store, served).await)?;
    let then = then.and_then(|(_, configuration)| limit(&configuration));
    let now = match version.deployed {
        Some(deployed) if deployed == served => return Ok(Now::same(then)),
        Some(deployed) => found(revisions::by_id(store, deployed).await)?,
        None => None,
    };
    let now = now.and_then(|(_, configuration)| limit(&configuration));
    Ok(Now {
        is_changed: now != then,
        limit: now,
    })
}

fn found<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The limits of a version, of the operation of a call or of its upstream.
fn limits_of<'c>(
    configuration: &'c Configuration,
    owner: Owner,
    record: &Record,
) -> Option<&'c [Limit]> {
    match owner {
        Owner::Version => Some(&configuration.limits),
        Owner::Operation => of_operation(configuration, record.version?, record.operation?),
        Owner::Upstream => {
            let upstream = match record.flags.has(Flags::SANDBOX) {
                true => &configuration.sandbox_upstream,
                false => &configuration.upstream,
            };
            Some(&upstream.as_ref()?.limits)
        }
        _ => None,
    }
}

fn of_operation(
    configuration: &Configuration,
    version: VersionId,
    id: OperationId,
) -> Option<&[Limit]> {
    let mut operations = configuration.operations.iter();
    let is_it = |it: &&Operation| operation_id(version, it.method, &it.path) == id;
    if let Some(operation) = operations.find(is_it) {
        return Some(&operation.limits);
    }
    let soap = configuration.soap.as_ref()?;
    let mut named = soap.operations.iter();
    if let Some(operation) = named.find(|it| soap_operation_id(version, &it.name) == id) {
        return Some(&operation.limits);
    }
    (soap_operation_id(version, UNKNOWN) == id).then_some(&soap.unknown.limits)
}
