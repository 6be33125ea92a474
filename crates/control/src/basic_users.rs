//! Users of HTTP Basic (RFC 7617) of applications: created with a password that is shown once,
//! rotated, revoked immediately, suspended and resumed by administrators.
//!
//! Neighbours: gateways receive the digests of name and password in the feed; `credentials` has
//! the parts shared with other credentials.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::fault::Fault;
use tollgate_model::id::{self, ApplicationId, BasicUserId};
use tollgate_store::StoreError;
use tollgate_store::basic_users::{self, BasicUser};
use tollgate_store::credentials::Terms;
use tollgate_tokens::basic;
use tollgate_tokens::generated::{self, NewSecret};

use crate::applications;
use crate::caller::Caller;
use crate::credentials::handlers::{self, Shown};
use crate::credentials::{
    CredentialPatch, NewTerms, Rotation, TermsBody, Words, first_secret, previous_until, production,
};
use crate::error::{Problem, refuse_any};
use crate::impact::{DryRun, Impact};
use crate::json::Json;
use crate::parameters::{Find, List, Listed, Path, Query, Unfiltered};
use crate::random;
use crate::state::Control;
use crate::time::Time;

const BASIC_USER: Words = Words {
    noun: "Basic user",
    plural: "Basic users",
    created: "basic_user.created",
    updated: "basic_user.updated",
    rotated: "basic_user.rotated",
    revoked: "basic_user.revoked",
    suspended: "basic_user.suspended",
    resumed: "basic_user.resumed",
    expired: "basic_user.expired",
    too_many: "basic_user.too_many",
};

/// Prefix of the names of users that are created to try an API. No other name starts with it: the
/// others start with an application's id.
pub(crate) const TRIED_NAME: &str = "try-it-";
/// Maximum length in bytes of the part of a name that the owner chooses.
const CHOSEN_NAME_BYTES_MAX: usize = 64;

/// A user of HTTP Basic.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = BasicUser)]
pub(crate) struct BasicUserBody {
    /// The user's id.
    id: BasicUserId,
    #[serde(flatten)]
    terms: TermsBody,
    /// The whole name, as calls send it: the application's id, a dot, and the chosen or generated
    /// part. Users created by earlier releases keep their names.
    user_name: String,
    /// The last four characters of its password.
    hint: String,
    /// The password, only in the response that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
    /// When the previous password stops being accepted, if one still is.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_until: Option<Time>,
}

/// A new user of HTTP Basic.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBasicUser {
    /// The part of its name behind the application's id and a dot, such as `till` in
    /// `app_0KMZq3n8f2L.till`: 1 to 64 letters, digits, `-`, `_`, `.` or `@`, not used by any
    /// present or past user of the application, ignoring case. Generated when absent. The response
    /// contains the whole name.
    user_name: Option<String>,
    /// Its name, 1 to 100 characters. Default: the chosen or generated part of the user name.
    name: Option<String>,
    /// The environment that it calls.
    #[serde(default = "production")]
    environment: Environment,
    /// Not valid before this time.
    not_before: Option<Time>,
    /// Not valid from this time on.
    expires_at: Option<Time>,
    /// Addresses and origins that may use it; all when absent.
    #[serde(default)]
    allowed: Allowed,
    /// Rejected: passwords are generated.
    #[schema(ignore)]
    password: Option<IgnoredAny>,
}

