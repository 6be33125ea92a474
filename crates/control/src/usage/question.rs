//! The parameters of a question about usage.

use std::str::FromStr;

use axum::http::StatusCode;
use jiff::tz::TimeZone;
use serde::Deserialize;
use tollgate_analytics::{Filter, Query, Step};
use tollgate_model::refusal::REFUSALS;

use super::metric::Metric;
use super::sight::Half;
use super::words::{
    BlameWord, Code, CompareWord, DAY_US, EnvironmentWord, StatusClass, StepWord, Use, Word,
};
use crate::error::Problem;
use crate::time::Time;

/// The default range: the last 24 hours.
const RANGE_US: i64 = DAY_US;
/// Maximum number of values in one parameter.
const LISTED_MAX: usize = 500;
/// Maximum number of metrics.
const METRICS_MAX: usize = 8;
/// Maximum number of groups of a list of the first ones.
const TOP_MAX: usize = 100;

/// The parameters of a query. Lists are separated by commas.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageQuery {
    /// Start of the range; 24 hours before its end by default.
    #[param(value_type = Option<Time>)]
    from: Option<Time>,
    /// End of the range; now by default.
    #[param(value_type = Option<Time>)]
    to: Option<Time>,
    /// Dimensions to group by, separated by commas: `minute`, `api`, `version`, `operation`,
    /// `application`, `plan`, `environment`, `status`, `refusal`, `cache`, `agent`, `credential`.
    #[param(example = "minute,status")]
    group_by: Option<String>,
    /// Time steps to group by, instead of `minute` in `group_by`, at most 1,500. The range may cut
    /// the first and the last step.
    #[param(inline, example = "day")]
    step: Option<StepWord>,
    /// Time zone of the steps (IANA), in which days, weeks and months begin; UTC by default.
    #[param(example = "Europe/Berlin")]
    zone: Option<String>,
    /// At most 8 metrics to compute for each row, separated by commas, such as `calls`,
    /// `error_rate`, `p95`, `upstream_p95`, `gateway_avg`, in place of all measures but `calls`.
    /// Times are in microseconds.
    #[param(example = "calls,error_rate,p95")]
    metrics: Option<String>,
    /// Only the groups that are first by `order_by`, at most 100; the others are added up in
    /// `others`.
    #[param(minimum = 1, maximum = 100)]
    top: Option<String>,
    /// The metric by which groups are first, the largest first; `calls` by default.
    #[param(example = "p95")]
    order_by: Option<String>,
    /// Also returns the same figures of an earlier range.
    #[param(inline)]
    compare: Option<CompareWord>,
    /// For callers who are developer and publisher: only the calls by own applications, or only
    /// those of own APIs, instead of both.
    #[param(inline, rename = "as")]
    #[serde(rename = "as")]
    half: Option<Half>,
    /// Only calls of these APIs.
    api: Option<String>,
    /// Only calls of these versions.
    version: Option<String>,
    /// Only calls by these applications.
    application: Option<String>,
    /// Only calls of these operations.
    operation: Option<String>,
    /// Only calls under these plans.
    plan: Option<String>,
    /// Only calls with credentials of this environment. Calls without a credential are in
    /// `production`.
    #[param(inline)]
    environment: Option<EnvironmentWord>,
    /// Only calls answered with these statuses.
    status: Option<String>,
    /// Only calls answered with statuses of these classes: `1xx` to `5xx`.
    #[param(example = "4xx,5xx")]
    status_class: Option<String>,
    /// Only calls that the gateway rejected for these reasons.
    #[param(example = "admit.subscription")]
    refusal: Option<String>,
    /// Only calls that the gateway rejected for reasons which this party must remove: `caller`,
    /// `provider`, `us`.
    #[param(inline)]
    blame: Option<BlameWord>,
    /// Only calls for which the cache of responses did this: `none`, `miss`, `hit`, `stale`,
    /// `revalidated`, `bypass`.
    cache: Option<String>,
}

/// A parsed query.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) query: Query,
    pub(crate) group_by: Vec<Word>,
    /// The steps, unless they were requested as a dimension.
    pub(crate) step: Option<StepWord>,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) top: Option<Top>,
    pub(crate) compare: Option<CompareWord>,
    pub(crate) half: Option<Half>,
}

/// The first groups of an order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Top {
    pub(crate) groups: usize,
    pub(crate) by: Metric,
}

