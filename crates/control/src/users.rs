//! Users: administrators make them with a one-time password, give roles, disable, delete.
//!
//! Neighbours: `session` is where they sign in, `seed` makes the first one.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;
use tollgate_model::id::UserId;
use tollgate_model::user::Role;
use tollgate_store::sessions;
use tollgate_store::users::{self, User, UserChange};
use tollgate_tokens::password;

use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::parameters::{List, Page, Path, Query};
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
    /// When made.
    created_at: Time,
}

/// A user to be.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewUser {
    /// Unique; 1 to 100 characters.
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
    /// Whether the user is kept out from now on; sessions and tokens stop to work at once.
    disabled: Option<bool>,
    /// Gives the user a new one-time password and ends the user's sessions.
    #[serde(default)]
    reset_password: bool,
}

/// List users.
#[utoipa::path(
    get, path = "/api/v1/users", tag = "users", params(Page),
    responses((status = 200, description = "A page of users", body = List<UserBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    Query(page): Query<Page>,
) -> Result<Json<List<UserBody>>, Problem> {
    let limit = page.limit()?;
    let rows = users::list(&control.store, page.after()?, limit + 1).await?;
    let page = List::page(rows, limit, |user| user.id);
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
    Json(wanted): Json<NewUser>,
) -> Result<impl IntoResponse, Problem> {
    let (roles, role_fault) = distinct(wanted.roles);
    let faults = name_fault(&wanted.name).into_iter().chain(role_fault);
    refuse_any(faults.collect())?;
    let one_time = password::one_time(random::bytes()?);
    let phc = control.passwords.hash(one_time.clone()).await?;
    let user = User {
        id: control.id()?,
        name: wanted.name,
        one_time: true,
        roles,
        disabled: false,
        created_us: control.now_us(),
    };
    let mut tx = control.store.write().await?;
    users::create(&mut tx, &user, &phc).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(show_body(user, Some(one_time)))))
}

/// Change a user.
///
/// Acts at once, on sessions that are open too. The last administrator cannot be lost.
#[utoipa::path(
    patch, path = "/api/v1/users/{user}", tag = "users", params(("user" = UserId, Path)),
    request_body = UserPatch,
    responses((status = 200, description = "The user now", body = UserBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    Path(id): Path<UserId>,
    Json(wanted): Json<UserPatch>,
) -> Result<Json<UserBody>, Problem> {
    let roles = match wanted.roles.map(distinct) {
        Some((_, Some(fault))) => return Err(fault.into()),
        Some((roles, None)) => Some(roles),
        None => None,
    };
    let reset = if wanted.reset_password {
        let one_time = password::one_time(random::bytes()?);
        let phc = control.passwords.hash(one_time.clone()).await?;
        Some((one_time, phc))
    } else {
        None
    };
    // Read inside the write, so that two changes at once cannot undo each other.
    let mut tx = control.store.write().await?;
    let mut user = users::by_id(&control.store, id).await?;
    user.roles = roles.unwrap_or(user.roles);
    user.disabled = wanted.disabled.unwrap_or(user.disabled);
    let change = UserChange {
        roles: user.roles.clone(),
        disabled: user.disabled,
    };
    users::update(&mut tx, id, &change).await?;
    if let Some((_, phc)) = &reset {
        users::change_password(&mut tx, id, phc, true).await?;
        seed::forget_first_password(&control.store, &mut tx, id).await?;
        user.one_time = true;
    }
    if user.disabled || reset.is_some() {
        sessions::delete_of_user(&mut tx, id, None).await?;
    }
    tx.commit().await?;
    Ok(Json(show_body(user, reset.map(|(one_time, _)| one_time))))
}

/// Delete a user.
///
/// Refused while the user owns APIs or applications, and for the last administrator.
#[utoipa::path(
    delete, path = "/api/v1/users/{user}", tag = "users", params(("user" = UserId, Path)),
    responses((status = 204, description = "The user is gone")),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    Path(id): Path<UserId>,
) -> Result<StatusCode, Problem> {
    let mut tx = control.store.write().await?;
    users::delete(&mut tx, id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
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
        created_at: Time(user.created_us),
    }
}

#[cfg(test)]
mod tests;
