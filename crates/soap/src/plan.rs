//! The compiled form of a contract: plain data in which everything is named once.
//!
//! Import writes it, gateways receive it with the version they serve, and each transcoder builds
//! its own index when it is loaded. Types refer to each other by [`TypeId`], so recursion needs no
//! special case; a repeated element is one [`Field`], a repeated group is a field with fields of
//! its own.

use serde::{Deserialize, Serialize};

use crate::version::SoapVersion;

/// Index into [`ServicePlan::namespaces`]; 0 is no namespace.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct NamespaceId(pub u16);

/// Index into [`ServicePlan::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypeId(pub u32);

/// A service as served by gateways.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePlan {
    /// Names of namespaces; the first is empty and means no namespace.
    pub namespaces: Vec<Box<str>>,
    /// All types that operations reach.
    pub types: Vec<Type>,
    /// Global elements in the order of their names: the typed content of wildcards.
    pub globals: Vec<Element>,
    /// The operations, in the order of the contract.
    pub operations: Vec<Operation>,
}

impl ServicePlan {
    /// Encodes the plan for gateways.
    ///
    /// # Panics
    /// Never: a plan is data that postcard supports.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain data")
    }

    /// Decodes a plan that [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// Fails if the bytes are anything else, or of another release.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

/// The name of an element, attribute or type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    /// Its namespace.
    pub namespace: NamespaceId,
    /// Its local part.
    pub local: Box<str>,
}

/// An operation of the published port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The name in the WSDL; with the port type in front where two port types use one name.
    pub name: Box<str>,
    /// The words of its message, such as `find-by-name`, if its own name is taken by an overload.
    pub overload: Option<Box<str>>,
    /// The version of SOAP of its binding.
    pub version: SoapVersion,
    /// The `soapAction` of its binding; empty if there is none.
    pub action: Box<str>,
    /// The request.
    pub request: Message,
    /// The response; `None` for a one-way operation.
    pub response: Option<Message>,
    /// The faults that the contract declares.
    pub faults: Vec<Fault>,
    /// Why it can only be proxied and not called as REST, for people; `None` if it can be called.
    pub proxy_only: Option<Box<str>>,
}

/// A request or a response.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The one child of the body: the wrapper of a wrapped or rpc message, the element of a bare
    /// one. The JSON is the content of its type, so rpc parts are fields of a type made for them.
    /// `None` for an empty body.
    pub body: Option<Element>,
    /// Header blocks that the binding names.
    pub headers: Vec<Header>,
    /// Whether the child of the body is the wrapper of an rpc message.
    pub is_rpc: bool,
}

/// A header block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The name of the message's part.
    pub part: Box<str>,
    /// The block.
    pub element: Element,
}

/// A fault that the contract declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its name in the operation.
    pub name: Box<str>,
    /// The child of its detail.
    pub element: Element,
}

/// An element with its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Its name.
    pub name: Name,
    /// Its declared type.
    pub ty: TypeId,
    /// Whether `xsi:nil` is allowed.
    pub nillable: bool,
    /// Whether only members of its substitution group may appear.
    pub is_abstract: bool,
    /// The value of an empty element (XML Schema 1.0, part 1, section 3.3.1).
    pub default: Option<Box<str>>,
    /// The only value it may have.
    pub fixed: Option<Box<str>>,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    /// Text.
    Simple(Simple),
    /// Attributes and children.
    Complex(Complex),
}

/// A complex type: its base's content is already in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complex {
    /// `None` for an anonymous type, or one made for the parts of an rpc message.
    pub name: Option<Name>,
    /// Its name in `@type`: the local name, or `{namespace}local` where two types share it; an
    /// anonymous type gets a suffix where its name is taken.
    pub json: Box<str>,
    /// Whether only a type derived from it may appear.
    pub is_abstract: bool,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Whether other attributes may appear.
    pub any_attribute: bool,
    /// The content between its tags.
    pub content: Content,
    /// The types that `xsi:type` may name in its place, derived over any number of steps; empty
    /// for most. Each is complex and has a name.
    pub derived: Vec<TypeId>,
    /// Whether the JSON is the array of its one repeated element instead of an object with it: see
    /// [`crate::convention::Shape`].
    pub is_list: bool,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// Its name; unqualified attributes have no namespace.
    pub name: Name,
    /// The key of its JSON property: unique in the type.
    pub json: Box<str>,
    /// Its type.
    pub value: Simple,
    /// Whether it is required.
    pub required: bool,
    /// The value of an absent attribute.
    pub default: Option<Box<str>>,
    /// The only value it may have.
    pub fixed: Option<Box<str>>,
}

/// The content between the tags of a complex type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Nothing.
    Empty,
    /// Text: the JSON property `value`.
    Text(Simple),
    /// Elements.
    Elements(Elements),
    /// Text and elements mixed, or `anyType`: kept as XML in a JSON string.
    Mixed,
    /// Like [`Self::Mixed`], but in an object with the attributes of the element, which only a
    /// wildcard allows: see [`crate::convention::Shape`].
    Open,
}