impl Question {
    /// Parses the parameters; the range ends at `now_us` (Unix microseconds) by default.
    ///
    /// # Errors
    /// 400 `query.invalid` that names the parameter; 422 `usage.too_many_steps`.
    pub(crate) fn parse(parameters: UsageQuery, now_us: i64) -> Result<Self, Problem> {
        let filter = parameters.filter()?;
        let to_us = parameters.to.map_or(now_us, |to| to.0);
        let from_us = parameters
            .from
            .map_or(to_us.saturating_sub(RANGE_US), |from| from.0);
        if from_us >= to_us {
            return Err(invalid("from", "must be before \"to\""));
        }
        let group_by: Vec<Word> = list("group_by", parameters.group_by)?.unwrap_or_default();
        let by_minute = group_by.contains(&Word::Minute);
        if by_minute && parameters.step.is_some() {
            return Err(invalid("step", "leave \"minute\" out of \"group_by\""));
        }
        let step = parameters.step.map(|step| step.of_range(to_us - from_us));
        if let Some(step) = step {
            step.require_few(to_us - from_us)?;
        }
        let metrics: Vec<Metric> = list("metrics", parameters.metrics)?.unwrap_or_default();
        if metrics.len() > METRICS_MAX {
            return Err(invalid("metrics", &format!("at most {METRICS_MAX}")));
        }
        let top = top(parameters.top, parameters.order_by, &group_by)?;
        let needed = metrics.iter().copied().chain(top.map(|top| top.by));
        let mut percentiles: Vec<_> = needed.filter_map(Metric::percentiles_of).collect();
        let measures = (!metrics.is_empty()).then(|| {
            let needed = metrics.iter().copied().chain(top.map(|top| top.by));
            let measures = needed.flat_map(|metric| metric.measures().iter().copied());
            measures.chain(["calls"]).collect()
        });
        percentiles.sort_unstable_by_key(|time| *time as u8);
        percentiles.dedup();
        let mut dimensions: Vec<_> = group_by
            .iter()
            .flat_map(|word| word.dimensions().iter().copied())
            .collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        Ok(Self {
            query: Query {
                step: match step {
                    None => by_minute.then_some(Step::Minute),
                    Some(step) => Some(step.step()),
                },
                zone: zone(parameters.zone)?,
                group_by: dimensions,
                filter,
                measures,
                percentiles,
                ..Query::of(from_us..to_us)
            },
            group_by,
            step,
            metrics,
            top,
            compare: parameters.compare,
            half: parameters.half,
        })
    }
}

impl Question {
    /// Seconds of a step; `None` without steps.
    pub(super) fn step_seconds(&self) -> Option<f64> {
        let step = match self.query.step? {
            Step::Minute => StepWord::Minute,
            Step::Hour => StepWord::Hour,
            Step::Day => StepWord::Day,
            Step::Week => StepWord::Week,
            Step::Month => StepWord::Month,
        };
        Some(step.us() as f64 / 1e6)
    }
}

impl UsageQuery {
    /// The filter.
    fn filter(&self) -> Result<Filter, Problem> {
        let mut statuses: Option<Vec<u16>> = list("status", self.status.clone())?;
        if let Some(classes) = list::<StatusClass>("status_class", self.status_class.clone())? {
            let of_classes: Vec<u16> = classes.iter().flat_map(|class| class.statuses()).collect();
            statuses = Some(match statuses {
                Some(mut listed) => {
                    listed.retain(|status| of_classes.contains(status));
                    listed
                }
                None => of_classes,
            });
        }
        let mut refusals: Option<Vec<Code>> = list("refusal", self.refusal.clone())?;
        if let Some(blame) = self.blame {
            let is_of = |code: &Code| code.0.facts().blame == blame.blame();
            let all = || REFUSALS.iter().copied().map(Code).collect();
            let mut listed = refusals.unwrap_or_else(all);
            listed.retain(is_of);
            refusals = Some(listed);
        }
        let caches: Option<Vec<Use>> = list("cache", self.cache.clone())?;
        Ok(Filter {
            apis: list("api", self.api.clone())?,
            versions: list("version", self.version.clone())?,
            operations: list("operation", self.operation.clone())?,
            applications: list("application", self.application.clone())?,
            plans: list("plan", self.plan.clone())?,
            is_sandbox: self.environment.map(|it| it == EnvironmentWord::Sandbox),
            statuses,
            refusals: refusals.map(|codes| codes.into_iter().map(|code| code.0).collect()),
            caches: caches.map(|uses| uses.into_iter().map(|it| it.0).collect()),
            sight: None,
        })
    }
}

fn zone(name: Option<String>) -> Result<TimeZone, Problem> {
    let Some(name) = name else {
        return Ok(TimeZone::UTC);
    };
    let unknown = |_| invalid("zone", "not a time zone of the IANA database");
    TimeZone::get(&name).map_err(unknown)
}

fn top(
    groups: Option<String>,
    order_by: Option<String>,
    group_by: &[Word],
) -> Result<Option<Top>, Problem> {
    let by = order_by.map(|word| word.trim().parse());
    let by = by
        .transpose()
        .map_err(|error: String| invalid("order_by", &error))?;
    let Some(groups) = groups else {
        return match by {
            None => Ok(None),
            Some(_) => Err(invalid("order_by", "needs \"top\"")),
        };
    };
    let count = groups
        .parse()
        .ok()
        .filter(|count| (1..=TOP_MAX).contains(count));
    let groups = count.ok_or_else(|| invalid("top", &format!("a number from 1 to {TOP_MAX}")))?;
    if group_by.iter().all(|word| word.dimensions().is_empty()) {
        return Err(invalid("top", "needs a dimension in \"group_by\""));
    }
    let calls = super::metric::METRICS[0];
    Ok(Some(Top {
        groups,
        by: by.unwrap_or(calls),
    }))
}

/// Parses the values of a parameter, if it was sent.
fn list<T>(name: &str, sent: Option<String>) -> Result<Option<Vec<T>>, Problem>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let Some(sent) = sent else {
        return Ok(None);
    };
    if sent.split(',').count() > LISTED_MAX {
        return Err(invalid(name, &format!("at most {LISTED_MAX} values")));
    }
    let values = sent.split(',').map(|value| {
        let value = value.trim().parse();
        value.map_err(|error: T::Err| invalid(name, &error.to_string()))
    });
    values.collect::<Result<_, _>>().map(Some)
}

fn invalid(name: &str, detail: &str) -> Problem {
    let detail = format!("{name}: {detail}");
    Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
}
