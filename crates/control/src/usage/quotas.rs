//! What is left of limits, as the gateways count them now.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApplicationId, VersionId};
use tollgate_model::plan::{Dimension, Limit};
use tollgate_model::quota::{Quota, QuotaUse, Subject};
use tollgate_model::user::Role;
use tollgate_store::LIST_MAX;
use tollgate_store::part::Part;
use tollgate_store::subscriptions::{self, Wanted};

use super::filter::invalid;
use super::limit::LimitOwner;
use super::names::Names;
use super::nouns::{NounIds, Nouns};
use super::words::EnvironmentWord;
use crate::applications;
use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::Query;
use crate::state::Control;
use crate::subscriptions::concerning;
use crate::time::Time;

/// The limits that are wanted: of an application, of a version, or of one subscription.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct QuotasQuery {
    /// The limits of this application's subscriptions, and its own.
    #[param(value_type = Option<String>)]
    application: Option<ApplicationId>,
    /// The limits of this version, of its operations and its upstreams. With `application`, those
    /// of the subscription to this version only.
    #[param(value_type = Option<String>)]
    version: Option<VersionId>,
}

/// What is left of limits.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageQuotas {
    /// When it was read.
    at: Time,
    /// The limits that gateways enforce.
    items: Vec<UsageQuota>,
}

/// A limit, and what is left of it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageQuota {
    /// What it belongs to.
    of: LimitOwner,
    /// Its index among the limits of that.
    index: u16,
    /// Its name in the `RateLimit` fields of responses.
    #[schema(example = "subscription-minute")]
    name: String,
    /// The limit.
    limit: Limit,
    #[serde(flatten)]
    nouns: Nouns,
    /// The environment of the upstream that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<EnvironmentWord>,
    #[serde(flatten)]
    consumption: QuotaConsumption,
}

/// What is used of a limit.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub(crate) enum QuotaConsumption {
    /// It has one counter.
    Counter(QuotaCounter),
    /// It has a counter for each of those that it counts apart, such as users and addresses.
    Counters(QuotaCounters),
}

/// The counter of a limit.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct QuotaCounter {
    /// What can be used: the amount of the limit, or the burst of a token bucket.
    amount: u64,
    /// What is used; more than `amount` where a limit is soft, was lowered since, or counts bytes.
    /// A limit that only observes counts up to its amount.
    used: u64,
    /// What is left.
    left: u64,
    /// When nothing of it is used any more, unless calls go on: its window ends, or a token bucket
    /// is full. Absent for calls at the same time, and where nothing is used of a token bucket or
    /// of a rolling window.
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<Time>,
}

/// The counters of a limit that is found at each call.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct QuotaCounters {
    /// How many there are now: of a plan, for all applications under plans with the same limit.
    /// Absent unless one is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    counters: Option<u64>,
}

/// Get what is left of limits.
///
/// Shows the limits that gateways enforce, and what is used of them: those of an application to its
/// owner, those of a version to its API's owner, those of a subscription to both, all to
/// administrators. A limit that a gateway does not serve is not among them, such as those of a
/// version that is not deployed.
#[utoipa::path(
    get, path = "/api/v1/usage/quotas", tag = "usage", operation_id = "quotas",
    params(QuotasQuery),
    responses((status = 200, description = "The limits", body = UsageQuotas)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Query(query): Query<QuotasQuery>,
) -> Result<Json<UsageQuotas>, Problem> {
    let at = Time(control.now_us());
    let quotas = match (query.application, query.version) {
        (Some(application), version) => {
            of_application(&control, &caller, application, version).await?
        }
        (None, Some(version)) => {
            own_version(&control, &caller, version).await?;
            read(&control, vec![Subject::Version(version)]).await?
        }
        (None, None) => return Err(invalid("application", "name an application or a version")),
    };
    let mut names = Names::new(&control.store);
    let mut items = Vec::with_capacity(quotas.len());
    for quota in quotas {
        let mut item = UsageQuota::of(quota, &mut names).await?;
        if let Some(item) = &mut item
            && !caller.is(Role::Administrator)
        {
            item.consumption.hide_counters();
        }
        items.extend(item);
    }
    Ok(Json(UsageQuotas { at, items }))
}