/// The elements of a complex type or of a repeated group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elements {
    /// The JSON properties, each once, in the order of their first appearance.
    pub fields: Vec<Field>,
    /// The order and choices of the schema, over the fields.
    pub order: Particle,
}

/// A JSON property for elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The key: unique in the type.
    pub json: Box<str>,
    /// What the property represents.
    pub kind: FieldKind,
    /// Whether the JSON is an array, even of one item or of none.
    pub is_array: bool,
}

/// What a JSON property represents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// An element.
    Element(Element),
    /// An element that others may replace. If it cannot repeat, each of them is a property of its
    /// own name (`members`, with its key); if it repeats, all are items of one array and each item
    /// has its name in `@element`.
    Substitution {
        /// The head of the group; left out of the choice where it is abstract.
        head: Element,
        /// The others, with their keys.
        members: Vec<(Box<str>, Element)>,
    },
    /// One iteration of a repeated choice or sequence of several members: an object.
    Group(Elements),
    /// Any element: a known one as its own JSON under its name, another one as its XML in a string.
    /// Always an array, even if at most one may appear: the content of a wildcard changes more
    /// easily than the contract.
    Any(Wildcard),
}

/// Which elements `xs:any` allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wildcard {
    /// The namespaces; `None` for any.
    pub namespaces: Option<Vec<NamespaceId>>,
    /// Whether `namespaces` are the ones that are not allowed (`##other`).
    pub is_except: bool,
    /// How it is validated.
    pub process: Process,
}

/// `processContents` of a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Process {
    /// The element must be known.
    Strict,
    /// A known element is checked.
    Lax,
    /// Nothing is checked.
    Skip,
}

/// How often a particle may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurs {
    /// Minimum.
    pub min: u32,
    /// Maximum; `None` for any number.
    pub max: Option<u32>,
}

/// The order of elements. Only fields repeat: a repeated group is a field of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Particle {
    /// A field, by its index. A field that appears again later in the order is an array; its items
    /// are assigned to the appearances from first to last.
    Field(u16, Occurs),
    /// All, one after the other.
    Sequence(Vec<Particle>, Presence),
    /// Exactly one of them.
    Choice(Vec<Particle>, Presence),
    /// All, in any order.
    All(Vec<Particle>, Presence),
}

impl Default for Particle {
    fn default() -> Self {
        Self::Sequence(Vec::new(), Presence::Required)
    }
}

/// Whether a group is optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// It must appear.
    Required,
    /// It may be left out.
    Optional,
}

/// A simple type, merged with the restrictions of its bases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simple {
    /// The meaning of the text.
    pub kind: Kind,
    /// White space processing, which comes first.
    pub white_space: WhiteSpace,
    /// Further restrictions; `None` for most types.
    pub facets: Option<Box<Facets>>,
}

/// The meaning of a simple type's text, as far as it affects JSON or validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `string` and types derived from it, `anyURI`, `NOTATION`; `anySimpleType`.
    String,
    /// `boolean`
    Boolean,
    /// `integer` and types derived from it, with the bounds of the built-in type.
    Integer {
        /// The minimum; `None` for no bound.
        min: Option<i128>,
        /// The maximum; `None` for no bound.
        max: Option<i128>,
    },
    /// `decimal`
    Decimal,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `dateTime`
    DateTime,
    /// `date`
    Date,
    /// `time`
    Time,
    /// `gYearMonth`
    YearMonth,
    /// `gYear`
    Year,
    /// `gMonthDay`
    MonthDay,
    /// `gDay`
    Day,
    /// `gMonth`
    Month,
    /// `duration`
    Duration,
    /// `base64Binary`
    Base64,
    /// `hexBinary`
    Hex,
    /// `QName`
    QName,
    /// Values separated by white space.
    List(Box<Simple>),
    /// The first of these that matches.
    Union(Vec<Simple>),
}

/// The facet `whiteSpace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhiteSpace {
    /// White space is kept.
    Preserve,
    /// Tabs and line ends become spaces.
    Replace,
    /// Then runs become one space, and leading and trailing spaces are removed.
    Collapse,
}

/// The facets that are checked (XML Schema 1.0, part 2, section 4.3). Lengths count characters,
/// octets of binary types, items of lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    /// `length` and `minLength`
    pub length_min: Option<u64>,
    /// `length` and `maxLength`
    pub length_max: Option<u64>,
    /// One expression per step of derivation, with the alternatives of that step; the whole text
    /// must match each of them. In the syntax of the crate `regex`, anchored.
    pub patterns: Vec<Box<str>>,
    /// The values as written in the schema; empty for no restriction.
    pub enumeration: Vec<Box<str>>,
    /// `minInclusive`
    pub min_inclusive: Option<Box<str>>,
    /// `maxInclusive`
    pub max_inclusive: Option<Box<str>>,
    /// `minExclusive`
    pub min_exclusive: Option<Box<str>>,
    /// `maxExclusive`
    pub max_exclusive: Option<Box<str>>,
    /// `totalDigits`
    pub total_digits: Option<u32>,
    /// `fractionDigits`
    pub fraction_digits: Option<u32>,
}
