//! Which subscriptions a list shows.

use serde::Deserialize;
use tollgate_model::id::{ApplicationId, VersionId};
use tollgate_model::subscription::Status;
use utoipa::IntoParams;

/// Which subscriptions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// Those of this application only; for who is not its owner, those to own APIs among them.
    pub(super) application: Option<ApplicationId>,
    /// Those of this version only; for its API's owner and administrators.
    pub(super) version: Option<VersionId>,
    /// Those with this status only.
    pub(super) status: Option<Status>,
    /// Things on the page at most: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// The page begins after the thing with this id.
    pub(super) after: Option<String>,
}
