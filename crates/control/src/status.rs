//! The status of the process, for administrators: the store, usage, the feed, the gateways. It
//! reports what is known already and measures nothing.

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
use crate::watch::AccessLogCondition;

/// Maximum number of usage losses in a response: the latest.
const LOSSES_MAX: usize = 100;

/// The status of the process.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ProcessStatus)]
pub(crate) struct StatusBody {
    /// The running release.
    #[schema(example = "0.1.0")]
    release: &'static str,
    /// Start of the process.
    started_at: Time,
    /// Time of this status.
    now: Time,
    /// The configuration database.
    store: StoreStatus,
    /// The usage database.
    usage: UsageStatus,
    /// The feed that sends changes to gateways.
    feed: FeedStatus,
    /// Failed and rejected attempts to authenticate.
    authentication: AuthenticationStatus,
    /// Bodies of requests, and documents fetched for imports, that are in memory.
    bodies: BodiesStatus,
    /// The running gateways.
    gateways: Vec<GatewayStatus>,
    /// The listener of metrics; absent unless `watch.listen` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    watch: Option<WatchStatus>,
    /// The access log; absent unless `access_log.file` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_log: Option<AccessLogStatus>,
    /// Conditions that need attention although everything works, one sentence each.
    conditions: Vec<String>,
}

/// The configuration database.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct StoreStatus {
    /// Bytes of the database, without its log.
    bytes: u64,
    /// Whether a write succeeds now, or did within the last second.
    writable: bool,
    /// Code of the problem that prevents writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "store.full")]
    problem: Option<String>,
}

/// The usage database.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageStatus {
    /// Bytes of the database, without its log.
    bytes: u64,
    /// Time since which writes fail, while they do; usage is kept in memory meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<Time>,
    /// Number of failed attempts to write since the process started.
    failures: u64,
    /// Number of rows in memory that are not written yet.
    unwritten_rows: usize,
    /// Known losses of usage, oldest first: the last 100.
    losses: Vec<UsageLoss>,
}

/// The listener of metrics.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct WatchStatus {
    /// Its address.
    #[schema(example = "127.0.0.1:9464")]
    address: String,
    /// When metrics were last read; absent if never since the process started.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_scrape: Option<Time>,
}

/// The access log.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AccessLogStatus {
    /// Its path, or `-` for standard output.
    #[schema(example = "/var/log/tollgate/access.log")]
    file: String,
    /// Number of lines dropped since the process started.
    dropped_lines: u64,
    /// Number of lines written without method, path and other texts since the process started.
    lost_texts: u64,
    /// Bytes that wait to be written.
    waiting_bytes: usize,
    /// How long the oldest of them have waited, milliseconds.
    lag_ms: u64,
    /// Why lines cannot be written; absent while they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl From<AccessLogCondition> for AccessLogStatus {
    fn from(condition: AccessLogCondition) -> Self {
        Self {
            file: condition.file,
            dropped_lines: condition.dropped_lines,
            lost_texts: condition.lost_texts,
            waiting_bytes: condition.waiting_bytes,
            lag_ms: u64::try_from(condition.lag.as_millis()).unwrap_or(u64::MAX),
            problem: condition.problem,
        }
    }
}

/// Failed attempts to authenticate at the control plane.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AuthenticationStatus {
    /// Sign-ins of users.
    sign_ins: FailureCounts,
    /// OAuth2 clients at the key manager.
    clients: FailureCounts,
    /// Personal access tokens.
    access_tokens: FailureCounts,
}

/// Attempts of one kind since the process started.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct FailureCounts {
    /// Number of attempts with a wrong password, secret or token.
    failed: u64,
    /// Number of attempts rejected with 429 because too many had failed.
    refused: u64,
}

/// Bodies of requests, and documents fetched for imports, that are in memory.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BodiesStatus {
    /// Total bytes.
    bytes: usize,
    /// Maximum bytes: `control.bodies_bytes_max`.
    bytes_max: usize,
    /// Number of bodies dropped in favour of others since the process started.
    dropped: u64,
}

/// The feed that sends changes to gateways.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct FeedStatus {
    /// Number of the last stored change.
    sequence: u64,
    /// The gateways that follow.
    gateways: Vec<FollowingGateway>,
}

/// A gateway that follows the feed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct FollowingGateway {
    /// Number of the last change that it has applied.
    sequence: u64,
    /// Whether that is the last stored change.
    is_current: bool,
    /// Versions that it cannot serve as stored: calls get what was served before, or nothing.
    refused: Vec<UnservedVersion>,
}

/// A version that a gateway cannot serve as stored.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UnservedVersion {
    /// The version's id.
    version: VersionId,
    /// The version's name; absent once it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    version_name: Option<String>,
    /// The API's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_name: Option<String>,
    /// The reason, in one sentence.
    reason: String,
}

/// Get the status of the process.
#[utoipa::path(
    get, path = "/api/v1/status", tag = "status",
    responses((status = 200, description = "The status", body = StatusBody)),
)]
pub(crate) async fn show(State(control): State<Control>) -> Result<Json<StatusBody>, Problem> {
    Ok(Json(StatusBody {
        release: env!("CARGO_PKG_VERSION"),
        started_at: Time(control.started_us),
        now: Time(control.now_us()),
        store: store_status(&control).await?,
        usage: usage_status(&control).await?,
        feed: feed_status(&control).await?,
        authentication: authentication_status(&control.attempts),
        bodies: bodies_status(control.bodies.holding()),
        gateways: control.observed_gateways.statuses(),
        watch: control.watch.as_ref().map(|it| WatchStatus {
            address: it.address.to_string(),
            last_scrape: (it.last_scrape_us)().map(Time),
        }),
        access_log: control.access_log.as_ref().map(|read| read().into()),
        conditions: (control.conditions)(),
    }))
}

async fn store_status(control: &Control) -> Result<StoreStatus, Problem> {
    let written = control.writing.check(&control.store).await;
    Ok(StoreStatus {
        bytes: control.store.bytes().await?,
        writable: written.is_ok(),
        problem: written.err().map(|problem| problem.code().to_owned()),
    })
}

async fn usage_status(control: &Control) -> Result<UsageStatus, Problem> {
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

fn authentication_status(attempts: &Attempts) -> AuthenticationStatus {
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

fn bodies_status(holding: Holding) -> BodiesStatus {
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

async fn feed_status(control: &Control) -> Result<FeedStatus, Problem> {
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
