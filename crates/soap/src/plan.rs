//! What a contract compiles to: plain data that names everything once.
//!
//! Import writes it, gateways get it with the version they serve, and each transcoder indexes it
//! for itself when it is loaded. Types refer to each other by [`TypeId`], so recursion is nothing
//! special; what the schema repeats is one [`Field`], what it repeats as a group is a field with
//! fields of its own.

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

/// A service as gateways serve it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePlan {
    /// Names of namespaces; the first is empty: no namespace.
    pub namespaces: Vec<Box<str>>,
    /// All types that operations reach.
    pub types: Vec<Type>,
    /// Global elements in the order of their names: what a wildcard may hold and still be typed.
    pub globals: Vec<Element>,
    /// What can be called, in the order of the contract.
    pub operations: Vec<Operation>,
}

impl ServicePlan {
    /// As gateways get it.
    ///
    /// # Panics
    /// Never: a plan is data that postcard knows.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain data")
    }

    /// What [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that are something else, or of another release.
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
    /// As the WSDL names it; with the port type in front where two port types use one name.
    pub name: Box<str>,
    /// The version of SOAP that its binding speaks.
    pub version: SoapVersion,
    /// The `soapAction` of its binding; empty where there is none.
    pub action: Box<str>,
    /// What is sent.
    pub request: Message,
    /// What comes back; `None` for a one-way operation.
    pub response: Option<Message>,
    /// The faults that the contract declares.
    pub faults: Vec<Fault>,
    /// Why it can only be proxied and not be called as REST, for people; `None` where it can.
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
    /// As the operation names it.
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
    /// `None` for a type that has no name, or was made for the parts of an rpc message.
    pub name: Option<Name>,
    /// What `@type` calls it: the local name, with a suffix where two types would share it.
    pub json: Box<str>,
    /// Whether only a type derived from it may appear.
    pub is_abstract: bool,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Whether other attributes may appear.
    pub any_attribute: bool,
    /// What is between its tags.
    pub content: Content,
    /// The types that `xsi:type` may name in its place, derived over any number of steps; empty
    /// for most. Each is complex and has a name.
    pub derived: Vec<TypeId>,
    /// Whether the JSON is the array of its one repeated element, not an object with that: see
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
    /// Whether it must be there.
    pub required: bool,
    /// The value of an absent attribute.
    pub default: Option<Box<str>>,
    /// The only value it may have.
    pub fixed: Option<Box<str>>,
}

/// What is between the tags of a complex type.
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
}

/// The elements of a complex type or of a repeated group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elements {
    /// The JSON properties, each once, in the order of their first appearance.
    pub fields: Vec<Field>,
    /// The order and choices of the schema, over the fields.
    pub order: Particle,
}

/// A JSON property that stands for elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The key: unique in the type.
    pub json: Box<str>,
    /// What it stands for.
    pub kind: FieldKind,
    /// Whether the JSON is an array, even of one item or of none.
    pub is_array: bool,
}

/// What a JSON property stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// An element.
    Element(Element),
    /// An element that others may replace. Where it cannot repeat, each of them is a property of
    /// its own name (`members`, with its key); where it repeats, all are items of one array and
    /// each item says its name as `@element`.
    Substitution {
        /// The head of the group; left out of the choice where it is abstract.
        head: Element,
        /// The others, with their keys.
        members: Vec<(Box<str>, Element)>,
    },
    /// One turn of a repeated choice or sequence of several members: an object.
    Group(Elements),
    /// Any element: of a known one its own JSON under its name, of another one its XML in a
    /// string. Always an array, also where there can be one only: what a wildcard holds changes
    /// more easily than the contract.
    Any(Wildcard),
}

/// Which elements `xs:any` allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wildcard {
    /// The namespaces; `None` for any.
    pub namespaces: Option<Vec<NamespaceId>>,
    /// Whether `namespaces` are the ones that are not allowed (`##other`).
    pub is_except: bool,
    /// How it is to be held to the schema.
    pub process: Process,
}

/// `processContents` of a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Process {
    /// A known element must be there.
    Strict,
    /// A known element is checked.
    Lax,
    /// Nothing is checked.
    Skip,
}

/// How often something may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurs {
    /// At least.
    pub min: u32,
    /// At most; `None` for any number.
    pub max: Option<u32>,
}

/// The order of elements. Only fields repeat: a repeated group is a field of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Particle {
    /// A field, by its index. A field that appears again later in the order is an array, whose
    /// items go to its appearances from first to last.
    Field(u16, Occurs),
    /// One after the other.
    Sequence(Vec<Particle>, Presence),
    /// Exactly one of them.
    Choice(Vec<Particle>, Presence),
    /// Each, in any order.
    All(Vec<Particle>, Presence),
}

impl Default for Particle {
    fn default() -> Self {
        Self::Sequence(Vec::new(), Presence::Required)
    }
}

/// Whether a group may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// It must appear.
    Required,
    /// It may be left out.
    Optional,
}

/// A simple type, with what its bases restrict already in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simple {
    /// What the text means.
    pub kind: Kind,
    /// What happens to white space before anything else.
    pub white_space: WhiteSpace,
    /// What restricts it further; `None` for most.
    pub facets: Option<Box<Facets>>,
}

/// What the text of a simple type means, as far as JSON or its check differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `string` and what derives from it, `anyURI`, `NOTATION`; `anySimpleType`.
    String,
    /// `boolean`
    Boolean,
    /// `integer` and what derives from it, with the bounds of the built-in type.
    Integer {
        /// The least value; `None` where there is none.
        min: Option<i128>,
        /// The greatest value; `None` where there is none.
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
    /// Values with white space between them.
    List(Box<Simple>),
    /// The first of these that fits.
    Union(Vec<Simple>),
}

/// The facet `whiteSpace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhiteSpace {
    /// Kept.
    Preserve,
    /// Tabs and line ends become spaces.
    Replace,
    /// Then runs become one space, and none is at the ends.
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
    /// Each step of derivation has its alternatives; one of each step must match the whole. In
    /// the syntax of the crate `regex`, anchored.
    pub patterns: Vec<Box<str>>,
    /// The values, as the schema writes them; empty for no restriction.
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
