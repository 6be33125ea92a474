//! The key manager beside the control plane: under which names its tokens are made, how what it
//! writes reaches the gateways, and what is done each minute.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Extensions;
use tokio::time::{MissedTickBehavior, interval};
use tollgate_control::error::Problem;
use tollgate_control::feed::Feed;
use tollgate_control::token_issuer::{ApplicationToken, Done, TokenIssuer};
use tollgate_control::{ClientAttempts, Clock, Control, came_safely};
use tollgate_gateway::{Addresses, TokenSettings};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;
use tollgate_oauth2::{
    Attempts, AuthorizationServer, Failure, Gateways, InForce, NotIssued, Parts, ToApplication,
    token_url,
};
use tollgate_store::{Store, StoreError, Tx, credentials};
use tollgate_tokens::jwt::TOKEN_BYTES_MAX;

use super::listeners::Places;
use crate::settings::Settings;

/// How often keys are turned and what has expired is deleted.
const TURN_TIME: Duration = Duration::from_secs(60);

/// The part of a request's head that a token leaves to the request line and the other fields.
const HEAD_REST_PART: usize = 4;

/// Rows that one write of a sweep deletes at most, so that others get their turn.
const SWEEP_MAX: u32 = 1_000;

/// By which names tokens are made and taken.
#[derive(Debug, Clone)]
pub(super) struct Names {
    issuer: String,
    audience: String,
}

impl Names {
    /// The public URLs, or the addresses of HTTPS; `None` where one of both is unknown.
    pub(super) fn of(settings: &Settings, places: &Places) -> Option<Self> {
        let issuer = settings.control.public_url.url().map(str::to_owned);
        let audience = settings.gateway.public_url.said().map(str::to_owned);
        Some(Self {
            issuer: issuer.or_else(|| https_url(places.control))?,
            audience: audience.or_else(|| https_url(places.gateway))?,
        })
    }

    /// `iss` of tokens.
    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// What gateways ask of tokens.
    pub(super) fn settings(&self, settings: &Settings) -> TokenSettings {
        TokenSettings {
            issuer: self.issuer.clone(),
            audience: self.audience.clone(),
            remembered_max: settings.gateway.remembered_tokens_max.size(),
        }
    }
}

/// The address of HTTPS as a URL, unless it stands for all addresses.
fn https_url(addresses: Addresses) -> Option<String> {
    let address = addresses.https?;
    (!address.ip().is_unspecified()).then(|| format!("https://{address}"))
}

/// The key manager, with a key to sign with where it is on, and how the control plane asks it for
/// tokens then.
///
/// # Errors
/// The store cannot be written; no key can be made.
pub(super) async fn open(
    settings: &Settings,
    (store, feed): (&Store, &Feed),
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
            "no access tokens are issued: control.public_url and gateway.public_url, or \
             https_listen on both planes, say under which names"
        );
        return Ok((server, None));
    };
    server.begin().await?;
    let asked = Asked {
        server: server.clone(),
        token_url: token_url(&names.issuer),
    };
    Ok((server, Some(Arc::new(asked))))
}

/// The key manager as the control plane knows it.
struct Asked {
    server: AuthorizationServer,
    token_url: String,
}

impl TokenIssuer for Asked {
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

    fn issue(&self, wanted: ApplicationToken) -> Done<'_, String> {
        Box::pin(async move {
            let wanted = ToApplication {
                application: wanted.application,
                environment: wanted.environment,
                scopes: wanted.scopes,
                version: wanted.version,
                lifetime_s: wanted.lifetime_s,
            };
            let issued = self.server.issue_to_application(&wanted).await;
            issued.map_err(|error| match error {
                NotIssued::TooLarge(detail) => Problem::conflict("token.too_large", detail),
                error @ NotIssued::Failed(_) => Problem::internal(&error),
            })
        })
    }
}

fn problem(failure: Failure) -> Problem {
    match failure {
        Failure::Store(error) => error.into(),
        failure => Problem::internal(&failure),
    }
}

/// What it serves.
pub(super) fn routes(server: AuthorizationServer) -> Router<Control> {
    tollgate_oauth2::router(server)
}

/// Turns keys and deletes what has expired, each minute, for ever.
pub(super) async fn turn_for_ever(server: AuthorizationServer, control: Control) {
    let mut ticks = interval(TURN_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = server.turn().await {
            let error = anyhow::Error::from(error);
            tracing::warn!("signing keys and tokens could not be swept: {error:#}");
        }
        if let Err(error) = sweep_tried(&control).await {
            let error = anyhow::Error::from(error);
            tracing::warn!("what APIs were tried with could not be swept: {error:#}");
        }
    }
}

/// Deletes what APIs were tried with and has ended.
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

/// Failed clients, which the control plane counts beside failed sign-ins.
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
