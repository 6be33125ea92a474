//! Path templates that match the same path equally well: [`Ties`].

use std::collections::HashMap;

use crate::path::Paths;
use crate::pattern::{Pattern, SegmentKey, segment_keys};
use crate::template::PathTemplate;

/// The templates of a version, as they are added.
#[derive(Debug)]
pub struct Ties {
    paths: Paths,
    /// By shape, the result of [`Self::add`].
    added: HashMap<String, Option<PathTemplate>>,
    /// Templates that may tie, by their mixed segments.
    rivals: HashMap<Place, Vec<Rival>>,
}

/// A mixed segment in a template. Templates tie if they are equal up to a segment, differ in it and
/// have equally many literal characters there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    before: Vec<SegmentKey>,
    literal_chars: usize,
    segments: usize,
}

#[derive(Debug, Clone)]
struct Rival {
    template: PathTemplate,
    keys: Vec<SegmentKey>,
}

impl Ties {
    /// Creates an empty set for a version that compares paths in this way.
    #[must_use]
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            added: HashMap::new(),
            rivals: HashMap::new(),
        }
    }

    /// Adds a template. Returns the earlier one with which it ties, if any; then it is not added.
    pub fn add(&mut self, template: &PathTemplate) -> Option<PathTemplate> {
        let shape = template.matched_shape(self.paths);
        if let Some(known) = self.added.get(&shape) {
            return known.clone();
        }
        let keys = segment_keys(template, |literal| self.paths.key(literal).into_owned());
        let places = places(&keys);
        let rival = places.iter().find_map(|(at, place)| {
            let mut rivals = self.rivals.get(place)?.iter();
            rivals.find(|rival| rival.ties(&keys, *at))
        });
        let rival = rival.map(|rival| rival.template.clone());
        if rival.is_none() {
            for (_, place) in places {
                self.rivals.entry(place).or_default().push(Rival {
                    template: template.clone(),
                    keys: keys.clone(),
                });
            }
        }
        self.added.insert(shape, rival.clone());
        rival
    }
}

impl Rival {
    /// Returns whether both match some path and this segment is the first in which they differ.
    fn ties(&self, keys: &[SegmentKey], at: usize) -> bool {
        let mut pairs = self.keys[at..].iter().zip(&keys[at..]);
        self.keys[at] != keys[at] && pairs.all(|(one, other)| one.overlaps(other))
    }
}

/// Returns the mixed segments of a template.
fn places(keys: &[SegmentKey]) -> Vec<(usize, Place)> {
    let patterns = keys.iter().enumerate().filter_map(|(at, key)| match key {
        SegmentKey::Mixed(pattern) => Some((at, pattern)),
        SegmentKey::Literal(_) | SegmentKey::Parameter => None,
    });
    let place = |(at, pattern): (usize, &Pattern)| {
        let place = Place {
            before: keys[..at].to_vec(),
            literal_chars: pattern.literal_chars(),
            segments: keys.len(),
        };
        (at, place)
    };
    patterns.map(place).collect()
}

#[cfg(test)]
mod tests;
