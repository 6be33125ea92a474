//! Which values of calls and of rows a filter accepts.

use tollgate_model::record::Record;
use tollgate_spool::Part;

use crate::dimension::Dimension;
use crate::page::Column;
use crate::query::{Filter, Sight};
use crate::value_list::ValueList;

/// The values that a filter accepts.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// A call needs a value of each of these.
    pub(crate) lists: Vec<ValueList>,
    /// And of any of these, if there are some.
    sight: Vec<ValueList>,
}

impl Accepted {
    pub(crate) fn new(filter: &Filter) -> Self {
        let mut lists = filter.lists();
        let mut sight = filter.sight.as_ref().map_or_else(Vec::new, Sight::lists);
        if sight.len() == 1 {
            lists.append(&mut sight);
        }
        Self { lists, sight }
    }

    /// Whether the values of a call pass.
    pub(crate) fn passes(&self, of: impl Fn(Dimension) -> i64) -> bool {
        let has = |list: &ValueList| list.has(of(list.dimension));
        self.lists.iter().all(has) && (self.sight.is_empty() || self.sight.iter().any(has))
    }

    /// Whether the values of a part of a call pass: all that are required of it, and any of those
    /// of which one is required.
    pub(crate) fn judge(&self, part: Part, record: &Record) -> [bool; 2] {
        let is_of_part = |list: &&ValueList| list.dimension.part() == part;
        let has = |list: &ValueList| list.has(list.dimension.of(record));
        let mut sight = self.sight.iter().filter(is_of_part);
        [
            self.lists.iter().filter(is_of_part).all(has),
            sight.any(has),
        ]
    }

    /// Whether one of several values is required.
    pub(crate) fn has_sight(&self) -> bool {
        !self.sight.is_empty()
    }

    /// Whether each of the rows of a page with these columns passes.
    pub(crate) fn rows<'c>(
        &self,
        count: usize,
        column: impl Fn(Dimension) -> Option<&'c Column<'c>>,
    ) -> Vec<bool> {
        let mut rows = vec![true; count];
        for list in &self.lists {
            let has = list.rows(count, &column);
            rows.iter_mut().zip(has).for_each(|(it, has)| *it &= has);
        }
        if self.has_sight() {
            let mut seen = vec![false; count];
            for list in &self.sight {
                let has = list.rows(count, &column);
                seen.iter_mut().zip(has).for_each(|(it, has)| *it |= has);
            }
            rows.iter_mut().zip(seen).for_each(|(it, seen)| *it &= seen);
        }
        rows
    }
}
