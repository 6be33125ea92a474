//! The parameters of a question about usage.

use jiff::tz::TimeZone;
use serde::Deserialize;
use tollgate_analytics::{Query, Step};

use super::filter::{FilterQuery, invalid, words};
use super::metric::Metric;
use super::sight::Half;
use super::words::{CompareWord, DAY_US, StepWord, Word};
use crate::error::Problem;
use crate::time::Time;

/// The default range: the last 24 hours.
const RANGE_US: i64 = DAY_US;
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
    #[serde(flatten)]
    #[param(ignore)]
    filter: FilterQuery,
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
        let filter = parameters.filter.filter()?;
        let to_us = parameters.to.map_or(now_us, |to| to.0);
        let from_us = parameters
            .from
            .map_or(to_us.saturating_sub(RANGE_US), |from| from.0);
        if from_us >= to_us {
            return Err(invalid("from", "must be before \"to\""));
        }
        let group_by: Vec<Word> = words("group_by", parameters.group_by)?;
        let by_minute = group_by.contains(&Word::Minute);
        if by_minute && parameters.step.is_some() {
            return Err(invalid("step", "leave \"minute\" out of \"group_by\""));
        }
        let step = parameters.step.map(|step| step.of_range(to_us - from_us));
        if let Some(step) = step {
            step.require_few(to_us - from_us)?;
        }
        let metrics: Vec<Metric> = words("metrics", parameters.metrics)?;
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
