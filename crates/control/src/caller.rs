//! Who calls: a session's cookie with its CSRF token, or a personal access token.
//!
//! [`admit`] is the gate's question before every handler; handlers take the [`Caller`] as an
//! argument. Secrets are looked up by digest only (crate `tokens`).

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tollgate_model::credential::Digest;
use tollgate_model::feed::Sequence;
use tollgate_model::id::{AccessTokenId, UserId};
use tollgate_model::scheme::UriScheme;
use tollgate_model::user::Role;
use tollgate_store::users::{self, User};
use tollgate_store::{StoreError, access_tokens, sessions};
use tollgate_tokens::session;

use crate::attempts::Guesser;
use crate::error::{Chain, Problem};
use crate::hosts::is_change;
use crate::may::{Act, Who, may};
use crate::peer::{Peer, Via};
use crate::state::Control;

/// The header that repeats the session's CSRF token on each change.
pub const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

/// A session ends this long after sign-in, whatever happens.
pub const SESSION_US: i64 = 12 * 3_600 * 1_000_000;
/// A session ends when it was not used for this long.
pub const SESSION_IDLE_US: i64 = 2 * 3_600 * 1_000_000;
/// The last use is written down at most this often.
const SEEN_EACH_US: i64 = 60 * 1_000_000;

/// A user who calls, known to be enabled and allowed the route's act.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user.
    pub user: UserId,
    /// The user's name.
    pub name: String,
    /// What the user may be.
    pub roles: Vec<Role>,
    /// Whether the password is a one-time one and must be changed first.
    pub is_one_time: bool,
    /// How the user proved it.
    pub means: Means,
    /// Where the request comes from.
    pub(crate) peer: Peer,
}

/// How a caller proved who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Means {
    /// By the cookie of the session whose secret has this digest.
    Session(Digest),
    /// By a personal access token.
    AccessToken(AccessTokenId),
}

impl Caller {
    /// A user who proved it by `means`.
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

    /// Checks again, during the caller's turn as the writer, that its session or access token
    /// exists and that its user is enabled and has the roles that the gate has seen. When the
    /// access token ends, Unix microseconds; `None` for a session.
    ///
    /// # Errors
    /// 401 `session.missing`; 403 `role.missing`.
    pub(crate) async fn confirm(&self, control: &Control) -> Result<Option<i64>, Problem> {
        let (user, end_us) = match &self.means {
            Means::Session(digest) => {
                let found = sessions::by_digest(&control.store, digest).await?;
                let (_, user) = found.ok_or_else(not_valid)?;
                (user, None)
            }
            Means::AccessToken(id) => match access_tokens::by_id(&control.store, *id).await {
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
            let detail = "your roles have changed meanwhile";
            return Err(Problem::new(StatusCode::FORBIDDEN, "role.missing", detail));
        }
        Ok(end_us)
    }

    /// Whether the caller has this role.
    #[must_use]
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// As whom this caller guesses at its present password.
    pub(crate) fn guesser(&self) -> Guesser<Means> {
        Guesser {
            means: self.means,
            user: self.user,
            peer: self.peer,
        }
    }

    /// Asks for more than the route's own act.
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
        let detail = format!("this needs one of the roles {}", words.join(", "));
        Err(Problem::new(StatusCode::FORBIDDEN, "role.missing", detail))
    }

    /// Whether something of `owner` is the caller's to see and change: one's own, and everything
    /// for an administrator.
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

/// The caller, where somebody is signed in.
#[derive(Debug, Clone)]
pub(crate) struct Visitor(pub(crate) Option<Caller>);

impl FromRequestParts<Control> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Control) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get().cloned()))
    }
}

/// Finds the caller and asks whether such a caller may; `None` where anyone may, and where nobody
/// is signed in who would have to be were the catalogue not open.
///
/// # Errors
/// 401 without a good credential, 429 after too many wrong access tokens from an address; 403
/// without the CSRF token, the role, or a password of one's own.
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
        // The cookie of a session that is over is no reason to see less than without.
        Err(problem) if is_visitor(control, act, headers, &problem) => return Ok(None),
        authenticated => authenticated?,
    };
    if let Means::Session(digest) = &caller.means
        && is_change(&parts.method)
        && !repeats_csrf(headers, digest)
    {
        let detail = "a change with a session's cookie needs its token in X-CSRF-Token";
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
    // The listener puts it beside every request.
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
    let secret = cookie(headers, via).ok_or_else(not_signed_in)?;
    if via.0 == UriScheme::Http && session::is_secure(secret) {
        // Whoever sends it may have put it under the other name; anybody may have read it by now.
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
    let idle_us = now_us - session.last_seen_us;
    if now_us >= session.expires_us || idle_us >= SESSION_IDLE_US || user.disabled {
        return Err(not_valid());
    }
    if idle_us >= SEEN_EACH_US {
        let seen = async {
            #[expect(clippy::disallowed_methods, reason = "a last use")]
            let mut tx = control.store.write().await?;
            sessions::touch(&mut tx, &digest, now_us).await?;
            tx.commit().await
        };
        heed(seen.await);
    }
    Ok((user, Means::Session(digest)))
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
        heed(used.await);
    }
    Ok((user, Means::AccessToken(token.id)))
}

/// A request came past the listener.
#[derive(Debug, thiserror::Error)]
#[error("a request has no peer")]
struct NoPeer;

/// Not being able to write down a last use keeps nobody out: a full disk must not stop reading.
fn heed(outcome: Result<Sequence, StoreError>) {
    if let Err(error) = outcome {
        tracing::warn!(error = %Chain(&error), "a last use could not be written down");
    }
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The session's secret of the Cookie headers of a request that came so (RFC 6265, section 5.4).
fn cookie(headers: &HeaderMap, via: Via) -> Option<&str> {
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

/// Nothing says who calls.
fn not_signed_in() -> Problem {
    let detail = "sign in (POST /api/v1/session) or send a personal access token as Bearer";
    Problem::unauthorized("session.missing", detail)
}

/// What says who calls is worth nothing, or nothing any more. It has the code of
/// [`not_signed_in`], because what to do about it is the same.
fn not_valid() -> Problem {
    let detail = "this session or personal access token is not valid, or not any more: sign in \
                  (POST /api/v1/session) or make another token";
    Problem::unauthorized("session.missing", detail)
}
