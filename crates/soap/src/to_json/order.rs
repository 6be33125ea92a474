//! The order of a schema as a reader needs it that handles children as they arrive: which arrays
//! are empty if absent, what is required, and where an iteration of a repeated group ends.

use super::What;
use crate::plan::{Elements, Particle, Presence};

/// The order of some fields.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The arrays.
    pub(super) arrays: Vec<Array>,
    /// Bits of the fields that must appear.
    pub(super) required: Vec<u64>,
    pub(super) choices: Vec<Choice>,
    /// Bits, a row for each field: the fields that may follow it in the same iteration.
    follow: Vec<u64>,
    /// Maximum number of times that each field may appear in an iteration.
    max: Vec<Option<u32>>,
    words: usize,
}

/// The condition for writing an array without items.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) field: u16,
    /// `None` for always; else if one of these appears: the other fields of its branch of a choice.
    pub(super) beside: Option<Vec<u16>>,
}

/// A choice with branches that share no field with each other or with the particles around it.
#[derive(Debug)]
pub(super) struct Choice {
    /// Bits of the fields of each branch.
    branches: Vec<Vec<u64>>,
    /// Whether one of them must appear.
    is_required: bool,
}

impl Choice {
    /// Returns the violation by the fields that have appeared.
    pub(super) fn judge(&self, seen: &[u64]) -> Option<What> {
        let is_there = |branch: &&Vec<u64>| {
            let mut words = branch.iter().zip(seen);
            words.any(|(fields, seen)| fields & seen != 0)
        };
        match self.branches.iter().filter(is_there).count() {
            0 if self.is_required => Some(What::Missing),
            0 | 1 => None,
            _ => Some(What::Element),
        }
    }
}

impl Order {
    pub(super) fn load(elements: &Elements) -> Self {
        let count = elements.fields.len();
        let words = count.div_ceil(64);
        let mut order = Self {
            arrays: Vec::new(),
            required: vec![0; words],
            choices: Vec::new(),
            follow: vec![0; words * count],
            max: vec![Some(0); count],
            words,
        };
        order.walk(&elements.order, true);
        let mut places = Vec::new();
        collect(&elements.order, &mut places);
        order.find_choices(&elements.order, true, &places);
        let (mut inside, mut outside) = (vec![Vec::new(); count], vec![false; count]);
        branches(&elements.order, None, &mut inside, &mut outside);
        for (field, is_array) in elements
            .fields
            .iter()
            .map(|field| field.is_array)
            .enumerate()
        {
            if is_array {
                let beside = if outside[field] {
                    None
                } else {
                    Some(std::mem::take(&mut inside[field]))
                };
                order.arrays.push(Array {
                    field: field as u16,
                    beside,
                });
            }
        }
        order
    }

    pub(super) const fn words(&self) -> usize {
        self.words
    }

    /// Whether a field may follow another in the same iteration.
    pub(super) fn may_follow(&self, last: u16, next: u16) -> bool {
        has(&self.follow[usize::from(last) * self.words..], next)
    }

    /// Whether a field may have another item.
    pub(super) fn may_repeat(&self, field: u16, count: u32) -> bool {
        self.max[usize::from(field)].is_none_or(|max| count < max)
    }

    /// Walks the particles; returns the fields under this one, and records which may follow which.
    fn walk(&mut self, whole: &Particle, is_required: bool) -> Vec<u16> {
        let (particles, presence) = match whole {
            &Particle::Field(field, occurs) => {
                if is_required && occurs.min > 0 {
                    set(&mut self.required, field);
                }
                let max = &mut self.max[usize::from(field)];
                *max = max
                    .zip(occurs.max)
                    .map(|(max, more)| max.saturating_add(more));
                return vec![field];
            }
            Particle::Sequence(particles, presence)
            | Particle::Choice(particles, presence)
            | Particle::All(particles, presence) => (particles, *presence),
        };
        let is_choice = matches!(whole, Particle::Choice(..)) && particles.len() > 1;
        let is_all = matches!(whole, Particle::All(..));
        let is_required = is_required && presence == Presence::Required && !is_choice;
        let mut fields: Vec<u16> = Vec::new();
        for particle in particles {
            let later = self.walk(particle, is_required);
            for &field in fields.iter().filter(|_| !is_choice) {
                for &next in &later {
                    self.let_follow(field, next);
                    if is_all {
                        self.let_follow(next, field);
                    }
                }
            }
            fields.extend(later);
        }
        fields
    }

