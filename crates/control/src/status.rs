//! How the process is, for administrators: the store, the figures, the feed, the gateways. All of
//! it is known anyway; nothing is measured for it.

use axum::extract::State;
use serde::Serialize;
use tollgate_model::feed::Applied;
use tollgate_model::id::VersionId;
use tollgate_store::{StoreError, feed, versions};

use crate::attempts::Attempts;
use crate::attempts::programs::Tally;
use crate::bodies::Holding;
use crate::error::Problem;
use crate::gateways::GatewayStatus;
use crate::json::Json;
use crate::state::Control;
use crate::time::Time;
use crate::usage::UsageLoss;

/// Losses of usage in an answer at most: the latest.
const LOSSES_MAX: usize = 100;

/// How the process is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ProcessStatus)]
pub(crate) struct StatusBody {
    /// The release that runs.
    #[schema(example = "0.1.0")]
    release: &'static str,
    /// Since when it runs.
    started_at: Time,
    /// When this was told.
    now: Time,
    /// What is stored.
    store: StoreStatus,
    /// The figures.
    usage: UsageStatus,
    /// How gateways hear of changes.
    feed: FeedStatus,
    /// Failed and refused attempts to authenticate.
    authentication: AuthenticationStatus,
    /// Bodies of requests, and documents fetched for imports, that are in memory.
    bodies: BodiesStatus,
    /// The gateways that run.
    gateways: Vec<GatewayStatus>,
    /// What should be looked at although all works, a sentence each.
    conditions: Vec<String>,
}

/// What is stored.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct StoreStatus {
    /// Bytes of the database, without its log.
    bytes: u64,
    /// Whether a write works now, or did within the last second.
    writable: bool,
    /// The code of what keeps it from being written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "store.full")]
    problem: Option<String>,
}

/// The figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageStatus {
    /// Bytes of their database, without its log.
    bytes: u64,
    /// Since when they cannot be written, while they cannot; they are kept in memory meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<Time>,
    /// Attempts to write that have failed since the process began.
    failures: u64,
    /// Rows in memory that are not written yet.
    unwritten_rows: usize,
    /// What is known to be missing, the earliest first: the last 100.
    losses: Vec<UsageLoss>,
}

/// Attempts to authenticate here that came to nothing.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AuthenticationStatus {
    /// Of people who sign in.
    sign_ins: FailureCounts,
    /// Of OAuth2 clients at the key manager.
    clients: FailureCounts,
    /// Of personal access tokens.
    access_tokens: FailureCounts,
}

/// Attempts of one kind since the process began.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct FailureCounts {
    /// Those with a wrong password, secret or token.
    failed: u64,
    /// Those refused with 429 because too many had failed.
    refused: u64,
}

/// Bodies of requests, and documents fetched for imports, that are in memory.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BodiesStatus {
    /// Bytes of all.
    bytes: usize,
    /// The bound on them: `control.bodies_bytes_max`.
    bytes_max: usize,
    /// Bodies dropped for others since the process began.
    dropped: u64,
}

/// How gateways hear of changes.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct FeedStatus {
    /// The number of the last change that was stored.
    sequence: u64,
    /// Those who follow.
    gateways: Vec<FollowingGateway>,
}

/// A gateway that follows the feed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct FollowingGateway {
    /// The number of the last change that it has applied.
    sequence: u64,
    /// Whether that is the last one that was stored.
    is_current: bool,
    /// Versions that it cannot serve as they are stored: calls see what was before, or nothing.
    refused: Vec<UnservedVersion>,
}

/// A version that a gateway cannot serve as it is stored.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UnservedVersion {
    /// The version.
    version: VersionId,
    /// Its name; absent once it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    version_name: Option<String>,
    /// The name of its API.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_name: Option<String>,
    /// Why, in a sentence.
    reason: String,
}

/// See how the process is.
#[utoipa::path(
    get, path = "/api/v1/status", tag = "status",
    responses((status = 200, description = "How it is", body = StatusBody)),
)]
pub(crate) async fn show(State(control): State<Control>) -> Result<Json<StatusBody>, Problem> {
    Ok(Json(StatusBody {
        release: env!("CARGO_PKG_VERSION"),
        started_at: Time(control.started_us),
        now: Time(control.now_us()),
        store: of_store(&control).await?,
        usage: of_usage(&control).await?,
        feed: of_feed(&control).await?,
        authentication: of_authentication(&control.attempts),
        bodies: of_bodies(control.bodies.holding()),
        gateways: control.gateway_statuses.read(),
        conditions: (control.conditions)(),
    }))
}

async fn of_store(control: &Control) -> Result<StoreStatus, Problem> {
    let written = control.writing.check(&control.store).await;
    Ok(StoreStatus {
        bytes: control.store.bytes().await?,
        writable: written.is_ok(),
        problem: written.err().map(|problem| problem.code().to_owned()),
    })
}

async fn of_usage(control: &Control) -> Result<UsageStatus, Problem> {
    let condition = control.usage.condition();
    let losses = control.usage.losses().await?;
    let last = losses.len().saturating_sub(LOSSES_MAX);
    let losses = losses.into_iter().skip(last);
    Ok(UsageStatus {
        bytes: control.usage.bytes().await?,
        failing_since: condition.failing_since_us.map(Time),
        failures: condition.failures,
        unwritten_rows: condition.unwritten_rows,
        losses: losses.map(UsageLoss::from).collect(),
    })
}

fn of_authentication(attempts: &Attempts) -> AuthenticationStatus {
    let counts = |tally: &Tally| {
        let (failed, refused) = tally.read();
        FailureCounts { failed, refused }
    };
    AuthenticationStatus {
        sign_ins: counts(&attempts.sign_ins),
        clients: counts(&attempts.clients),
        access_tokens: counts(&attempts.tokens),
    }
}

fn of_bodies(holding: Holding) -> BodiesStatus {
    let Holding {
        bytes,
        bytes_max,
        dropped,
    } = holding;
    BodiesStatus {
        bytes,
        bytes_max,
        dropped,
    }
}

async fn of_feed(control: &Control) -> Result<FeedStatus, Problem> {
    let sequence = feed::last(&control.store).await?;
    let mut gateways = Vec::new();
    for Applied {
        sequence: applied,
        refused,
    } in control.feed.following()
    {
        let mut unserved = Vec::new();
        for refused in refused {
            let offer = match versions::with_api(&control.store, refused.version).await {
                Err(StoreError::NotFound(_)) => None,
                offer => Some(offer?),
            };
            let (version_name, api_name) = offer
                .map(|offer| (offer.version.name, offer.api.name))
                .unzip();
            unserved.push(UnservedVersion {
                version: refused.version,
                version_name,
                api_name,
                reason: refused.reason,
            });
        }
        gateways.push(FollowingGateway {
            sequence: applied,
            is_current: applied >= sequence,
            refused: unserved,
        });
    }
    Ok(FeedStatus { sequence, gateways })
}

#[cfg(test)]
mod tests;
