//! The key manager, next to the control plane: the names in its tokens, how its changes reach the
//! gateways, and its tasks of every minute.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Extensions;
use tokio::time::{MissedTickBehavior, interval};
use tollgate_control::error::Problem;
use tollgate_control::feed::Feed;
use tollgate_control::token_issuer::{ApplicationToken, Done, TokenIssuer, TrialProof};
use tollgate_control::{ClientAttempts, Clock, Control, came_safely};
use tollgate_gateway::{Addresses, TokenSettings};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;
use tollgate_oauth2::{
    Attempts, AuthorizationServer, Failure, ForTrial, Gateways, InForce, NotIssued, Parts,
    ToApplication, token_url,
};
use tollgate_store::{Store, StoreError, Tx, credentials};
use tollgate_tokens::jwt::TOKEN_BYTES_MAX;

use super::listeners::Places;
use crate::settings::Settings;

/// Interval at which keys rotate and expired rows are deleted.
const ROTATION_TIME: Duration = Duration::from_secs(60);

/// The fraction of a request head that a token leaves to the request line and other fields.
const HEAD_REST_PART: usize = 4;

/// Maximum number of rows deleted in one transaction, so that other writers are not blocked.
const SWEEP_MAX: u32 = 1_000;

/// The issuer and the audience of access tokens.
#[derive(Debug, Clone)]
pub(super) struct Names {
    issuer: String,
    audience: String,
}

impl Names {
    /// Returns the public URLs, or the addresses of HTTPS; `None` if one of the two is unknown.
    pub(super) fn from_settings(settings: &Settings, places: &Places) -> Option<Self> {
        let issuer = settings.control.public_url.url().map(str::to_owned);
        let audience = settings.gateway.public_url.configured().map(str::to_owned);
        Some(Self {
            issuer: issuer.or_else(|| https_url(places.control))?,
            audience: audience.or_else(|| https_url(places.gateway))?,
        })
    }

    /// Returns the `iss` of tokens.
    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the settings with which gateways validate tokens.
    pub(super) fn settings(&self, settings: &Settings) -> TokenSettings {
        TokenSettings {
            issuer: self.issuer.clone(),
            audience: self.audience.clone(),
            remembered_max: settings.gateway.remembered_tokens_max.size(),
        }
    }
}

/// Returns the HTTPS address as a URL, unless it is unspecified.
fn https_url(addresses: Addresses) -> Option<String> {
    let address = addresses.https?;
    (!address.ip().is_unspecified()).then(|| format!("https://{address}"))
}

/// Opens the key manager. If tokens are issued, it has a signing key, and the control plane gets a
/// token issuer.
///
/// # Errors
/// Fails if the store cannot be written or no key can be generated.
pub(super) async fn open(
    settings: &Settings,
    store: &Store,
    feed: &Feed,
    attempts: ClientAttempts,
    names: Option<&Names>,
) -> anyhow::Result<(AuthorizationServer, Option<Arc<dyn TokenIssuer>>)> {
    let days = settings.control.signing_key_days.number();
    let head_bytes_max = settings.gateway.head_bytes_max.size();
    let server = AuthorizationServer::new(Parts {
        store: store.clone(),
        issuer: names.map(|names| names.issuer.clone()),
        audience: names.map(|names| names.audience.clone()),
        gateways: Arc::new(Followers(feed.clone())),
        attempts: Arc::new(FailedClients(attempts)),
        now_us: Arc::new(|| Clock::System.now_us()),
        came_safely,
        signing_key_days: u32::try_from(days)?,
        opaque_tokens_max: settings.control.opaque_tokens_max.number(),
        token_bytes_max: TOKEN_BYTES_MAX.min(head_bytes_max - head_bytes_max / HEAD_REST_PART),
    });
    let Some(names) = names else {
        tracing::info!(
            "no access tokens are issued: set control.public_url and gateway.public_url, or \
             https_listen on both planes"
        );
        return Ok((server, None));
    };
    server.begin().await?;
    let issuer = LocalTokenIssuer {
        server: server.clone(),
        token_url: token_url(&names.issuer),
    };
    Ok((server, Some(Arc::new(issuer))))
}

