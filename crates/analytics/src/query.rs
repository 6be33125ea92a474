//! Sums over a range, grouped by any dimensions and filtered by them.
//!
//! One static statement answers every query: the step and the dimensions that are not grouped by
//! are null in all rows, and an unset filter accepts all rows; lists are passed as JSON. Unwritten
//! data is added from memory, so figures are exact even while the disk is full.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};
use tollgate_model::id::{ApiId, ApplicationId, Id, OperationId, VersionId};
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::Refusal;

use crate::rollup::{AnsweredCalls, CachedCalls, Key, MINUTE_US, Measures};
use crate::{ROWS_MAX, UsageError};

const HOUR: i64 = Step::Hour.minutes();

/// Steps of time, aligned to midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Minutes; for calls older than 48 hours, hours.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
}

impl Step {
    const fn minutes(self) -> i64 {
        match self {
            Self::Minute => 1,
            Self::Hour => 60,
            Self::Day => 24 * 60,
        }
    }
}

/// A dimension to group figures by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The API.
    Api,
    /// The version.
    Version,
    /// The operation.
    Operation,
    /// The calling application.
    Application,
    /// The status sent to the caller.
    Status,
    /// The reason for a refusal by the gateway.
    Refusal,
    /// What the cache of responses did.
    Cache,
}

/// Every dimension, in the sort order of results within a step.
const DIMENSIONS: [Dimension; 7] = [
    Dimension::Api,
    Dimension::Version,
    Dimension::Operation,
    Dimension::Application,
    Dimension::Status,
    Dimension::Refusal,
    Dimension::Cache,
];

/// The calls to count. `None` accepts all; a list, even an empty one, only its members.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Calls of these APIs.
    pub apis: Option<Vec<ApiId>>,
    /// Calls of these versions.
    pub versions: Option<Vec<VersionId>>,
    /// Calls of these operations.
    pub operations: Option<Vec<OperationId>>,
    /// Calls by these applications.
    pub applications: Option<Vec<ApplicationId>>,
    /// Calls with these response statuses.
    pub statuses: Option<Vec<u16>>,
    /// The calls visible to the user.
    pub sight: Option<Sight>,
}

/// Calls of these APIs, and calls by these applications.
#[derive(Debug, Clone, Default)]
pub struct Sight {
    /// All calls of these APIs are visible.
    pub apis: Vec<ApiId>,
    /// All calls by these applications are visible.
    pub applications: Vec<ApplicationId>,
}

/// A query of the figures.
#[derive(Debug, Clone)]
pub struct Query {
    /// Unix microseconds; the minute that contains it is the first one counted.
    pub from_us: i64,
    /// Unix microseconds; the minute that contains it or ends there is the last one counted.
    pub to_us: i64,
    /// The steps of time to group by, according to when the calls began.
    pub step: Option<Step>,
    /// The dimensions to group by; if empty, there is one row of sums, or one per step.
    pub group_by: Vec<Dimension>,
    /// The calls to count.
    pub filter: Filter,
}

/// A row of the result. A dimension is `None` if it is not grouped by, or if it was unknown for the
/// calls, for example the application of a call without a valid key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Unix microseconds of the beginning of the step.
    pub time_us: Option<i64>,
    /// The API.
    pub api: Option<ApiId>,
    /// The version.
    pub version: Option<VersionId>,
    /// The operation.
    pub operation: Option<OperationId>,
    /// The application.
    pub application: Option<ApplicationId>,
    /// The status sent to the callers; 0 if they left before one was sent.
    pub status: Option<u16>,
    /// The reason for the refusal.
    pub refusal: Option<Refusal>,
    /// What the cache of responses did; also [`CacheUse::None`] for calls that lost their detail.
    pub cache: Option<CacheUse>,
    /// The number of calls.
    pub calls: u64,
    /// Body bytes from the callers.
    pub bytes_in: u64,
    /// Body bytes to the callers.
    pub bytes_out: u64,
    /// Microseconds from the head's arrival to the last byte, summed.
    pub total_us_sum: u64,
    /// Microseconds from the head's arrival to the last byte, for the slowest call.
    pub total_us_max: u64,
    /// Microseconds to the upstream's first byte, summed.
    pub upstream_us_sum: u64,
    /// The number of calls with a SOAP message that contradicted itself or its contract.
    pub mismatched: u64,
    /// The number of calls that were admitted although they exceeded a limit.
    pub over: u64,
    /// Microseconds spent running steps of policies, summed.
    pub mediate_us_sum: u64,
    /// The numbers of calls by what answered them.
    pub answered: AnsweredCalls,
    /// The calls that the cache of responses answered, and those that it could not.
    pub cached: CachedCalls,
}

