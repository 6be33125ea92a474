//! The schema of an object: its properties, and the constraints by the order of its elements.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::generators;
use crate::plan::{Elements, FieldKind, Occurs, Particle, Presence};

/// An object schema under construction.
#[derive(Default)]
pub(super) struct Object {
    pub(super) properties: Map<String, Value>,
    required: BTreeSet<String>,
    constraints: Vec<Value>,
    /// Properties that parameters set: they are not required here.
    pub(super) given: BTreeSet<String>,
}

impl Object {
    pub(super) fn add(&mut self, key: &str, schema: Value, required: bool) {
        self.properties.insert(key.into(), schema);
        if required {
            self.required.insert(key.into());
        }
    }

    /// Adds the constraints of an order.
    pub(super) fn constrain(&mut self, particle: &Particle, elements: &Elements) {
        self.demand(particle, elements, &BTreeSet::new());
    }

    /// Adds the constraints of a part of an order. A key that also appears `outside` of the part
    /// may be present because of that.
    fn demand(&mut self, particle: &Particle, elements: &Elements, outside: &BTreeSet<String>) {
        match particle {
            Particle::Field(..) => {
                let needed = required(particle, elements);
                let needed = needed.into_iter().filter(|key| !self.given.contains(key));
                self.required.extend(needed);
                if keys(particle, elements).is_disjoint(outside) {
                    self.constraints.extend(one_of_group(particle, elements));
                }
            }
            Particle::Sequence(particles, Presence::Required)
            | Particle::All(particles, Presence::Required) => {
                self.demand_all(particles, elements, outside);
            }
            Particle::Sequence(particles, Presence::Optional)
            | Particle::All(particles, Presence::Optional) => {
                let group = optional(particles, elements, outside);
                let group = group.filter(|_| keys(particle, elements).is_disjoint(&self.given));
                self.constraints.extend(group);
            }
            Particle::Choice(branches, presence) => {
                let is_optional = *presence == Presence::Optional;
                self.constraints
                    .push(choice((branches, is_optional), elements, outside));
            }
        }
    }

    fn demand_all(
        &mut self,
        particles: &[Particle],
        elements: &Elements,
        outside: &BTreeSet<String>,
    ) {
        for (at, particle) in particles.iter().enumerate() {
            let others = particles.iter().enumerate().filter(|(of, _)| *of != at);
            let others = others.flat_map(|(_, other)| keys(other, elements));
            let outside = others.chain(outside.iter().cloned()).collect();
            self.demand(particle, elements, &outside);
        }
    }

    /// Returns what is demanded, for a constraint of another object.
    fn demanded(self) -> Value {
        let mut schema = json!({});
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if !self.constraints.is_empty() {
            schema["allOf"] = json!(self.constraints);
        }
        schema
    }

    pub(super) fn finish(mut self) -> Value {
        generators::spare(&mut self.properties);
        let mut schema = json!({
            "type": "object",
            "properties": self.properties,
            "additionalProperties": false,
        });
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        // Client generators take `anyOf` beside properties for alternative types of the object, and
        // ignore the properties. They ignore `not`; two of them mean the same to everybody else.
        if !self.constraints.is_empty() {
            schema["not"] = json!({ "not": all_of(self.constraints) });
        }
        schema
    }
}

fn all_of(mut constraints: Vec<Value>) -> Value {
    match constraints.len() {
        1 => constraints.remove(0),
        _ => json!({ "allOf": constraints }),
    }
}

/// Returns a constraint for a group that is optional as a whole: it is there with all that it
/// demands, or none of the properties that only it has is there. `None` if it demands nothing.
fn optional(
    particles: &[Particle],
    elements: &Elements,
    outside: &BTreeSet<String>,
) -> Option<Value> {
    let keys: BTreeSet<_> = particles.iter().flat_map(|of| keys(of, elements)).collect();
    let own: BTreeSet<_> = keys.difference(outside).cloned().collect();
    let mut whole = Object::default();
    whole.demand_all(particles, elements, outside);
    let is_alone = own.len() == 1 && whole.required.is_subset(&own);
    if own.is_empty() || whole.constraints.is_empty() && (whole.required.is_empty() || is_alone) {
        return None;
    }
    let arrays = whole.required.iter().filter(|key| own.contains(*key));
    let arrays: Vec<_> = arrays.filter(|key| is_array(key, elements)).collect();
    whole.constraints.extend(arrays.iter().map(|key| some(key)));
    let any = own.iter().map(|key| match is_array(key, elements) {
        true => some(key),
        false => json!({ "required": [key] }),
    });
    let none = json!({ "not": { "anyOf": any.collect::<Vec<_>>() } });
    Some(json!({ "anyOf": [whole.demanded(), none] }))
}

