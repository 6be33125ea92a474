//! The SQL of the cubes' tables. Their columns follow from [`CUBES`] and [`MEASURES`], so the texts
//! are put together once, of names in the code; values are parameters.

use std::fmt::Write as _;
use std::sync::LazyLock;

use sqlx::AssertSqlSafe;

use crate::cube::{COUNT, CUBES, Cube, SOURCE};
use crate::dimension::Dimension;
use crate::measures::MEASURES;

/// Rows of the statement that inserts many: each statement is passed to the connection's thread and
/// back, and a statement may have 32,766 parameters.
pub(crate) const MANY: usize = 100;

/// The statements of each cube, in the order of [`CUBES`].
pub(crate) static STATEMENTS: LazyLock<[Statements; COUNT]> =
    LazyLock::new(|| CUBES.each_ref().map(Statements::new));

/// The statements of a cube.
pub(crate) struct Statements {
    /// Inserts a row with [`columns`].
    pub(crate) insert_one: String,
    /// Inserts [`MANY`] rows.
    pub(crate) insert_many: String,
    /// Sums the rows of a level ($1) that start from $2 on and before $3: keys, measures, and the
    /// sketches of a key as one text.
    pub(crate) select: String,
    /// Inserts these sums as rows of a level ($4) and a start ($5). `None` with sketches.
    pub(crate) sum_up: Option<String>,
    /// Selects measures and sketches of a level ($1) and a start ($2) with a key ($3 and so on).
    pub(crate) select_key: String,
    /// Deletes the rows of a level ($1) and a start ($2) with a key ($3 and so on).
    pub(crate) delete_key: String,
    /// Deletes the rows of a level ($1) that start before $2.
    pub(crate) delete_before: String,
    /// Removes the sketches of a level ($1) that start from $2 on and before $3. `None` without.
    pub(crate) drop_sketches: Option<String>,
    /// The earliest start of a level ($1) from $2 on.
    pub(crate) earliest: String,
}

/// The columns of a cube's table.
pub(crate) fn columns(cube: &Cube) -> impl Iterator<Item = &'static str> {
    let dimensions = cube.dimensions.iter().map(|it| it.name());
    let sketches = cube.percentiles.iter().map(|it| it.column());
    let before = ["level", "start"].into_iter().chain(dimensions);
    before
        .chain(["source", "part"])
        .chain(measured())
        .chain(sketches)
}

fn measured() -> impl Iterator<Item = &'static str> {
    MEASURES.iter().map(|it| it.name)
}

impl Statements {
    fn new(cube: &Cube) -> Self {
        let Cube { table, .. } = cube;
        let names: Vec<_> = columns(cube).collect();
        let row = format!("({})", vec!["?"; names.len()].join(", "));
        let insert = format!("insert into {table} ({}) values ", names.join(", "));
        let dimensions = cube.dimensions.iter().map(|it| it.name());
        let sketches = || cube.percentiles.iter().map(|it| it.column());
        let content: Vec<_> = measured().chain(sketches()).collect();
        let content = content.join(", ");
        let keys = dimensions.clone().collect::<Vec<_>>().join(", ");
        let range = format!("from {table} where level = $1 and start >= $2 and start < $3");
        let sums = MEASURES
            .iter()
            .map(|it| format!("{}({})", it.merging.function(), it.name));
        let sums = sums.collect::<Vec<_>>().join(", ");
        let texts = sketches().map(|it| format!(", group_concat(hex({it}))"));
        let texts: String = texts.collect();
        let mut of_key = format!("from {table} where level = $1 and start = $2");
        for (at, name) in dimensions.enumerate() {
            let _ = write!(of_key, " and {name} = ${}", at + 3);
        }
        let nulls: Vec<_> = sketches().map(|it| format!("{it} = null")).collect();
        Self {
            insert_one: format!("{insert}{row}"),
            insert_many: format!("{insert}{}", vec![row.as_str(); MANY].join(", ")),
            select: format!("select {keys}, {sums}{texts} {range} group by {keys}"),
            sum_up: cube.percentiles.is_empty().then(|| {
                format!(
                    "insert into {table} ({}) select $4, $5, {keys}, {SOURCE}, 0, {sums} {range} \
                     group by {keys}",
                    names.join(", ")
                )
            }),
            select_key: format!("select {content} {of_key}"),
            delete_key: format!("delete {of_key}"),
            delete_before: format!("delete from {table} where level = $1 and start < $2"),
            drop_sketches: (!nulls.is_empty()).then(|| {
                format!(
                    "update {table} set {} where level = $1 and start >= $2 and start < $3",
                    nulls.join(", ")
                )
            }),
            earliest: format!("select min(start) from {table} where level = $1 and start >= $2"),
        }
    }
}

/// The condition that a dimension has a value of a list, which is this parameter.
pub(crate) fn condition(dimension: Dimension, parameter: usize) -> String {
    let name = dimension.name();
    format!("{name} in (select value from json_each(?{parameter}))")
}

/// A text of this module as a statement.
pub(crate) fn sql(text: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(text.to_owned())
}

#[cfg(test)]
mod tests;
