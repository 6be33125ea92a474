//! Trying a version: credentials of an application for 15 minutes, which nobody has to keep. They
//! are not listed or counted, and are deleted once they have expired.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::id::{ApplicationId, VersionId};
use tollgate_model::policies::Policies;
use tollgate_model::security::{Require, Scheme, Security};
use tollgate_store::credentials::{self, Terms};
use tollgate_store::versions::Offer;
use tollgate_store::{Tx, api_keys, basic_users as rows, revisions, subscriptions};

use crate::applications;
use crate::basic_users::{self, TRIED_NAME};
use crate::caller::Caller;
use crate::credentials::production;
use crate::error::Problem;
use crate::json::Json;
use crate::keys;
use crate::ownership;
use crate::parameters::Path;
use crate::state::Control;
use crate::time::Time;
use crate::token_issuer::{ApplicationToken, TrialProof};

/// Lifetime of the credentials in seconds.
const LIFETIME_S: u32 = 15 * 60;

/// Maximum number of API keys and HTTP Basic users that an application has for trying APIs at a
/// time: more than a person creates in that time. Tokens are not stored.
const TRIED_MAX: u64 = 100;

/// The application and environment to try a version with.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trial {
    /// The application that the calls belong to.
    application: ApplicationId,
    /// The environment, which determines the upstream.
    #[serde(default = "production")]
    environment: Environment,
}

/// Credentials that the version's security requires; the first alternative if there are several.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
#[schema(as = TryIt)]
pub(crate) struct TryItBody {
    /// An API key and its header.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key: Option<TriedKey>,
    /// An access token, for `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// An HTTP Basic user, for `Authorization: Basic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    basic: Option<TriedUser>,
    /// The value of `X-Tollgate-Try-It`, if operations of the version have a cache that pages of
    /// the portal can ask: their responses to these calls have `Cache-Status`. With `;fresh` after
    /// it, a call is not answered by a stored response.
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<String>,
    /// Expiry of all these credentials.
    expires_at: Option<Time>,
}

/// An API key to try a version with.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct TriedKey {
    /// The header that carries the key.
    header: String,
    /// The key.
    key: String,
}

/// An HTTP Basic user to try a version with.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct TriedUser {
    /// The user name.
    user_name: String,
    /// The password.
    password: String,
}