/// Returns the schema of an object with an array that has items.
fn some(key: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "minItems": 1 } } })
}

fn is_array(key: &str, elements: &Elements) -> bool {
    let mut fields = elements.fields.iter();
    fields.any(|field| field.is_array && *field.json == *key)
}

/// Returns a constraint for exactly one branch, identified by the properties that only it has.
fn choice(
    (branches, is_optional): (&[Particle], bool),
    elements: &Elements,
    outside: &BTreeSet<String>,
) -> Value {
    let keys: Vec<BTreeSet<String>> = branches.iter().map(|of| keys(of, elements)).collect();
    let all: BTreeSet<_> = keys.iter().flatten().cloned().collect();
    let distinctive: BTreeSet<_> = all.difference(outside).cloned().collect();
    // Branches of one property each have a short form.
    let mut own = keys.iter().zip(branches);
    let is_plain = own.all(|(own, branch)| own.len() == 1 && *own == required(branch, elements));
    if is_plain && !is_optional && distinctive.len() == branches.len() {
        let each = distinctive.iter().map(|key| json!({ "required": [key] }));
        return json!({ "oneOf": each.collect::<Vec<_>>() });
    }
    let mut alternatives = Vec::new();
    for (branch, own) in branches.iter().zip(&keys) {
        let mut demanded = Object::default();
        demanded.demand(branch, elements, outside);
        let others: Vec<_> = distinctive
            .difference(own)
            .map(|key| json!({ "required": [key] }))
            .collect();
        let mut alternative = demanded.demanded();
        if !others.is_empty() {
            alternative["not"] = json!({ "anyOf": others });
        }
        alternatives.push(alternative);
    }
    if is_optional {
        let any = distinctive.iter().map(|key| json!({ "required": [key] }));
        let any: Vec<_> = any.collect();
        alternatives.push(match any.is_empty() {
            true => json!({}),
            false => json!({ "not": { "anyOf": any } }),
        });
    }
    // Not `oneOf`: two branches may both be empty.
    json!({ "anyOf": alternatives })
}

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

/// Returns the keys that a required particle always needs.
fn required(particle: &Particle, elements: &Elements) -> BTreeSet<String> {
    match particle {
        Particle::Field(index, occurs) if occurs.min > 0 => {
            let field = elements.fields.get(usize::from(*index));
            let single = field.filter(|field| {
                field.is_array || !matches!(field.kind, FieldKind::Substitution { .. })
            });
            single
                .into_iter()
                .map(|field| field.json.to_string())
                .collect()
        }
        Particle::Sequence(particles, Presence::Required)
        | Particle::All(particles, Presence::Required) => particles
            .iter()
            .flat_map(|particle| required(particle, elements))
            .collect(),
        _ => BTreeSet::new(),
    }
}

fn keys(particle: &Particle, elements: &Elements) -> BTreeSet<String> {
    match particle {
        Particle::Field(index, _) => match elements.fields.get(usize::from(*index)) {
            None => BTreeSet::new(),
            Some(field) => match &field.kind {
                FieldKind::Substitution { members, .. } if !field.is_array => {
                    let members = members.iter().map(|(key, _)| key.to_string());
                    members.chain([field.json.to_string()]).collect()
                }
                _ => BTreeSet::from([field.json.to_string()]),
            },
        },
        Particle::Sequence(particles, _)
        | Particle::All(particles, _)
        | Particle::Choice(particles, _) => particles
            .iter()
            .flat_map(|particle| keys(particle, elements))
            .collect(),
    }
}

/// Returns a constraint for a single required member of a substitution group.
fn one_of_group(particle: &Particle, elements: &Elements) -> Option<Value> {
    let Particle::Field(index, occurs) = particle else {
        return None;
    };
    let field = elements.fields.get(usize::from(*index))?;
    let is_single = matches!(field.kind, FieldKind::Substitution { .. }) && !field.is_array;
    (is_single && occurs.min > 0).then(|| {
        let keys = keys(particle, elements);
        let any: Vec<_> = keys
            .iter()
            .map(|key| json!({ "required": [key] }))
            .collect();
        json!({ "oneOf": any })
    })
}
