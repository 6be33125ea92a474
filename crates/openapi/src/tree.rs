//! The relevant part of a document, read in one pass from any serde format.
//!
//! A seed decides by its place in the document which values to keep: schemas, parameters, examples
//! and so on are skipped without being stored, so a large document needs little memory and a
//! recursive schema none. Repeated keys, depth and kept values are checked here for JSON and YAML
//! alike. `source` selects the format, `document` and `reference` read the tree.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

mod key;
mod parameters;

use key::Key;
use parameters::Field;
pub(crate) use parameters::Parameters;

/// Maximum number of values kept for one document; 5,000 operations need a fifth of it.
const KEPT_MAX: usize = 500_000;

/// A value of the document.
#[derive(Debug)]
pub(crate) enum Node {
    /// `null`.
    Nothing,
    /// Present, but not kept.
    Skipped,
    /// A boolean or a number, as text.
    Scalar(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Map(Map),
}

impl Node {
    /// Returns the object, if this is one.
    pub(crate) fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the string, if this is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// An object with lookup in logarithmic time, because attackers can choose the references.
#[derive(Debug, Default)]
pub(crate) struct Map {
    entries: BTreeMap<String, (usize, Node)>,
    /// For an operation, its first reference to another file.
    pub(crate) outside: Option<String>,
}

impl Map {
    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<&Node> {
        self.entries.get(key).map(|(_, node)| node)
    }

    /// Returns the string of a key, if there is one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.value(key).and_then(Node::as_text)
    }

    /// Returns the object of a key, if there is one.
    pub(crate) fn map(&self, key: &str) -> Option<&Self> {
        self.value(key).and_then(Node::as_map)
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns keys and values in document order.
    pub(crate) fn in_order(&self) -> Vec<(&str, &Node)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|(_, (place, _))| *place);
        let pairs = entries.into_iter();
        pairs.map(|(key, (_, node))| (key.as_str(), node)).collect()
    }
}

/// A place in the document, as far as it determines which values below it are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The document itself.
    Root,
    /// `info`.
    Info,
    /// `components`.
    Components,
    /// A map of path items.
    Items,
    /// A path item.
    Item,
    /// An operation.
    Operation,
    /// A map with keys that matter but values that do not.
    Names,
    /// A list or a map of parameters.
    Parameters,
    /// A parameter.
    Parameter,
    /// A field of a parameter.
    Field(Field),
    /// A reference.
    Reference,
    /// Text, even if YAML would read a number: `version: 1.10`.
    Text,
    /// Everything is kept.
    Whole,
    /// Nothing is kept.
    Skip,
}

impl Place {
    /// Whether nothing at this place is kept, although parts of it may be inspected.
    fn is_left(self) -> bool {
        matches!(
            self,
            Self::Skip | Self::Parameters | Self::Parameter | Self::Field(_) | Self::Reference
        )
    }

    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, "openapi") => Self::Text,
            (Self::Root, "swagger") => Self::Whole,
            (Self::Root, "info") => Self::Info,
            (Self::Root, "paths") | (Self::Components, "pathItems") => Self::Items,
            (Self::Root, "components") => Self::Components,
            (Self::Root, "webhooks") => Self::Names,
            (Self::Root, "servers") => Self::Whole,
            (Self::Root | Self::Operation, "security") => Self::Whole,
            (Self::Components, "securitySchemes") => Self::Whole,
            (Self::Components | Self::Item | Self::Operation, "parameters") => Self::Parameters,
            (Self::Parameters, _) => Self::Parameter,
            (Self::Parameter, "style") => Self::Field(Field::Style),
            (Self::Parameter, "in") => Self::Field(Field::In),
            (Self::Parameter, "name") => Self::Field(Field::Name),
            (Self::Components, "callbacks") => Self::Names,
            (Self::Items, _) => Self::Item,
            (Self::Item, "servers") => Self::Skip,
            (Self::Item, "get" | "head" | "post" | "put") => Self::Operation,
            (Self::Item, "patch" | "delete" | "options" | "trace") => Self::Operation,
            (Self::Item, "$ref") => Self::Text,
            (Self::Operation | Self::Skip | Self::Parameter, "$ref") => Self::Reference,
            (Self::Info, "title" | "version" | "description") => Self::Text,
            (Self::Operation, "summary" | "operationId") => Self::Text,
            (Self::Operation, "callbacks") => Self::Names,
            (Self::Whole, _) => Self::Whole,
            // A reference may point into an extension of the document.
            (Self::Root, key) if key.starts_with("x-") => Self::Whole,
            _ => Self::Skip,
        }
    }
}

/// The state of reading: the budget used, and why reading stopped.
#[derive(Debug)]
pub(crate) struct Reading {
    depth_max: usize,
    kept: Cell<usize>,
    parameters: RefCell<Parameters>,
    /// The first reference to another file in the current value.
    outside: RefCell<Option<String>>,
    stop: RefCell<Option<Stop>>,
}

