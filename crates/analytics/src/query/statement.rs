//! The statement of a [`Query`]: its parameters in their order, its columns by their names.

use sqlx::query::Query as Statement;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Row as _, Sqlite};
use tollgate_model::id::Id;

use super::{DIMENSIONS, Dimension, Filter, Group, Query, Step};
use crate::ROWS_MAX;
use crate::rollup::{AnsweredCalls, CachedCalls, Measures};

const HOUR: i64 = Step::Hour.minutes();

/// The numbers are those of [`CacheUse`](tollgate_model::record::CacheUse): a miss, and the three
/// that answer.
const SQL: &str = "select minute / $1 * $1 as step, case when $2 then api end as of_api, \
    case when $3 then version end as of_version, \
    case when $4 then operation end as of_operation, \
    case when $5 then application end as of_application, \
    case when $6 then status end as of_status, \
    case when $7 then refusal end as of_refusal, case when $8 then cache end as of_cache, \
    sum(calls) as calls, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out, \
    sum(total_us_sum) as total_us_sum, max(total_us_max) as total_us_max, \
    sum(upstream_us_sum) as upstream_us_sum, sum(mismatched) as mismatched, \
    sum(mediate_us_sum) as mediate_us_sum, sum(answered_upstream) as answered_upstream, \
    sum(answered_policy) as answered_policy, sum(answered_mock) as answered_mock, \
    sum(answered_preflight) as answered_preflight, sum(answered_gateway) as answered_gateway, \
    sum(case when cache in (2, 3, 4) then calls else 0 end) as cached_calls, \
    sum(case when cache = 1 then calls else 0 end) as missed_calls, \
    sum(case when cache in (2, 3, 4) then bytes_out else 0 end) as cached_bytes, \
    sum(over) as over \
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

impl Dimension {
    /// The column with its value, if it is grouped by.
    const fn column(self) -> &'static str {
        match self {
            Self::Api => "of_api",
            Self::Version => "of_version",
            Self::Operation => "of_operation",
            Self::Application => "of_application",
            Self::Status => "of_status",
            Self::Refusal => "of_refusal",
            Self::Cache => "of_cache",
        }
    }
}

impl Filter {
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

/// Returns the statement with the parameters of a query.
pub(super) fn of(query: &Query) -> Statement<'static, Sqlite, SqliteArguments> {
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
    let lists = query.filter.lists().into_iter();
    lists
        .fold(statement, |statement, list| statement.bind(list))
        .bind(i64::try_from(ROWS_MAX + 1).expect("small"))
}

/// Reads a row of the statement.
pub(super) fn read(row: &SqliteRow) -> sqlx::Result<(Group, Measures, CachedCalls)> {
    // Without any rows, SQLite makes no group either, because of the `group by`.
    let mut values = [None; DIMENSIONS.len()];
    for (value, dimension) in values.iter_mut().zip(DIMENSIONS) {
        *value = row.try_get(dimension.column())?;
    }
    let sum = |name: &str| -> sqlx::Result<u64> {
        let sum: i64 = row.try_get(name)?;
        Ok(u64::try_from(sum).unwrap_or(0))
    };
    let measures = Measures {
        calls: sum("calls")?,
        bytes_in: sum("bytes_in")?,
        bytes_out: sum("bytes_out")?,
        total_us_sum: sum("total_us_sum")?,
        total_us_max: sum("total_us_max")?,
        upstream_us_sum: sum("upstream_us_sum")?,
        mismatched: sum("mismatched")?,
        mediate_us_sum: sum("mediate_us_sum")?,
        answered: AnsweredCalls {
            upstream: sum("answered_upstream")?,
            policy: sum("answered_policy")?,
            mock: sum("answered_mock")?,
            preflight: sum("answered_preflight")?,
            gateway: sum("answered_gateway")?,
        },
        over: sum("over")?,
    };
    let cached = CachedCalls {
        answered: sum("cached_calls")?,
        missed: sum("missed_calls")?,
        bytes: sum("cached_bytes")?,
    };
    let step = row.try_get("step")?;
    Ok((Group { step, values }, measures, cached))
}
