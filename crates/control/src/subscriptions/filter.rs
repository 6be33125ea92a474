//! Which subscriptions a list shows.

use serde::Deserialize;
use tollgate_model::id::{ApiId, ApplicationId, PlanId, VersionId};
use tollgate_model::subscription::Status;
use utoipa::IntoParams;

/// Which subscriptions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubscriptionFilter {
    /// Those of this application only; for who is not its owner, those to own APIs among them.
    pub(super) application: Option<ApplicationId>,
    /// Those of this version only; without an application, for its API's owner and administrators.
    pub(super) version: Option<VersionId>,
    /// Those to versions of this API only.
    pub(super) api: Option<ApiId>,
    /// Those under this plan only.
    pub(super) plan: Option<PlanId>,
    /// Those with this status only.
    pub(super) status: Option<Status>,
}
