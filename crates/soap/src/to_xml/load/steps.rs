//! The order of a schema, where each appearance of a field includes the needs of later ones.

use std::collections::{BTreeMap, BTreeSet};

use super::super::LoadError;
use super::super::index::{Place, Step};
use crate::plan::{Particle, Presence};

/// Converts a particle, from its end to its start, so that the needs of later appearances of a
/// field are known.
pub(super) fn step(
    particle: &Particle,
    later: &mut BTreeMap<usize, u32>,
    count: usize,
) -> Result<Step, LoadError> {
    match particle {
        Particle::Field(field, occurs) => {
            let field = usize::from(*field);
            if field >= count {
                return Err(LoadError::Dangling);
            }
            let place = Place {
                field,
                min: occurs.min,
                max: occurs.max.unwrap_or(u32::MAX),
                later_min: later.get(&field).copied().unwrap_or(0),
                has_later: later.contains_key(&field),
            };
            *later.entry(field).or_default() += occurs.min;
            Ok(Step::Field(place))
        }
        Particle::Sequence(particles, presence) | Particle::All(particles, presence) => {
            let before = later.clone();
            let mut steps = Vec::new();
            for particle in particles.iter().rev() {
                steps.push(step(particle, later, count)?);
            }
            steps.reverse();
            if *presence == Presence::Optional {
                // Optional particles need nothing.
                for (field, min) in later.iter_mut() {
                    *min = before.get(field).copied().unwrap_or(0);
                }
            }
            Ok(Step::Sequence {
                fields: fields_of(&steps),
                steps,
                is_optional: *presence == Presence::Optional,
            })
        }
        Particle::Choice(particles, presence) => {
            let before = later.clone();
            let mut branches = Vec::new();
            for particle in particles {
                let mut of_branch = before.clone();
                branches.push(step(particle, &mut of_branch, count)?);
                for field in of_branch.into_keys() {
                    later.entry(field).or_insert(0);
                }
            }
            Ok(Step::Choice {
                fields: fields_of(&branches),
                branches,
                is_optional: *presence == Presence::Optional,
            })
        }
    }
}

fn fields_of(steps: &[Step]) -> Vec<usize> {
    let mut fields = BTreeSet::new();
    for step in steps {
        match step {
            Step::Field(place) => {
                fields.insert(place.field);
            }
            Step::Sequence { fields: below, .. } | Step::Choice { fields: below, .. } => {
                fields.extend(below);
            }
        }
    }
    fields.into_iter().collect()
}

pub(super) fn count_places(step: &Step, count: &mut [usize]) {
    match step {
        Step::Field(place) => count[place.field] += 1,
        Step::Sequence { steps, .. }
        | Step::Choice {
            branches: steps, ..
        } => {
            steps.iter().for_each(|step| count_places(step, count));
        }
    }
}