/// Create credentials to try a version for 15 minutes.
///
/// They are those that the security of the deployed version requires: an API key; an access token
/// for this version alone, with all of its scopes that are given freely or granted to the
/// application's subscription; or an HTTP Basic user. The application needs a subscription as for
/// any call.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/try-it", tag = "try-it",
    params(("version" = VersionId, Path)), request_body = Trial,
    responses((status = 201, description = "The credentials", body = TryItBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(trial): Json<Trial>,
) -> Result<impl IntoResponse, Problem> {
    applications::own(&control, &caller, trial.application).await?;
    let (Offer { api, version }, _) = ownership::version(&control, &caller, id).await?;
    let Some(deployed) = version.deployed else {
        let detail = "the version has no deployed revision to try";
        return Err(Problem::conflict("version.not_deployed", detail));
    };
    let (_, configuration) = revisions::by_id(&control.store, deployed).await?;
    let security = configuration.security();
    let expires_us = control.now_us() + i64::from(LIFETIME_S) * 1_000_000;
    let terms = terms(&control, &caller, &trial, expires_us);
    let mut body = TryItBody {
        expires_at: Some(Time(expires_us)),
        ..TryItBody::default()
    };
    let schemes = required_schemes(&security);
    // Before the write, since the key manager may write too.
    if schemes.contains(&Scheme::OAuth2) {
        let granted = subscriptions::granted(&control.store, trial.application, id).await?;
        let token = ApplicationToken {
            application: trial.application,
            environment: trial.environment,
            scopes: allowed_scopes(&security, &granted),
            version: (api.context.clone(), version.name.clone()),
            lifetime_s: LIFETIME_S,
        };
        body.token = Some(control.token_issuer()?.issue(token).await?);
    }
    if shows_cache(&configuration.policies) {
        let proof = TrialProof {
            application: trial.application,
            version: (api.context, version.name),
            lifetime_s: LIFETIME_S,
        };
        body.trial = prove_trial(&control, proof).await?;
    }
    let mut tx = caller.change(&control).await?;
    // Inside the write, after the token: a later suspension invalidates it.
    require_unsuspended(&control, trial.application).await?;
    for scheme in schemes {
        match scheme {
            Scheme::ApiKey { header, .. } => {
                let (made, key) = keys::make(&control, terms.clone())?;
                api_keys::create(&mut tx, &made).await?;
                body.api_key = Some(TriedKey { header, key });
            }
            Scheme::Basic => {
                body.basic = Some(make_user(&control, &mut tx, terms.clone()).await?);
            }
            Scheme::OAuth2 => {}
        }
    }
    let tried = credentials::tried(&mut tx, trial.application, control.now_us()).await?;
    if tried > TRIED_MAX {
        let detail = format!(
            "an application may have at most {TRIED_MAX} keys and users to try APIs; they expire \
             after 15 minutes"
        );
        return Err(Problem::conflict("try_it.too_many", detail));
    }
    tx.commit(|| caller.log_change("version.tried", id, &format!("as {}", trial.application)))
        .await?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// Rejects the request if the owner of the application is suspended.
async fn require_unsuspended(control: &Control, id: ApplicationId) -> Result<(), Problem> {
    if !credentials::is_owner_suspended(&control.store, id).await? {
        return Ok(());
    }
    let detail = "an administrator has suspended the credentials of the application's owner: they \
        must be resumed first";
    Err(Problem::conflict("try_it.suspended", detail))
}

/// Returns the scopes of a version that are given freely or have been granted.
fn allowed_scopes(security: &Security, granted: &[String]) -> Vec<String> {
    let scopes = security.scopes.iter();
    let allowed = scopes.filter(|(name, it)| !it.is_by_approval() || granted.contains(name));
    allowed.map(|(name, _)| name.clone()).collect()
}

/// Returns the schemes that a call has to satisfy.
fn required_schemes(security: &Security) -> Vec<Scheme> {
    let mut schemes = security.schemes();
    if security.require == Require::Any {
        schemes.truncate(1);
    }
    schemes
}

/// Returns the proof that calls are trials; `None` if this installation issues no tokens.
async fn prove_trial(control: &Control, proof: TrialProof) -> Result<Option<String>, Problem> {
    match control.token_issuer() {
        Ok(issuer) => issuer.prove_trial(proof).await.map(Some),
        Err(_) => Ok(None),
    }
}

/// Whether pages of the portal can ask what the cache did. Where they call as any other page, the
/// version would refuse a field that it does not list.
fn shows_cache(policies: &Policies) -> bool {
    let has_cache = policies.caches().any(|(_, cache)| cache.enabled);
    has_cache && policies.cors.as_ref().is_none_or(|cors| cors.portal)
}

fn terms(control: &Control, caller: &Caller, trial: &Trial, expires_us: i64) -> Terms {
    Terms {
        application: trial.application,
        name: "try it".to_owned(),
        environment: trial.environment,
        not_before_us: None,
        expires_us: Some(expires_us),
        allowed: Allowed::default(),
        created_by: caller.user,
        created_us: control.now_us(),
        revoked_us: None,
        suspended_us: None,
        last_used_us: None,
        try_it: true,
    }
}

/// Creates an HTTP Basic user with a name prefix that no other user has.
async fn make_user(control: &Control, tx: &mut Tx, terms: Terms) -> Result<TriedUser, Problem> {
    let id = control.id()?;
    let (user, password) = basic_users::make(id, format!("{TRIED_NAME}{id}"), terms)?;
    rows::create(tx, &user).await?;
    Ok(TriedUser {
        user_name: user.user_name,
        password,
    })
}
