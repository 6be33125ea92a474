//! Sign-in, sign-out, and changes of one's own password.
//!
//! Neighbours: `attempts` counts failures, `passwords` bounds the hashing, `caller` reads the
//! cookie that is set here.

pub(crate) mod password;

use axum::extract::{Extension, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::id::UserId;
use tollgate_model::scheme::UriScheme;
use tollgate_model::user::Role;
use tollgate_store::sessions::{self, Session};
use tollgate_store::users::{self, User};
use tollgate_tokens::session::{csrf, make_session};

use crate::caller::{Caller, Means, SESSION_US};
use crate::error::Problem;
use crate::impact::{self, DryRun, Impact};
use crate::json::Json;
use crate::parameters::Query;
use crate::peer::{Peer, Via};
use crate::state::Control;
use crate::time::Time;
use crate::{audit, random, seed};

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
    /// The user who is signed in.
    user: UserId,
    /// The user's name.
    name: String,
    /// The user's roles.
    roles: Vec<Role>,
    /// Whether the password must be changed before anything else.
    password_change: bool,
    /// The value that changes repeat in `X-CSRF-Token`; absent with a personal access token.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf: Option<String>,
    /// Latest end of the session, which also ends after two hours without use. Only at sign-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Time>,
}

/// Sign in.
///
/// Sets the cookie `tollgate_session`, over HTTPS `__Secure-tollgate_session`, for `/api/v1`. A
/// session that began over HTTPS is valid only over HTTPS. Ten failures with one name from one
/// address within 15 minutes lock that name for that address for the rest of that time; fifty
/// failures with any names lock the address. A one-time password that the process prints at startup
/// is no longer printed once it is used here.
#[utoipa::path(
    post, path = "/api/v1/session", tag = "session", request_body = SignIn,
    responses((status = 201, description = "Signed in", body = SessionBody, headers(
        ("Set-Cookie" = String, description = "The session cookie"),
    ))),
)]
pub(crate) async fn sign_in(
    State(control): State<Control>,
    Extension(peer): Extension<Peer>,
    Extension(via): Extension<Via>,
    Json(credentials): Json<SignIn>,
) -> Result<impl IntoResponse, Problem> {
    let proven = prove(&control, &credentials.name, peer, credentials.password).await?;
    let now_us = control.now_us();
    let secret = make_session(random::bytes()?, via.0 == UriScheme::Https);
    let session = Session {
        digest: secret.digest,
        id: control.id()?,
        user: proven.user.id,
        created_us: now_us,
        expires_us: now_us + SESSION_US,
        last_seen_us: now_us,
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "there is no caller before sign-in"
    )]
    let mut tx = control.store.write().await?;
    let user = proven.confirm(&control).await?;
    sessions::delete_expired(&mut tx, now_us).await?;
    sessions::create(&mut tx, &session).await?;
    if user.one_time {
        seed::forget_first_password(&control.store, &mut tx, user.id).await?;
    }
    tx.commit().await?;
    let caller = Caller::new(user, Means::Session(secret.digest), peer);
    caller.log("session.signed_in", session.id);
    let body = SessionBody {
        user: caller.user,
        name: caller.name,
        roles: caller.roles,
        password_change: caller.is_one_time,
        csrf: Some(csrf(&secret.digest)),
        expires_at: Some(Time(session.expires_us)),
    };
    let cookie = set_cookie(via, &secret.text, SESSION_US / 1_000_000);
    Ok((StatusCode::CREATED, cookie, Json(body)))
}

/// A user who has proved the password of a name.
pub(crate) struct Proven {
    /// The user.
    pub(crate) user: User,
    /// The PHC string that the password matches.
    pub(crate) phc: String,
}

impl Proven {
    /// Reads the user again inside a write: a sign-in that began earlier must not overtake a reset
    /// of the password or the disabling of the user.
    async fn confirm(self, control: &Control) -> Result<User, Problem> {
        let now = users::with_password(&control.store, &self.user.name).await?;
        let now = now.filter(|(user, phc)| *phc == self.phc && !user.disabled);
        now.map(|(user, _)| user).ok_or_else(wrong)
    }
}

