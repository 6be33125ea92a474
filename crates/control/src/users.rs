//! Users: administrators make them with a one-time password, give roles, disable, delete.
//!
//! Neighbours: `session` is where they sign in, `seed` makes the first one.

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
    /// The user.
    id: UserId,
    /// Unique; what one signs in with.
    name: String,
    /// What the user may be.
    roles: Vec<Role>,
    /// Whether the user is kept out.
    disabled: bool,
    /// Whether a one-time password waits to be changed.
    password_change: bool,
    /// Only in the answer that made it: shown once, to be handed to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    one_time_password: Option<String>,
    /// What was decided on the credentials of the user's applications: only in the answer to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    credentials: Option<DecidedKeys>,
    /// When made.
    created_at: Time,
}

/// A decision on the credentials of a user's applications: API keys, OAuth2 clients and users of
/// HTTP Basic.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub(crate) struct DecidedKeys {
    /// What becomes of them.
    decision: KeyDecision,
    /// How many are meant: those that work or will, or that were suspended with their owner.
    keys: u64,
}

/// A user to be.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewUser {
    /// Unique, whatever its case; 1 to 100 characters. Full-width and other compatibility
    /// characters become the plain ones (NFKC).
    name: String,
    /// What the user may be; at least one.
    roles: Vec<Role>,
}

/// What is to change of a user; what is absent stays.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserPatch {
    /// What the user may be from now on; at least one.
    roles: Option<Vec<Role>>,
    /// Whether the user is kept out from now on; sessions and personal access tokens end for good.
    disabled: Option<bool>,
    /// What becomes of the credentials of the user's applications: `keep` or `suspend` with
    /// `disabled: true`, where it is needed if there are any that work; `resume` at any other time,
    /// for those that `suspend` suspended. After `suspend`, new credentials are suspended too,
    /// until `resume`.
    credentials: Option<KeyDecision>,
    /// Gives the user a new one-time password, ends the user's sessions and personal access tokens,
    /// and opens the name where failed attempts have closed it.
    #[serde(default)]
    reset_password: bool,
}

/// What came of changing a user.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "it describes answers that are made of its variants"
)]
enum ChangedUser {
    /// The user was changed.
    User(UserBody),
    /// It was only tried.
    Impact(Impact),
}

/// Which users are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UserFilter {
    /// Those with this role only.
    role: Option<Role>,
    /// Those who are kept out, or those who are not.
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
    let wanted = users::Wanted {
        role: filter.role,
        disabled: filter.disabled,
        pattern: pattern.as_deref(),
    };
    let found = users::find(&control.store, wanted, &find.part()?).await?;
    let page = find.page(found, |user| (user.id, &user.name));
    Ok(Json(page.map(|user| show_body(user, None))))
}

/// See a user.
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

/// Make a user.
///
/// The answer shows a one-time password, once. The user must change it at the first sign-in.
#[utoipa::path(
    post, path = "/api/v1/users", tag = "users", request_body = NewUser,
    responses((status = 201, description = "The user, with a one-time password", body = UserBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(wanted): Json<NewUser>,
) -> Result<impl IntoResponse, Problem> {
    let (roles, role_fault) = distinct(wanted.roles);
    let name = normalized(&wanted.name).into_owned();
    let name_fault = name_fault(&wanted.name).or_else(|| name_fault(&name));
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
/// Acts at once, on sessions that are open too. The last administrator cannot be lost. Who disables
/// a user says what becomes of the credentials of that user's applications; the answer says how
/// many they are.
#[utoipa::path(
    patch, path = "/api/v1/users/{user}", tag = "users",
    params(("user" = UserId, Path), DryRun), request_body = UserPatch,
    responses((
        status = 200, body = ChangedUser,
        description = "The user now, or with `dry_run` what the change would touch",
    )),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<UserId>,
    Query(DryRun { dry_run }): Query<DryRun>,
    Json(wanted): Json<UserPatch>,
) -> Result<Response, Problem> {
    let roles = wanted.roles.map(good_roles).transpose()?;
    let reset = match wanted.reset_password {
        true => Some(OneTime::make(&control).await?),
        false => None,
    };
    let now_us = control.now_us();
    // Read inside the write, so that two changes at once cannot undo each other.
    let mut tx = caller.change(&control).await?;
    let before = users::by_id(&control.store, id).await?;
    let disabling = Disabling {
        is_asked: wanted.disabled == Some(true),
        was_disabled: before.disabled,
        live_keys: credentials::live_of_user(&mut tx, id, now_us).await?,
    };
    let fault = key_decision_fault(wanted.credentials, disabling);
    refuse_any(fault.into_iter().collect())?;
    let user = User {
        roles: roles.unwrap_or_else(|| before.roles.clone()),
        disabled: wanted.disabled.unwrap_or(before.disabled),
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
    let decided = match wanted.credentials {
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
    // Of all that a user is, gateways know the credentials alone.
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

/// Carries out a decision on the credentials of a user's applications. Counts those it is about.
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

/// Logs what a change has done to a user.
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

/// The words of these roles, for the log.
fn words(roles: &[Role]) -> String {
    let words: Vec<_> = roles.iter().map(|role| role.word()).collect();
    words.join(" and ")
}

/// Delete a user.
///
/// Refused while the user owns APIs or applications, and for the last administrator.
#[utoipa::path(
    delete, path = "/api/v1/users/{user}", tag = "users", params(("user" = UserId, Path), DryRun),
    responses(
        (status = 200, description = "What it would touch, with `dry_run`", body = Impact),
        (status = 204, description = "The user is gone"),
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

/// The roles that are wanted, each once.
fn good_roles(wanted: Vec<Role>) -> Result<Vec<Role>, Problem> {
    match distinct(wanted) {
        (_, Some(fault)) => Err(fault.into()),
        (roles, None) => Ok(roles),
    }
}

/// Each role once, and what is wrong with them.
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