/// The numbers are those of [`CacheUse`]: a miss, and the three that answer.
const SQL: &str = "select minute / $1 * $1, case when $2 then api end, \
    case when $3 then version end, case when $4 then operation end, \
    case when $5 then application end, case when $6 then status end, \
    case when $7 then refusal end, case when $8 then cache end, \
    sum(calls), sum(bytes_in), sum(bytes_out), sum(total_us_sum), max(total_us_max), \
    sum(upstream_us_sum), sum(mismatched), sum(mediate_us_sum), sum(answered_upstream), \
    sum(answered_policy), sum(answered_mock), sum(answered_preflight), sum(answered_gateway), \
    sum(case when cache in (2, 3, 4) then calls else 0 end), \
    sum(case when cache = 1 then calls else 0 end), \
    sum(case when cache in (2, 3, 4) then bytes_out else 0 end), sum(over) \
    from (select * from usage_minutes where minute >= $9 and minute < $11 \
    union all select * from usage_hours where minute >= $10 and minute < $11) \
    where ($12 is null or api in (select value from json_each($12))) \
    and ($13 is null or version in (select value from json_each($13))) \
    and ($14 is null or operation in (select value from json_each($14))) \
    and ($15 is null or application in (select value from json_each($15))) \
    and ($16 is null or status in (select value from json_each($16))) \
    and ($17 is null or api in (select value from json_each($17)) \
        or application in (select value from json_each($18))) \
    group by 1, 2, 3, 4, 5, 6, 7, 8 limit $19";

/// The place of a row in the result: its step, and a value for each of [`DIMENSIONS`] that is
/// grouped by.
type Group = (Option<i64>, [Option<i64>; DIMENSIONS.len()]);

/// The sums of a group.
#[derive(Debug, Default)]
struct Sums {
    measures: Measures,
    cached: CachedCalls,
}

impl Sums {
    fn add(&mut self, measures: &Measures, cached: &CachedCalls) {
        self.measures.add(measures);
        self.cached.add(cached);
    }
}

/// A result under construction, in the order of its groups.
pub(crate) struct Answer<'q> {
    query: &'q Query,
    rows: BTreeMap<Group, Sums>,
}

impl<'q> Answer<'q> {
    pub(crate) fn new(query: &'q Query) -> Self {
        Self {
            query,
            rows: BTreeMap::new(),
        }
    }

    /// Adds the rows in memory.
    pub(crate) fn add_unwritten(&mut self, rows: &HashMap<Key, Measures>) {
        let minutes = self.query.minutes();
        for (key, measures) in rows {
            if minutes.contains(&key.minute) && self.query.filter.passes(key) {
                let group = self.query.group(key);
                let cached = CachedCalls::from_row(key, measures);
                self.rows.entry(group).or_default().add(measures, &cached);
            }
        }
    }

    /// Adds the rows in the file.
    pub(crate) async fn add_written(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> Result<(), UsageError> {
        let query = self.query;
        let minutes = query.minutes();
        let is_grouped = |dimension: &Dimension| query.group_by.contains(dimension);
        let statement = DIMENSIONS
            .iter()
            .fold(
                sqlx::query(SQL).bind(query.step.map(Step::minutes)),
                |statement, dimension| statement.bind(is_grouped(dimension)),
            )
            .bind(minutes.start)
            .bind(minutes.start - minutes.start.rem_euclid(HOUR))
            .bind(minutes.end);
        let rows = query
            .filter
            .lists()
            .into_iter()
            .fold(statement, |statement, list| statement.bind(list))
            .bind(i64::try_from(ROWS_MAX + 1).expect("small"))
            .fetch_all(connection)
            .await?;
        for row in rows {
            let (group, measures, cached) = written(&row)?;
            self.rows.entry(group).or_default().add(&measures, &cached);
        }
        Ok(())
    }

    /// Returns the rows, sorted by the dimensions.
    pub(crate) fn rows(self) -> Result<Vec<Row>, UsageError> {
        if self.rows.len() > ROWS_MAX {
            return Err(UsageError::TooManyRows);
        }
        Ok(self
            .rows
            .into_iter()
            .map(|(group, sums)| row(&group, &sums))
            .collect())
    }
}

impl Query {
    /// The minutes that the range touches.
    fn minutes(&self) -> std::ops::Range<i64> {
        let to_us = self.to_us.saturating_add(MINUTE_US - 1);
        self.from_us.div_euclid(MINUTE_US)..to_us.div_euclid(MINUTE_US)
    }

