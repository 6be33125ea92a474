//! Builds the index of a plan.

mod reach;
mod steps;

use std::collections::{BTreeMap, HashMap, HashSet};

use tollgate_json::tape::Name;
use tollgate_xml::Names;
use tollgate_xml::escape::push_attribute;

use super::index::{
    Attribute, Complex, Content, Element, Elements, Field, FieldKind, Global, Markup, Operation,
    Slots, Type, Wildcard,
};
use super::{LoadError, Program, Request, Scratch, Settings};
use crate::convention::{VALUE, global_keys, headers_key, takes_any_type};
use crate::plan::{self, NamespaceId, ServicePlan, TypeId};
use crate::value::Rule;
use crate::version::SoapVersion;
use reach::Reach;
use steps::{count_places, step};

pub(super) const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

pub(super) fn load(plan: &ServicePlan, settings: &Settings) -> Result<Program, LoadError> {
    let loader = Loader {
        plan,
        prefixes: prefixes(plan),
    };
    let types = plan.types.iter().map(|ty| loader.of_type(ty));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    let globals = plan.globals.iter().map(|global| loader.global(global));
    let globals = globals.collect::<Result<Vec<_>, _>>()?;
    let operations = plan
        .operations
        .iter()
        .map(|operation| loader.operation(operation));
    let operations = operations.collect::<Result<Vec<_>, _>>()?;
    let keys = global_keys(plan);
    let mut global_names = HashMap::<Box<str>, HashSet<Box<str>>>::new();
    for (global, plain) in globals.iter().zip(&plan.globals) {
        let of_namespace = global_names.entry(global.namespace.clone()).or_default();
        of_namespace.insert(plain.name.local.clone());
    }
    let mut program = Program {
        bounds: settings.bounds,
        operations,
        types,
        globals,
        global_keys: keys
            .into_iter()
            .enumerate()
            .map(|(index, key)| (key, index))
            .collect(),
        global_names,
        names: Names::new(plan.namespaces.iter().map(|name| &**name)),
        token: settings.token.clone(),
    };
    fix_headers(&mut program, settings)?;
    Ok(program)
}

/// Returns the prefixes of a plan's namespaces: numbers, or the usual prefix if there is one.
fn prefixes(plan: &ServicePlan) -> Vec<Box<str>> {
    let name = |(index, uri): (usize, &str)| match uri {
        "" => "".into(),
        INSTANCE => "xsi".into(),
        "http://www.w3.org/XML/1998/namespace" => "xml".into(),
        uri if SoapVersion::from_envelope_namespace(uri).is_some() => "soap".into(),
        _ => format!("n{index}").into(),
    };
    let uris = plan.namespaces.iter().map(|uri| &**uri);
    uris.enumerate().map(name).collect()
}

struct Loader<'a> {
    plan: &'a ServicePlan,
    prefixes: Vec<Box<str>>,
}

