//! Metrics: numbers of a row that are computed of its measures and percentiles.

use std::str::FromStr;

use tollgate_analytics::{Row, Time};

/// A metric. Times are in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Metric {
    /// Its word.
    pub(crate) word: &'static str,
    /// What it means, as a phrase.
    pub(crate) meaning: &'static str,
    value: Value,
}

/// How a metric is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Calls,
    Rate,
    Errors,
    ErrorRate,
    ClientErrors,
    Refused,
    Over,
    CacheRate,
    BytesIn,
    BytesOut,
    BytesFromCache,
    Average(Time),
    Maximum(Time),
    PoliciesAverage,
    Percentile(Time, f64),
}

/// Every metric.
pub(crate) const METRICS: &[Metric] = &[
    metric("calls", "number of calls", Value::Calls),
    metric("rate", "calls per second", Value::Rate),
    metric(
        "errors",
        "number of calls with a status of 500 or more",
        Value::Errors,
    ),
    metric(
        "error_rate",
        "share of calls with a status of 500 or more, between 0 and 1",
        Value::ErrorRate,
    ),
    metric(
        "client_errors",
        "number of calls with a status from 400 to 499",
        Value::ClientErrors,
    ),
    metric(
        "refused",
        "number of calls that the gateway rejected",
        Value::Refused,
    ),
    metric(
        "over",
        "number of calls admitted although they exceeded a limit",
        Value::Over,
    ),
    metric(
        "cache_rate",
        "share of calls that the cache of responses answered among those that it could have",
        Value::CacheRate,
    ),
    metric(
        "bytes_in",
        "body bytes received from clients",
        Value::BytesIn,
    ),
    metric("bytes_out", "body bytes sent to clients", Value::BytesOut),
    metric(
        "bytes_from_cache",
        "body bytes sent to clients from the cache of responses",
        Value::BytesFromCache,
    ),
    metric("avg", "average duration", Value::Average(Time::Total)),
    metric("max", "longest duration", Value::Maximum(Time::Total)),
    metric(
        "p50",
        "median duration",
        Value::Percentile(Time::Total, 0.5),
    ),
    metric("p75", TOTAL, Value::Percentile(Time::Total, 0.75)),
    metric("p90", TOTAL, Value::Percentile(Time::Total, 0.9)),
    metric("p95", TOTAL, Value::Percentile(Time::Total, 0.95)),
    metric("p99", TOTAL, Value::Percentile(Time::Total, 0.99)),
    metric("p999", TOTAL, Value::Percentile(Time::Total, 0.999)),
    metric(
        "upstream_avg",
        "average time to the upstream's first byte",
        Value::Average(Time::Upstream),
    ),
    metric(
        "upstream_max",
        "longest time to the upstream's first byte",
        Value::Maximum(Time::Upstream),
    ),
    metric(
        "upstream_p50",
        "median time to the upstream's first byte",
        Value::Percentile(Time::Upstream, 0.5),
    ),
    metric(
        "upstream_p90",
        UPSTREAM,
        Value::Percentile(Time::Upstream, 0.9),
    ),
    metric(
        "upstream_p95",
        UPSTREAM,
        Value::Percentile(Time::Upstream, 0.95),
    ),
    metric(
        "upstream_p99",
        UPSTREAM,
        Value::Percentile(Time::Upstream, 0.99),
    ),
    metric(
        "gateway_avg",
        "average time in the gateway until the request was sent to the upstream",
        Value::Average(Time::Gateway),
    ),
    metric(
        "gateway_max",
        "longest time in the gateway until the request was sent to the upstream",
        Value::Maximum(Time::Gateway),
    ),
    metric(
        "gateway_p50",
        GATEWAY,
        Value::Percentile(Time::Gateway, 0.5),
    ),
    metric(
        "gateway_p95",
        GATEWAY,
        Value::Percentile(Time::Gateway, 0.95),
    ),
    metric(
        "gateway_p99",
        GATEWAY,
        Value::Percentile(Time::Gateway, 0.99),
    ),
    metric(
        "policies_avg",
        "average time spent running steps of policies",
        Value::PoliciesAverage,
    ),
];

