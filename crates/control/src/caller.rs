//! Authentication of callers, by a session's cookie with its CSRF token, or by a personal access
//! token.
//!
//! [`admit`] runs before every handler; handlers take the [`Caller`] as an argument. Secrets are
//! looked up by digest only (crate `tokens`).

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tollgate_model::credential::Digest;
use tollgate_model::feed::Sequence;
use tollgate_model::id::{AccessTokenId, UserId};
use tollgate_model::scheme::UriScheme;
use tollgate_model::user::Role;
use tollgate_store::sessions::{self, Session};
use tollgate_store::users::{self, User};
use tollgate_store::{StoreError, access_tokens};
use tollgate_tokens::session;

use crate::attempts::Guesser;
use crate::error::{Chain, Problem};
use crate::hosts::is_change;
use crate::may::{Act, Who, may};
use crate::peer::{Peer, Via};
use crate::state::Control;

/// Header with the session's CSRF token, required for changes.
pub const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

/// Maximum lifetime of a session after sign-in.
pub const SESSION_US: i64 = 12 * 3_600 * 1_000_000;
/// Time without use after which a session ends.
pub const SESSION_IDLE_US: i64 = 2 * 3_600 * 1_000_000;
/// Minimum time between two updates of the last use.
const SEEN_EACH_US: i64 = 60 * 1_000_000;

/// The authenticated user of a request, who is enabled and allowed the route's act.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user's id.
    pub user: UserId,
    /// The user's name.
    pub name: String,
    /// The user's roles.
    pub roles: Vec<Role>,
    /// Whether the user has a one-time password, which must be changed first.
    pub is_one_time: bool,
    /// How the user authenticated.
    pub means: Means,
    /// The address of the client.
    pub(crate) peer: Peer,
}

/// The means of a caller's authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Means {
    /// A session's cookie; the digest is that of its secret.
    Session(Digest),
    /// A personal access token.
    AccessToken(AccessTokenId),
}

impl Caller {
    /// Creates the caller for a user who authenticated by `means`.
    pub(crate) fn new(user: User, means: Means, peer: Peer) -> Self {
        Self {
            user: user.id,
            name: user.name,
            roles: user.roles,
            is_one_time: user.one_time,
            means,
            peer,
        }
    }

    /// Checks again that the session or access token is valid, and that the user is enabled and
    /// still has the roles found by [`admit`]. While one holds the write lock, that stays so until
    /// the commit. Returns when the access token expires, in Unix microseconds; `None` for a
    /// session.
    ///
    /// # Errors
    /// 401 `session.invalid`; 403 `role.missing`.
    pub(crate) async fn confirm(&self, control: &Control) -> Result<Option<i64>, Problem> {
        let (user, end_us) = match &self.means {
            Means::Session(digest) => {
                let found = sessions::by_digest(&control.store, digest).await?;
                let (session, user) = found.ok_or_else(not_valid)?;
                if has_ended(&session, control.now_us()) {
                    return Err(not_valid());
                }
                (user, None)
            }
            Means::AccessToken(id) => match access_tokens::by_id(&control.store, *id).await {
                Ok(token) if control.now_us() >= token.expires_us => return Err(not_valid()),
                Ok(token) => {
                    let user = users::by_id(&control.store, token.user).await?;
                    (user, Some(token.expires_us))
                }
                Err(StoreError::NotFound(_)) => return Err(not_valid()),
                Err(error) => return Err(error.into()),
            },
        };
        if user.disabled {
            return Err(not_valid());
        }
        if !self.roles.iter().all(|role| user.roles.contains(role)) {
            let detail = "your roles changed during the request";
            return Err(Problem::new(StatusCode::FORBIDDEN, "role.missing", detail));
        }
        Ok(end_us)
    }

    /// Whether the caller has this role.
    #[must_use]
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// The key for counting this caller's guesses of its current password.
    pub(crate) fn guesser(&self) -> Guesser<Means> {
        Guesser {
            means: self.means,
            user: self.user,
            peer: self.peer,
        }
    }

    /// Checks that the caller may perform an act beyond the route's own.
    ///
    /// # Errors
    /// 403 `role.missing`.
    pub fn may(&self, act: Act) -> Result<(), Problem> {
        if may(&self.roles, act) {
            return Ok(());
        }
        let (Who::Roles(roles) | Who::Visitors(roles)) = act.who() else {
            return Ok(());
        };
        let words: Vec<_> = roles.iter().map(|role| role.word()).collect();
        let detail = format!("requires one of the roles {}", words.join(", "));
        Err(Problem::new(StatusCode::FORBIDDEN, "role.missing", detail))
    }

    /// Whether the caller may read and change resources of `owner`: its own, and all for an
    /// administrator.
    #[must_use]
    pub fn owns(&self, owner: UserId) -> bool {
        self.user == owner || self.is(Role::Administrator)
    }
}

impl FromRequestParts<Control> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Control) -> Result<Self, Problem> {
        parts.extensions.get().cloned().ok_or_else(not_signed_in)
    }
}

/// The caller, if signed in.
#[derive(Debug, Clone)]
pub(crate) struct Visitor(pub(crate) Option<Caller>);

impl FromRequestParts<Control> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Control) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get().cloned()))
    }
}

