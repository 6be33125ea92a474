//! The rules shared by both transcoders, the OpenAPI document and import that the plan does not
//! contain.
//!
//! Keys that begin with `@` are reserved. Import gives a property such a name only if an attribute
//! and an element of a type share theirs (`@name`), and never one of the keys here.
//!
//! - A type of text (or of mixed content) without attributes is its text alone. With attributes it
//!   is an object in which [`VALUE`] holds the text, so no attribute of such a type has this key.
//! - Where the declared type has derived types, the object begins with [`TYPE`], even when it is of
//!   the declared type itself; a request may omit it there unless that type is abstract.
//! - A nil element is `null`. If it has attributes, or needs its `@element`, it is an object with
//!   `"@nil": true` and no content.
//! - An item of a repeated substitution group is an object with [`ELEMENT`]: the key of the head or
//!   of the member. If its JSON alone would be no object, it is in [`VALUE`].
//! - An item of a wildcard is the XML of the element in a string, or, of a known global element, an
//!   object with one property: its key (see [`global_keys`]) and its own JSON.
//! - An element of a type that is a list ([`Complex::is_list`]: a publisher's choice) is an array.
//!   A request may use the usual object instead, so that parameters keep their paths.
//! - An attribute that only a wildcard allows is the property `{namespace}local`, or `{}local`
//!   without a namespace; its value is a string.
//! - Mixed content with attributes that only a wildcard allows, and thus `anyType`, is its XML
//!   alone, or by a publisher's choice ([`Content::Open`]) an object with these attributes and the
//!   XML in [`VALUE`]. Of `anyType`, the object may have [`TYPE`]: the `{namespace}local` of
//!   `xsi:type`. A request may use the XML alone instead.

mod shape;

use std::collections::HashMap;

use crate::import::name::XSD;
use crate::plan::{Complex, Content, FieldKind, Operation, ServicePlan, Type, TypeId};

pub use shape::Shape;

/// The key of the type in an object; the value is [`Complex::json`].
pub const TYPE: &str = "@type";
/// The key of the element's name in an item of a repeated substitution group.
pub const ELEMENT: &str = "@element";
/// The key that is `true` in the object of a nil element.
pub const NIL: &str = "@nil";
/// The key of the text in the object of an element with text.
pub const VALUE: &str = "value";
/// The key of the header blocks in the JSON of a request; the blocks have the names of their parts.
pub const HEADERS: &str = "headers";
/// Replaces [`HEADERS`] where the body has a property of that name.
pub const HEADERS_BESIDE: &str = "@headers";

/// The bound beyond which integers lose digits in programs that keep numbers as doubles.
const EXACT: i128 = 1 << 53;

/// Whether each integer within these bounds keeps its digits in any program.
pub(crate) fn is_exact(min: Option<i128>, max: Option<i128>) -> bool {
    min.is_some_and(|min| min >= -EXACT) && max.is_some_and(|max| max <= EXACT)
}

impl Complex {
    /// Whether the JSON of an element of this declared type is its text alone, not an object.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        let is_text = matches!(
            self.content,
            Content::Text(_) | Content::Mixed | Content::Open
        );
        // A wildcard for attributes makes typed text an object, and mixed content only by choice.
        let has_attributes = !self.attributes.is_empty()
            || self.any_attribute && !matches!(self.content, Content::Mixed);
        is_text && !has_attributes && self.derived.is_empty()
    }

    /// Whether the contract has no type that could be instantiated in its place.
    #[must_use]
    pub fn has_no_instance(&self) -> bool {
        self.is_abstract && self.derived.is_empty()
    }

    /// Whether an element of this declared type holds nothing visible in JSON.
    #[must_use]
    pub fn is_void(&self) -> bool {
        let is_empty = match &self.content {
            Content::Empty => true,
            Content::Elements(elements) => elements.fields.is_empty(),
            Content::Text(_) | Content::Mixed | Content::Open => false,
        };
        let has_attributes = !self.attributes.is_empty() || self.any_attribute;
        is_empty && !has_attributes && self.derived.is_empty()
    }

    /// Whether the JSON of this type may have a property with this name.
    fn has(&self, key: &str) -> bool {
        let mut attributes = self.attributes.iter();
        let is_field = match &self.content {
            Content::Elements(elements) => elements.fields.iter().any(|field| {
                let is_member = match &field.kind {
                    FieldKind::Substitution { members, .. } if !field.is_array => {
                        members.iter().any(|(member, _)| **member == *key)
                    }
                    _ => false,
                };
                is_member || *field.json == *key
            }),
            Content::Empty | Content::Text(_) | Content::Mixed | Content::Open => false,
        };
        is_field || attributes.any(|attribute| *attribute.json == *key)
    }
}

/// Whether a type is `anyType` itself, in the form of an object: an element of it may name any
/// other type in `xsi:type`.
pub(crate) fn takes_any_type(plan: &ServicePlan, complex: &Complex) -> bool {
    let (Content::Open, Some(name)) = (&complex.content, &complex.name) else {
        return false;
    };
    let namespace = plan.namespaces.get(usize::from(name.namespace.0));
    &*name.local == "anyType" && namespace.is_some_and(|uri| **uri == *XSD)
}

/// Returns the key of the header blocks in the JSON of an operation's request.
#[must_use]
pub fn headers_key(plan: &ServicePlan, operation: &Operation) -> &'static str {
    let body = operation.request.body.as_ref();
    let complex = |id: &TypeId| match plan.types.get(id.0 as usize) {
        Some(Type::Complex(complex)) => Some(complex),
        _ => None,
    };
    let declared = body.and_then(|body| complex(&body.ty));
    let derived = declared.into_iter().flat_map(|it| &it.derived);
    let mut all = declared.into_iter().chain(derived.filter_map(complex));
    if all.any(|complex| complex.has(HEADERS)) {
        HEADERS_BESIDE
    } else {
        HEADERS
    }
}

/// Returns the part, and the keys below it, of a path that leads to a header block under this key.
#[must_use]
pub fn in_header<'p>(headers_key: &str, path: &'p [String]) -> Option<(&'p str, &'p [String])> {
    match path {
        [first, part, rest @ ..] if first == headers_key => Some((part, rest)),
        _ => None,
    }
}

/// Returns the keys of global elements in the items of a wildcard, in the order of the plan: the
/// local name, or `{namespace}local` where two share it.
#[must_use]
pub fn global_keys(plan: &ServicePlan) -> Vec<Box<str>> {
    let mut count = HashMap::<&str, u32>::new();
    for global in &plan.globals {
        *count.entry(&global.name.local).or_default() += 1;
    }
    plan.globals
        .iter()
        .map(|global| {
            let local = &global.name.local;
            if count.get(&**local) == Some(&1) {
                return local.clone();
            }
            let namespace = plan.namespaces.get(usize::from(global.name.namespace.0));
            format!("{{{}}}{local}", namespace.map_or("", |uri| uri)).into()
        })
        .collect()
}
