//! The numbers of items that arrays may have.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::plan::{Occurs, Particle, Presence};

/// The number of items of a field's array.
#[derive(Clone, Copy)]
pub(super) struct Count {
    /// Minimum over all objects.
    min: u32,
    /// Minimum over those with the array, for a field that appears only inside of a choice:
    /// without its branch there is no array, elsewhere an array without items.
    min_if_chosen: Option<u32>,
    /// Minimum over those with an item: in a group that is left out there is none.
    min_if_any: u32,
    /// Maximum; `None` for any number.
    max: Option<u32>,
}

impl Count {
    /// Returns the bounds of an array as members of its schema.
    pub(super) fn bounds(self) -> Map<String, Value> {
        let mut bounds = Map::new();
        let min = self.min_if_chosen.unwrap_or(self.min);
        if min > 0 {
            bounds.insert("minItems".into(), json!(min));
        } else if self.min_if_any > 1 {
            let few = json!({ "minItems": 1, "maxItems": self.min_if_any - 1 });
            bounds.insert("not".into(), few);
        }
        if let Some(max) = self.max {
            bounds.insert("maxItems".into(), json!(max));
        }
        bounds
    }

    /// Returns the count of a field in two parts of a sequence.
    fn and(self, other: Self) -> Self {
        let min = self.min.saturating_add(other.min);
        Self {
            min,
            min_if_chosen: None,
            min_if_any: min.max(self.min_if_any.min(other.min_if_any)),
            max: self.max.zip(other.max).map(|(a, b)| a.saturating_add(b)),
        }
    }

    /// Returns the count of a field in two branches of a choice.
    fn or(self, other: Self) -> Self {
        Self {
            min: 0,
            min_if_chosen: self.min_if_chosen.min(other.min_if_chosen),
            min_if_any: self.min_if_any.min(other.min_if_any),
            max: self.max.zip(other.max).map(|(a, b)| a.max(b)),
        }
    }
}

/// Returns the numbers of items of fields, by their indices.
pub(super) fn counts(particle: &Particle) -> BTreeMap<u16, Count> {
    let mut counts = BTreeMap::<u16, Count>::new();
    let mut add = |(index, count): (u16, Count), join: fn(Count, Count) -> Count| {
        let known = counts.get(&index).map(|known| join(*known, count));
        counts.insert(index, known.unwrap_or(count));
    };
    match particle {
        Particle::Field(index, Occurs { min, max }) => {
            let count = Count {
                min: *min,
                min_if_chosen: None,
                min_if_any: *min,
                max: *max,
            };
            add((*index, count), Count::and);
        }
        Particle::Sequence(particles, presence) | Particle::All(particles, presence) => {
            let all = particles.iter().flat_map(self::counts);
            all.for_each(|count| add(count, Count::and));
            if *presence == Presence::Optional {
                counts.values_mut().for_each(|count| count.min = 0);
            }
        }
        Particle::Choice(branches, _) => {
            for (index, count) in branches.iter().flat_map(self::counts) {
                let min_if_chosen = count.min_if_chosen.or(Some(count.min));
                let count = Count {
                    min: 0,
                    min_if_chosen,
                    ..count
                };
                add((index, count), Count::or);
            }
        }
    }
    counts
}