    fn group(&self, key: &Key) -> Group {
        let step = self.step.map(Step::minutes);
        let step = step.map(|minutes| key.minute - key.minute.rem_euclid(minutes));
        let values = DIMENSIONS.map(|dimension| {
            self.group_by.contains(&dimension).then(|| match dimension {
                Dimension::Api => key.api,
                Dimension::Version => key.version,
                Dimension::Operation => key.operation,
                Dimension::Application => key.application,
                Dimension::Status => i64::from(key.status),
                Dimension::Refusal => i64::from(key.refusal),
                Dimension::Cache => i64::from(key.cache as u8),
            })
        });
        (step, values)
    }
}

impl Filter {
    fn passes(&self, key: &Key) -> bool {
        fn names<K>(list: Option<&Vec<Id<K>>>, value: i64) -> bool {
            list.is_none_or(|list| list.iter().any(|id| id.raw() == value))
        }
        names(self.apis.as_ref(), key.api)
            && names(self.versions.as_ref(), key.version)
            && names(self.operations.as_ref(), key.operation)
            && names(self.applications.as_ref(), key.application)
            && self
                .statuses
                .as_ref()
                .is_none_or(|list| list.contains(&key.status))
            && self.sight.as_ref().is_none_or(|sight| {
                names(Some(&sight.apis), key.api)
                    || names(Some(&sight.applications), key.application)
            })
    }

    /// The lists as JSON arrays, in the order of the statement's parameters.
    fn lists(&self) -> [Option<String>; 7] {
        fn ids<K>(list: Option<&Vec<Id<K>>>) -> Option<String> {
            list.map(|list| array(list.iter().map(|id| id.raw())))
        }
        fn array(values: impl Iterator<Item = i64>) -> String {
            serde_json::Value::from_iter(values).to_string()
        }
        let (statuses, sight) = (self.statuses.as_ref(), self.sight.as_ref());
        [
            ids(self.apis.as_ref()),
            ids(self.versions.as_ref()),
            ids(self.operations.as_ref()),
            ids(self.applications.as_ref()),
            statuses.map(|list| array(list.iter().map(|&status| i64::from(status)))),
            ids(sight.map(|sight| &sight.apis)),
            ids(sight.map(|sight| &sight.applications)),
        ]
    }
}

/// Reads a row of the statement.
fn written(row: &SqliteRow) -> sqlx::Result<(Group, Measures, CachedCalls)> {
    // Without any rows, SQLite makes no group either, because of the `group by`.
    let mut values = [None; DIMENSIONS.len()];
    for (index, value) in values.iter_mut().enumerate() {
        *value = row.try_get(1 + index)?;
    }
    let sum = |index: usize| -> sqlx::Result<u64> {
        let sum: i64 = row.try_get(1 + DIMENSIONS.len() + index)?;
        Ok(u64::try_from(sum).unwrap_or(0))
    };
    let measures = Measures {
        calls: sum(0)?,
        bytes_in: sum(1)?,
        bytes_out: sum(2)?,
        total_us_sum: sum(3)?,
        total_us_max: sum(4)?,
        upstream_us_sum: sum(5)?,
        mismatched: sum(6)?,
        mediate_us_sum: sum(7)?,
        answered: AnsweredCalls {
            upstream: sum(8)?,
            policy: sum(9)?,
            mock: sum(10)?,
            preflight: sum(11)?,
            gateway: sum(12)?,
        },
        over: sum(16)?,
    };
    let cached = CachedCalls {
        answered: sum(13)?,
        missed: sum(14)?,
        bytes: sum(15)?,
    };
    Ok(((row.try_get(0)?, values), measures, cached))
}

fn row((time, values): &Group, sums: &Sums) -> Row {
    fn known<K>(value: Option<i64>) -> Option<Id<K>> {
        value.filter(|&raw| raw != 0).map(Id::from_raw)
    }
    let [api, version, operation, application, status, refusal, cache] = *values;
    let refusal = refusal.and_then(|number| u8::try_from(number).ok());
    let cache = cache.and_then(|number| usize::try_from(number).ok());
    let Sums { measures, cached } = sums;
    Row {
        time_us: time.map(|minute| minute * MINUTE_US),
        api: known(api),
        version: known(version),
        operation: known(operation),
        application: known(application),
        status: status.and_then(|status| u16::try_from(status).ok()),
        refusal: refusal.and_then(Refusal::from_number),
        cache: cache.and_then(|number| CacheUse::ALL.get(number).copied()),
        calls: measures.calls,
        bytes_in: measures.bytes_in,
        bytes_out: measures.bytes_out,
        total_us_sum: measures.total_us_sum,
        total_us_max: measures.total_us_max,
        upstream_us_sum: measures.upstream_us_sum,
        mismatched: measures.mismatched,
        over: measures.over,
        mediate_us_sum: measures.mediate_us_sum,
        answered: measures.answered,
        cached: *cached,
    }
}