/// Authenticates the caller and checks that it may perform the act. Returns `None` for acts open to
/// anyone, and for anonymous callers of an open catalogue.
///
/// # Errors
/// 401 `session.missing` without a credential, `session.invalid` with an invalid one; 429 after too
/// many wrong access tokens from an address; 403 without the CSRF token or the role, or with a
/// one-time password.
pub(crate) async fn admit(
    control: &Control,
    act: Act,
    parts: &Parts,
) -> Result<Option<Caller>, Problem> {
    if act.who() == Who::Anyone {
        return Ok(None);
    }
    let headers = &parts.headers;
    let caller = match authenticate(control, parts).await {
        // The cookie of an ended session must not give less access than no cookie.
        Err(problem) if is_visitor(control, act, headers, &problem) => return Ok(None),
        authenticated => authenticated?,
    };
    if let Means::Session(digest) = &caller.means
        && is_change(&parts.method)
        && !repeats_csrf(headers, digest)
    {
        let detail = "changes with a session cookie require the session's CSRF token in \
                      X-CSRF-Token";
        return Err(Problem::new(StatusCode::FORBIDDEN, "session.csrf", detail));
    }
    if caller.is_one_time && act.who() != Who::SignedIn {
        let detail = "change the one-time password first: PUT /api/v1/session/password";
        let status = StatusCode::FORBIDDEN;
        return Err(Problem::new(status, "session.password_change", detail));
    }
    caller.may(act)?;
    Ok(Some(caller))
}

fn is_visitor(control: &Control, act: Act, headers: &HeaderMap, problem: &Problem) -> bool {
    control.open_catalogue
        && matches!(act.who(), Who::Visitors(_))
        && problem.status() == StatusCode::UNAUTHORIZED
        && !headers.contains_key(header::AUTHORIZATION)
}

async fn authenticate(control: &Control, parts: &Parts) -> Result<Caller, Problem> {
    let headers = &parts.headers;
    // The listener adds both to every request.
    let (peer, via) = (parts.extensions.get(), parts.extensions.get());
    let (&peer, &via) = peer.zip(via).ok_or_else(|| Problem::internal(&NoPeer))?;
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let found = match bearer(value).and_then(session::digest) {
            Some(digest) => by_access_token(control, &digest).await,
            None => Err(not_valid()),
        };
        let (user, means) = found.map_err(|problem| match problem.status() {
            StatusCode::UNAUTHORIZED => control.token_failed(peer, problem),
            _ => problem,
        })?;
        return Ok(Caller::new(user, means, peer));
    }
    let secret = session_cookie(headers, via).ok_or_else(not_signed_in)?;
    if via.0 == UriScheme::Http && session::is_secure(secret) {
        // The client may have renamed a secure cookie. Sent over plain HTTP, its secret may have
        // been read by others.
        return Err(not_valid());
    }
    let secret = session::digest(secret).ok_or_else(not_valid)?;
    let (user, means) = by_session(control, secret).await?;
    Ok(Caller::new(user, means, peer))
}

async fn by_session(control: &Control, digest: Digest) -> Result<(User, Means), Problem> {
    let found = sessions::by_digest(&control.store, &digest).await?;
    let (session, user) = found.ok_or_else(not_valid)?;
    let now_us = control.now_us();
    if has_ended(&session, now_us) || user.disabled {
        return Err(not_valid());
    }
    if now_us - session.last_seen_us >= SEEN_EACH_US {
        let seen = async {
            #[expect(clippy::disallowed_methods, reason = "a last use")]
            let mut tx = control.store.write().await?;
            sessions::touch(&mut tx, &digest, now_us).await?;
            tx.commit().await
        };
        log_failure(seen.await);
    }
    Ok((user, Means::Session(digest)))
}

fn has_ended(session: &Session, now_us: i64) -> bool {
    now_us >= session.expires_us || now_us - session.last_seen_us >= SESSION_IDLE_US
}

async fn by_access_token(control: &Control, digest: &Digest) -> Result<(User, Means), Problem> {
    let found = access_tokens::by_digest(&control.store, digest).await?;
    let (token, user) = found.ok_or_else(not_valid)?;
    let now_us = control.now_us();
    if now_us >= token.expires_us || user.disabled {
        return Err(not_valid());
    }
    if now_us - token.last_used_us.unwrap_or_default() >= SEEN_EACH_US {
        let used = async {
            #[expect(clippy::disallowed_methods, reason = "a last use")]
            let mut tx = control.store.write().await?;
            access_tokens::touch(&mut tx, token.id, now_us).await?;
            tx.commit().await
        };
        log_failure(used.await);
    }
    Ok((user, Means::AccessToken(token.id)))
}

/// The request did not pass through the listener, which adds the peer.
#[derive(Debug, thiserror::Error)]
#[error("a request has no peer")]
struct NoPeer;

/// Logs a failure to store a last use. It does not fail the request: a full disk must not prevent
/// reads.
fn log_failure(outcome: Result<Sequence, StoreError>) {
    if let Err(error) = outcome {
        tracing::warn!(error = %Chain(&error), "failed to store a last use");
    }
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the session's secret from the Cookie headers (RFC 6265, section 5.4). The name of the
/// cookie depends on `via`.
fn session_cookie(headers: &HeaderMap, via: Via) -> Option<&str> {
    let values = headers.get_all(header::COOKIE).iter();
    let mut pairs = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(name, _)| *name == via.cookie())
        .map(|(_, secret)| secret)
}

fn repeats_csrf(headers: &HeaderMap, digest: &Digest) -> bool {
    let token = headers.get(CSRF).and_then(|value| value.to_str().ok());
    token.is_some_and(|token| session::csrf_matches(digest, token))
}

/// The request has no credential.
fn not_signed_in() -> Problem {
    let detail = "sign in (POST /api/v1/session) or send a personal access token as Bearer";
    Problem::unauthorized("session.missing", detail)
}

/// The credential is invalid or has expired.
fn not_valid() -> Problem {
    let detail = "the session or personal access token is invalid or has expired: sign in (POST \
                  /api/v1/session) or create another token";
    Problem::unauthorized("session.invalid", detail)
}
