//! The schema of an object: its properties, and the constraints by the order of its elements.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

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
                for (at, particle) in particles.iter().enumerate() {
                    let others = particles.iter().enumerate().filter(|(of, _)| *of != at);
                    let others = others.flat_map(|(_, other)| keys(other, elements));
                    let outside = others.chain(outside.iter().cloned()).collect();
                    self.demand(particle, elements, &outside);
                }
            }
            // A group that is optional as a whole has no constraints that a schema could express
            // briefly.
            Particle::Sequence(_, Presence::Optional) | Particle::All(_, Presence::Optional) => {}
            Particle::Choice(branches, presence) => {
                let is_optional = *presence == Presence::Optional;
                self.constraints
                    .push(choice((branches, is_optional), elements, outside));
            }
        }
    }

    pub(super) fn finish(self) -> Value {
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
        let mut alternative = json!({});
        if !demanded.required.is_empty() {
            alternative["required"] = json!(demanded.required);
        }
        if !others.is_empty() {
            alternative["not"] = json!({ "anyOf": others });
        }
        if !demanded.constraints.is_empty() {
            alternative["allOf"] = json!(demanded.constraints);
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

/// Returns minimum and maximum numbers of items of fields, by their indices.
pub(super) fn counts(particle: &Particle) -> BTreeMap<u16, Occurs> {
    let mut counts = BTreeMap::<u16, Occurs>::new();
    match particle {
        Particle::Field(index, occurs) => drop(counts.insert(*index, *occurs)),
        Particle::Sequence(particles, presence) | Particle::All(particles, presence) => {
            for (index, occurs) in particles.iter().flat_map(self::counts) {
                let all = counts.entry(index).or_insert(NONE);
                all.min = all.min.saturating_add(occurs.min);
                all.max = all
                    .max
                    .zip(occurs.max)
                    .map(|(one, other)| one.saturating_add(other));
            }
            if *presence == Presence::Optional {
                counts.values_mut().for_each(|occurs| occurs.min = 0);
            }
        }
        Particle::Choice(branches, _) => {
            for (index, occurs) in branches.iter().flat_map(self::counts) {
                let all = counts.entry(index).or_insert(NONE);
                all.max = all.max.zip(occurs.max).map(|(one, other)| one.max(other));
            }
        }
    }
    counts
}

const NONE: Occurs = Occurs {
    min: 0,
    max: Some(0),
};

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
