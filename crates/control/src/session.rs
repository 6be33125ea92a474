//! Signing in and out, and changing one's password.
//!
//! Neighbours: `attempts` counts failures per name and address, `passwords` bounds the hashing,
//! `caller` reads the cookie that is set here.

pub(crate) mod attempts;
pub(crate) mod password;
pub(crate) mod passwords;

use axum::extract::{Extension, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::id::UserId;
use tollgate_model::user::Role;
use tollgate_store::sessions::{self, Session};
use tollgate_store::users::{self, User};
use tollgate_tokens::session::{csrf, make_session};

use crate::caller::{COOKIE, Caller, Means, SESSION_US};
use crate::error::Problem;
use crate::json::Json;
use crate::serve::Peer;
use crate::state::Control;
use crate::time::Time;
use crate::{audit, random};

/// Name and password.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignIn {
    /// The user's name.
    name: String,
    /// The password.
    #[schema(format = Password)]
    password: String,
}

/// A session.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionBody {
    /// Who is signed in.
    user: UserId,
    /// The user's name.
    name: String,
    /// What the user may be.
    roles: Vec<Role>,
    /// Whether the password must be changed before anything else.
    password_change: bool,
    /// What changes repeat in `X-CSRF-Token`; absent where a personal access token was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf: Option<String>,
    /// When the session ends at the latest; two hours without use end it too. Only at sign-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Time>,
}

/// Sign in.
///
/// Sets the cookie `tollgate_session`. Ten failures under one name from one address in a
/// quarter of an hour close that name to that address for the rest of it.
#[utoipa::path(
    post, path = "/api/v1/session", tag = "session", request_body = SignIn,
    responses((status = 201, description = "Signed in", body = SessionBody, headers(
        ("Set-Cookie" = String, description = "The session's cookie"),
    ))),
)]
pub(crate) async fn sign_in(
    State(control): State<Control>,
    Extension(peer): Extension<Peer>,
    Json(wanted): Json<SignIn>,
) -> Result<impl IntoResponse, Problem> {
    let user = prove(&control, (&wanted.name, peer), wanted.password).await?;
    let now_us = control.now_us();
    let secret = make_session(random::bytes()?);
    let session = Session {
        digest: secret.digest,
        id: control.id()?,
        user: user.id,
        created_us: now_us,
        expires_us: now_us + SESSION_US,
        last_seen_us: now_us,
    };
    let mut tx = control.store.write().await?;
    sessions::delete_expired(&mut tx, now_us).await?;
    sessions::create(&mut tx, &session).await?;
    tx.commit().await?;
    let body = SessionBody {
        user: user.id,
        name: user.name,
        roles: user.roles,
        password_change: user.one_time,
        csrf: Some(csrf(&secret.digest)),
        expires_at: Some(Time(session.expires_us)),
    };
    let cookie = set_cookie(&control, &secret.text, SESSION_US / 1_000_000);
    Ok((StatusCode::CREATED, cookie, Json(body)))
}

/// The user of a name and password, asked for from `peer`; the same answer after the same time
/// whatever is wrong.
pub(crate) async fn prove(
    control: &Control,
    (name, peer): (&str, Peer),
    password: String,
) -> Result<User, Problem> {
    control.attempts.begin(name, peer, control.now_us())?;
    let found = users::with_password(&control.store, name).await?;
    let (user, phc) = found.unzip();
    let fits = control.passwords.verify(password, phc).await?;
    match user {
        Some(user) if fits && !user.disabled => {
            control.attempts.forget(name, peer);
            Ok(user)
        }
        _ => {
            audit::log_stranger("session.failed", name, peer);
            let detail = "unknown name or wrong password";
            Err(Problem::unauthorized("session.wrong", detail))
        }
    }
}

/// Who is signed in?
#[utoipa::path(
    get, path = "/api/v1/session", tag = "session",
    responses((status = 200, description = "The session", body = SessionBody)),
)]
pub(crate) async fn show(caller: Caller) -> Json<SessionBody> {
    let csrf = match &caller.means {
        Means::Session(digest) => Some(csrf(digest)),
        Means::AccessToken(_) => None,
    };
    Json(SessionBody {
        user: caller.user,
        name: caller.name,
        roles: caller.roles,
        password_change: caller.is_one_time,
        csrf,
        expires_at: None,
    })
}

/// Sign out.
#[utoipa::path(
    delete, path = "/api/v1/session", tag = "session",
    responses((status = 204, description = "The session has ended")),
)]
pub(crate) async fn sign_out(
    State(control): State<Control>,
    caller: Caller,
) -> Result<impl IntoResponse, Problem> {
    let Means::Session(digest) = caller.means else {
        let detail = "a personal access token has no session; delete the token to end it";
        return Err(Problem::conflict("session.none", detail));
    };
    let mut tx = control.store.write().await?;
    sessions::delete(&mut tx, &digest).await?;
    tx.commit().await?;
    Ok((StatusCode::NO_CONTENT, set_cookie(&control, "", 0)))
}

/// RFC 6265, section 4.1; `SameSite` as browsers implement RFC 6265bis.
fn set_cookie(control: &Control, secret: &str, seconds: i64) -> [(HeaderName, HeaderValue); 1] {
    let secure = if control.hosts.is_https() {
        "; Secure"
    } else {
        ""
    };
    let value =
        format!("{COOKIE}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let value = HeaderValue::try_from(value).expect("letters, digits and the signs above");
    [(header::SET_COOKIE, value)]
}

#[cfg(test)]
mod tests;
