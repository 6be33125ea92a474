//! Sums by group, of rows in files and in memory.

use std::collections::BTreeMap;

use sqlx::query::Query as Statement;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Row as _, Sqlite};

use crate::answer::Row;
use crate::content::{Content, Sums};
use crate::cube::{CUBES, Cube, Key, Time};
use crate::dimension::{Dimension, Values};
use crate::legacy;
use crate::levels::floor;
use crate::measures::{self, MEASURES, Measures};
use crate::plan::{Grid, Segment};
use crate::query::{Query, Sight};
use crate::scan::Found;
use crate::sketch::split;
use crate::statements::{condition, sql};
use crate::{MINUTE_US, ROWS_MAX, UsageError};

/// The place of a row in an answer: its step, and a value for each dimension that is grouped by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    /// The minute in which it begins.
    step: Option<i64>,
    values: Values<Option<i64>>,
}

/// Sums under construction, in the order of their groups.
pub(crate) struct Groups<'q> {
    query: &'q Query,
    sums: BTreeMap<Group, Sums>,
}

impl<'q> Groups<'q> {
    pub(crate) fn new(query: &'q Query) -> Self {
        Self {
            query,
            sums: BTreeMap::new(),
        }
    }

    /// Adds sums to a group. `of` returns the values of its calls.
    fn add(&mut self, step: Option<i64>, of: impl Fn(Dimension) -> i64, more: &Sums) {
        let mut values = Values::default();
        for &dimension in &self.query.group_by {
            values[dimension as usize] = Some(of(dimension));
        }
        let sums = self.sums.entry(Group { step, values }).or_default();
        sums.measures.add(&more.measures);
        for &time in &self.query.percentiles {
            sums.sketches[time as usize].merge(&more.sketches[time as usize]);
        }
    }

    /// Adds the rows of a cube in memory.
    pub(crate) fn add_content(&mut self, content: &Content, cube: usize, segments: &[Segment]) {
        let value = |key: &Key, dimension| CUBES[cube].value(key, dimension).unwrap_or(0);
        let accepted = self.query.accepted();
        for segment in segments {
            let range = segment.from..segment.to;
            for (&at, minute) in content.minutes.range(range.clone()) {
                let step = segment.grid.step(at);
                for (values, sums) in &minute.calls {
                    if accepted.passes(|it| values[it as usize]) {
                        self.add(step, |it| values[it as usize], sums);
                    }
                }
            }
            for (minute, rows) in content.counted(cube, range) {
                let step = segment.grid.step(minute);
                for (key, sums) in rows {
                    if accepted.passes(|it| value(key, it)) {
                        self.add(step, |it| value(key, it), sums);
                    }
                }
            }
        }
    }

    /// Adds the rows of a cube in the file.
    pub(crate) async fn add_cube(
        &mut self,
        connection: &mut SqliteConnection,
        cube: &Cube,
        segment: &Segment,
    ) -> Result<(), UsageError> {
        let level = Some(segment.level.number());
        self.add_sums(connection, cube.table, level, segment).await
    }

    /// Adds the sums of a table. Only those with levels have sketches. Those of a group come as one
    /// text, since a row of each would take most of the time.
    async fn add_sums(
        &mut self,
        connection: &mut SqliteConnection,
        source: &str,
        level: Option<i64>,
        segment: &Segment,
    ) -> Result<(), UsageError> {
        let measured = self.query.measured();
        let times: &[Time] = match level {
            Some(_) => &self.query.percentiles,
            None => &[],
        };
        let sums = measured.iter().map(|&at| {
            let measure = &MEASURES[at];
            format!("{}({})", measure.merging.function(), measure.name)
        });
        let sketches = times
            .iter()
            .map(|time| format!("group_concat(hex({}))", time.column()));
        let columns: Vec<_> = sums.chain(sketches).collect();
        let text = text_of(self.query, source, &columns.join(", "), level.is_some());
        let statement = self.bind(sqlx::query(sql(&text)), level, segment);
        for row in statement.fetch_all(connection).await? {
            let group = self.group(&row)?;
            let sums = self.sums.entry(group).or_default();
            let mut at = 1 + self.query.group_by.len();
            let mut values = [0; measures::COUNT];
            for &measure in &measured {
                let sum: i64 = row.try_get(at)?;
                values[measure] = u64::try_from(sum).unwrap_or(0);
                at += 1;
            }
            sums.measures.add(&Measures::from_values(values));
            for &time in times {
                let sketches: Option<&str> = row.try_get(at)?;
                for sketch in sketches.into_iter().flat_map(split) {
                    let merged = sums.sketches[time as usize].merge_hex(sketch);
                    merged.map_err(|error| UsageError::Corrupt(error.into()))?;
                }
                at += 1;
            }
        }
        if self.sums.len() > ROWS_MAX {
            return Err(UsageError::TooManyRows);
        }
        Ok(())
    }