/// The token issuer of the control plane, backed by the key manager.
struct LocalTokenIssuer {
    server: AuthorizationServer,
    token_url: String,
}

impl TokenIssuer for LocalTokenIssuer {
    fn token_url(&self) -> String {
        self.token_url.clone()
    }

    fn next_key(&self, algorithm: Algorithm) -> Done<'_, (SigningKeyId, bool)> {
        Box::pin(async move {
            let (id, in_force) = self.server.next_key(algorithm).await.map_err(problem)?;
            Ok((id, in_force == InForce::Everywhere))
        })
    }

    fn delete_key(&self, id: SigningKeyId) -> Done<'_, bool> {
        Box::pin(async move {
            let in_force = self.server.delete_key(id).await.map_err(problem)?;
            Ok(in_force == InForce::Everywhere)
        })
    }

    fn issue(&self, token: ApplicationToken) -> Done<'_, String> {
        Box::pin(async move {
            let request = ToApplication {
                application: token.application,
                environment: token.environment,
                scopes: token.scopes,
                version: token.version,
                lifetime_s: token.lifetime_s,
            };
            let issued = self.server.issue_to_application(&request).await;
            issued.map_err(not_issued)
        })
    }

    fn prove_trial(&self, proof: TrialProof) -> Done<'_, String> {
        Box::pin(async move {
            let request = ForTrial {
                application: proof.application,
                version: proof.version,
                lifetime_s: proof.lifetime_s,
            };
            let issued = self.server.issue_for_trial(&request).await;
            issued.map_err(not_issued)
        })
    }
}

fn not_issued(error: NotIssued) -> Problem {
    match error {
        NotIssued::TooLarge(detail) => Problem::conflict("token.too_large", detail),
        error @ NotIssued::Failed(_) => Problem::internal(&error),
    }
}

fn problem(failure: Failure) -> Problem {
    match failure {
        Failure::Store(error) => error.into(),
        failure => Problem::internal(&failure),
    }
}

/// Returns the routes of the key manager.
pub(super) fn routes(server: AuthorizationServer) -> Router<Control> {
    tollgate_oauth2::router(server)
}

/// Rotates keys and deletes expired rows, each minute, forever.
pub(super) async fn rotate_periodically(server: AuthorizationServer, control: Control) {
    let mut ticks = interval(ROTATION_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = server.turn().await {
            let error = anyhow::Error::from(error);
            tracing::warn!("signing keys cannot be rotated or expired tokens deleted: {error:#}");
        }
        if let Err(error) = sweep_tried(&control).await {
            let error = anyhow::Error::from(error);
            tracing::warn!("expired try-it credentials cannot be deleted: {error:#}");
        }
    }
}

/// Deletes expired try-it credentials.
async fn sweep_tried(control: &Control) -> Result<(), StoreError> {
    let now_us = control.now_us();
    while credentials::has_tried(&control.store, now_us).await? {
        #[expect(clippy::disallowed_methods, reason = "a sweep")]
        let mut tx = control.store.write().await?;
        credentials::sweep_tried(&mut tx, now_us, SWEEP_MAX).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// The gateways that follow the control plane.
struct Followers(Feed);

impl Gateways for Followers {
    fn commit(
        &self,
        tx: Tx,
    ) -> Pin<Box<dyn Future<Output = Result<InForce, StoreError>> + Send + '_>> {
        Box::pin(async move {
            tx.commit().await?;
            let caught_up = self.0.catch_up().await;
            Ok(match caught_up.is_everywhere {
                true => InForce::Everywhere,
                false => InForce::Behind,
            })
        })
    }
}

/// Failed client authentications, which the control plane counts together with failed sign-ins.
struct FailedClients(ClientAttempts);

impl Attempts for FailedClients {
    fn wait_s(&self, client: &str, from: &Extensions) -> Option<i64> {
        self.0.wait_s(client, from)
    }

    fn failed(&self, client: &str, from: &Extensions) {
        self.0.failed(client, from);
    }

    fn succeeded(&self, client: &str, from: &Extensions) {
        self.0.succeeded(client, from);
    }
}
