//! Sums over a range, grouped by any dimensions and filtered by them.
//!
//! One static statement answers every query: the step and the dimensions that are not grouped by
//! are null in all rows, and an unset filter accepts all rows; lists are passed as JSON. Unwritten
//! data is added from memory, so figures are exact even while the disk is full.

mod statement;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use sqlx::SqliteConnection;
use tollgate_model::id::{ApiId, ApplicationId, Id, OperationId, VersionId};
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::Refusal;

use crate::rollup::{AnsweredCalls, CachedCalls, Key, MINUTE_US, Measures};
use crate::{ROWS_MAX, UsageError};

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

/// The place of a row in the result: its step, and a value for each of [`DIMENSIONS`] that is
/// grouped by.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    /// The minute in which it begins.
    step: Option<i64>,
    values: [Option<i64>; DIMENSIONS.len()],
}

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
        let rows = statement::of(self.query).fetch_all(connection).await?;
        for row in rows {
            let (group, measures, cached) = statement::read(&row)?;
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
        Group { step, values }
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
}

fn row(group: &Group, sums: &Sums) -> Row {
    fn known<K>(value: Option<i64>) -> Option<Id<K>> {
        value.filter(|&raw| raw != 0).map(Id::from_raw)
    }
    let [api, version, operation, application, status, refusal, cache] = group.values;
    let refusal = refusal.and_then(|number| u8::try_from(number).ok());
    let cache = cache.and_then(|number| usize::try_from(number).ok());
    let Sums { measures, cached } = sums;
    Row {
        time_us: group.step.map(|minute| minute * MINUTE_US),
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