const TOTAL: &str = "percentile of the duration";
const UPSTREAM: &str = "percentile of the time to the upstream's first byte";
const GATEWAY: &str = "percentile of the time in the gateway";

const fn metric(word: &'static str, meaning: &'static str, value: Value) -> Metric {
    Metric {
        word,
        meaning,
        value,
    }
}

impl Metric {
    /// The time of which it needs percentiles.
    pub(crate) fn percentiles_of(self) -> Option<Time> {
        match self.value {
            Value::Percentile(time, _) => Some(time),
            _ => None,
        }
    }

    /// The measures that it is computed of.
    pub(crate) const fn measures(self) -> &'static [&'static str] {
        match self.value {
            Value::Calls | Value::Rate => &["calls"],
            Value::Errors => &["server_errors"],
            Value::ErrorRate => &["server_errors", "calls"],
            Value::ClientErrors => &["client_errors"],
            Value::Refused => &["refused"],
            Value::Over => &["over"],
            Value::CacheRate => &["cache_answered", "cache_missed"],
            Value::BytesIn => &["bytes_in"],
            Value::BytesOut => &["bytes_out"],
            Value::BytesFromCache => &["bytes_from_cache"],
            Value::Average(Time::Total) => &["total_us_sum", "calls"],
            Value::Average(Time::Upstream) => &["upstream_us_sum", "upstream_calls"],
            Value::Average(Time::Gateway) => &["gateway_us_sum", "calls"],
            Value::Maximum(Time::Total) => &["total_us_max"],
            Value::Maximum(Time::Upstream) => &["upstream_us_max"],
            Value::Maximum(Time::Gateway) => &["gateway_us_max"],
            Value::PoliciesAverage => &["mediate_us_sum", "calls"],
            Value::Percentile(..) => &[],
        }
    }

    /// Returns its value for a row of so many seconds; `None` without calls to compute it of.
    pub(crate) fn of(self, row: &Row, seconds: f64) -> Option<f64> {
        let it = &row.measures;
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        Some(match self.value {
            Value::Calls => it.calls as f64,
            Value::Rate => it.calls as f64 / seconds.max(1.0),
            Value::Errors => it.server_errors as f64,
            Value::ErrorRate => share(it.server_errors, it.calls)?,
            Value::ClientErrors => it.client_errors as f64,
            Value::Refused => it.refused as f64,
            Value::Over => it.over as f64,
            Value::CacheRate => it.cache_rate()?,
            Value::BytesIn => it.bytes_in as f64,
            Value::BytesOut => it.bytes_out as f64,
            Value::BytesFromCache => it.bytes_from_cache as f64,
            Value::Average(Time::Total) => share(it.total_us_sum, it.calls)?,
            Value::Average(Time::Upstream) => share(it.upstream_us_sum, it.upstream_calls)?,
            Value::Average(Time::Gateway) => share(it.gateway_us_sum, it.calls)?,
            Value::Maximum(Time::Total) => it.total_us_max as f64,
            Value::Maximum(Time::Upstream) => it.upstream_us_max as f64,
            Value::Maximum(Time::Gateway) => it.gateway_us_max as f64,
            Value::PoliciesAverage => share(it.mediate_us_sum, it.calls)?,
            Value::Percentile(time, share) => row.percentile(time, share)?.into(),
        })
    }
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = METRICS.iter().find(|metric| metric.word == word);
        found.copied().ok_or_else(|| {
            let words: Vec<_> = METRICS.iter().map(|metric| metric.word).collect();
            format!(
                "unknown metric {word:?}, expected one of {}",
                words.join(", ")
            )
        })
    }
}
