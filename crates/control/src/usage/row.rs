//! The rows of a report.

use std::collections::BTreeMap;

use serde::Serialize;
use tollgate_analytics::Row;

use super::cache::CacheWord;
use super::measures::MeasuresBody;
use super::metric::Metric;
use super::names::Names;
use super::nouns::{NounIds, Nouns};
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
    #[serde(flatten)]
    pub(super) nouns: Nouns,
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
        let ids = NounIds {
            api: row.api(),
            version: row.version(),
            operation: row.operation(),
            application: row.application(),
            plan: row.plan(),
        };
        Ok(UsageRow {
            minute: time.filter(|_| !self.has_step),
            time: time.filter(|_| self.has_step),
            nouns: ids.named(names).await?,
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
        })
    }
}