impl Loader<'_> {
    fn namespace(&self, id: NamespaceId) -> Result<&str, LoadError> {
        let namespace = self.plan.namespaces.get(usize::from(id.0));
        namespace.map(|uri| &**uri).ok_or(LoadError::Dangling)
    }

    fn index(&self, id: TypeId) -> Result<usize, LoadError> {
        let index = id.0 as usize;
        if index < self.plan.types.len() {
            Ok(index)
        } else {
            Err(LoadError::Dangling)
        }
    }

    /// Returns a name with its prefix.
    fn qualified(&self, name: &plan::Name) -> Result<String, LoadError> {
        let prefix = self
            .prefixes
            .get(usize::from(name.namespace.0))
            .ok_or(LoadError::Dangling)?;
        Ok(match &**prefix {
            "" => name.local.to_string(),
            prefix => format!("{prefix}:{}", name.local),
        })
    }

    fn of_type(&self, ty: &plan::Type) -> Result<Type, LoadError> {
        match ty {
            plan::Type::Simple(simple) => rule(simple, "a simple type").map(Type::Simple),
            plan::Type::Complex(complex) => self.complex(complex).map(Type::Complex),
        }
    }

    fn complex(&self, complex: &plan::Complex) -> Result<Complex, LoadError> {
        let attributes = complex.attributes.iter().map(|attribute| {
            let rule = rule(&attribute.value, &attribute.json)?;
            Ok(Attribute {
                open: Markup::new(format!(" {}=\"", self.qualified(&attribute.name)?)),
                json: attribute.json.clone(),
                rule: rule.fixed_to(attribute.fixed.as_deref()),
                required: attribute.required,
            })
        });
        let attributes = attributes.collect::<Result<Vec<_>, LoadError>>()?;
        let mut keys: Vec<_> = attributes
            .iter()
            .map(|attribute| attribute.json.clone())
            .collect();
        let mut cursors = 0;
        let content = match &complex.content {
            plan::Content::Empty => Content::Empty,
            plan::Content::Text(simple) => {
                keys.push(VALUE.into());
                Content::Text(rule(simple, &complex.json)?)
            }
            plan::Content::Mixed | plan::Content::Open => {
                keys.push(VALUE.into());
                Content::Mixed
            }
            plan::Content::Elements(elements) => {
                Content::Elements(self.elements(elements, &mut keys, &mut cursors)?)
            }
        };
        let mut derived = Vec::new();
        for &id in &complex.derived {
            let index = self.index(id)?;
            if let plan::Type::Complex(other) = &self.plan.types[index] {
                derived.push((other.json.clone(), index));
            }
        }
        derived.sort_unstable();
        let xsi_type = match &complex.name {
            Some(name) => format!(" xsi:type=\"{}\"", self.qualified(name)?),
            None => String::new(),
        };
        Ok(Complex {
            json: complex.json.clone(),
            is_abstract: complex.is_abstract,
            is_bare: complex.is_bare(),
            is_list: complex.is_list,
            slots: Slots::new(keys, cursors),
            attributes,
            any_attribute: complex.any_attribute,
            is_open: matches!(complex.content, plan::Content::Open),
            takes_any_type: takes_any_type(self.plan, complex),
            content,
            derived,
            xsi_type: xsi_type.into_bytes().into(),
        })
    }

    fn global(&self, global: &plan::Element) -> Result<Global, LoadError> {
        Ok(Global {
            namespace: self.namespace(global.name.namespace)?.into(),
            element: self.element(global)?,
        })
    }

    fn element(&self, element: &plan::Element) -> Result<Element, LoadError> {
        let name = self.qualified(&element.name)?;
        let ty = self.index(element.ty)?;
        let text = match &self.plan.types[ty] {
            plan::Type::Simple(simple) => Some(simple),
            plan::Type::Complex(plan::Complex {
                content: plan::Content::Text(simple),
                ..
            }) => Some(simple),
            plan::Type::Complex(_) => None,
        };
        let fixed = match (&element.fixed, text) {
            (Some(fixed), Some(simple)) => {
                Some(Box::new(rule(simple, &name)?.fixed_to(Some(fixed))))
            }
            _ => None,
        };
        Ok(Element {
            open: Markup::new(format!("<{name}>")),
            unclosed: Markup::new(format!("<{name}")),
            close: Markup::new(format!("</{name}>")),
            ty,
            nillable: element.nillable,
            is_abstract: element.is_abstract,
            fixed,
        })
    }

    /// Adds the keys of fields; cursors come after all keys, so they are placed at the end.
    fn elements(
        &self,
        elements: &plan::Elements,
        keys: &mut Vec<Box<str>>,
        cursors: &mut usize,
    ) -> Result<Elements, LoadError> {
        let mut fields = Vec::new();
        for field in &elements.fields {
            let slot = keys.len();
            keys.push(field.json.clone());
            let kind = self.field_kind(field, keys)?;
            fields.push(Field {
                json: field.json.clone(),
                slot,
                cursor: None,
                kind,
                is_array: field.is_array,
            });
        }
        let mut later = BTreeMap::new();
        let order = step(&elements.order, &mut later, fields.len())?;
        let mut count = vec![0; fields.len()];
        count_places(&order, &mut count);
        for (field, count) in fields.iter_mut().zip(count) {
            if count > 1 && field.is_array {
                field.cursor = Some(keys.len() + *cursors);
                *cursors += 1;
            }
        }
        Ok(Elements { fields, order })
    }

    fn field_kind(
        &self,
        field: &plan::Field,
        keys: &mut Vec<Box<str>>,
    ) -> Result<FieldKind, LoadError> {
        Ok(match &field.kind {
            plan::FieldKind::Element(element) => FieldKind::Element(self.element(element)?),
            plan::FieldKind::Substitution { head, members } => {
                let mut all = vec![(field.json.clone(), self.element(head)?)];
                for (key, member) in members {
                    all.push((key.clone(), self.element(member)?));
                    if !field.is_array {
                        keys.push(key.clone());
                    }
                }
                FieldKind::Substitution(all)
            }
            plan::FieldKind::Group(group) => {
                let (mut keys, mut cursors) = (Vec::new(), 0);
                let elements = self.elements(group, &mut keys, &mut cursors)?;
                FieldKind::Group {
                    slots: Slots::new(keys, cursors),
                    elements,
                }
            }
            plan::FieldKind::Any(any) => {
                let names = any.namespaces.as_ref().map(|ids| {
                    ids.iter()
                        .map(|&id| self.namespace(id).map(Into::into))
                        .collect()
                });
                FieldKind::Any(Wildcard {
                    namespaces: names.transpose()?,
                    is_except: any.is_except,
                    process: any.process,
                })
            }
        })
    }

    fn operation(&self, operation: &plan::Operation) -> Result<Operation, LoadError> {
        let request = &operation.request;
        let body = request
            .body
            .as_ref()
            .map(|body| self.element(body))
            .transpose()?;
        let blocks = request
            .headers
            .iter()
            .map(|header| self.element(&header.element));
        let parts = request
            .headers
            .iter()
            .map(|header| header.part.clone())
            .collect();
        Ok(Operation {
            open: self.envelope(operation)?,
            body,
            headers_key: headers_key(self.plan, operation),
            headers: Slots::new(parts, 0),
            blocks: blocks.collect::<Result<_, _>>()?,
            fixed_headers: Box::default(),
        })
    }

    /// Returns the start tag of the envelope.
    fn envelope(&self, operation: &plan::Operation) -> Result<Box<[u8]>, LoadError> {
        let mut reach = Reach::new(self.plan);
        let request = &operation.request;
        let blocks = request.headers.iter().map(|header| &header.element);
        for element in request.body.iter().chain(blocks) {
            reach.element(element);
        }
        let version = operation.version.envelope_namespace();
        let mut open = format!("<soap:Envelope xmlns:soap=\"{version}\" xmlns:xsi=\"{INSTANCE}\"")
            .into_bytes();
        for id in reach.namespaces {
            let prefix = self
                .prefixes
                .get(usize::from(id.0))
                .ok_or(LoadError::Dangling)?;
            if matches!(&**prefix, "" | "xsi" | "xml" | "soap") {
                continue;
            }
            open.extend_from_slice(format!(" xmlns:{prefix}=\"").as_bytes());
            push_attribute(&mut open, self.namespace(id)?).map_err(|_| LoadError::Dangling)?;
            open.push(b'"');
        }
        Ok(open.into())
    }
}

