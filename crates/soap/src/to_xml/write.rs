//! Objects to elements.

use tollgate_json::tape::{Kind, NodeId, View, push_token};
use tollgate_xml as xml;

use super::index::{Attribute, Complex, Content, Element, Elements, Slots, Type};
use super::{Program, Scratch, VIOLATIONS_MAX, Violation};
use crate::convention::{ELEMENT, NIL, TYPE};
use crate::value::{Rule, Work};

/// The state of writing one request.
pub(super) struct Writing<'p, 'a, 's> {
    pub(super) program: &'p Program,
    pub(super) view: View<'a>,
    pub(super) slots: &'s mut Vec<Option<NodeId>>,
    pub(super) work: &'s mut Work,
    pub(super) namespaces: &'s mut Vec<String>,
    pub(super) stack: &'s mut xml::Stack,
    pub(super) document: &'s mut String,
    pub(super) out: &'s mut Vec<u8>,
    violations: Vec<Violation>,
    /// The root, which may have a key for header blocks.
    pub(super) root: Option<(NodeId, &'static str)>,
    /// Whether the next object is an item of a substitution group.
    pub(super) is_item: bool,
}

/// The object whose elements are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'p> {
    pub(super) elements: &'p Elements,
    /// The start of its places.
    pub(super) base: usize,
    pub(super) object: NodeId,
}

/// The keys of an object without a place: `@nil` and other attributes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Specials {
    is_nil: bool,
    has_other_attributes: bool,
    /// The type of an element of `anyType`.
    any_type: Option<NodeId>,
}

impl<'p, 'a, 's> Writing<'p, 'a, 's> {
    pub(super) fn new(
        program: &'p Program,
        view: View<'a>,
        scratch: &'s mut Scratch,
        out: &'s mut Vec<u8>,
    ) -> Self {
        scratch.slots.clear();
        scratch.namespaces.clear();
        Self {
            program,
            view,
            slots: &mut scratch.slots,
            work: &mut scratch.work,
            namespaces: &mut scratch.namespaces,
            stack: &mut scratch.stack,
            document: &mut scratch.document,
            out,
            violations: Vec::new(),
            root: None,
            is_item: false,
        }
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }

