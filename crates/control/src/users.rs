//! Users: administrators create them with a one-time password, assign roles, disable and delete
//! them.
//!
//! Neighbours: users sign in through `session`; `seed` creates the first one.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;
use tollgate_model::id::UserId;
use tollgate_model::name::normalized;
use tollgate_model::user::{Disabling, KeyDecision, Role, key_decision_fault};
use tollgate_store::users::{self, User, UserChange};
use tollgate_store::{StoreError, Tx, access_tokens, credentials, sessions};
use tollgate_tokens::password;

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::parameters::{Find, List, Listed, Path, Query};
use crate::random;
use crate::seed;
use crate::state::Control;
use crate::time::Time;

/// A user.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = User)]
pub(crate) struct UserBody {
    /// The user's id.
    id: UserId,
    /// Unique name, used to sign in.
    name: String,
    /// The user's roles.
    roles: Vec<Role>,
    /// Whether the user is disabled and cannot sign in.
    disabled: bool,
    /// Whether the user has a one-time password that must be changed.
    password_change: bool,
    /// Only in the response to its creation: shown once, to be given to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    one_time_password: Option<String>,
    /// The decision on the credentials of the user's applications: only in the response to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    credentials: Option<DecidedKeys>,
    /// Time of creation.
    created_at: Time,
}

/// A decision on the credentials of a user's applications: API keys, OAuth2 clients and HTTP Basic
/// users.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub(crate) struct DecidedKeys {
    /// The decision.
    decision: KeyDecision,
    /// Number of affected credentials: those valid now or later, or suspended with their owner.
    keys: u64,
}

/// A user to create.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewUser {
    /// Unique, regardless of case; 1 to 100 characters. Full-width and other compatibility
    /// characters become the plain ones (NFKC).
    name: String,
    /// The user's roles; at least one.
    roles: Vec<Role>,
}

/// Changes of a user; absent fields stay unchanged.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserPatch {
    /// The new roles; at least one.
    roles: Option<Vec<Role>>,
    /// Whether to disable the user; this ends all sessions and personal access tokens for good.
    disabled: Option<bool>,
    /// What to do with the credentials of the user's applications: `keep` or `suspend` with
    /// `disabled: true`, which needs one of them if any credential is valid; `resume` at any other
    /// time, for those that `suspend` suspended. After `suspend`, new credentials are suspended
    /// too, until `resume`.
    credentials: Option<KeyDecision>,
    /// Sets a new one-time password, ends the user's sessions and personal access tokens, and
    /// unlocks the name after failed attempts.
    #[serde(default)]
    reset_password: bool,
}

/// The result of changing a user.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "describes responses that are built from its variants"
)]
enum ChangedUser {
    /// The changed user.
    User(UserBody),
    /// The impact, of a dry run.
    Impact(Impact),
}

/// The filter of a list of users.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UserFilter {
    /// Only users with this role.
    role: Option<Role>,
    /// Only disabled users, or only enabled ones.
    disabled: Option<bool>,
}

