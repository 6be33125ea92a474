//! The rows of a report.

use std::collections::BTreeMap;

use serde::Serialize;
use tollgate_analytics::Row;
use tollgate_model::id::{ApiId, ApplicationId, OperationId, PlanId, VersionId};

use super::cache::CacheWord;
use super::measures::MeasuresBody;
use super::metric::Metric;
use super::names::Names;
use super::refusal::RefusalCode;
use super::words::EnvironmentWord;
use crate::error::Problem;
use crate::time::Time;

/// Sums of calls with equal dimensions. A dimension is absent if it was not requested, or is not
/// known, such as the application of a call without a valid key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageRow {
    /// Start of the minute; where minutes are not kept any more, of the hour or the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) minute: Option<Time>,
    /// Start of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<Time>,
    /// The API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) api: Option<Named<ApiId>>,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<Named<VersionId>>,
    /// The operation, named by method and path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) operation: Option<Named<OperationId>>,
    /// The calling application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) application: Option<Named<ApplicationId>>,
    /// The plan of its subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plan: Option<Named<PlanId>>,
    /// The environment of the credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) environment: Option<EnvironmentWord>,
    /// The status sent to the clients; 0 if they disconnected before one was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    /// Why the gateway rejected the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<RefusalCode>,
    /// What the cache of responses did for the calls; `none` also for calls without detail
    /// (`losses`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache: Option<CacheWord>,
    /// The family of programs that called, such as `curl`; `other` for any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "curl")]
    pub(super) agent: Option<&'static str>,
    /// The id of the credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) credential: Option<String>,
    #[serde(flatten)]
    pub(super) measures: MeasuresBody,
    /// The requested metrics, by name; null without calls to compute one of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeMap<String, Option<f64>>>)]
    pub(super) metrics: Option<BTreeMap<&'static str, Option<f64>>>,
}

/// An id with its name.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Named<I> {
    /// The id.
    pub(super) id: I,
    /// The current name, or the last one of a deleted object; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
}

impl<I> Named<I> {
    /// Returns an id with its name, if known.
    pub(crate) const fn new(id: I, name: Option<String>) -> Self {
        Self { id, name }
    }
}

/// How rows are shown.
pub(super) struct Shown<'q> {
    pub(super) metrics: &'q [Metric],
    /// Whether the steps were requested as such, not as a dimension.
    pub(super) has_step: bool,
    /// Seconds of a row.
    pub(super) seconds: f64,
}

impl Shown<'_> {
    /// Returns a row with its names.
    pub(super) async fn row(&self, row: &Row, names: &mut Names<'_>) -> Result<UsageRow, Problem> {
        let time = row.time_us.map(Time);
        let metrics = self.metrics.iter();
        let metrics = metrics.map(|it| (it.word, it.of(row, self.seconds)));
        let mut shown = UsageRow {
            minute: time.filter(|_| !self.has_step),
            time: time.filter(|_| self.has_step),
            api: None,
            version: None,
            operation: None,
            application: None,
            plan: None,
            environment: row.is_sandbox().map(|is_sandbox| match is_sandbox {
                true => EnvironmentWord::Sandbox,
                false => EnvironmentWord::Production,
            }),
            status: row.status(),
            refusal: row.refusal().map(RefusalCode),
            cache: row.cache().map(CacheWord),
            agent: row.agent().map(|agent| agent.word()),
            credential: row.credential().map(|id| id.to_string()),
            measures: MeasuresBody {
                measures: row.measures,
                is_short: !self.metrics.is_empty(),
            },
            metrics: (!self.metrics.is_empty()).then(|| metrics.collect()),
        };
        if let Some(id) = row.api() {
            shown.api = Some(Named::new(id, names.api(id).await?));
        }
        if let Some(id) = row.version() {
            shown.version = Some(Named::new(id, names.version(id).await?));
        }
        if let Some(id) = row.operation() {
            shown.operation = Some(Named::new(id, names.operation(id).await?));
        }
        if let Some(id) = row.application() {
            shown.application = Some(Named::new(id, names.application(id).await?));
        }
        if let Some(id) = row.plan() {
            shown.plan = Some(Named::new(id, names.plan(id).await?));
        }
        Ok(shown)
    }
}