    /// Adds figures of earlier releases.
    pub(crate) async fn add_legacy(
        &mut self,
        connection: &mut SqliteConnection,
        segments: &[Segment],
    ) -> Result<(), UsageError> {
        for (table, minutes) in legacy::TABLES {
            let source = legacy::as_cube(table);
            for (at, segment) in segments.iter().enumerate() {
                // An hour counts in the segment that it begins in, and in the first one as soon as
                // that touches it.
                let from = match at {
                    0 => floor(segment.from, minutes),
                    _ => segment.from,
                };
                let segment = Segment {
                    from,
                    ..segment.clone()
                };
                self.add_sums(connection, &source, None, &segment).await?;
            }
        }
        Ok(())
    }

    /// Adds calls of the spool.
    pub(crate) fn add_found(&mut self, found: &Found) {
        for ((step, values), sums) in found {
            self.add(*step, |it| values[it as usize], sums);
        }
    }

    /// Binds the parameters of [`text_of`], in their order.
    fn bind(
        &self,
        statement: Statement<'static, Sqlite, SqliteArguments>,
        level: Option<i64>,
        segment: &Segment,
    ) -> Statement<'static, Sqlite, SqliteArguments> {
        let (minutes, offset, one) = match segment.grid {
            Grid::None => (None, 0, None),
            Grid::Fixed { minutes, offset } => (Some(minutes), offset, None),
            Grid::One(start) => (None, 0, Some(start)),
        };
        let statement = statement.bind(one).bind(minutes).bind(offset);
        let statement = statement.bind(segment.from).bind(segment.to);
        let statement = level
            .into_iter()
            .fold(statement, |it, level| it.bind(level));
        let filter = &self.query.filter;
        let sight = filter.sight.iter().flat_map(Sight::lists);
        let lists = filter.lists().into_iter().chain(sight);
        lists.fold(statement, |statement, (_, list)| {
            statement.bind(serde_json::Value::from(list).to_string())
        })
    }

    /// The group of a row of [`text_of`].
    fn group(&self, row: &SqliteRow) -> sqlx::Result<Group> {
        let mut values = Values::default();
        for (at, &dimension) in self.query.group_by.iter().enumerate() {
            values[dimension as usize] = row.try_get(at + 1)?;
        }
        Ok(Group {
            step: row.try_get(0)?,
            values,
        })
    }

    /// Returns the rows.
    pub(crate) fn rows(self) -> Result<Vec<Row>, UsageError> {
        if self.sums.len() > ROWS_MAX {
            return Err(UsageError::TooManyRows);
        }
        let rows = self.sums.into_iter().map(|(group, sums)| {
            let time_us = group.step.map(|minute| minute * MINUTE_US);
            Row::new(time_us, group.values, sums)
        });
        Ok(rows.collect())
    }
}

/// A statement that sums rows of a table by step and dimensions, which these columns follow. ?1 to
/// ?3 are the grid, ?4 and ?5 the range, ?6 the level, if there are levels; the lists of the filter
/// and of the sight follow.
fn text_of(query: &Query, source: &str, columns: &str, has_levels: bool) -> String {
    let dimensions = query.group_by.iter().map(|it| format!(", {}", it.name()));
    let dimensions: String = dimensions.collect();
    let mut text = format!(
        "select coalesce(?1, (start + ?3) / ?2 * ?2 - ?3){dimensions}, {columns} from {source} \
         where start >= ?4 and start < ?5"
    );
    let mut parameters = 6..;
    if has_levels {
        text.push_str(" and level = ?6");
        parameters = 7..;
    }
    let mut conditions = |lists: Vec<(Dimension, _)>, between: &str| {
        let conditions = lists.iter().zip(&mut parameters);
        let conditions = conditions.map(|((dimension, _), at)| condition(*dimension, at));
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
