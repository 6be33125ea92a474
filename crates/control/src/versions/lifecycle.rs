//! The lifecycle of a version: its history, and moving it to another state.
//!
//! `model::lifecycle` defines which state may follow which; the store applies it in one
//! transaction: history, deployment, deprecation, subscriptions that end or move along.

mod enter;
mod moving;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tollgate_model::fault::Fault;
use tollgate_model::id::{UserId, VersionId};
use tollgate_model::lifecycle::{Deprecation, State as Stage};
use tollgate_store::lifecycle;
use tollgate_store::versions::{self, Offer, Version};

use super::default_version::{DefaultChange, Step, Wanted};
use super::deprecation::{DeprecateOlder, Terms};
use super::{VersionBody, change_default, limited_plans, log_default, source, upstreams};
use crate::caller::Caller;
use crate::change::Change;
use crate::credentials::or_null;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::{Path, Query};
use crate::state::Control;
use crate::text::{DESCRIPTION_MAX, text_fault};
use crate::time::Time;

use enter::{Entering, configuration, enter};
use moving::{MovedSubscriptions, NOTES, move_along};

/// One step of a version's history.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = LifecycleStep)]
pub(crate) struct StepBody {
    /// The state left.
    from: Stage,
    /// The state entered; the same as `from` if a revision was only deployed.
    to: Stage,
    /// Number of the revision that was deployed; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<i64>,
    /// The user who made the step.
    by: UserId,
    /// That user's name; absent once the user is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_name: Option<String>,
    /// The reason, written by that user.
    note: String,
    /// Time of the step.
    at: Time,
}

/// A move of a version to another state.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    /// The state to enter, one of the version's `next_states`.
    to: Stage,
    /// The reason.
    #[serde(default)]
    note: String,
    /// On publishing: proceed even if no access tokens are issued and every protected operation
    /// requires one.
    #[serde(default)]
    without_tokens: bool,
    /// On publishing: what to do with the subscriptions of the version named by `from`;
    /// `resubscribe` by default.
    #[serde(default)]
    subscriptions: Option<Along>,
    /// Id or name of the version of the same API to move the subscriptions from.
    #[serde(default)]
    from: Option<String>,
    /// Rejected: subscriptions move with their plan.
    #[serde(default)]
    #[schema(ignore)]
    plans: Option<IgnoredAny>,
    /// On publishing: older versions to deprecate in the same step.
    #[serde(default)]
    deprecate: Option<DeprecateOlder>,
    /// On deprecating: the announced end, later than now and at most 10 years from now.
    #[serde(default)]
    sunset: Option<Time>,
    /// On deprecating: id or name of the version of the same API that succeeds it: published,
    /// prototyped or deprecated.
    #[serde(default)]
    successor: Option<String>,
    /// On deprecating: text for its callers, at most 1,000 characters.
    #[serde(default)]
    text: Option<String>,
    /// Id or name of the API's default version after the step: published, prototyped or deprecated
    /// then; `null` for none.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<String>)]
    default: Option<Option<String>>,
}

/// The result of moving a version.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "describes responses that are built from its variants"
)]
enum Moved {
    /// The version in its new state.
    Version(Box<Entered>),
    /// The impact, of a dry run.
    Impact(MoveImpact),
}

/// What a move of a version to another state would affect: its own subscriptions, those that would
/// move to it, and those of versions that would be deprecated with it.
#[derive(Serialize, utoipa::ToSchema)]
struct MoveImpact {
    #[serde(flatten)]
    impact: Impact,
    /// The subscriptions of the version named by `from`; absent unless they would move.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<MovedSubscriptions>,
    /// Sentences on what the move means for the applications; absent unless subscriptions would
    /// move.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<String>)]
    notes: &'static [&'static str],
    /// The versions that would be deprecated with it; absent if none would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deprecated: Vec<VersionId>,
    /// The change of the default version; absent if that stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<DefaultChange>,
}

