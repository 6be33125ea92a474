//! Random instances of types, in the JSON of the convention.

use serde_json::{Map, Value, json};
use tollgate_json::tape::{Bounds, Tape};
use tollgate_soap::plan::{
    Complex, Content, Element, Elements, Field, FieldKind, Kind, Particle, Presence, Process,
    ServicePlan, Simple, Type, Wildcard,
};
use tollgate_soap::value::{Rule, Work};

use super::fuzzing::Random;

/// Removes empty arrays, which mean the same as absent ones.
pub(crate) fn without_empty_arrays(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, without_empty_arrays(value)))
            .filter(|(_, value)| *value != json!([]))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_empty_arrays).collect(),
        other => other,
    }
}

impl Random {
    fn is_heads(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// An example of mixed content.
pub(crate) const MIXED: &str = "a <b>c</b> &amp; d";

/// The depth from which an instance contains only required values.
const DEPTH_MAX: u32 = 6;

pub(crate) struct Instances<'a> {
    plan: &'a ServicePlan,
    random: &'a mut Random,
    depth: u32,
}

impl<'a> Instances<'a> {
    pub(crate) fn new(plan: &'a ServicePlan, random: &'a mut Random) -> Self {
        Self {
            plan,
            random,
            depth: 0,
        }
    }

    /// Returns the JSON of an element; `None` if no value could be made.
    pub(crate) fn element(&mut self, element: &Element) -> Option<Value> {
        if element.is_abstract || self.depth > 4 * DEPTH_MAX {
            return None;
        }
        if element.nillable && self.depth > 0 && self.random.below(4) == 0 {
            return self.nil(element);
        }
        let fixed = element.fixed.as_deref();
        match &self.plan.types[element.ty.0 as usize] {
            Type::Simple(simple) => self.simple(simple, fixed),
            Type::Complex(complex) => {
                self.depth += 1;
                let value = self.complex(complex, fixed);
                self.depth -= 1;
                value
            }
        }
    }

    /// Returns a nil element: an object if its type requires attributes.
    fn nil(&mut self, element: &Element) -> Option<Value> {
        let Type::Complex(declared) = &self.plan.types[element.ty.0 as usize] else {
            return Some(Value::Null);
        };
        let needed = declared.attributes.iter().filter(|it| it.required);
        let mut members = Map::new();
        for attribute in needed {
            let value = self.simple(&attribute.value, attribute.fixed.as_deref())?;
            members.insert((*attribute.json).into(), value);
        }
        if members.is_empty() {
            return Some(Value::Null);
        }
        if declared.is_abstract || !declared.derived.is_empty() {
            return None;
        }
        members.insert("@nil".into(), true.into());
        Some(Value::Object(members))
    }

    fn complex(&mut self, declared: &'a Complex, fixed: Option<&str>) -> Option<Value> {
        let complex = self.actual(declared)?;
        let mut members = Map::new();
        if !declared.derived.is_empty() {
            members.insert("@type".into(), (*complex.json).into());
        }
        for attribute in &complex.attributes {
            if attribute.required || self.random.is_heads() {
                match self.simple(&attribute.value, attribute.fixed.as_deref()) {
                    Some(value) => drop(members.insert((*attribute.json).into(), value)),
                    None if attribute.required => return None,
                    None => {}
                }
            }
        }
        let text = match &complex.content {
            Content::Empty => None,
            Content::Text(simple) => Some(self.simple(simple, fixed)?),
            Content::Mixed | Content::Open => Some(MIXED.into()),
            Content::Elements(elements) => {
                self.particle(&elements.order, elements, &mut members)?;
                None
            }
        };
        match text {
            Some(text) if declared.is_bare() => return Some(text),
            Some(text) => drop(members.insert("value".into(), text)),
            None => {}
        }
        if declared.is_list {
            let items = members.into_iter().next();
            return Some(items.map_or_else(|| Value::Array(Vec::new()), |(_, items)| items));
        }
        Some(Value::Object(members))
    }

