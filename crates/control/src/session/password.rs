//! Changes of one's own password, also of a one-time password.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use tollgate_model::fault::Fault;
use tollgate_store::{access_tokens, sessions, users};
use tollgate_tokens::password;

use super::Proven;
use crate::caller::{Caller, Means};
use crate::error::Problem;
use crate::json::Json;
use crate::seed;
use crate::state::Control;

/// The current password and the new one.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordChange {
    /// The current password.
    #[schema(format = Password)]
    password: String,
    /// The new password: 12 to 256 characters, none of the 10,000 most common, and more than the
    /// user's name.
    #[schema(format = Password, min_length = 12, max_length = 256)]
    new_password: String,
}

/// Change one's own password.
///
/// Ends every other session of the user. A one-time password must be changed before anything else.
/// The tenth wrong `password` within 15 minutes ends the session or access token that sent it; the
/// name is not locked.
#[utoipa::path(
    put, path = "/api/v1/session/password", tag = "session", request_body = PasswordChange,
    responses((status = 204, description = "The password is changed")),
)]
pub(crate) async fn change(
    State(control): State<Control>,
    caller: Caller,
    Json(body): Json<PasswordChange>,
) -> Result<StatusCode, Problem> {
    if let Some(mut fault) = password::fault(&body.new_password, &caller.name) {
        "/new_password".clone_into(&mut fault.field);
        return Err(fault.into());
    }
    if body.new_password == body.password {
        let detail = "the new password is the same as the current one";
        return Err(Fault::new("/new_password", "password.same", detail).into());
    }
    let Proven { user, phc: present } = prove(&control, &caller, body.password).await?;
    let phc = control.passwords.hash(body.new_password).await?;
    let keep = match &caller.means {
        Means::Session(digest) => Some(digest),
        Means::AccessToken(_) => None,
    };
    let mut tx = caller.change(&control).await?;
    if !users::change_password(&mut tx, user.id, &present, &phc).await? {
        let detail = "the password was changed by another request; sign in with the new one";
        return Err(Problem::unauthorized("session.password_changed", detail));
    }
    sessions::delete_of_user(&mut tx, user.id, keep).await?;
    seed::forget_first_password(&control.store, &mut tx, user.id).await?;
    tx.commit_locally(|| caller.log("password.changed", user.id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks the current password. Guesses count against the session or access token, not the name: an
/// attacker who has stolen one must not lock its owner out.
async fn prove(control: &Control, caller: &Caller, password: String) -> Result<Proven, Problem> {
    let is_last = control
        .attempts
        .begin_guess(caller.guesser(), control.now_us())?;
    match super::verify(control, &caller.name, password).await {
        Ok(Some(proven)) => {
            control.attempts.forget_guesses(caller.guesser());
            Ok(proven)
        }
        Ok(None) if is_last => Err(end(control, caller).await?),
        Ok(None) => {
            caller.log("password.failed", caller.user);
            // The caller is signed in, so the fault is a field, not the credential.
            let detail = "this is not the current password";
            Err(Problem::at("/password", "password.wrong", detail))
        }
        Err(problem) => {
            control.attempts.abandon_guess(caller.guesser());
            Err(problem)
        }
    }
}

/// Ends the session or access token that has used up its guesses, and returns the refusal.
async fn end(control: &Control, caller: &Caller) -> Result<Problem, Problem> {
    let mut tx = caller.change(control).await?;
    match &caller.means {
        Means::Session(digest) => sessions::delete(&mut tx, digest).await?,
        Means::AccessToken(id) => access_tokens::delete(&mut tx, *id).await?,
    }
    tx.commit_locally(|| caller.log("session.locked", caller.user))
        .await?;
    let detail = "too many wrong passwords: your session or access token has ended";
    Ok(Problem::unauthorized("session.ended", detail))
}