/// The reason why reading stopped, unless it was the syntax.
#[derive(Debug)]
pub(crate) struct Stop {
    /// The fault's code.
    pub(crate) code: &'static str,
    /// The fault's sentence.
    pub(crate) detail: String,
}

impl Reading {
    /// Starts reading, with at most `depth_max` levels.
    pub(crate) fn new(depth_max: usize) -> Self {
        Self {
            depth_max,
            kept: Cell::new(0),
            parameters: RefCell::default(),
            outside: RefCell::default(),
            stop: RefCell::new(None),
        }
    }

    /// Returns the seed of the whole document.
    pub(crate) fn root(&self) -> Seed<'_> {
        Seed {
            place: Place::Root,
            depth: 0,
            reading: self,
        }
    }

    /// Returns the facts about the parameters that were read.
    pub(crate) fn parameters(&self) -> Parameters {
        self.parameters.take()
    }

    /// Returns why reading stopped, if because of a bound or a repeated key.
    pub(crate) fn stopped(&self) -> Option<Stop> {
        self.stop.borrow_mut().take()
    }

    fn stop<E: de::Error>(&self, code: &'static str, detail: String) -> E {
        let error = E::custom(&detail);
        *self.stop.borrow_mut() = Some(Stop { code, detail });
        error
    }

    fn keep<E: de::Error>(&self) -> Result<(), E> {
        self.kept.set(self.kept.get() + 1);
        if self.kept.get() > KEPT_MAX {
            let detail = "the document has too many values outside of its schemas";
            return Err(self.stop("openapi.budget", detail.to_owned()));
        }
        Ok(())
    }
}

/// Reads the value at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed<'a> {
    place: Place,
    depth: usize,
    reading: &'a Reading,
}

impl Seed<'_> {
    fn below<E: de::Error>(self, place: Place) -> Result<Self, E> {
        if self.depth >= self.reading.depth_max {
            let detail = format!(
                "the document is nested deeper than {}",
                self.reading.depth_max
            );
            return Err(self.reading.stop("openapi.depth", detail));
        }
        Ok(Self {
            place,
            depth: self.depth + 1,
            reading: self.reading,
        })
    }

    fn leaf<E: de::Error>(self, node: impl FnOnce() -> Node) -> Result<Node, E> {
        if self.place.is_left() {
            return Ok(Node::Skipped);
        }
        self.reading.keep()?;
        Ok(node())
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        if self.place == Place::Text {
            let text = Option::<String>::deserialize(from)?;
            return self.leaf(|| text.map_or(Node::Nothing, Node::Text));
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(value.to_string()))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(value.to_string()))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(value.to_string()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Node, E> {
        match self.place {
            Place::Field(field) => self.reading.parameters.borrow_mut().add(field, value),
            Place::Reference if !value.starts_with('#') => {
                let mut outside = self.reading.outside.borrow_mut();
                outside.get_or_insert_with(|| value.to_owned());
            }
            _ => {}
        }
        self.leaf(|| Node::Text(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Node, E> {
        self.visit_str(&value)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        self.leaf(|| Node::Nothing)
    }

    fn visit_none<E: de::Error>(self) -> Result<Node, E> {
        self.leaf(|| Node::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        // Lists are only kept at places that are kept whole; elsewhere a list is malformed,
        // which `document` reports with its pointer.
        let inner = self.below(match self.place {
            Place::Whole => Place::Whole,
            Place::Parameters => Place::Parameter,
            _ => Place::Skip,
        })?;
        let mut list = Vec::new();
        while let Some(node) = from.next_element_seed(inner)? {
            if !inner.place.is_left() {
                list.push(node);
            }
        }
        self.leaf(|| Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        if self.place == Place::Skip {
            let (inner, reference) = (self.below(Place::Skip)?, self.below(Place::Reference)?);
            while let Some(Key { is_reference }) = from.next_key()? {
                from.next_value_seed(if is_reference { reference } else { inner })?;
            }
            return Ok(Node::Skipped);
        }
        if self.place.is_left() {
            while let Some(key) = from.next_key::<String>()? {
                from.next_value_seed(self.below(self.place.below(&key))?)?;
            }
            if self.place == Place::Parameter {
                self.reading.parameters.borrow_mut().end();
            }
            return Ok(Node::Skipped);
        }
        let mut map = Map::default();
        if self.place == Place::Operation {
            *self.reading.outside.borrow_mut() = None;
        }
        while let Some(key) = from.next_key::<String>()? {
            if map.entries.contains_key(&key) {
                let detail = format!("the key {key:?} occurs twice in one object");
                return Err(self.reading.stop("openapi.duplicate_key", detail));
            }
            let inner = self.below(self.place.below(&key))?;
            let node = from.next_value_seed(inner)?;
            self.reading.keep()?;
            map.entries.insert(key, (map.entries.len(), node));
        }
        if self.place == Place::Operation {
            map.outside = self.reading.outside.borrow_mut().take();
        }
        self.leaf(|| Node::Map(map))
    }
}