    /// Records a violation for a value.
    #[cold]
    pub(super) fn violation(&mut self, id: NodeId, sentence: String) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.fault(self.view.pointer(id), sentence);
        }
    }

    /// Records that an object lacks a key.
    #[cold]
    pub(super) fn missing(&mut self, object: NodeId, key: &str) {
        if self.violations.len() < VIOLATIONS_MAX {
            let mut pointer = self.view.pointer(object);
            push_token(&mut pointer, key);
            self.fault(pointer, "is missing".into());
        }
    }

    pub(super) fn fault(&mut self, pointer: String, sentence: String) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(Violation { pointer, sentence });
        }
    }

    /// Writes an element with its value.
    pub(super) fn element(&mut self, element: &'p Element, id: NodeId) {
        if self.view.kind(id) == Kind::Null {
            return self.nil(element, id);
        }
        if element.is_abstract {
            return self.violation(id, "is abstract: only its substitutes are allowed".into());
        }
        let program = self.program;
        match &program.types[element.ty] {
            Type::Simple(rule) => {
                element.open.push(self.out);
                self.text(element.fixed.as_deref().unwrap_or(rule), id);
                element.close.push(self.out);
            }
            Type::Complex(complex) if complex.is_bare => {
                if complex.is_abstract {
                    return self.violation(id, "is of an abstract type".into());
                }
                element.open.push(self.out);
                match &complex.content {
                    Content::Text(rule) => {
                        self.text(element.fixed.as_deref().unwrap_or(rule), id);
                    }
                    _ => self.mixed(id),
                }
                element.close.push(self.out);
            }
            Type::Complex(complex) => self.object(element, complex, id),
        }
    }

    pub(super) fn nil(&mut self, element: &Element, id: NodeId) {
        if !element.nillable {
            return self.violation(id, "must not be null".into());
        }
        element.unclosed.push(self.out);
        if let Type::Complex(declared) = &self.program.types[element.ty] {
            let concrete = self.concrete(declared);
            let needed = concrete.attributes.iter().find(|it| it.required);
            if let Some(needed) = needed {
                let sentence = format!("must be an object with {NIL:?} and {:?}", needed.json);
                return self.violation(id, sentence);
            }
            if declared.is_abstract {
                self.out.extend_from_slice(&concrete.xsi_type);
            }
        }
        self.out.extend_from_slice(b" xsi:nil=\"true\"/>");
    }

    /// Returns a type that replaces an abstract one: without any, not even nil is valid (XML Schema
    /// 1.0, part 1, section 3.4.4, "Type Valid"). The choice has no meaning for an element without
    /// content.
    fn concrete(&self, declared: &'p Complex) -> &'p Complex {
        let program = self.program;
        let mut derived = declared.derived.iter().filter(|_| declared.is_abstract);
        let concrete = derived.find_map(|(_, ty)| match &program.types[*ty] {
            Type::Complex(complex) if !complex.is_abstract => Some(complex),
            _ => None,
        });
        concrete.unwrap_or(declared)
    }

    fn object(&mut self, element: &'p Element, declared: &'p Complex, id: NodeId) {
        let is_text = matches!(self.view.kind(id), Kind::Text | Kind::Word);
        if declared.is_open && is_text && !declared.is_abstract {
            element.open.push(self.out);
            self.mixed(id);
            return element.close.push(self.out);
        }
        let is_list = declared.is_list && self.view.kind(id) == Kind::Array;
        if !is_list && self.view.kind(id) != Kind::Object {
            let what = if declared.is_list { "array" } else { "object" };
            return self.violation(id, format!("must be an {what}"));
        }
        let Some(complex) = self.actual(declared, id) else {
            return;
        };
        let base = self.slots.len();
        self.slots.resize(base + complex.slots.count, None);
        let specials = if is_list {
            self.slots[base] = Some(id);
            Specials::default()
        } else {
            self.resolve(&complex.slots, base, id, Some(complex))
        };
        element.unclosed.push(self.out);
        if !std::ptr::eq(complex, declared) {
            self.out.extend_from_slice(&complex.xsi_type);
        }
        if let Some(named) = specials.any_type {
            self.any_type(named);
        }
        self.attributes(complex, base, id);
        if specials.has_other_attributes {
            self.other_attributes(complex, id);
        }
        if specials.is_nil {
            self.nil_object(element, complex, base, id);
        } else {
            self.out.push(b'>');
            let is_declared = std::ptr::eq(complex, declared);
            let fixed = element.fixed.as_deref().filter(|_| is_declared);
            self.content(complex, fixed, base, id);
            element.close.push(self.out);
        }
        self.slots.truncate(base);
    }

    /// Writes the content of an object; its values are in the places from `base` on.
    fn content(&mut self, complex: &'p Complex, fixed: Option<&Rule>, base: usize, id: NodeId) {
        let value = base + complex.attributes.len();
        match &complex.content {
            Content::Empty => {}
            Content::Text(rule) => match self.slots[value] {
                Some(text) => self.text(fixed.unwrap_or(rule), text),
                None => self.missing(id, crate::convention::VALUE),
            },
            Content::Mixed => {
                if let Some(text) = self.slots[value] {
                    self.mixed(text);
                }
            }
            Content::Elements(elements) => {
                let at = At {
                    elements,
                    base,
                    object: id,
                };
                self.run(&elements.order, at);
            }
        }
    }

    fn nil_object(&mut self, element: &Element, complex: &Complex, base: usize, id: NodeId) {
        let content = &self.slots[base + complex.attributes.len()..];
        if content.iter().any(Option::is_some) {
            self.violation(id, "has content, so it cannot be nil".into());
        } else if !element.nillable {
            self.violation(id, "must not be nil".into());
        }
        self.out.extend_from_slice(b" xsi:nil=\"true\"/>");
    }

    /// Returns the actual type of an object.
    fn actual(&mut self, declared: &'p Complex, id: NodeId) -> Option<&'p Complex> {
        let named = if declared.derived.is_empty() {
            None
        } else {
            self.view.find(id, TYPE).map(|key| self.view.value(key))
        };
        let mut actual = declared;
        if let Some(named) = named {
            let name = self.view.text(named);
            let derived = &declared.derived;
            let program = self.program;
            if *name != *declared.json {
                let place = derived.binary_search_by(|(json, _)| (**json).cmp(name));
                match place.map(|place| &program.types[derived[place].1]) {
                    Ok(Type::Complex(complex)) => actual = complex,
                    _ => {
                        self.violation(named, type_sentence(declared));
                        return None;
                    }
                }
            }
        }
        if !actual.is_abstract {
            return Some(actual);
        }
        match named {
            Some(named) => self.violation(named, type_sentence(declared)),
            None if declared.derived.is_empty() => {
                self.violation(id, "is of an abstract type".into());
            }
            None => self.missing(id, TYPE),
        }
        None
    }

    /// Stores the values of an object in the places of its keys.
    pub(super) fn resolve(
        &mut self,
        slots: &Slots,
        base: usize,
        object: NodeId,
        complex: Option<&Complex>,
    ) -> Specials {
        let mut specials = Specials::default();
        let is_item = std::mem::take(&mut self.is_item);
        let view = self.view;
        let mut expected = 0;
        let mut next = view.first(object);
        while let Some(key) = next {
            let name;
            (name, next) = view.key(key);
            if let Some(slot) = slots.find(name, expected) {
                self.slots[base + slot] = Some(view.value(key));
                expected = slot + 1;
            } else if !(is_item && name.bytes == ELEMENT.as_bytes()) {
                self.special(key, object, complex, &mut specials);
            }
        }
        specials
    }

    /// Handles a key without a place.
    fn special(
        &mut self,
        key: NodeId,
        object: NodeId,
        complex: Option<&Complex>,
        specials: &mut Specials,
    ) {
        let value = self.view.value(key);
        let name = self.view.text(key);
        if self.root == Some((object, name_of(self.root, name))) {
            return;
        }
        let Some(complex) = complex else {
            return self.violation(key, "is not known here".into());
        };
        match name {
            TYPE if self.view.text(value) == &*complex.json => {}
            TYPE if complex.takes_any_type => specials.any_type = Some(value),
            TYPE => self.violation(value, format!("must be {:?}", complex.json)),
            NIL => match self.view.kind(value) {
                Kind::True => specials.is_nil = true,
                Kind::False => {}
                _ => self.violation(value, "must be true or false".into()),
            },
            _ if complex.any_attribute && name.starts_with('{') => {
                specials.has_other_attributes = true;
            }
            _ => self.violation(key, "is not known here".into()),
        }
    }

    fn attributes(&mut self, complex: &'p Complex, base: usize, object: NodeId) {
        for (slot, attribute) in complex.attributes.iter().enumerate() {
            match self.slots[base + slot] {
                Some(id) if self.view.kind(id) != Kind::Null => self.attribute(attribute, id),
                Some(id) if attribute.required => self.violation(id, "must not be null".into()),
                None if attribute.required => self.missing(object, &attribute.json),
                _ => {}
            }
        }
    }

    fn attribute(&mut self, attribute: &'p Attribute, id: NodeId) {
        attribute.open.push(self.out);
        self.attribute_text(&attribute.rule, id);
        self.out.push(b'"');
    }
}

/// Returns the key of the header blocks if `name` equals it; otherwise a name that is no key.
fn name_of(root: Option<(NodeId, &'static str)>, name: &str) -> &'static str {
    match root {
        Some((_, key)) if key == name => key,
        _ => "",
    }
}

fn type_sentence(declared: &Complex) -> String {
    let own = Some(&declared.json).filter(|_| !declared.is_abstract);
    let names = own
        .into_iter()
        .chain(declared.derived.iter().map(|(json, _)| json));
    let names: Vec<_> = names.map(|json| format!("{json:?}")).collect();
    format!("must be one of {}", names.join(", "))
}
