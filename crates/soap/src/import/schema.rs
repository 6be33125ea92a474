//! The components of XML Schema 1.0 (part 1, section 3), by name, with expanded names as
//! references.
//!
//! References are resolved by their users: recursion needs no special case, and a dangling
//! reference only affects its users.

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

/// All schemas of a contract combined.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// Global elements.
    pub elements: Table<Element>,
    /// Named types.
    pub types: Table<Type>,
    /// Named model groups.
    pub groups: Table<Group>,
    /// Global attributes.
    pub attributes: Table<Attribute>,
    /// Named groups of attributes.
    pub attribute_groups: Table<Attributes>,
    /// The members of each substitution group, by the name of its head.
    pub substitutes: BTreeMap<QName, Vec<QName>>,
    /// The named complex types derived from each base, by its name.
    pub derived: BTreeMap<QName, Vec<QName>>,
}

/// The reason why a component is not understood: any message of it would be a guess.
#[derive(Debug, Clone)]
pub struct Fault {
    /// One sentence.
    pub why: Box<str>,
    /// The position of its cause.
    pub place: Place,
}

/// An element.
#[derive(Debug, Clone)]
pub struct Element {
    /// Its name; without namespace if it is unqualified.
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
    /// The reason why it is not understood.
    pub fault: Option<Box<Fault>>,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
    /// Its position.
    pub place: Place,
}

/// A reference to a named type, or an inline type.
#[derive(Debug, Clone)]
pub enum TypeReference {
    /// A named type.
    Named(QName, Place),
    /// An anonymous type.
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
    /// Its kind of definition.
    pub variety: Variety,
    /// The reason why it is not understood.
    pub fault: Option<Box<Fault>>,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
    /// Its position.
    pub place: Place,
}

/// The definition of a simple type.
#[derive(Debug, Clone)]
pub enum Variety {
    /// A restriction of another type, by facets.
    Restriction(TypeReference, Vec<Facet>),
    /// A list of another type.
    List(TypeReference),
    /// A union of several types.
    Union(Vec<TypeReference>),
}

/// A facet.
#[derive(Debug, Clone)]
pub struct Facet {
    /// Its kind.
    pub kind: FacetKind,
    /// Its value as written.
    pub value: Box<str>,
    /// Its position.
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
    /// Whether text may appear between its elements.
    pub is_mixed: bool,
    /// Its base type; `None` for an implicit `anyType`.
    pub base: Option<Base>,
    /// The content that extends or replaces that of its base.
    pub content: Content,
    /// Its own attributes.
    pub attributes: Attributes,
    /// The reason why it is not understood.
    pub fault: Option<Box<Fault>>,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
    /// Its position.
    pub place: Place,
}

/// The base of a complex type.
#[derive(Debug, Clone)]
pub struct Base {
    /// Its name.
    pub name: QName,
    /// Whether it is restricted instead of extended.
    pub is_restriction: bool,
}

/// The content that extends or replaces that of a base.
#[derive(Debug, Clone)]
pub enum Content {
    /// Elements, or none.
    Elements(Option<Particle>),
    /// Text: an optional type that replaces the base's, and facets.
    Text(Option<TypeReference>, Vec<Facet>),
}

/// Attributes of a type or of a group of them.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    /// The attributes used directly.
    pub uses: Vec<AttributeUse>,
    /// References to named groups.
    pub groups: Vec<(QName, Place)>,
    /// Whether others may appear.
    pub any: bool,
    /// The reason why a named group of them is not understood.
    pub fault: Option<Box<Fault>>,
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
    /// Its position.
    pub place: Place,
}

/// An attribute declared locally, or a global one.
#[derive(Debug, Clone)]
pub enum AttributeTerm {
    /// Declared locally.
    Local(Attribute),
    /// A global one.
    Global(QName),
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name; without namespace if it is unqualified.
    pub name: QName,
    /// Its type; `None` for any simple one.
    pub ty: Option<TypeReference>,
    /// `default` of a global one.
    pub default: Option<Box<str>>,
    /// `fixed` of a global one.
    pub fixed: Option<Box<str>>,
    /// The reason why it is not understood.
    pub fault: Option<Box<Fault>>,
}

/// A named model group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its content.
    pub content: Particle,
    /// The reason why it is not understood.
    pub fault: Option<Box<Fault>>,
}

/// A term with the number of times that it may appear.
#[derive(Debug, Clone)]
pub struct Particle {
    /// The number of times.
    pub occurs: Occurs,
    /// The term.
    pub term: Term,
    /// Its position.
    pub place: Place,
}

/// A term of a content model.
#[derive(Debug, Clone)]
pub enum Term {
    /// A local element.
    Local(Box<Element>),
    /// A global element.
    Global(QName),
    /// A named group.
    Group(QName),
    /// All, one after the other.
    Sequence(Vec<Particle>),
    /// One of these.
    Choice(Vec<Particle>),
    /// All, in any order.
    All(Vec<Particle>),
    /// Any element.
    Any(Wildcard),
}

/// `xs:any`
#[derive(Debug, Clone)]
pub struct Wildcard {
    /// The namespaces; `None` for any.
    pub namespaces: Option<Vec<Arc<str>>>,
    /// Whether `namespaces` are those that are not allowed.
    pub is_except: bool,
    /// How it is validated.
    pub process: Process,
}
