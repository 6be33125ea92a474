//! The filter of a list of subscriptions.

use serde::Deserialize;
use tollgate_model::id::{ApiId, ApplicationId, PlanId, VersionId};
use tollgate_model::subscription::Status;
use utoipa::IntoParams;

/// The filter of a list of subscriptions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubscriptionFilter {
    /// Only subscriptions of this application; callers who do not own it see those to their own
    /// APIs.
    pub(super) application: Option<ApplicationId>,
    /// Only those to this version: developers see those of their own applications, its API's owner
    /// and administrators all of them.
    pub(super) version: Option<VersionId>,
    /// Only those to versions of this API.
    pub(super) api: Option<ApiId>,
    /// Only those with this plan.
    pub(super) plan: Option<PlanId>,
    /// Only those with this status.
    pub(super) status: Option<Status>,
}
