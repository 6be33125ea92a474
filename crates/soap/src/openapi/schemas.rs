//! JSON Schemas of types: a component for each complex type, which makes recursion a reference.

mod items;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::budget::{Budget, units_of_attributes, units_of_element, units_of_text};
use super::counts::counts;
use super::names::names;
use super::object::Object;
use super::types;
use crate::compile::Documentation;
use crate::convention::{ELEMENT, NIL, TYPE, VALUE, global_keys, takes_any_type};
use crate::plan::{
    Complex, Content, Element, Elements, FieldKind, Process, ServicePlan, Type, TypeId,
};

/// The names of types that an element of `anyType` may have: `{namespace}local`.
const ANY_TYPE: &str = "^\\{[^{}]*\\}[^\\s{}:]+$";

/// The schemas of a plan, created on reference.
pub(super) struct Schemas<'a> {
    plan: &'a ServicePlan,
    documentation: &'a Documentation,
    budget: &'a Budget,
    names: Vec<String>,
    /// Types that are items of a repeated substitution group somewhere.
    items: BTreeSet<u32>,
    /// Types of elements that may be nil.
    nillable: BTreeSet<u32>,
    referenced: BTreeSet<u32>,
    /// Those of them that are not made yet.
    open: Vec<u32>,
    made: BTreeMap<String, Value>,
    wants_known: bool,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(
        plan: &'a ServicePlan,
        documentation: &'a Documentation,
        budget: &'a Budget,
    ) -> Self {
        Self {
            plan,
            documentation,
            budget,
            names: names(plan),
            items: items::types_of_items(plan),
            nillable: BTreeSet::new(),
            referenced: BTreeSet::new(),
            open: Vec::new(),
            made: BTreeMap::new(),
            wants_known: false,
        }
    }

    /// Returns all components that were referred to, including those that they refer to.
    pub(super) fn finish(mut self) -> Map<String, Value> {
        loop {
            if let Some(id) = self.open.pop() {
                let Type::Complex(complex) = &self.plan.types[id as usize] else {
                    break;
                };
                let mut schema = self.object(complex, &[]);
                if complex.is_list {
                    schema = list(complex, schema);
                }
                if self.items.contains(&id) {
                    schema["properties"][ELEMENT] = json!({ "type": "string" });
                }
                if let Some(text) = self.documentation.types.get(&TypeId(id)) {
                    schema["description"] = json!(text);
                }
                if complex.has_no_instance() {
                    schema["readOnly"] = json!(true);
                }
                let fields = self.documentation.fields.get(&TypeId(id));
                let fields = fields.filter(|_| !complex.is_list);
                for (key, text) in fields.into_iter().flatten() {
                    if let Some(property) = schema["properties"].get_mut(&**key) {
                        property["description"] = json!(text);
                    }
                }
                self.made.insert(self.names[id as usize].clone(), schema);
            } else if self.wants_known && !self.made.contains_key("KnownElement") {
                let known = self.known_element();
                self.made.insert("KnownElement".into(), known);
            } else {
                break;
            }
        }
        // A member of each alternative, by which programs distinguish nil from the others.
        for name in self.nillable.iter().map(|&id| &self.names[id as usize]) {
            let properties = self.made.get_mut(name).map(|of| &mut of["properties"]);
            if let Some(Value::Object(properties)) = properties {
                properties.insert(NIL.into(), json!({ "type": "boolean", "enum": [false] }));
            }
        }
        self.made.into_iter().collect()
    }

    fn known_element(&mut self) -> Value {
        let mut properties = Map::new();
        for (key, global) in global_keys(self.plan).iter().zip(&self.plan.globals) {
            properties.insert((**key).into(), self.of_element(global));
        }
        json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        })
    }

    /// Returns the schema of an element's JSON.
    pub(super) fn of_element(&mut self, element: &Element) -> Value {
        let ty = self.plan.types.get(element.ty.0 as usize);
        if !self.budget.spend(units_of_element(ty)) {
            return Value::Null;
        }
        let mut schema = match ty {
            Some(Type::Simple(simple)) => types::simple(simple),
            Some(Type::Complex(complex)) if complex.is_bare() => text(complex),
            Some(Type::Complex(complex)) => self.reference(element.ty, complex),
            None => json!({}),
        };
        if let (Some(fixed), Some(Type::Simple(simple))) = (&element.fixed, ty) {
            types::fix(simple, fixed, &mut schema);
        }
        if !element.nillable {
            return schema;
        }
        let mut any = vec![schema];
        match ty {
            Some(Type::Complex(complex)) if !complex.is_bare() && !complex.is_list => {
                if !self.budget.spend(units_of_attributes(&complex.attributes)) {
                    return Value::Null;
                }
                let all = self.concrete(element.ty, complex);
                self.nillable.extend(all.iter().map(|id| id.0));
                // Only an object can have required attributes.
                if complex.attributes.iter().all(|it| !it.required) {
                    any.push(json!({ "type": "null" }));
                }
                any.push(nil(complex));
            }
            _ => any.push(json!({ "type": "null" })),
        }
        json!({ "anyOf": any })
    }

    /// Returns the types that may appear for a declared one: itself and those derived from it; an
    /// abstract type without derived types is included, for responses. They become components.
    fn concrete(&mut self, id: TypeId, complex: &Complex) -> Vec<TypeId> {
        let own = Some(id).filter(|_| !complex.is_abstract || complex.has_no_instance());
        let derived = complex.derived.iter().copied().filter(
            |id| matches!(&self.plan.types[id.0 as usize], Type::Complex(of) if !of.is_abstract),
        );
        let all: Vec<_> = own.into_iter().chain(derived).collect();
        let names = all.iter().map(|id| &self.names[id.0 as usize]);
        if !self.budget.spend(names.map(|it| units_of_text(it)).sum()) {
            return Vec::new();
        }
        let new = all.iter().filter(|id| self.referenced.insert(id.0));
        self.open.extend(new.map(|id| id.0));
        all
    }

    /// Returns a reference to the component of a type, or to those of its replacements.
    fn reference(&mut self, id: TypeId, complex: &Complex) -> Value {
        let all = self.concrete(id, complex);
        let path = |id: &TypeId| format!("#/components/schemas/{}", self.names[id.0 as usize]);
        if complex.derived.is_empty() {
            return json!({ "$ref": path(&id) });
        }
        let references: Vec<_> = all.iter().map(|id| json!({ "$ref": path(id) })).collect();
        let mapping = all
            .iter()
            .filter_map(|id| match &self.plan.types[id.0 as usize] {
                Type::Complex(of) => Some((of.json.to_string(), json!(path(id)))),
                Type::Simple(_) => None,
            });
        let mapping: Map<_, _> = mapping.collect();
        json!({
            "oneOf": references,
            "required": [TYPE],
            "discriminator": { "propertyName": TYPE, "mapping": mapping },
        })
    }

    /// Returns the schema of an object, without the properties that parameters set.
    pub(super) fn object(&mut self, complex: &Complex, given: &[&[String]]) -> Value {
        let mut object = Object::new(self.budget);
        if !self.budget.spend(units_of_attributes(&complex.attributes)) {
            return Value::Null;
        }
        if complex.name.is_some() {
            let named = match takes_any_type(self.plan, complex) {
                true => json!({ "type": "string", "pattern": ANY_TYPE }),
                false => is(&complex.json),
            };
            object.properties.insert(TYPE.into(), named);
        }
        for attribute in &complex.attributes {
            if given
                .iter()
                .any(|path| matches!(path, [key] if **key == *attribute.json))
            {
                object.given.insert(attribute.json.to_string());
                continue;
            }
            let mut schema = types::simple(&attribute.value);
            if let Some(fixed) = &attribute.fixed {
                types::fix(&attribute.value, fixed, &mut schema);
            }
            object.add(&attribute.json, schema, attribute.required);
        }
        match &complex.content {
            Content::Empty => {}
            Content::Text(_) | Content::Mixed | Content::Open => {
                object.add(VALUE, text(complex), true);
            }
            Content::Elements(elements) => self.elements(elements, given, &mut object),
        }
        let mut schema = object.finish();
        if complex.any_attribute {
            schema["patternProperties"] = json!({ "^\\{": { "type": "string" } });
        }
        schema
    }

    fn elements(&mut self, elements: &Elements, given: &[&[String]], object: &mut Object<'a>) {
        let keys = elements.fields.iter().map(|field| &field.json);
        if !self.budget.spend(keys.map(|key| units_of_text(key)).sum()) {
            return;
        }
        let counts = counts(&elements.order);
        for (index, field) in (0..).zip(&elements.fields) {
            let below: Vec<&[String]> = given
                .iter()
                .filter_map(|path| path.split_first())
                .filter(|(first, _)| ***first == *field.json)
                .map(|(_, rest)| rest)
                .collect();
            if below.iter().any(|rest| rest.is_empty()) {
                object.given.insert(field.json.to_string());
                continue;
            }
            let schema = match &field.kind {
                FieldKind::Element(element) => self.part(element, &below),
                FieldKind::Group(group) => {
                    let mut turn = Object::new(self.budget);
                    self.elements(group, &[], &mut turn);
                    turn.finish()
                }
                FieldKind::Any(wildcard) => self.any(wildcard.process),
                FieldKind::Substitution { head, members } => {
                    let own = std::iter::once((&field.json, head));
                    let all = own.chain(members.iter().map(|(key, member)| (key, member)));
                    let all = all.filter(|(_, element)| !element.is_abstract);
                    if !field.is_array {
                        let all: Vec<_> = all.map(|(key, of)| (key, self.of_element(of))).collect();
                        for (key, schema) in all {
                            object.properties.insert((**key).into(), schema);
                        }
                        continue;
                    }
                    let items: Vec<_> = all
                        .flat_map(|(key, element)| self.items(key, element))
                        .collect();
                    json!({ "oneOf": items })
                }
            };
            let schema = if field.is_array {
                let mut array = json!({ "type": "array", "items": schema });
                if let (Some(count), Value::Object(array)) = (counts.get(&index), &mut array) {
                    array.extend(count.bounds());
                }
                array
            } else {
                schema
            };
            object.properties.insert((*field.json).into(), schema);
        }
        object.constrain(&elements.order, elements);
    }

    /// Returns the schema of a wildcard's item.
    fn any(&mut self, process: Process) -> Value {
        let xml = json!({ "type": "string", "contentMediaType": "application/xml" });
        if process == Process::Skip || self.plan.globals.is_empty() {
            return xml;
        }
        self.wants_known = true;
        let known = json!({ "$ref": "#/components/schemas/KnownElement" });
        match process {
            Process::Strict => known,
            Process::Lax | Process::Skip => json!({ "anyOf": [xml, known] }),
        }
    }

    /// Returns the schema of an element of which parameters set a part.
    pub(super) fn part(&mut self, element: &Element, given: &[&[String]]) -> Value {
        match self.plan.types.get(element.ty.0 as usize) {
            Some(Type::Complex(complex)) if !given.is_empty() => self.object(complex, given),
            _ => self.of_element(element),
        }
    }

    /// Returns the schema at a path below an element; `None` if there is nothing.
    pub(super) fn at(&mut self, element: &Element, path: &[String]) -> Option<Value> {
        let Some((key, rest)) = path.split_first() else {
            return Some(self.of_element(element));
        };
        let Type::Complex(complex) = self.plan.types.get(element.ty.0 as usize)? else {
            return None;
        };
        if let Some(attribute) = complex.attributes.iter().find(|of| *of.json == **key) {
            return Some(types::simple(&attribute.value));
        }
        let Content::Elements(elements) = &complex.content else {
            return None;
        };
        let field = elements.fields.iter().find(|field| *field.json == **key)?;
        let FieldKind::Element(below) = &field.kind else {
            return None;
        };
        let schema = self.at(below, rest)?;
        Some(if field.is_array && rest.is_empty() {
            json!({ "type": "array", "items": schema })
        } else {
            schema
        })
    }
}

