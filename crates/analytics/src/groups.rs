//! Sums by group, of rows in files and in memory.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::accepted::Accepted;
use crate::answer::{NOT_ASKED, Row};
use crate::calls::Sums;
use crate::content::Content;
use crate::cube::{Cube, TIMES};
use crate::dimension::{self, Dimension, Values};
use crate::legacy::Sum as LegacySum;
use crate::measures::{self, MEASURES, Measures};
use crate::page::{Columns, Unpacker, Unreadable, column_of, each_sketch};
use crate::plan::{Grid, Segment};
use crate::query::Query;
use crate::sketch::Sketch;
use crate::stored::Stored;
use crate::{MINUTE_US, ROWS_MAX, UsageError};

/// The place of a row in an answer. Hashed and compared as numbers, as [`crate::cube::Key`] is.
#[derive(Debug, Clone, Copy, Eq, PartialOrd, Ord)]
struct Group {
    /// The minute in which its step begins.
    step: Option<i64>,
    /// [`NOT_ASKED`] for dimensions that are not grouped by.
    values: Values<i64>,
}

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        let values = self.values.iter().zip(&other.values);
        self.step == other.step && values.fold(0, |it, (one, other)| it | (one ^ other)) == 0
    }
}

impl Hash for Group {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_i64(self.step.unwrap_or(0));
        self.values
            .iter()
            .for_each(|value| hasher.write_i64(*value));
    }
}

/// Sums under construction.
pub(crate) struct Groups {
    query: Query,
    accepted: Accepted,
    /// The places of the measures that are wanted.
    measured: Vec<usize>,
    /// Places in `sums`, by the hash of their group.
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
    sums: Vec<GroupSums>,
    /// The place of the last group.
    last: usize,
}

/// The sums of a group.
struct GroupSums {
    group: Group,
    /// In the order of [`MEASURES`].
    measures: [u64; measures::COUNT],
    sketches: [Sketch; TIMES],
}

impl Groups {
    pub(crate) fn new(query: &Query) -> Self {
        Self {
            query: query.clone(),
            accepted: Accepted::new(&query.filter),
            measured: query.measured(),
            places: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            sums: Vec::new(),
            last: 0,
        }
    }

    /// The values of a cube's first dimension that are accepted; `None` if all are.
    pub(crate) fn first_values(&self, cube: &Cube) -> Option<Vec<i64>> {
        let first = cube.dimensions.first()?;
        let mut lists = self.accepted.lists.iter();
        let list = lists.find(|list| list.dimension == *first)?;
        Some(list.values.clone())
    }

    pub(crate) fn has_percentiles(&self) -> bool {
        !self.query.percentiles.is_empty()
    }

    /// The place of the sums of a group. `of` returns the values of its calls.
    fn place(&mut self, step: Option<i64>, of: impl Fn(Dimension) -> i64) -> usize {
        let mut values = [NOT_ASKED; dimension::COUNT];
        for &dimension in &self.query.group_by {
            values[dimension as usize] = of(dimension);
        }
        self.place_of(Group { step, values })
    }