/// List an application's users of HTTP Basic, revoked ones too.
#[utoipa::path(
    get, path = "/api/v1/applications/{application}/basic-users", tag = "basic-users",
    params(("application" = ApplicationId, Path), Find),
    responses((status = 200, description = "A page of users", body = List<BasicUserBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Listed(find, _): Listed<Unfiltered>,
) -> Result<Json<List<BasicUserBody>>, Problem> {
    handlers::list::<id::BasicUser>(&control, &caller, application, &find).await
}

/// Get a user of HTTP Basic.
#[utoipa::path(
    get, path = "/api/v1/basic-users/{basic_user}", tag = "basic-users",
    params(("basic_user" = BasicUserId, Path)),
    responses((status = 200, description = "The user", body = BasicUserBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<BasicUserId>,
) -> Result<Json<BasicUserBody>, Problem> {
    handlers::show(&control, &caller, id).await
}

/// Create a user of HTTP Basic.
///
/// Only this response contains the password. The whole name starts with the application's id. An
/// application has at most 20 users that are neither revoked nor expired; suspended users count. If
/// the owner's credentials are suspended, so is the new user, until they are resumed.
#[utoipa::path(
    post, path = "/api/v1/applications/{application}/basic-users", tag = "basic-users",
    params(("application" = ApplicationId, Path)), request_body = NewBasicUser,
    responses((status = 201, description = "The user", body = BasicUserBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Json(wanted): Json<NewBasicUser>,
) -> Result<impl IntoResponse, Problem> {
    applications::own(&control, &caller, application).await?;
    let now_us = control.now_us();
    let mut faults = wanted.faults();
    let id = control.id()?;
    let (chosen, terms) = wanted.terms(id);
    faults.extend(terms.faults(&BASIC_USER, now_us));
    refuse_any(faults)?;
    let terms = terms.into_terms(application, &caller, now_us);
    let (user, password) = make(id, format!("{application}.{chosen}"), terms)?;
    let mut tx = caller.change(&control).await?;
    let created = basic_users::create(&mut tx, &user).await;
    created.map_err(name_taken)?;
    handlers::commit_new::<id::BasicUser>(&control, &caller, tx, &user, Some(password)).await
}

/// Change a user of HTTP Basic.
///
/// Takes effect immediately: calls that start after the response are rejected if the user is
/// suspended. A revoked user cannot be changed.
#[utoipa::path(
    patch, path = "/api/v1/basic-users/{basic_user}", tag = "basic-users",
    params(("basic_user" = BasicUserId, Path)), request_body = CredentialPatch,
    responses((status = 200, description = "The changed user", body = BasicUserBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<BasicUserId>,
    Json(wanted): Json<CredentialPatch>,
) -> Result<Json<BasicUserBody>, Problem> {
    handlers::update(&control, &caller, id, &wanted).await
}

/// Rotate the password of a user of HTTP Basic.
///
/// Only this response contains the new password. The previous one is accepted during the grace
/// period. Until then the user cannot be rotated again: 409 `credential.rotating`, except with
/// `now`, which invalidates all earlier passwords.
#[utoipa::path(
    post, path = "/api/v1/basic-users/{basic_user}/rotation", tag = "basic-users",
    params(("basic_user" = BasicUserId, Path)), request_body = Rotation,
    responses((status = 200, description = "The user, with its password", body = BasicUserBody)),
)]
pub(crate) async fn rotate(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<BasicUserId>,
    Json(Rotation { grace }): Json<Rotation>,
) -> Result<Json<BasicUserBody>, Problem> {
    let now_us = control.now_us();
    let mut tx = caller.change(&control).await?;
    let user = handlers::working(&control, &caller, id).await?;
    BASIC_USER.require_settled(&user.secret, grace, now_us)?;
    let made = new_password(&user.user_name)?;
    basic_users::rotate(&mut tx, id, &grace.secret(&made, now_us)).await?;
    let log = || caller.log(BASIC_USER.rotated, id);
    handlers::commit(&control, tx, id, Some(made.text), log).await
}

/// Revoke a user of HTTP Basic.
///
/// Calls that start after the response are rejected. The name cannot be used again.
#[utoipa::path(
    delete, path = "/api/v1/basic-users/{basic_user}", tag = "basic-users",
    params(("basic_user" = BasicUserId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Revoked"),
    ),
)]
pub(crate) async fn revoke(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<BasicUserId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    handlers::revoke(&control, &caller, id, dry_run).await
}

impl NewBasicUser {
    /// Returns the faults, without those of the terms.
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.user_name.as_deref().is_some_and(|it| !is_chosen(it)) {
            let detail = "a user's name is 1 to 64 letters, digits, \"-\", \"_\", \".\" or \"@\"";
            faults.push(Fault::new("/user_name", "basic_user.name", detail));
        }
        if self.password.is_some() {
            let detail = "passwords are generated: omit this member";
            faults.push(Fault::new("/password", "basic_user.password", detail));
        }
        faults
    }

    /// Returns the chosen part of the user's name, or one made from its id, and the terms.
    fn terms(self, id: BasicUserId) -> (String, NewTerms) {
        let drawn = || id.to_string().split_off("bas_".len());
        let chosen = self.user_name.unwrap_or_else(drawn);
        let terms = NewTerms {
            name: self.name.unwrap_or_else(|| chosen.clone()),
            environment: self.environment,
            not_before: self.not_before,
            expires_at: self.expires_at,
            allowed: self.allowed,
        };
        (chosen, terms)
    }
}

/// Returns whether an owner may choose this part of a name.
fn is_chosen(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte);
    (1..=CHOSEN_NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain)
}

fn name_taken(error: StoreError) -> Problem {
    match error {
        StoreError::Taken { field, what } => {
            Problem::conflict("basic_user.name_taken", what).blaming(field)
        }
        error => error.into(),
    }
}

/// Generates a user. Returns it with its password.
pub(crate) fn make(
    id: BasicUserId,
    user_name: String,
    terms: Terms,
) -> Result<(BasicUser, String), Problem> {
    let made = new_password(&user_name)?;
    let user = BasicUser {
        id,
        terms,
        user_name,
        secret: first_secret(&made),
    };
    Ok((user, made.text))
}

/// Generates a password for this user, with the digest of name and password.
fn new_password(user_name: &str) -> Result<NewSecret, Problem> {
    let made = generated::basic_password(random::bytes()?);
    Ok(NewSecret {
        digest: basic::digest(user_name, &made.text),
        ..made
    })
}

impl Shown for id::BasicUser {
    type Body = BasicUserBody;

    const WORDS: &Words = &BASIC_USER;

    fn body(user: BasicUser, password: Option<String>, now_us: i64) -> BasicUserBody {
        BasicUserBody {
            id: user.id,
            terms: user.terms.into(),
            user_name: user.user_name,
            previous_until: previous_until(&user.secret, now_us),
            hint: user.secret.hint,
            password,
        }
    }
}

#[cfg(test)]
mod tests;
