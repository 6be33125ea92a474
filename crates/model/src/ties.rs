//! Path templates that match the same path equally well: [`Ties`].

use std::collections::HashMap;

use crate::path::Paths;
use crate::pattern::{SegmentKey, overlap, segment_keys};
use crate::template::PathTemplate;

/// The templates of a version, as they are added.
#[derive(Debug)]
pub struct Ties {
    paths: Paths,
    /// By shape, the result of [`Self::add`].
    added: HashMap<String, Option<PathTemplate>>,
    /// Templates that may tie, by their mixed segments and rests.
    rivals: HashMap<Place, Vec<Rival>>,
}

/// A mixed segment or a rest in a template. Templates tie if they are equal up to a segment, differ
/// in it and have equally many literal characters there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    before: Vec<SegmentKey>,
    /// None for a rest; a mixed segment has one at least.
    literal_chars: usize,
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
        self.keys[at] != keys[at] && overlap(&self.keys[at..], &keys[at..])
    }
}

/// Returns the mixed segments and the rest of a template.
fn places(keys: &[SegmentKey]) -> Vec<(usize, Place)> {
    let places = keys.iter().enumerate().filter_map(|(at, key)| {
        let literal_chars = match key {
            SegmentKey::Mixed(pattern) => pattern.literal_chars(),
            SegmentKey::Rest(_) => 0,
            SegmentKey::Literal(_) | SegmentKey::Parameter => return None,
        };
        let before = keys[..at].to_vec();
        let place = Place {
            before,
            literal_chars,
        };
        Some((at, place))
    });
    places.collect()
}

#[cfg(test)]
mod tests;