/// Checks a name and password sent by `peer`. The response and the time it takes do not depend on
/// what is wrong.
async fn prove(
    control: &Control,
    name: &str,
    peer: Peer,
    password: String,
) -> Result<Proven, Problem> {
    if let Err(closed) = control.attempts.begin(name, peer, control.now_us()) {
        if let Some(event) = closed.event {
            log_failure(control, event, name, peer).await?;
        }
        return Err(closed.problem);
    }
    match verify(control, name, password).await {
        Ok(Some(proven)) => {
            control.attempts.succeed(name, peer);
            Ok(proven)
        }
        Ok(None) => {
            control.attempts.sign_ins.fail();
            log_failure(control, "session.failed", name, peer).await?;
            Err(wrong())
        }
        Err(problem) => {
            control.attempts.abandon(name, peer);
            Err(problem)
        }
    }
}

async fn log_failure(
    control: &Control,
    event: &'static str,
    name: &str,
    peer: Peer,
) -> Result<(), Problem> {
    let user = users::by_name(&control.store, name).await?;
    audit::log_stranger(event, user.as_ref().map(|user| user.name.as_str()), peer);
    Ok(())
}

/// Returns the user with this name and password, unless there is none, the user is disabled or the
/// password is wrong; takes the same time in each case.
pub(crate) async fn verify(
    control: &Control,
    name: &str,
    password: String,
) -> Result<Option<Proven>, Problem> {
    let found = users::with_password(&control.store, name).await?;
    let phc = found.as_ref().map(|(_, phc)| phc.clone());
    let fits = control.passwords.verify(password, phc).await?;
    let found = found.filter(|(user, _)| fits && !user.disabled);
    Ok(found.map(|(user, phc)| Proven { user, phc }))
}

fn wrong() -> Problem {
    Problem::unauthorized("session.wrong", "unknown name or wrong password")
}

/// Get the current session.
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
///
/// A session calls no APIs, so with `dry_run` all counts are zero.
#[utoipa::path(
    delete, path = "/api/v1/session", tag = "session", params(DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "The session has ended"),
    ),
)]
pub(crate) async fn sign_out(
    State(control): State<Control>,
    Extension(via): Extension<Via>,
    caller: Caller,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let Means::Session(digest) = &caller.means else {
        let detail = "a personal access token has no session; delete the token to end it";
        return Err(Problem::conflict("session.none", detail));
    };
    #[expect(clippy::disallowed_methods, reason = "signing out is always allowed")]
    let mut tx = control.store.write().await?;
    sessions::delete(&mut tx, digest).await?;
    if dry_run {
        return Ok(impact::nothing());
    }
    tx.commit().await?;
    caller.log("session.signed_out", caller.user);
    Ok((StatusCode::NO_CONTENT, set_cookie(via, "", 0)).into_response())
}

/// Path of the session cookie. Cookies ignore ports (RFC 6265, section 8.5), so a wider path would
/// send it to gateways on the same host.
const COOKIE_PATH: &str = "/api/v1";
/// Path of the session cookie in earlier releases.
const COOKIE_PATH_BEFORE: &str = "/";

/// Sets the session cookie, and expires the one that an earlier release left in the browser.
fn set_cookie(
    via: Via,
    secret: &str,
    seconds: i64,
) -> AppendHeaders<[(HeaderName, HeaderValue); 2]> {
    AppendHeaders([
        cookie(via, secret, COOKIE_PATH, seconds),
        cookie(Via(UriScheme::Http), "", COOKIE_PATH_BEFORE, 0),
    ])
}

/// Returns the `Set-Cookie` header (RFC 6265, section 4.1), with `SameSite` as browsers implement
/// RFC 6265bis.
fn cookie(via: Via, secret: &str, path: &str, seconds: i64) -> (HeaderName, HeaderValue) {
    let (name, secure) = match via.0 {
        UriScheme::Http => (via.cookie(), ""),
        UriScheme::Https => (via.cookie(), "; Secure"),
    };
    let value = format!(
        "{name}={secret}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
    );
    let value = HeaderValue::try_from(value).expect("letters, digits and the signs above");
    (header::SET_COOKIE, value)
}

#[cfg(test)]
mod tests;
