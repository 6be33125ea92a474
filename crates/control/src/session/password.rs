//! Changing one's own password: how a one-time password becomes one's own.

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use serde::Deserialize;
use tollgate_model::fault::Fault;
use tollgate_store::{sessions, users};
use tollgate_tokens::password;

use crate::caller::{Caller, Means};
use crate::error::Problem;
use crate::json::Json;
use crate::seed;
use crate::serve::Peer;
use crate::state::Control;

/// The present password and the one to come.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordChange {
    /// The present password.
    #[schema(format = Password)]
    password: String,
    /// The one to come: 12 to 256 characters.
    #[schema(format = Password, min_length = 12, max_length = 256)]
    new_password: String,
}

/// Change one's password.
///
/// Ends every other session of the user. A one-time password must be changed before anything else.
#[utoipa::path(
    put, path = "/api/v1/session/password", tag = "session", request_body = PasswordChange,
    responses((status = 204, description = "The new password holds")),
)]
pub(crate) async fn change(
    State(control): State<Control>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    Json(wanted): Json<PasswordChange>,
) -> Result<StatusCode, Problem> {
    if let Some(mut fault) = password::fault(&wanted.new_password) {
        "/new_password".clone_into(&mut fault.field);
        return Err(fault.into());
    }
    if wanted.new_password == wanted.password {
        let detail = "the new password is the present one";
        return Err(Fault::new("/new_password", "password.same", detail).into());
    }
    let user = super::prove(&control, (&caller.name, peer), wanted.password).await;
    let user = user.map_err(|problem| match problem.status() {
        // The caller is signed in: what is wrong is a field, not the credential.
        StatusCode::UNAUTHORIZED => Problem::at(
            "/password",
            "password.wrong",
            "this is not the present password",
        ),
        _ => problem,
    })?;
    let phc = control.passwords.hash(wanted.new_password).await?;
    let keep = match &caller.means {
        Means::Session(digest) => Some(digest),
        Means::AccessToken(_) => None,
    };
    let mut tx = control.store.write().await?;
    users::change_password(&mut tx, user.id, &phc, false).await?;
    sessions::delete_of_user(&mut tx, user.id, keep).await?;
    seed::forget_first_password(&control.store, &mut tx, user.id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