    /// Records the choices; `places` has an entry for each appearance of a field.
    fn find_choices(&mut self, whole: &Particle, is_required: bool, places: &[u16]) {
        let (particles, presence) = match whole {
            Particle::Field(..) => return,
            Particle::Sequence(particles, presence)
            | Particle::Choice(particles, presence)
            | Particle::All(particles, presence) => (particles, *presence),
        };
        let is_choice = matches!(whole, Particle::Choice(..)) && particles.len() > 1;
        let is_required = is_required && presence == Presence::Required;
        for particle in particles {
            self.find_choices(particle, is_required && !is_choice, places);
        }
        if !is_choice {
            return;
        }
        let branches = particles.iter().map(|branch| {
            let mut fields = Vec::new();
            collect(branch, &mut fields);
            fields
        });
        let branches: Vec<Vec<u16>> = branches.collect();
        let count = |field: u16, fields: &[u16]| fields.iter().filter(|&&of| of == field).count();
        let is_alone = |branch: &Vec<u16>| {
            let mut fields = branch.iter();
            fields.all(|&field| count(field, branch) == count(field, places))
        };
        if branches.iter().all(is_alone) {
            let is_required = is_required && !particles.iter().any(may_be_empty);
            let bits = |fields: &Vec<u16>| {
                let mut bits = vec![0; self.words];
                fields.iter().for_each(|&field| set(&mut bits, field));
                bits
            };
            self.choices.push(Choice {
                branches: branches.iter().map(bits).collect(),
                is_required,
            });
        }
    }

    fn let_follow(&mut self, field: u16, next: u16) {
        set(&mut self.follow[usize::from(field) * self.words..], next);
    }
}

/// Records for each field whether it appears outside of all choices, and otherwise the fields that
/// share its branch of the innermost one.
fn branches(
    particle: &Particle,
    branch: Option<&[u16]>,
    inside: &mut [Vec<u16>],
    outside: &mut [bool],
) {
    match particle {
        &Particle::Field(field, _) => match branch {
            None => outside[usize::from(field)] = true,
            Some(branch) => {
                let others = branch.iter().filter(|&&other| other != field);
                inside[usize::from(field)].extend(others);
            }
        },
        Particle::Sequence(particles, _) | Particle::All(particles, _) => {
            for particle in particles {
                branches(particle, branch, inside, outside);
            }
        }
        Particle::Choice(particles, _) => {
            for particle in particles {
                let mut fields = Vec::new();
                collect(particle, &mut fields);
                branches(particle, Some(&fields), inside, outside);
            }
        }
    }
}

fn collect(particle: &Particle, fields: &mut Vec<u16>) {
    match particle {
        &Particle::Field(field, _) => fields.push(field),
        Particle::Sequence(particles, _)
        | Particle::Choice(particles, _)
        | Particle::All(particles, _) => {
            for particle in particles {
                collect(particle, fields);
            }
        }
    }
}

/// Whether a particle matches without any element.
fn may_be_empty(particle: &Particle) -> bool {
    match particle {
        Particle::Field(_, occurs) => occurs.min == 0,
        Particle::Sequence(particles, presence) | Particle::All(particles, presence) => {
            *presence == Presence::Optional || particles.iter().all(may_be_empty)
        }
        Particle::Choice(particles, presence) => {
            *presence == Presence::Optional || particles.iter().any(may_be_empty)
        }
    }
}

/// Sets a bit.
pub(super) fn set(bits: &mut [u64], index: u16) {
    bits[usize::from(index) / 64] |= 1 << (index % 64);
}

/// Whether a bit is set.
pub(super) fn has(bits: &[u64], index: u16) -> bool {
    bits[usize::from(index) / 64] & (1 << (index % 64)) != 0
}
