//! The default version of an API, which gateways also serve at the short address: the context
//! without a version's name.
//!
//! `lifecycle.rs`, and the deletion of a version in `versions.rs`, take the default version off
//! gateways only if the caller names the next one, chooses none, or no other version can be called.

use serde::Serialize;
use tollgate_model::id::{ApplicationId, VersionId};
use tollgate_model::lifecycle::{AtGateway, STATES, State as Stage};
use tollgate_store::default_version;
use tollgate_store::versions::Version;

use super::{deprecation, sibling};
use crate::error::Problem;
use crate::state::Control;

/// Maximum number of applications that a change lists.
const APPLICATIONS_MAX: u32 = 100;

/// The default version that a caller wants after a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'w> {
    /// The present one, unless the step takes it off gateways.
    Unstated,
    /// None: no short address.
    None,
    /// The version with this id or name.
    Version(&'w str),
}

/// A step of a version that may change which one is the default.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'s> {
    pub(super) version: &'s Version,
    /// The state that it enters; `None` if it is deleted.
    pub(super) to: Option<Stage>,
    /// The version of which the subscriptions are copied to it.
    pub(super) from: Option<VersionId>,
    /// The versions that are deprecated in the same step.
    pub(super) deprecated: &'s [VersionId],
}

/// A change of the default version of an API, served also without a version's name in the path.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct DefaultChange {
    /// The default version before; `null` if there was none.
    #[schema(nullable)]
    previous: Option<DefaultVersion>,
    /// The default version afterwards; `null` if there is none: calls without a version in the path
    /// get 404.
    #[schema(nullable)]
    next: Option<DefaultVersion>,
    /// Number of applications that are subscribed to the previous one but not to the next one,
    /// so that their calls without a version in the path are refused.
    lacking: u64,
    /// The first 100 of these applications, by name.
    applications: Vec<LackingApplication>,
}

/// A version in a change of the default one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct DefaultVersion {
    /// The version's id.
    id: VersionId,
    /// Its name.
    #[schema(example = "2.0")]
    name: String,
    /// Its state after the step.
    state: Stage,
}

/// An application that has no subscription to the next default version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct LackingApplication {
    /// Its id.
    id: ApplicationId,
    /// Its name.
    name: String,
    /// The name of its owner.
    owner_name: String,
}

impl<'w> Wanted<'w> {
    /// Reads a member for which absence and `null` differ.
    pub(super) fn from_member(member: Option<&'w Option<String>>) -> Self {
        match member {
            None => Self::Unstated,
            Some(None) => Self::None,
            Some(Some(version)) => Self::Version(version),
        }
    }

    /// Reads a query parameter; `null` is no version.
    pub(super) fn from_parameter(parameter: Option<&'w str>) -> Self {
        match parameter {
            None => Self::Unstated,
            Some("null") => Self::None,
            Some(version) => Self::Version(version),
        }
    }
}

impl DefaultChange {
    /// The default version before, if there was one.
    pub(super) fn previous(&self) -> Option<VersionId> {
        self.previous.as_ref().map(|previous| previous.id)
    }

    /// The default version afterwards, if there is one.
    pub(super) fn next(&self) -> Option<VersionId> {
        self.next.as_ref().map(|next| next.id)
    }
}