    fn actual(&mut self, declared: &'a Complex) -> Option<&'a Complex> {
        let derived = declared
            .derived
            .iter()
            .map(|id| &self.plan.types[id.0 as usize]);
        let derived = derived.filter_map(|ty| match ty {
            Type::Complex(complex) => Some(complex),
            Type::Simple(_) => None,
        });
        let all = std::iter::once(declared).chain(derived);
        let all: Vec<_> = all.filter(|complex| !complex.is_abstract).collect();
        let at = self.random.below(all.len());
        all.get(at).copied()
    }

    fn particle(
        &mut self,
        particle: &'a Particle,
        elements: &'a Elements,
        members: &mut Map<String, Value>,
    ) -> Option<()> {
        let is_left_out = |random: &mut Random, presence, depth| {
            presence == Presence::Optional && (depth > DEPTH_MAX || random.is_heads())
        };
        match particle {
            Particle::Field(index, occurs) => {
                let more = if self.depth > DEPTH_MAX {
                    0
                } else {
                    self.random.below(3) as u32
                };
                let count = (occurs.min + more).min(occurs.max.unwrap_or(u32::MAX));
                for number in 0..count {
                    let before = members.clone();
                    let field = &elements.fields[usize::from(*index)];
                    if self.field(field, members).is_none() {
                        *members = before;
                        if number < occurs.min {
                            return None;
                        }
                    }
                }
            }
            Particle::Sequence(particles, presence) | Particle::All(particles, presence) => {
                if is_left_out(self.random, *presence, self.depth) {
                    return Some(());
                }
                for particle in particles {
                    self.particle(particle, elements, members)?;
                }
            }
            Particle::Choice(particles, presence) => {
                if is_left_out(self.random, *presence, self.depth) {
                    return Some(());
                }
                let at = self.random.below(particles.len());
                self.particle(particles.get(at)?, elements, members)?;
            }
        }
        Some(())
    }

    fn field(&mut self, field: &'a Field, members: &mut Map<String, Value>) -> Option<()> {
        let mut key = &field.json;
        let value = match &field.kind {
            FieldKind::Element(element) => self.element(element)?,
            FieldKind::Group(elements) => {
                let mut group = Map::new();
                self.depth += 1;
                let made = self.particle(&elements.order, elements, &mut group);
                self.depth -= 1;
                made?;
                if group.is_empty() {
                    return None;
                }
                Value::Object(group)
            }
            FieldKind::Any(wildcard) => open(wildcard)?,
            FieldKind::Substitution { head, members } => {
                let own = std::iter::once((&field.json, head));
                let all = own.chain(members.iter().map(|(key, member)| (key, member)));
                let all: Vec<_> = all.filter(|(_, element)| !element.is_abstract).collect();
                let at = self.random.below(all.len());
                let (name, element) = *all.get(at)?;
                key = name;
                let value = self.element(element)?;
                if field.is_array {
                    item(name, value)
                } else {
                    value
                }
            }
        };
        if !field.is_array {
            members.insert((**key).into(), value);
            return Some(());
        }
        let array = members.entry(&*field.json).or_insert_with(|| json!([]));
        array.as_array_mut()?.push(value);
        Some(())
    }

    fn simple(&mut self, simple: &Simple, fixed: Option<&str>) -> Option<Value> {
        let rule = Rule::load(simple).ok()?.fixed_to(fixed);
        let mut candidates = self.candidates(simple);
        candidates.extend(fixed.map(Value::from));
        while !candidates.is_empty() {
            let candidate = candidates.swap_remove(self.random.below(candidates.len()));
            let json = candidate.to_string();
            let mut tape = Tape::default();
            let json = tape.read(json.as_bytes(), Bounds::default()).ok()?;
            let view = tape.view(json);
            if rule
                .lexical(view, view.root()?, &mut Work::default())
                .is_ok()
            {
                return Some(candidate);
            }
        }
        None
    }

    fn candidates(&mut self, simple: &Simple) -> Vec<Value> {
        let values = simple.facets.iter().flat_map(|facets| &facets.enumeration);
        let values: Vec<_> = values.map(|value| Value::from(&**value)).collect();
        let is_text = !matches!(
            simple.kind,
            Kind::Boolean
                | Kind::Integer { .. }
                | Kind::Decimal
                | Kind::Float
                | Kind::Double
                | Kind::List(_)
                | Kind::Union(_)
        );
        if is_text && !values.is_empty() {
            return values;
        }
        let texts = |texts: &[&str]| texts.iter().map(|&text| Value::from(text)).collect();
        match &simple.kind {
            Kind::String => texts(&[
                "x",
                "a b",
                "R&D <é> ]]>",
                "\"q\"",
                "AB-1234",
                "12345",
                "ABCDE",
                "EUR",
                "en",
                "http://example.org/a",
                "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
                "😀",
                "a@b.example",
                "AB",
                "A",
                "1",
                "000",
                "P1D",
                "2026-01-31",
                "abcdefghij",
                "(555) 555-1234",
            ]),
            Kind::Boolean => vec![json!(true), json!(false)],
            Kind::Integer { .. } => [0, 1, 5, -3, 100, 127, 2_147_483_647]
                .map(Value::from)
                .into(),
            Kind::Decimal => vec![json!(0), json!(12.34), json!(-0.5), json!(100), json!(1.5)],
            Kind::Float | Kind::Double => {
                vec![
                    json!(0.5),
                    json!(-1),
                    json!(1e30),
                    json!("INF"),
                    json!("NaN"),
                ]
            }
            Kind::DateTime => texts(&["2026-01-31T12:00:00Z", "12026-01-31T24:00:00"]),
            Kind::Date => texts(&["2026-01-31", "2026-01-31+14:00"]),
            Kind::Time => texts(&["12:00:00.5", "24:00:00Z"]),
            Kind::YearMonth => texts(&["2026-01"]),
            Kind::Year => texts(&["2026", "-0001"]),
            Kind::MonthDay => texts(&["--02-29"]),
            Kind::Day => texts(&["---31"]),
            Kind::Month => texts(&["--12"]),
            Kind::Duration => texts(&["P1Y2M3DT4H5M6.7S", "-PT0S"]),
            Kind::Base64 => texts(&["Zm9v", "", "Zg=="]),
            Kind::Hex => texts(&["0FB7", ""]),
            Kind::QName => texts(&["{urn:x}a", "b"]),
            Kind::List(item) => self.lists(item),
            Kind::Union(members) => {
                let members = members.iter().flat_map(|member| self.candidates(member));
                members.collect()
            }
        }
    }

    fn lists(&mut self, item: &Simple) -> Vec<Value> {
        let one = self.simple(item, None);
        let two = self.simple(item, None);
        let is_word = |value: &Value| {
            value
                .as_str()
                .is_none_or(|text| !text.is_empty() && !text.contains(' '))
        };
        let words: Vec<_> = [one, two].into_iter().flatten().filter(is_word).collect();
        vec![Value::Array(words)]
    }
}

/// Returns an item of a repeated substitution group.
fn item(name: &str, value: Value) -> Value {
    let mut members = Map::new();
    members.insert("@element".into(), name.into());
    match value {
        Value::Object(others) => members.extend(others),
        Value::Null => drop(members.insert("@nil".into(), true.into())),
        text => drop(members.insert("value".into(), text)),
    }
    Value::Object(members)
}

/// Returns an unknown element.
fn open(wildcard: &Wildcard) -> Option<Value> {
    let is_open = wildcard.namespaces.is_none() || wildcard.is_except;
    let is_allowed = is_open && wildcard.process != Process::Strict;
    is_allowed.then(|| json!("<z:z xmlns:z=\"urn:unknown\">a &amp; b<z:y/></z:z>"))
}
