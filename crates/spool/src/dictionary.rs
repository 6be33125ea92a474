//! The different values of a block, and their places: most calls repeat what few others had.

use std::hash::Hash;

use hashbrown::HashMap;

/// Values by place, in the order of their first use.
#[derive(Debug)]
pub(crate) struct Dictionary<T> {
    places: HashMap<T, u32>,
    values: Vec<T>,
    last: Option<(T, u32)>,
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
            values: Vec::new(),
            last: None,
        }
    }
}

impl<T: Copy + Eq + Hash> Dictionary<T> {
    /// Returns the place of a value, adding it if it is new.
    pub(crate) fn place(&mut self, value: T) -> u64 {
        if let Some((last, place)) = self.last
            && last == value
        {
            return place.into();
        }
        let next = u32::try_from(self.values.len()).expect("a block is small");
        let place = *self.places.entry(value).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        self.last = Some((value, place));
        place.into()
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
        self.last = None;
    }
}