fn rule(simple: &plan::Simple, place: &str) -> Result<Rule, LoadError> {
    Rule::load(simple).map_err(|source| LoadError::Type {
        place: place.into(),
        source,
    })
}

/// Writes the configured header blocks once, and removes them from those that consumers may send.
fn fix_headers(program: &mut Program, settings: &Settings) -> Result<(), LoadError> {
    for index in 0..program.operations.len() {
        let mut fixed = Vec::new();
        for (part, json) in &settings.headers {
            let Some(slot) = program.operations[index]
                .headers
                .find(Name::new(part.as_bytes()), 0)
            else {
                continue;
            };
            let wrong = |reason: String| LoadError::Header {
                part: part.clone(),
                reason: reason.into(),
            };
            let (mut scratch, mut out) = (Scratch::default(), Vec::new());
            let block = &program.operations[index].blocks[slot];
            let request = Request {
                body: Some(json.as_bytes()),
                ..Request::default()
            };
            program
                .write_block(block, &request, &mut scratch, &mut out)
                .map_err(|violations| {
                    let sentences = violations
                        .iter()
                        .map(|violation| format!("{} {}", violation.pointer, violation.sentence));
                    wrong(sentences.collect::<Vec<_>>().join("; "))
                })?;
            fixed.extend_from_slice(&out);
            program.operations[index].headers.forget(slot);
        }
        program.operations[index].fixed_headers = fixed.into();
    }
    Ok(())
}