/// List users.
#[utoipa::path(
    get, path = "/api/v1/users", tag = "users", params(Find, UserFilter),
    responses((status = 200, description = "A page of users", body = List<UserBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    Listed(find, filter): Listed<UserFilter>,
) -> Result<Json<List<UserBody>>, Problem> {
    let pattern = find.pattern()?;
    let query = users::Wanted {
        role: filter.role,
        disabled: filter.disabled,
        pattern: pattern.as_deref(),
    };
    let found = users::find(&control.store, query, &find.part()?).await?;
    let page = find.page(found, |user| (user.id, &user.name));
    Ok(Json(page.map(|user| show_body(user, None))))
}

/// Get a user.
#[utoipa::path(
    get, path = "/api/v1/users/{user}", tag = "users", params(("user" = UserId, Path)),
    responses((status = 200, description = "The user", body = UserBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Path(id): Path<UserId>,
) -> Result<Json<UserBody>, Problem> {
    let user = users::by_id(&control.store, id).await?;
    Ok(Json(show_body(user, None)))
}

/// Create a user.
///
/// The response shows a one-time password, once. The user must change it at the first sign-in.
#[utoipa::path(
    post, path = "/api/v1/users", tag = "users", request_body = NewUser,
    responses((status = 201, description = "The user, with a one-time password", body = UserBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(body): Json<NewUser>,
) -> Result<impl IntoResponse, Problem> {
    let (roles, role_fault) = distinct(body.roles);
    let name = normalized(&body.name).into_owned();
    let name_fault = name_fault(&body.name).or_else(|| name_fault(&name));
    let faults = name_fault.into_iter().chain(role_fault);
    refuse_any(faults.collect())?;
    let OneTime { text, phc } = OneTime::make(&control).await?;
    let user = User {
        id: control.id()?,
        name,
        one_time: true,
        roles,
        disabled: false,
        created_us: control.now_us(),
    };
    let mut tx = caller.change(&control).await?;
    users::create(&mut tx, &user, &phc).await?;
    let change = format!("{:?}, {}", user.name, words(&user.roles));
    tx.commit_locally(|| caller.log_change("user.created", user.id, &change))
        .await?;
    Ok((StatusCode::CREATED, Json(show_body(user, Some(text)))))
}

/// Change a user.
///
/// Takes effect at once, also on open sessions. The last administrator cannot be disabled or lose
/// the role. A request that disables a user also decides on the credentials of that user's
/// applications; the response contains their number.
#[utoipa::path(
    patch, path = "/api/v1/users/{user}", tag = "users",
    params(("user" = UserId, Path), DryRun), request_body = UserPatch,
    responses((
        status = 200, body = ChangedUser,
        description = "The changed user, or with `dry_run` what the change would affect",
    )),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<UserId>,
    Query(DryRun { dry_run }): Query<DryRun>,
    Json(body): Json<UserPatch>,
) -> Result<Response, Problem> {
    let roles = body.roles.map(good_roles).transpose()?;
    let reset = match body.reset_password {
        true => Some(OneTime::make(&control).await?),
        false => None,
    };
    let now_us = control.now_us();
    // Read inside the write, so that two concurrent changes cannot undo each other.
    let mut tx = caller.change(&control).await?;
    let before = users::by_id(&control.store, id).await?;
    let disabling = Disabling {
        is_asked: body.disabled == Some(true),
        was_disabled: before.disabled,
        live_keys: credentials::live_of_user(&mut tx, id, now_us).await?,
    };
    let fault = key_decision_fault(body.credentials, disabling);
    refuse_any(fault.into_iter().collect())?;
    let user = User {
        roles: roles.unwrap_or_else(|| before.roles.clone()),
        disabled: body.disabled.unwrap_or(before.disabled),
        one_time: before.one_time || reset.is_some(),
        ..before.clone()
    };
    let change = UserChange {
        roles: user.roles.clone(),
        disabled: user.disabled,
    };
    users::update(&mut tx, id, &change).await?;
    if let Some(OneTime { phc, .. }) = &reset {
        users::reset_password(&mut tx, id, phc).await?;
        seed::forget_first_password(&control.store, &mut tx, id).await?;
    }
    if user.disabled || reset.is_some() {
        sessions::delete_of_user(&mut tx, id, None).await?;
        access_tokens::delete_of_user(&mut tx, id).await?;
    }
    let decided = match body.credentials {
        Some(decision) => Some(decide(&mut tx, id, decision, disabling, now_us).await?),
        None => None,
    };
    if dry_run {
        return impact::instead(tx, Touched::User(id)).await;
    }
    let log = || {
        if reset.is_some() {
            control.attempts.unlock(&user.name);
            caller.log_change("password.reset", id, &format!("{:?}", user.name));
        }
        log_change(&caller, &before, &user, decided);
    };
    // Gateways receive only the credentials of a user.
    match decided {
        Some(_) => tx.commit(log).await?,
        None => tx.commit_locally(log).await?,
    }
    let body = UserBody {
        credentials: decided,
        ..show_body(user, reset.map(|it| it.text))
    };
    Ok(Json(body).into_response())
}

/// Carries out a decision on the credentials of a user's applications and counts them.
async fn decide(
    tx: &mut Tx,
    user: UserId,
    decision: KeyDecision,
    disabling: Disabling,
    now_us: i64,
) -> Result<DecidedKeys, StoreError> {
    let keys = match decision {
        KeyDecision::Keep => disabling.live_keys,
        KeyDecision::Suspend => credentials::suspend_of_user(tx, user, now_us).await?,
        KeyDecision::Resume => credentials::resume_of_user(tx, user).await?,
    };
    Ok(DecidedKeys { decision, keys })
}

/// Logs the changes of a user.
fn log_change(caller: &Caller, before: &User, user: &User, decided: Option<DecidedKeys>) {
    let id = user.id;
    let log = |event, change: &str| {
        caller.log_change(event, id, &format!("{:?}{change}", user.name));
    };
    if user.roles != before.roles {
        let change = format!(", from {} to {}", words(&before.roles), words(&user.roles));
        log("user.roles_changed", &change);
    }
    match (before.disabled, user.disabled) {
        (false, true) => log("user.disabled", ""),
        (true, false) => log("user.enabled", ""),
        _ => {}
    }
    let Some(DecidedKeys { decision, keys }) = decided else {
        return;
    };
    let event = match decision {
        KeyDecision::Keep => "credential.kept",
        KeyDecision::Suspend => "credential.suspended",
        KeyDecision::Resume => "credential.resumed",
    };
    log(
        event,
        &format!(", credentials of the user's applications: {keys}"),
    );
}

/// Returns the words of these roles, for the log.
fn words(roles: &[Role]) -> String {
    let words: Vec<_> = roles.iter().map(|role| role.word()).collect();
    words.join(" and ")
}

/// Delete a user.
///
/// Rejected while the user owns APIs or applications, and for the last administrator.
#[utoipa::path(
    delete, path = "/api/v1/users/{user}", tag = "users", params(("user" = UserId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "The user is deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<UserId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let mut tx = caller.change(&control).await?;
    let User { name, .. } = users::by_id(&control.store, id).await?;
    users::delete(&mut tx, id).await?;
    if dry_run {
        return impact::instead(tx, Touched::User(id)).await;
    }
    tx.commit_locally(|| caller.log_change("user.deleted", id, &format!("{name:?}")))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// A new one-time password and its hash.
struct OneTime {
    text: String,
    phc: String,
}

impl OneTime {
    async fn make(control: &Control) -> Result<Self, Problem> {
        let text = password::one_time(random::bytes()?);
        let phc = control.passwords.hash(text.clone()).await?;
        Ok(Self { text, phc })
    }
}

/// Returns each role once, or the fault if there is none.
fn good_roles(roles: Vec<Role>) -> Result<Vec<Role>, Problem> {
    match distinct(roles) {
        (_, Some(fault)) => Err(fault.into()),
        (roles, None) => Ok(roles),
    }
}

/// Returns each role once, and the fault if there is none.
fn distinct(mut roles: Vec<Role>) -> (Vec<Role>, Option<Fault>) {
    roles.sort_unstable();
    roles.dedup();
    let fault = Fault::new("/roles", "user.no_roles", "a user has at least one role");
    let fault = roles.is_empty().then_some(fault);
    (roles, fault)
}

fn show_body(user: User, one_time_password: Option<String>) -> UserBody {
    UserBody {
        id: user.id,
        name: user.name,
        roles: user.roles,
        disabled: user.disabled,
        password_change: user.one_time,
        one_time_password,
        credentials: None,
        created_at: Time(user.created_us),
    }
}

#[cfg(test)]
mod tests;
