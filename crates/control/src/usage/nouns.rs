//! What calls, their sums and limits belong to, by id and name.

use serde::Serialize;
use tollgate_model::id::{ApiId, ApplicationId, OperationId, PlanId, VersionId};

use super::names::Names;
use crate::error::Problem;

/// What a call, sums of calls or a limit belong to. One that is not known, or was not asked for, is
/// absent, such as the application of a call without a valid key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = UsageNouns)]
pub(crate) struct Nouns {
    /// The API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) api: Option<Named<ApiId>>,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<Named<VersionId>>,
    /// The operation, named by method and path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) operation: Option<Named<OperationId>>,
    /// The calling application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) application: Option<Named<ApplicationId>>,
    /// The plan of its subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plan: Option<Named<PlanId>>,
}

/// An id with its name.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Named<I> {
    /// The id.
    pub(super) id: I,
    /// The current name, or the last one of a deleted object; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
}

impl<I> Named<I> {
    /// Returns an id with its name, if known.
    pub(crate) const fn new(id: I, name: Option<String>) -> Self {
        Self { id, name }
    }
}

/// The ids of [`Nouns`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NounIds {
    pub(super) api: Option<ApiId>,
    pub(super) version: Option<VersionId>,
    pub(super) operation: Option<OperationId>,
    pub(super) application: Option<ApplicationId>,
    pub(super) plan: Option<PlanId>,
}

impl NounIds {
    /// Looks their names up.
    pub(super) async fn named(self, names: &mut Names<'_>) -> Result<Nouns, Problem> {
        Ok(Nouns {
            api: match self.api {
                Some(id) => Some(Named::new(id, names.api(id).await?)),
                None => None,
            },
            version: match self.version {
                Some(id) => Some(Named::new(id, names.version(id).await?)),
                None => None,
            },
            operation: match self.operation {
                Some(id) => Some(Named::new(id, names.operation(id).await?)),
                None => None,
            },
            application: match self.application {
                Some(id) => Some(Named::new(id, names.application(id).await?)),
                None => None,
            },
            plan: match self.plan {
                Some(id) => Some(Named::new(id, names.plan(id).await?)),
                None => None,
            },
        })
    }
}
