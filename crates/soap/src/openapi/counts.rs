//! The numbers of items that arrays may have.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::plan::{Occurs, Particle, Presence};

/// The number of items of a field's array.
#[derive(Clone, Copy)]
pub(super) struct Count {
    /// Minimum over all objects.
    min: u32,
    /// Minimum over those with the array, for a field that appears only inside of a choice:
    /// without its branch there is no array, elsewhere an array without items.
    min_if_chosen: Option<u32>,
    /// Maximum; `None` for any number.
    max: Option<u32>,
}

impl Count {
    /// Sets the bounds of an array's schema.
    pub(super) fn bound(self, array: &mut Value) {
        let min = self.min_if_chosen.unwrap_or(self.min);
        if min > 0 {
            array["minItems"] = json!(min);
        }
        if let Some(max) = self.max {
            array["maxItems"] = json!(max);
        }
    }

    /// Returns the count of a field in two parts of a sequence.
    fn and(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            min_if_chosen: None,
            max: self.max.zip(other.max).map(|(a, b)| a.saturating_add(b)),
        }
    }

    /// Returns the count of a field in two branches of a choice.
    fn or(self, other: Self) -> Self {
        Self {
            min: 0,
            min_if_chosen: self.min_if_chosen.min(other.min_if_chosen),
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
            let (min, max) = (*min, *max);
            let min_if_chosen = None;
            add(
                (
                    *index,
                    Count {
                        min,
                        min_if_chosen,
                        max,
                    },
                ),
                Count::and,
            );
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