impl Step<'_> {
    /// Decides how the step changes the default version, reading the state before it; `None` if it
    /// does not.
    ///
    /// # Errors
    /// 409 `lifecycle.default` if the step takes the default version off gateways while a different
    /// version can be called and the caller names none; 422 if the wanted one is unknown or cannot
    /// be called.
    pub(super) async fn default_change(
        self,
        control: &Control,
        wanted: Wanted<'_>,
    ) -> Result<Option<DefaultChange>, Problem> {
        let previous = default_version::of_api(&control.store, self.version.api).await?;
        let next = match wanted {
            Wanted::Version(given) => Some(self.callable(control, given).await?),
            Wanted::None => None,
            Wanted::Unstated if !self.ends_default() => return Ok(None),
            Wanted::Unstated => {
                self.require_no_other(control).await?;
                None
            }
        };
        let id = |version: &Option<Version>| version.as_ref().map(|it| it.id);
        if id(&previous) == id(&next) {
            return Ok(None);
        }
        let mut change = DefaultChange {
            previous: previous.as_ref().map(|it| self.show(it)),
            next: next.as_ref().map(|it| self.show(it)),
            lacking: 0,
            applications: Vec::new(),
        };
        if let Some(previous) = &previous {
            let next = next.as_ref();
            self.note_lacking(control, previous, next, &mut change)
                .await?;
        }
        Ok(Some(change))
    }

    /// Returns whether the step takes the default version off gateways.
    fn ends_default(self) -> bool {
        let is_absent = |to: Stage| to.at_gateway() == AtGateway::Absent;
        self.version.is_default && self.to.is_none_or(is_absent)
    }

    /// Returns the state of a version after the step.
    fn state_of(self, version: &Version) -> Option<Stage> {
        if version.id == self.version.id {
            return self.to;
        }
        Some(match self.deprecated.contains(&version.id) {
            true => Stage::Deprecated,
            false => version.state,
        })
    }

    /// Returns the version with this id or name if it can be called after the step.
    async fn callable(self, control: &Control, given: &str) -> Result<Version, Problem> {
        let Some(found) = sibling(&control.store, self.version.api, given).await? else {
            let detail = deprecation::unknown(given);
            return Err(Problem::at("/default", "version.unknown", detail));
        };
        let state = self.state_of(&found);
        if state.is_some_and(Stage::is_callable) {
            return Ok(found);
        }
        let state = state.map_or("deleted", Stage::word);
        let detail = format!(
            "the default version must be published, prototyped or deprecated; {} would be {state}",
            found.name
        );
        Err(Problem::at("/default", "lifecycle.default_state", detail))
    }

    /// Rejects the step if another version can be called.
    async fn require_no_other(self, control: &Control) -> Result<(), Problem> {
        let Version { id, api, name, .. } = self.version;
        let mut callable = STATES.to_vec();
        callable.retain(|state| state.is_callable());
        let other = default_version::newest(&control.store, *api, &callable, *id).await?;
        let Some(other) = other else {
            return Ok(());
        };
        let detail = format!(
            "{name} is the API's default version, which is served without a version in the path: \
             name the next one in \"default\", such as {:?}, or set it to null for none",
            other.name
        );
        Err(Problem::conflict("lifecycle.default", detail).blaming("/default"))
    }

    /// Adds the applications that are subscribed to the previous default version but not to the
    /// next one; none if that one can be called without a subscription.
    async fn note_lacking(
        self,
        control: &Control,
        previous: &Version,
        next: Option<&Version>,
        change: &mut DefaultChange,
    ) -> Result<(), Problem> {
        let next_state = next.and_then(|next| self.state_of(next));
        if next_state.is_some_and(|it| it.at_gateway() == AtGateway::Open) {
            return Ok(());
        }
        let mut subscribed: Vec<_> = next.iter().map(|next| next.id).collect();
        if subscribed.contains(&self.version.id) {
            subscribed.extend(self.from);
        }
        let (store, at_most) = (&control.store, APPLICATIONS_MAX);
        let (lacking, first) =
            default_version::lacking(store, previous.id, &subscribed, at_most).await?;
        change.lacking = lacking;
        change.applications = first
            .into_iter()
            .map(|it| LackingApplication {
                id: it.application,
                name: it.name,
                owner_name: it.owner_name,
            })
            .collect();
        Ok(())
    }

    fn show(self, version: &Version) -> DefaultVersion {
        DefaultVersion {
            id: version.id,
            name: version.name.clone(),
            // A deleted version is shown as it was.
            state: self.state_of(version).unwrap_or(version.state),
        }
    }
}