    fn place_of(&mut self, group: Group) -> usize {
        // Neighbours are often of the same group.
        if self.sums.get(self.last).is_some_and(|it| it.group == group) {
            return self.last;
        }
        let (sums, hasher) = (&mut self.sums, &self.hasher);
        let hash = hasher.hash_one(group);
        let is_same = |place: &u32| sums[*place as usize].group == group;
        let hash_of = |place: &u32| hasher.hash_one(sums[*place as usize].group);
        let entry = self.places.entry(hash, is_same, hash_of);
        let place = *entry.or_insert(sums.len() as u32).get();
        self.last = place as usize;
        if self.last == sums.len() {
            sums.push(GroupSums {
                group,
                measures: [0; measures::COUNT],
                sketches: Default::default(),
            });
        }
        self.last
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    /// Adds sums to a group. `of` returns the values of its calls.
    pub(crate) fn add(&mut self, step: Option<i64>, of: impl Fn(Dimension) -> i64, more: &Sums) {
        let place = self.place(step, of);
        self.add_measures(place, &more.measures);
        for &time in &self.query.percentiles {
            more.merge_into(time, &mut self.sums[place].sketches[time as usize]);
        }
    }

    /// Adds the rows of a cube in memory.
    pub(crate) fn add_content(&mut self, content: &Content, cube: &Cube, segments: &[Segment]) {
        for segment in segments {
            let range = segment.from..segment.to;
            let recorded = content.minutes.range(range.clone());
            let recorded = recorded.map(|(at, minute)| (*at, &minute.calls));
            let counted = content.counted.range(range).map(|(at, calls)| (*at, calls));
            let counted = counted.filter(|_| cube.has_counted());
            for (minute, calls) in recorded.chain(counted) {
                let step = segment.grid.step(minute);
                for (values, sums) in calls.iter() {
                    if self.accepted.passes(|it| values.value(it)) {
                        self.add(step, |it| values.value(it), sums);
                    }
                }
            }
        }
    }

    /// Adds pages of a cube; returns the starts of those that are
    /// unreadable, in minutes since 1970. What could be read of them is added.
    ///
    /// # Errors
    /// [`UsageError`] if there are too many groups, or no memory to unpack pages.
    pub(crate) fn add_pages(
        &mut self,
        cube: &Cube,
        grid: Grid,
        pages: &[Stored],
    ) -> Result<Vec<i64>, UsageError> {
        let mut unpacker = Unpacker::new().map_err(|error| UsageError::Other(error.into()))?;
        let mut unreadable = Vec::new();
        for page in pages {
            if self.add_page(cube, grid, page, &mut unpacker).is_err() {
                unreadable.push(page.start);
            }
            if self.sums.len() > ROWS_MAX {
                return Err(UsageError::TooManyRows);
            }
        }
        Ok(unreadable)
    }

    fn add_page(
        &mut self,
        cube: &Cube,
        grid: Grid,
        page: &Stored,
        unpacker: &mut Unpacker,
    ) -> Result<(), Unreadable> {
        let sums = unpacker.unpack(&page.sums)?;
        let columns = Columns::read(cube, &sums)?;
        let places = self.add_sums(cube, grid.step(page.start), &columns)?;
        let Some(sketches) = &page.sketches else {
            return Ok(());
        };
        for &time in &self.query.percentiles {
            let column = column_of(cube, time, sketches, unpacker)?;
            let sums = &mut self.sums;
            each_sketch(&column, |row, bytes| match places.get(row)? {
                Some(place) => sums[*place].sketches[time as usize].merge_bytes(bytes),
                None => Some(()),
            })?;
        }
        Ok(())
    }

    /// Adds the measures of a page; returns the place of each row, `None` if the filter does not
    /// accept it.
    fn add_sums(
        &mut self,
        cube: &Cube,
        step: Option<i64>,
        columns: &Columns<'_>,
    ) -> Result<Vec<Option<usize>>, Unreadable> {
        let column = |dimension| {
            let at = cube.dimensions.iter().position(|it| *it == dimension)?;
            columns.dimensions.get(at)
        };
        let of = |dimension, row| column(dimension).map_or(0, |it| it.value(row));
        let accepted = self.accepted.rows(columns.rows, column);
        let rows = accepted.into_iter().enumerate();
        let places = rows.map(|(row, is_accepted)| {
            is_accepted.then(|| self.place(step, |dimension| of(dimension, row)))
        });
        let places: Vec<_> = places.collect();
        for &at in &self.measured {
            let merging = MEASURES[at].merging;
            let sums = &mut self.sums;
            columns.measure(at, |row, value| {
                if let Some(place) = places[row] {
                    let sum = &mut sums[place].measures[at];
                    *sum = merging.merge(*sum, value);
                }
            })?;
        }
        Ok(places)
    }

    /// Adds figures of earlier releases.
    pub(crate) fn add_legacy(&mut self, sum: &LegacySum) {
        let place = self.place(sum.step, |it| sum.values[it as usize]);
        self.add_measures(place, &sum.measures);
    }

    /// Adds the measures that are wanted.
    fn add_measures(&mut self, place: usize, more: &Measures) {
        let (sums, more) = (&mut self.sums[place].measures, more.values());
        for &at in &self.measured {
            sums[at] = MEASURES[at].merging.merge(sums[at], more[at]);
        }
    }

    /// Adds the groups of another part of the calls.
    pub(crate) fn merge(&mut self, others: Self) {
        for other in others.sums {
            let place = self.place_of(other.group);
            let sums = &mut self.sums[place];
            for &at in &self.measured {
                let sum = &mut sums.measures[at];
                *sum = MEASURES[at].merging.merge(*sum, other.measures[at]);
            }
            let sketches = sums.sketches.iter_mut().zip(&other.sketches);
            sketches.for_each(|(sketch, more)| sketch.merge(more));
        }
    }

    /// Returns the rows, sorted by step and dimensions.
    pub(crate) fn rows(mut self) -> Result<Vec<Row>, UsageError> {
        // Then the rows take the memory of the sums.
        const { assert!(size_of::<Row>() <= size_of::<GroupSums>()) };
        if self.sums.len() > ROWS_MAX {
            return Err(UsageError::TooManyRows);
        }
        self.sums.sort_unstable_by_key(|it| it.group);
        let rows = self.sums.into_iter().map(|sums| {
            let Group { step, values } = sums.group;
            let time_us = step.map(|minute| minute * MINUTE_US);
            let measures = Measures::from_values(sums.measures);
            Row::new(time_us, values, measures, sums.sketches)
        });
        Ok(rows.collect())
    }
}
