//! Figures of releases without cubes: one table of minutes and one of hours, by seven dimensions.
//! They are read until they expire. They have no percentiles.

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Row as _};
use tollgate_model::record::CacheUse;

use crate::ROWS_MAX;
use crate::dimension::{Dimension, Values};
use crate::measures::{self, MEASURES, Measures};
use crate::plan::{Grid, Segment};
use crate::query::{Query, Sight};
use crate::value_list::ValueList;

/// Columns of a row of `usage_minutes`.
pub(crate) const COLUMNS: usize = 21;
/// A row of `usage_minutes`, in the order of its columns.
pub(crate) type Row = [i64; COLUMNS];
/// The column with the refusal and the use of the cache: the low eight bits are the number of the
/// refusal, those above them the use of the cache.
const OUTCOME: usize = 6;

/// Whether a row can be one of the table.
pub(crate) fn is_row(row: &Row) -> bool {
    let cache = u16::try_from(row[OUTCOME]).map(|it| usize::from(it >> u8::BITS));
    cache.is_ok_and(|cache| cache < CacheUse::ALL.len())
}

/// Adds rows of the journal to the table.
pub(crate) async fn merge(connection: &mut SqliteConnection, rows: &[Row]) -> sqlx::Result<()> {
    const SQL: &str = "insert into usage_minutes (minute, api, version, operation, application, \
        status, outcome, calls, bytes_in, bytes_out, total_us_sum, total_us_max, upstream_us_sum, \
        mismatched, mediate_us_sum, answered_upstream, answered_policy, answered_mock, \
        answered_preflight, answered_gateway, over) select value ->> 0, value ->> 1, value ->> 2, \
        value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9, \
        value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, value ->> 15, \
        value ->> 16, value ->> 17, value ->> 18, value ->> 19, value ->> 20 \
        from json_each($1) where true \
        on conflict do update set calls = calls + excluded.calls, \
        bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out, \
        total_us_sum = total_us_sum + excluded.total_us_sum, \
        total_us_max = max(total_us_max, excluded.total_us_max), \
        upstream_us_sum = upstream_us_sum + excluded.upstream_us_sum, \
        mismatched = mismatched + excluded.mismatched, \
        mediate_us_sum = mediate_us_sum + excluded.mediate_us_sum, \
        answered_upstream = answered_upstream + excluded.answered_upstream, \
        answered_policy = answered_policy + excluded.answered_policy, \
        answered_mock = answered_mock + excluded.answered_mock, \
        answered_preflight = answered_preflight + excluded.answered_preflight, \
        answered_gateway = answered_gateway + excluded.answered_gateway, \
        over = over + excluded.over";
    for rows in rows.chunks(1_000) {
        let rows = rows.iter().map(|row| serde_json::Value::from(row.to_vec()));
        let rows = serde_json::Value::from_iter(rows).to_string();
        sqlx::query(SQL)
            .bind(rows)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// The tables, the finer one first, with the minutes of a row.
pub(crate) const TABLES: [(&str, i64); 2] = [("usage_minutes", 1), ("usage_hours", 60)];

/// The dimensions that the tables have.
const DIMENSIONS: [Dimension; 7] = [
    Dimension::Api,
    Dimension::Version,
    Dimension::Operation,
    Dimension::Application,
    Dimension::Status,
    Dimension::Refusal,
    Dimension::Cache,
];

/// Whether the tables have these dimensions.
pub(crate) fn has(dimensions: &[Dimension]) -> bool {
    dimensions.iter().all(|it| DIMENSIONS.contains(it))
}

/// The sums of a group.
pub(crate) struct Sum {
    /// The minute in which its step begins.
    pub(crate) step: Option<i64>,
    pub(crate) values: Values<i64>,
    pub(crate) measures: Measures,
}

/// Sums the rows of a table by the groups of a query.
pub(crate) async fn sums(
    connection: &mut SqliteConnection,
    table: &str,
    query: &Query,
    segment: &Segment,
) -> sqlx::Result<Vec<Sum>> {
    let text = text_of(table, query);
    let (minutes, offset, one) = match segment.grid {
        Grid::None => (None, 0, None),
        Grid::Fixed { minutes, offset } => (Some(minutes), offset, None),
        Grid::One(start) => (None, 0, Some(start)),
    };
    let statement = sqlx::query(AssertSqlSafe(text)).bind(one).bind(minutes);
    let statement = statement.bind(offset).bind(segment.from).bind(segment.to);
    let sight = query.filter.sight.iter().flat_map(Sight::lists);
    let lists = query.filter.lists().into_iter().chain(sight);
    let statement = lists.fold(statement, |statement, list| {
        statement.bind(serde_json::Value::from(list.values).to_string())
    });
    let mut sums = Vec::new();
    for row in statement.fetch_all(connection).await? {
        let mut values = Values::default();
        for (at, &dimension) in query.group_by.iter().enumerate() {
            values[dimension as usize] = row.try_get(at + 1)?;
        }
        let mut measures = [0; measures::COUNT];
        for (at, measure) in measures.iter_mut().enumerate() {
            let sum: i64 = row.try_get(1 + query.group_by.len() + at)?;
            *measure = u64::try_from(sum).unwrap_or(0);
        }
        sums.push(Sum {
            step: row.try_get(0)?,
            values,
            measures: Measures::from_values(measures),
        });
    }
    Ok(sums)
}

/// A statement that sums rows of a table by step and dimensions. ?1 to ?3 are the grid, ?4 and ?5
/// the range; the lists of the filter and of the sight follow.
fn text_of(table: &str, query: &Query) -> String {
    let dimensions = query.group_by.iter().map(|it| format!(", {}", it.name()));
    let dimensions: String = dimensions.collect();
    let sums = MEASURES
        .iter()
        .map(|it| format!("{}({})", it.merging.function(), it.name));
    let sums = sums.collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "select coalesce(?1, (start + ?3) / ?2 * ?2 - ?3){dimensions}, {sums} from {} \
         where start >= ?4 and start < ?5",
        as_cube(table)
    );
    let mut parameters = 6..;
    let mut conditions = |lists: Vec<ValueList>, between: &str| {
        let conditions = lists.iter().zip(&mut parameters).map(|(list, at)| {
            let name = list.dimension.name();
            format!("{name} in (select value from json_each(?{at}))")
        });
        conditions.collect::<Vec<_>>().join(between)
    };
    let filter = conditions(query.filter.lists(), " and ");
    if !filter.is_empty() {
        text.push_str(&format!(" and {filter}"));
    }
    if let Some(sight) = &query.filter.sight {
        let sight = conditions(sight.lists(), " or ");
        text.push_str(&format!(" and ({sight})"));
    }
    let places: Vec<_> = (1..=query.group_by.len() + 1)
        .map(|it| it.to_string())
        .collect();
    let limit = ROWS_MAX + 1;
    text.push_str(&format!(" group by {} limit {limit}", places.join(", ")));
    text
}

/// Returns a table with the columns of cubes. What it does not have is 0, but for the time in the
/// gateway, which has that of the response too. The numbers of the uses of the cache are those of
/// [`CacheUse`]: a miss, and the three that answer.
fn as_cube(table: &str) -> String {
    format!(
        "(select minute as start, api, version, operation, application, status, refusal, cache, \
        calls, iif(status between 400 and 499, calls, 0) as client_errors, \
        iif(status >= 500, calls, 0) as server_errors, iif(refusal > 0, calls, 0) as refused, \
        0 as cut, mismatched, over, answered_upstream, answered_policy, answered_mock, \
        answered_preflight, answered_gateway, iif(cache in (2, 3, 4), calls, 0) as cache_answered, \
        iif(cache = 1, calls, 0) as cache_missed, bytes_in, bytes_out, \
        iif(cache in (2, 3, 4), bytes_out, 0) as bytes_from_cache, \
        iif(cache in (2, 3), 0, answered_upstream) as upstream_calls, total_us_sum, total_us_max, \
        upstream_us_sum, 0 as upstream_us_max, total_us_sum - upstream_us_sum as gateway_us_sum, \
        0 as gateway_us_max, mediate_us_sum from {table})"
    )
}

/// The last minute of the tables; `None` if they are empty.
pub(crate) async fn last(connection: &mut SqliteConnection) -> sqlx::Result<Option<i64>> {
    const SQL: &str = "select max(minute) from (select max(minute) as minute from usage_minutes \
        union all select max(minute) + 59 from usage_hours)";
    sqlx::query_scalar(SQL).fetch_one(connection).await
}