/// A version in the state that it entered.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = EnteredVersion)]
struct Entered {
    #[serde(flatten)]
    version: VersionBody,
    /// The subscriptions of the version named by `from`; absent unless they were to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<MovedSubscriptions>,
    /// The change of the default version; absent if that stayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<DefaultChange>,
}

/// What to do with the subscriptions of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Along {
    /// Copies them with their plan, status and reason; their counts of limits begin anew, and the
    /// old ones continue. Those of applications that are subscribed to this version already are
    /// skipped.
    Move,
    /// Leaves them unchanged; applications subscribe to the new version themselves.
    Resubscribe,
}

/// Get the lifecycle history of a version.
///
/// For the API's owner and administrators. Deployments are steps too.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/lifecycle", tag = "lifecycle",
    params(("version" = VersionId, Path)),
    responses((
        status = 200, description = "The last 1,000 steps, oldest first", body = Vec<StepBody>,
    )),
)]
pub(crate) async fn history(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<Vec<StepBody>>, Problem> {
    own_version(&control, &caller, id).await?;
    let steps = lifecycle::history(&control.store, id).await?;
    Ok(Json(steps.into_iter().map(StepBody::from).collect()))
}

/// Move a version to another state.
///
/// For the API's owner and administrators. Publishing deploys the draft as a new revision if none
/// is deployed; 409 `lifecycle.no_tokens` if every protected operation accepts only access tokens
/// and none are issued, unless `without_tokens` is set; 409 `lifecycle.missing` lists everything
/// that a version lacks. Moving to `created`, `prototyped` or `retired` ends all subscriptions at
/// once. Moving the default version to `created` or `retired` while a different version can be
/// called is 409 `lifecycle.default`, unless `default` is given. If none can, the API has no
/// default version from then on.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/lifecycle", tag = "lifecycle",
    request_body = Move, params(("version" = VersionId, Path), DryRun),
    responses((
        status = 200, body = Moved,
        description = "The changed version, or with `dry_run` what the move would affect",
    )),
)]
pub(crate) async fn advance(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Query(DryRun { dry_run }): Query<DryRun>,
    Json(body): Json<Move>,
) -> Result<Response, Problem> {
    body.check()?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let configuration = configuration(&control.store, &version).await?;
    if body.to == Stage::Published {
        upstreams::judge(&control, &configuration).await?;
        refuse_any(limited_plans::faults(&control.store, &configuration).await?)?;
    }
    let contracts = &control.contracts;
    let prepared = contracts.prepare(&control.store, &version, &configuration);
    let _prepared = prepared.await?;
    let _examples = enter::draft_examples(&control, &version, &configuration).await?;
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let effects = body.make(&control, &mut tx, &version, caller.user).await?;
    if dry_run {
        return Ok(Json(effects.impact(tx.undo(), id).await?).into_response());
    }
    tx.commit(|| {
        caller.log_because(event(body.to), id, &body.note);
        for &older in &effects.older {
            caller.log_because(event(Stage::Deprecated), older, &body.note);
        }
        log_default(&caller, effects.default.as_ref());
    })
    .await?;
    let version = VersionBody::from(versions::by_id(&control.store, id).await?);
    let entered = Entered {
        version,
        moved: effects.moved,
        default: effects.default,
    };
    Ok(Json(entered).into_response())
}

/// What a move changes besides the state of its version.
struct Effects {
    /// The version of which the subscriptions move along.
    from: Option<VersionId>,
    moved: Option<MovedSubscriptions>,
    /// The versions that are deprecated in the same step.
    older: Vec<VersionId>,
    default: Option<DefaultChange>,
}

impl Effects {
    /// Returns the impact of the move after it has been rolled back.
    async fn impact(self, control: &Control, id: VersionId) -> Result<MoveImpact, Problem> {
        let versions = [id].into_iter().chain(self.from);
        let versions = versions.chain(self.older.iter().copied()).collect();
        Ok(MoveImpact {
            impact: impact::of(control, &Touched::Versions(versions)).await?,
            moved: self.moved,
            notes: if self.from.is_some() { &NOTES } else { &[] },
            deprecated: self.older,
            default: self.default,
        })
    }
}

