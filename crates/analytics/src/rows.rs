//! Rows of a cube in memory: its sums in a minute, an hour or a day, by key.

use hashbrown::HashMap;

use crate::calls::Calls;
use crate::cube::{Cube, Key, TIMES, Time};
use crate::measures::Measures;
use crate::sketch::Sketch;

/// Rows of a cube. Measures and sketches are apart from the keys, so that looking one up touches
/// little memory.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    cube: &'static Cube,
    places: HashMap<Key, u32>,
    keys: Vec<Key>,
    measures: Vec<Measures>,
    /// Empty if the cube has no percentiles.
    sketches: Vec<[Sketch; TIMES]>,
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'r> {
    pub(crate) key: &'r Key,
    pub(crate) measures: &'r Measures,
    /// `None` if the cube has no percentiles.
    pub(crate) sketches: Option<&'r [Sketch; TIMES]>,
}

impl<'r> Row<'r> {
    /// The sketch of a time; `None` if the cube has no percentiles.
    pub(crate) fn sketch(self, time: Time) -> Option<&'r Sketch> {
        self.sketches.map(|it| &it[time as usize])
    }
}

impl Rows {
    pub(crate) fn new(cube: &'static Cube) -> Self {
        Self {
            cube,
            places: HashMap::new(),
            keys: Vec::new(),
            measures: Vec::new(),
            sketches: Vec::new(),
        }
    }

    /// Returns those of calls.
    pub(crate) fn from_calls(cube: &'static Cube, calls: &Calls) -> Self {
        let mut rows = Self::new(cube);
        rows.add_calls(calls);
        rows
    }

    pub(crate) const fn cube(&self) -> &'static Cube {
        self.cube
    }

    pub(crate) fn add_calls(&mut self, calls: &Calls) {
        for (values, sums) in calls.iter() {
            let key = self.cube.key(|dimension| values.value(dimension));
            let place = self.add_measures(&key, &sums.measures);
            if let Some(sketches) = self.sketches.get_mut(place) {
                for &time in self.cube.percentiles {
                    sums.merge_into(time, &mut sketches[time as usize]);
                }
            }
        }
    }

    /// Adds others of the cube.
    pub(crate) fn merge(&mut self, others: &Self) {
        others.iter().for_each(|row| self.add(row));
    }

    fn add(&mut self, row: Row<'_>) {
        let place = self.add_measures(row.key, row.measures);
        if let Some((sums, more)) = self.sketches.get_mut(place).zip(row.sketches) {
            for &time in self.cube.percentiles {
                sums[time as usize].merge(&more[time as usize]);
            }
        }
    }

    /// Adds measures to the row of a key; returns its place.
    pub(crate) fn add_measures(&mut self, key: &Key, more: &Measures) -> usize {
        let next = self.keys.len();
        let place = *self.places.entry(*key).or_insert(next as u32) as usize;
        match self.measures.get_mut(place) {
            Some(measures) => measures.add(more),
            None => {
                self.keys.push(*key);
                self.measures.push(*more);
                if !self.cube.percentiles.is_empty() {
                    self.sketches.push(Default::default());
                }
            }
        }
        place
    }

    /// The sketches of the row at a place; `None` if the cube has no percentiles.
    pub(crate) fn sketches_mut(&mut self, place: usize) -> Option<&mut [Sketch; TIMES]> {
        self.sketches.get_mut(place)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.keys.len()).map(|place| self.row(place))
    }

    /// Returns the rows in the order of their keys.
    pub(crate) fn sorted(&self) -> Vec<Row<'_>> {
        let mut places: Vec<_> = (0..self.keys.len()).collect();
        places.sort_unstable_by_key(|place| self.keys[*place]);
        places.into_iter().map(|place| self.row(place)).collect()
    }

    fn row(&self, place: usize) -> Row<'_> {
        Row {
            key: &self.keys[place],
            measures: &self.measures[place],
            sketches: self.sketches.get(place),
        }
    }
}