/// Returns the schema of a constant text.
fn is(text: &str) -> Value {
    json!({ "type": "string", "const": text })
}

fn text(complex: &Complex) -> Value {
    match &complex.content {
        Content::Text(simple) => types::simple(simple),
        _ => json!({ "type": "string", "contentMediaType": "application/xml" }),
    }
}

/// Returns the schema of a list, from that of the object that it replaces.
fn list(complex: &Complex, mut object: Value) -> Value {
    match &complex.content {
        Content::Elements(elements) => {
            let mut fields = elements.fields.iter();
            let field = fields.next().map(|field| &*field.json);
            object["properties"][field.unwrap_or_default()].take()
        }
        _ => object,
    }
}

/// Returns the schema of a nil element with attributes.
fn nil(complex: &Complex) -> Value {
    let mut properties = Map::new();
    properties.insert(NIL.into(), json!({ "const": true }));
    properties.insert(TYPE.into(), json!({ "type": "string" }));
    let needed = complex.attributes.iter().filter(|it| it.required);
    let needed: Vec<&str> = needed.map(|it| &*it.json).chain([NIL]).collect();
    for attribute in &complex.attributes {
        properties.insert((*attribute.json).into(), types::simple(&attribute.value));
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    });
    if complex.any_attribute {
        schema["patternProperties"] = json!({ "^\\{": { "type": "string" } });
    }
    schema
}
