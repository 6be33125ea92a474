//! The schema of an object: its properties, and the constraints by the order of its elements.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::budget::{Budget, units_of_keys};
use super::counts::counts;
use super::generators;
use crate::plan::{Elements, FieldKind, Particle, Presence};

/// Maximum number of a choice's branches that each list the properties of all others.
const LISTING_BRANCHES_MAX: usize = 16;

/// An object schema under construction.
pub(super) struct Object<'a> {
    budget: &'a Budget,
    pub(super) properties: Map<String, Value>,
    required: BTreeSet<String>,
    constraints: Vec<Value>,
    /// Properties that parameters set: they are not required here.
    pub(super) given: BTreeSet<String>,
}

impl<'a> Object<'a> {
    pub(super) fn new(budget: &'a Budget) -> Self {
        Self {
            budget,
            properties: Map::new(),
            required: BTreeSet::new(),
            constraints: Vec::new(),
            given: BTreeSet::new(),
        }
    }

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
                let required = required(particle, elements);
                let not_given = required.into_iter().filter(|key| !self.given.contains(key));
                self.required.extend(not_given);
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
                let group = self
                    .optional(particles, elements, outside)
                    .filter(|_| keys(particle, elements).is_disjoint(&self.given));
                self.constraints.extend(group);
            }
            Particle::Choice(branches, presence) => {
                let is_optional = *presence == Presence::Optional;
                let choice = self.choice(branches, is_optional, elements, outside);
                self.constraints.push(choice);
            }
        }
    }

    fn demand_all(
        &mut self,
        particles: &[Particle],
        elements: &Elements,
        outside: &BTreeSet<String>,
    ) {
        let all: Vec<_> = particles.iter().map(|of| keys(of, elements)).collect();
        if !self.budget.spend(all.iter().map(units_of_keys).sum()) {
            return;
        }
        let holders = holders(&all);
        for (particle, own) in particles.iter().zip(&all) {
            let is_shared = |key: &&String| holders[*key] > 1 || outside.contains(*key);
            let outside = own.iter().filter(is_shared).cloned().collect();
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

    /// Returns a constraint for a group that is optional as a whole: it is there with all that it
    /// demands, or none of the properties that only it has is there. `None` if it demands nothing.
    fn optional(
        &self,
        particles: &[Particle],
        elements: &Elements,
        outside: &BTreeSet<String>,
    ) -> Option<Value> {
        let keys: BTreeSet<_> = particles.iter().flat_map(|of| keys(of, elements)).collect();
        let own: BTreeSet<_> = keys.difference(outside).cloned().collect();
        if !self.budget.spend_on_keys(&own) {
            return None;
        }
        let mut whole = Self::new(self.budget);
        whole.demand_all(particles, elements, outside);
        let is_alone = own.len() == 1 && whole.required.is_subset(&own);
        if own.is_empty() || whole.constraints.is_empty() && (whole.required.is_empty() || is_alone)
        {
            return None;
        }
        let arrays = elements.fields.iter().filter(|field| field.is_array);
        let arrays: BTreeSet<&str> = arrays.map(|field| &*field.json).collect();
        let needed = whole.required.iter().filter(|key| own.contains(*key));
        let needed = needed.filter(|key| arrays.contains(&***key));
        whole.constraints.extend(needed.map(|key| some(key)));
        let any = own.iter().map(|key| match arrays.contains(&**key) {
            true => some(key),
            false => json!({ "required": [key] }),
        });
        let none = json!({ "not": { "anyOf": any.collect::<Vec<_>>() } });
        Some(json!({ "anyOf": [whole.demanded(), none] }))
    }

    /// Returns a constraint for exactly one branch, identified by the properties that only it has.
    fn choice(
        &self,
        branches: &[Particle],
        is_optional: bool,
        elements: &Elements,
        outside: &BTreeSet<String>,
    ) -> Value {
        let keys: Vec<BTreeSet<String>> = branches.iter().map(|of| keys(of, elements)).collect();
        let all: BTreeSet<_> = keys.iter().flatten().cloned().collect();
        let distinctive: BTreeSet<_> = all.difference(outside).cloned().collect();
        if !self.budget.spend(keys.iter().map(units_of_keys).sum()) {
            return Value::Null;
        }
        // Branches of one property each have a short form.
        let mut own = keys.iter().zip(branches);
        let is_plain =
            own.all(|(own, branch)| own.len() == 1 && *own == required(branch, elements));
        if is_plain && !is_optional && distinctive.len() == branches.len() {
            return json!({ "oneOf": each_required(&distinctive) });
        }
        let is_divided = keys.iter().map(BTreeSet::len).sum::<usize>() == distinctive.len();
        if branches.len() > LISTING_BRANCHES_MAX && is_divided {
            return self.choice_of_many(branches, is_optional, elements, &keys);
        }
        if !self
            .budget
            .spend(branches.len() * units_of_keys(&distinctive))
        {
            return Value::Null;
        }
        let holders = holders(&keys);
        let mut alternatives = Vec::new();
        for (branch, own) in branches.iter().zip(&keys) {
            let mut demanded = Self::new(self.budget);
            demanded.demand(branch, elements, outside);
            let others: BTreeSet<_> = distinctive.difference(own).cloned().collect();
            let mut alternative = demanded.demanded();
            if !others.is_empty() {
                alternative["not"] = any_required(&others);
            }
            let of_branch = |key: &String| distinctive.contains(key) && holders[key] > 1;
            let bounds = bounds_of_arrays(branch, elements, of_branch);
            if !bounds.is_empty() {
                alternative["properties"] = Value::Object(bounds);
            }
            alternatives.push(alternative);
        }
        if is_optional {
            alternatives.push(match distinctive.is_empty() {
                true => json!({}),
                false => json!({ "not": any_required(&distinctive) }),
            });
        }
        // Not `oneOf`: two branches may both be empty.
        json!({ "anyOf": alternatives })
    }

    /// Returns the constraint of [`Self::choice`] for branches without a common property, in a form
    /// that names each only a few times.
    fn choice_of_many(
        &self,
        branches: &[Particle],
        is_optional: bool,
        elements: &Elements,
        keys: &[BTreeSet<String>],
    ) -> Value {
        let has_keys = keys.iter().filter(|own| !own.is_empty());
        let mut one: Vec<_> = has_keys.map(any_required).collect();
        if is_optional || branches.iter().any(may_be_empty) {
            let all = keys.iter().flatten().cloned().collect();
            one.push(json!({ "not": any_required(&all) }));
        }
        let mut constraints = vec![json!({ "oneOf": one })];
        for (branch, own) in branches.iter().zip(keys) {
            let mut demanded = Self::new(self.budget);
            demanded.demand(branch, elements, &BTreeSet::new());
            if !demanded.required.is_empty() || !demanded.constraints.is_empty() {
                let absent = json!({ "not": any_required(own) });
                constraints.push(json!({ "anyOf": [demanded.demanded(), absent] }));
            }
        }
        all_of(constraints)
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

/// Returns one schema for each property, which requires it.
fn each_required(keys: &BTreeSet<String>) -> Vec<Value> {
    let keys = keys.iter();
    keys.map(|key| json!({ "required": [key] })).collect()
}

/// Returns the schema of an object with at least one of these properties.
fn any_required(keys: &BTreeSet<String>) -> Value {
    json!({ "anyOf": each_required(keys) })
}

/// Returns how many of the sets have each key.
fn holders(sets: &[BTreeSet<String>]) -> BTreeMap<&String, usize> {
    let mut holders = BTreeMap::new();
    for key in sets.iter().flatten() {
        *holders.entry(key).or_default() += 1;
    }
    holders
}

/// Returns the bounds of the numbers of items that arrays have within a part of the order.
fn bounds_of_arrays(
    part: &Particle,
    elements: &Elements,
    is_wanted: impl Fn(&String) -> bool,
) -> Map<String, Value> {
    let arrays = counts(part).into_iter().filter_map(|(index, count)| {
        let field = elements.fields.get(usize::from(index));
        let key = field.filter(|field| field.is_array)?.json.to_string();
        Some((key, Value::Object(count.bounds())))
    });
    arrays.filter(|(key, _)| is_wanted(key)).collect()
}

/// Whether a particle allows no element at all.
fn may_be_empty(particle: &Particle) -> bool {
    match particle {
        Particle::Field(_, occurs) => occurs.min == 0,
        Particle::Sequence(_, Presence::Optional)
        | Particle::All(_, Presence::Optional)
        | Particle::Choice(_, Presence::Optional) => true,
        Particle::Sequence(particles, _) | Particle::All(particles, _) => {
            particles.iter().all(may_be_empty)
        }
        Particle::Choice(branches, _) => branches.iter().any(may_be_empty),
    }
}

fn all_of(mut constraints: Vec<Value>) -> Value {
    match constraints.len() {
        1 => constraints.remove(0),
        _ => json!({ "allOf": constraints }),
    }
}

/// Returns the schema of an object with an array that has items.
fn some(key: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "minItems": 1 } } })
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
    (is_single && occurs.min > 0)
        .then(|| json!({ "oneOf": each_required(&keys(particle, elements)) }))
}