/// The limits of the subscriptions of an application that the caller sees, and its own limits for
/// its owner.
///
/// # Errors
/// 404 `application.unknown` if the caller sees none; 404 `subscription.unknown` for a version that
/// the application is not subscribed to.
async fn of_application(
    control: &Control,
    caller: &Caller,
    application: ApplicationId,
    version: Option<VersionId>,
) -> Result<Vec<Quota>, Problem> {
    let own = applications::own(control, caller, application).await;
    let is_own = match own {
        Ok(_) => true,
        Err(problem) if problem.status() == StatusCode::NOT_FOUND => false,
        Err(problem) => return Err(problem),
    };
    let wanted = Wanted {
        seen_by: concerning(caller),
        application: Some(application),
        version,
        ..Wanted::default()
    };
    let mut subjects = Vec::new();
    let mut after = None;
    loop {
        let part = Part {
            order: Default::default(),
            after,
            at_most: LIST_MAX,
        };
        let page = subscriptions::find(&control.store, wanted, &part)
            .await?
            .rows;
        let Some(last) = page.last() else { break };
        after = Some((last.subscription.id, String::new()));
        let subscriptions = page.iter().map(|it| it.subscription.version);
        subjects.extend(subscriptions.map(|version| Subject::Subscription(application, version)));
    }
    match (subjects.is_empty(), is_own) {
        (true, false) => return Err(Problem::unknown("application")),
        (true, true) if version.is_some() => return Err(Problem::unknown("subscription")),
        _ => {}
    }
    let mut quotas = read(control, subjects).await?;
    quotas.retain(|quota| match (is_own, version) {
        (true, None) => true,
        (true, Some(_)) => quota.owner.version.is_some(),
        (false, _) => is_of_one_version(quota),
    });
    Ok(quotas)
}

/// Whether a limit counts calls of one version only: others show a publisher what the application
/// does elsewhere.
fn is_of_one_version(quota: &Quota) -> bool {
    let of_version = [
        Dimension::Subscription,
        Dimension::Api,
        Dimension::Operation,
    ];
    quota.owner.version.is_some() && of_version.into_iter().any(|it| quota.limit.per.has(it))
}

async fn read(control: &Control, subjects: Vec<Subject>) -> Result<Vec<Quota>, Problem> {
    let gateways = control.observed_gateways.clone();
    let read = spawn_blocking(move || gateways.quotas(&subjects)).await;
    read.map_err(|error| Problem::internal(&error))
}

impl UsageQuota {
    /// A limit with its names; `None` for a step of a policy, which is none.
    async fn of(quota: Quota, names: &mut Names<'_>) -> Result<Option<Self>, Problem> {
        let Some(of) = LimitOwner::of(quota.place.owner()) else {
            return Ok(None);
        };
        let owner = quota.owner;
        let ids = NounIds {
            api: match owner.version {
                Some(version) => names.api_of(version).await?,
                None => None,
            },
            version: owner.version,
            operation: owner.operation,
            application: owner.application,
            plan: owner.plan,
        };
        Ok(Some(Self {
            of,
            index: quota.place.index(),
            name: quota.name,
            limit: quota.limit.source(),
            nouns: ids.named(names).await?,
            environment: owner.environment.map(|environment| match environment {
                Environment::Production => EnvironmentWord::Production,
                Environment::Sandbox => EnvironmentWord::Sandbox,
            }),
            consumption: quota.consumption.into(),
        }))
    }
}

impl QuotaConsumption {
    /// Hides how many counters there are, which other callers have most of.
    fn hide_counters(&mut self) {
        if let Self::Counters(counters) = self {
            counters.counters = None;
        }
    }
}

impl From<QuotaUse> for QuotaConsumption {
    fn from(consumption: QuotaUse) -> Self {
        match consumption {
            QuotaUse::Counter {
                used,
                amount,
                resets_us,
            } => Self::Counter(QuotaCounter {
                amount,
                used,
                left: amount.saturating_sub(used),
                resets_at: resets_us.map(Time),
            }),
            QuotaUse::Counters(counters) => Self::Counters(QuotaCounters {
                counters: Some(counters as u64),
            }),
        }
    }
}