/// Returns the log event of entering a state.
const fn event(to: Stage) -> &'static str {
    match to {
        // A new version is logged as version.created.
        Stage::Created => "version.demoted",
        Stage::Prototyped => "version.prototyped",
        Stage::Published => "version.published",
        Stage::Blocked => "version.blocked",
        Stage::Deprecated => "version.deprecated",
        Stage::Retired => "version.retired",
    }
}

impl Move {
    /// Writes the move with all its effects.
    async fn make(
        &self,
        control: &Control,
        tx: &mut Change<'_>,
        version: &Version,
        by: UserId,
    ) -> Result<Effects, Problem> {
        let older = match &self.deprecate {
            Some(older) => older.begin(control, version).await?,
            None => Vec::new(),
        };
        let entering = |to, deprecation| Entering {
            to,
            without_tokens: self.without_tokens,
            deprecation,
            note: &self.note,
            by,
        };
        let deprecation = self.deprecation(control, version).await?;
        enter(control, tx, version, entering(self.to, deprecation)).await?;
        for (older, deprecation) in &older {
            let entering = entering(Stage::Deprecated, Some(deprecation.clone()));
            enter(control, tx, older, entering).await?;
        }
        let from = match &self.from {
            Some(from) => Some(source(&control.store, version.api, from).await?),
            None => None,
        };
        let moved = match from {
            Some(from) => Some(move_along(control, tx, version, from).await?),
            None => None,
        };
        let older: Vec<_> = older.into_iter().map(|(older, _)| older.id).collect();
        let step = Step {
            version,
            to: Some(self.to),
            from,
            deprecated: &older,
        };
        let wanted = Wanted::from_member(self.default.as_ref());
        let default = step.default_change(control, wanted).await?;
        change_default(tx, version, default.as_ref()).await?;
        Ok(Effects {
            from,
            moved,
            older,
            default,
        })
    }

    /// Returns the deprecation that begins with this step, if one does.
    async fn deprecation(
        &self,
        control: &Control,
        version: &Version,
    ) -> Result<Option<Deprecation>, Problem> {
        if self.to != Stage::Deprecated {
            return Ok(None);
        }
        let terms = Terms {
            sunset: self.sunset,
            successor: self.successor.as_deref(),
            text: self.text.as_deref().unwrap_or_default(),
        };
        terms.begin(control, version).await.map(Some)
    }

    fn check(&self) -> Result<(), Problem> {
        let mut faults = Vec::new();
        faults.extend(text_fault("/note", &self.note, DESCRIPTION_MAX));
        let published = (Stage::Published, "this option is valid only on publishing");
        let deprecated = (
            Stage::Deprecated,
            "this option is valid only on deprecating",
        );
        let options = [
            ("/subscriptions", self.subscriptions.is_some(), published),
            ("/without_tokens", self.without_tokens, published),
            ("/deprecate", self.deprecate.is_some(), published),
            ("/sunset", self.sunset.is_some(), deprecated),
            ("/successor", self.successor.is_some(), deprecated),
            ("/text", self.text.is_some(), deprecated),
        ];
        for (field, is_set, (to, detail)) in options {
            if is_set && self.to != to {
                faults.push(Fault::new(field, "lifecycle.option", detail));
            }
        }
        if self.plans.is_some() {
            let detail = "subscriptions move with their plan; \
                mapping plans to other plans is not supported";
            faults.push(Fault::new("/plans", "lifecycle.plans", detail));
        }
        if (self.subscriptions == Some(Along::Move)) != self.from.is_some() {
            let detail = "\"from\" is required with \"subscriptions\": \"move\", and only then";
            faults.push(Fault::new("/from", "lifecycle.from", detail));
        }
        refuse_any(faults)
    }
}

impl From<lifecycle::Step> for StepBody {
    fn from(step: lifecycle::Step) -> Self {
        Self {
            from: step.from,
            to: step.to,
            revision: step.revision,
            by: step.by,
            by_name: step.by_name,
            note: step.note,
            at: Time(step.at_us),
        }
    }
}
