//! [`Table`]: figures by name, for the busiest names only, so that their number is bounded; the
//! other names share one set of figures.

use std::collections::HashMap;
use std::hash::Hash;

/// How long figures are kept after their name was last served.
const UNSERVED_US: i64 = 10 * 60 * 1_000_000;
/// The part of a name's score that the next ranking keeps, so that the score is an average over
/// some rankings: a name that is called seldom is not the busiest in the minute of its call.
const KEPT: f64 = 0.875;
/// Minimum ratio between the score of a name and that of the one it replaces. Together with the
/// minimum difference below, it prevents that names which are about equally busy take turns.
const BUSIER_BY: f64 = 2.0;
const BUSIER_THAN: f64 = 5.0;

/// Figures by name.
#[derive(Debug)]
pub(crate) struct Table<K, F> {
    shown_max: usize,
    shown: usize,
    rows: Vec<Row<K, F>>,
    places: HashMap<K, usize>,
    /// The figures of all names that are not shown.
    other: F,
}

/// A name.
#[derive(Debug)]
struct Row<K, F> {
    name: K,
    /// The figures since it is shown; `None` while it is not.
    figures: Option<F>,
    /// Calls since the last ranking.
    calls: u64,
    /// How busy it is.
    score: f64,
    /// When it was last served, Unix microseconds.
    served_us: i64,
}

impl<K: Clone + Eq + Hash, F: Default> Table<K, F> {
    /// Creates an empty table that shows at most `shown_max` names.
    pub(crate) fn new(shown_max: usize) -> Self {
        Self {
            shown_max,
            shown: 0,
            rows: Vec::new(),
            places: HashMap::new(),
            other: F::default(),
        }
    }

    /// Returns the place of a name, which is valid until the next ranking. A new name is shown if
    /// there is room for it.
    pub(crate) fn place(&mut self, name: &K, now_us: i64) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let has_room = self.shown < self.shown_max;
        self.shown += usize::from(has_room);
        self.rows.push(Row {
            name: name.clone(),
            figures: has_room.then(F::default),
            calls: 0,
            score: 0.0,
            served_us: now_us,
        });
        self.places.insert(name.clone(), self.rows.len() - 1);
        self.rows.len() - 1
    }

    /// Returns the figures to which `calls` of the name at a place are to be added; without a
    /// place, those of the names that are not shown.
    pub(crate) fn figures_for(&mut self, place: Option<usize>, calls: u64) -> &mut F {
        let Some(place) = place else {
            return &mut self.other;
        };
        let row = &mut self.rows[place];
        row.calls += calls;
        row.figures.as_mut().unwrap_or(&mut self.other)
    }

    /// The names that are shown, with their figures.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&K, &F)> {
        let rows = self.rows.iter();
        rows.filter_map(|row| Some((&row.name, row.figures.as_ref()?)))
    }

    /// The figures of all names that are not shown.
    pub(crate) fn other(&self) -> &F {
        &self.other
    }

    /// Forgets the names that have not been served for ten minutes, and shows the busiest of the
    /// others. Returns the figures that are no longer shown.
    pub(crate) fn rank<'k>(&mut self, served: impl Iterator<Item = &'k K>, now_us: i64) -> Vec<F>
    where
        K: 'k,
    {
        for name in served {
            if let Some(&place) = self.places.get(name) {
                self.rows[place].served_us = now_us;
            }
        }
        let is_unserved = |row: &mut Row<K, F>| {
            // Later than now if the clock was set back.
            row.served_us = row.served_us.min(now_us);
            now_us - row.served_us >= UNSERVED_US
        };
        let unserved = self.rows.extract_if(.., is_unserved);
        let mut gone: Vec<F> = unserved.filter_map(|row| row.figures).collect();
        for row in &mut self.rows {
            #[expect(clippy::cast_precision_loss, reason = "it is an average")]
            let calls = row.calls as f64;
            row.score = row.score * KEPT + calls * (1.0 - KEPT);
            row.calls = 0;
        }
        self.rows
            .sort_by(|one, other| other.score.total_cmp(&one.score));
        gone.extend(self.show_busiest());
        self.shown = self.shown().count();
        self.places.clear();
        let names = self.rows.iter().map(|row| row.name.clone());
        self.places.extend(names.zip(0..));
        gone
    }

    /// Shows the first rows that are not shown yet, in free room or in place of the last ones.
    /// Returns the figures of those.
    fn show_busiest(&mut self) -> Vec<F> {
        let mut gone = Vec::new();
        let mut room = self.shown_max - self.shown().count();
        let mut last = self.rows.len();
        for place in 0..self.rows.len() {
            if self.rows[place].figures.is_some() {
                continue;
            }
            if room == 0 {
                let quiet = self.rows[..last]
                    .iter()
                    .rposition(|it| it.figures.is_some());
                let bound = |quiet: usize| self.rows[quiet].score * BUSIER_BY + BUSIER_THAN;
                let Some(quiet) = quiet.filter(|&it| self.rows[place].score > bound(it)) else {
                    break;
                };
                gone.extend(self.rows[quiet].figures.take());
                (last, room) = (quiet, 1);
            }
            self.rows[place].figures = Some(F::default());
            room -= 1;
        }
        gone
    }
}

#[cfg(test)]
mod tests;
