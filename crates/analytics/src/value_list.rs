//! Values of a dimension, as a filter lists them.

use crate::dimension::Dimension;
use crate::page::Column;

/// Values of a dimension, as sorted numbers.
#[derive(Debug, Clone)]
pub(crate) struct ValueList {
    pub(crate) dimension: Dimension,
    pub(crate) values: Vec<i64>,
}

impl ValueList {
    pub(crate) fn new(dimension: Dimension, mut values: Vec<i64>) -> Self {
        values.sort_unstable();
        Self { dimension, values }
    }

    pub(crate) fn has(&self, value: i64) -> bool {
        self.values.binary_search(&value).is_ok()
    }

    /// Whether it has the value of each of the rows of a page with these columns.
    pub(crate) fn rows<'c>(
        &self,
        count: usize,
        column: impl Fn(Dimension) -> Option<&'c Column<'c>>,
    ) -> Vec<bool> {
        let Some(column) = column(self.dimension) else {
            return vec![self.has(0); count];
        };
        let distinct: Vec<_> = column.distinct.iter().map(|it| self.has(*it)).collect();
        (0..count).map(|row| distinct[column.place(row)]).collect()
    }
}
