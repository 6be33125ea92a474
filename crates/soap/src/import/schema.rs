//! The components of XML Schema 1.0 (part 1, section 3), by name, their references spelled out.
//!
//! References are followed by whoever needs them: that way recursion is nothing special, and a
//! reference to nothing harms only what uses it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::name::QName;
use super::notes::Place;
use super::table::Table;
use crate::plan::{Occurs, Process};

mod complex;
mod particle;
mod read;
mod simple;

pub(super) use read::{Reader, Redefining, Scope};

/// All schemas of a contract in one.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// Global elements.
    pub elements: Table<Element>,
    /// Named types.
    pub types: Table<Type>,
    /// Named model groups.
    pub groups: Table<Particle>,
    /// Global attributes.
    pub attributes: Table<Attribute>,
    /// Named groups of attributes.
    pub attribute_groups: Table<Attributes>,
    /// The elements that name another as the head of their substitution group.
    pub substitutes: BTreeMap<QName, Vec<QName>>,
    /// The named complex types that name another as their base.
    pub derived: BTreeMap<QName, Vec<QName>>,
}

/// An element.
#[derive(Debug, Clone)]
pub struct Element {
    /// Its name; of no namespace where it is unqualified.
    pub name: QName,
    /// Its type; `None` for that of its substitution group's head, or any.
    pub ty: Option<TypeReference>,
    /// `nillable`
    pub nillable: bool,
    /// `abstract`
    pub is_abstract: bool,
    /// `default`
    pub default: Option<Box<str>>,
    /// `fixed`
    pub fixed: Option<Box<str>>,
    /// The head of its substitution group.
    pub head: Option<QName>,
    /// What the schema says of it.
    pub documentation: Option<Box<str>>,
    /// Where it stands.
    pub place: Place,
}

/// A type, by its name or where it is used.
#[derive(Debug, Clone)]
pub enum TypeReference {
    /// A named one.
    Named(QName, Place),
    /// One without name.
    Inline(Box<Type>),
}

/// A type.
#[derive(Debug, Clone)]
pub enum Type {
    /// A simple type.
    Simple(Simple),
    /// A complex type.
    Complex(Complex),
}

/// A simple type.
#[derive(Debug, Clone)]
pub struct Simple {
    /// Its number in the import.
    pub id: u32,
    /// How it is made.
    pub variety: Variety,
    /// Why it is not understood.
    pub fault: Option<Box<str>>,
    /// What the schema says of it.
    pub documentation: Option<Box<str>>,
    /// Where it stands.
    pub place: Place,
}

/// How a simple type is made.
#[derive(Debug, Clone)]
pub enum Variety {
    /// From another, with facets.
    Restriction(TypeReference, Vec<Facet>),
    /// A list of another.
    List(TypeReference),
    /// One of several.
    Union(Vec<TypeReference>),
}

/// A facet.
#[derive(Debug, Clone)]
pub struct Facet {
    /// Which.
    pub kind: FacetKind,
    /// Its value as written.
    pub value: Box<str>,
    /// Where it stands.
    pub place: Place,
}

/// The facets of XML Schema 1.0 (part 2, section 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacetKind {
    /// `length`
    Length,
    /// `minLength`
    MinLength,
    /// `maxLength`
    MaxLength,
    /// `pattern`
    Pattern,
    /// `enumeration`
    Enumeration,
    /// `whiteSpace`
    WhiteSpace,
    /// `minInclusive`
    MinInclusive,
    /// `maxInclusive`
    MaxInclusive,
    /// `minExclusive`
    MinExclusive,
    /// `maxExclusive`
    MaxExclusive,
    /// `totalDigits`
    TotalDigits,
    /// `fractionDigits`
    FractionDigits,
}

/// A complex type.
#[derive(Debug, Clone)]
pub struct Complex {
    /// Its number in the import.
    pub id: u32,
    /// `abstract`
    pub is_abstract: bool,
    /// Whether text may stand between its elements.
    pub is_mixed: bool,
    /// What it is derived from; `None` for `anyType` where that is not written.
    pub base: Option<Base>,
    /// What it adds to its base, or has instead.
    pub content: Content,
    /// Its own attributes.
    pub attributes: Attributes,
    /// Why it is not understood.
    pub fault: Option<Box<str>>,
    /// What the schema says of it.
    pub documentation: Option<Box<str>>,
    /// Where it stands.
    pub place: Place,
}

/// The base of a complex type.
#[derive(Debug, Clone)]
pub struct Base {
    /// Its name.
    pub name: QName,
    /// Whether it is restricted, or else extended.
    pub is_restriction: bool,
}

/// What a complex type adds to its base, or has instead.
#[derive(Debug, Clone)]
pub enum Content {
    /// Elements, or none.
    Elements(Option<Particle>),
    /// Text: an own type in place of the base's, and facets.
    Text(Option<TypeReference>, Vec<Facet>),
}

/// Attributes of a type or of a group of them.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    /// Those that stand here.
    pub uses: Vec<AttributeUse>,
    /// Named groups.
    pub groups: Vec<(QName, Place)>,
    /// Whether others may appear.
    pub any: bool,
}

/// The use of an attribute.
#[derive(Debug, Clone)]
pub struct AttributeUse {
    /// The attribute, or a global one by its name.
    pub attribute: AttributeTerm,
    /// `use="required"`
    pub required: bool,
    /// `use="prohibited"`
    pub prohibited: bool,
    /// `default`
    pub default: Option<Box<str>>,
    /// `fixed`
    pub fixed: Option<Box<str>>,
    /// Where it stands.
    pub place: Place,
}

/// An attribute that stands here, or a global one.
#[derive(Debug, Clone)]
pub enum AttributeTerm {
    /// Declared here.
    Local(Attribute),
    /// A global one.
    Global(QName),
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name; of no namespace where it is unqualified.
    pub name: QName,
    /// Its type; `None` for any simple one.
    pub ty: Option<TypeReference>,
    /// `default` of a global one.
    pub default: Option<Box<str>>,
    /// `fixed` of a global one.
    pub fixed: Option<Box<str>>,
}

/// A term and how often it may appear.
#[derive(Debug, Clone)]
pub struct Particle {
    /// How often.
    pub occurs: Occurs,
    /// What.
    pub term: Term,
    /// Where it stands.
    pub place: Place,
}

/// What may appear.
#[derive(Debug, Clone)]
pub enum Term {
    /// An element that is declared here.
    Local(Box<Element>),
    /// A global element.
    Global(QName),
    /// A named group.
    Group(QName),
    /// One after the other.
    Sequence(Vec<Particle>),
    /// One of them.
    Choice(Vec<Particle>),
    /// Each, in any order.
    All(Vec<Particle>),
    /// Any element.
    Any(Wildcard),
}

/// `xs:any`
#[derive(Debug, Clone)]
pub struct Wildcard {
    /// The namespaces; `None` for any.
    pub namespaces: Option<Vec<Arc<str>>>,
    /// Whether these are the ones that are not allowed.
    pub is_except: bool,
    /// How it is held to the schema.
    pub process: Process,
}
