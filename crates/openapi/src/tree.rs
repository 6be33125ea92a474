//! The relevant part of a document, read in one pass from any serde format.
//!
//! A seed decides by its place in the document which values to keep: schemas, parameters, examples
//! and so on are skipped without being stored, so a large document needs little memory and a
//! recursive schema none. Repeated keys, depth and the memory of kept values are checked here for
//! JSON and YAML alike; the memory that the whole document would take is counted. `source` selects
//! the format, `document` and `reference` read the tree.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

mod key;
mod node;
mod parameters;

use key::Key;
use node::{ITEM_BYTES, MEMBER_BYTES, OpenMap};
pub(crate) use node::{Map, Node};
use parameters::Field;
pub(crate) use parameters::Parameters;

use crate::item;
use crate::rest;
use crate::value::{self, ALLOCATION_BYTES};

/// Maximum estimated bytes of the kept values of one document; 5,000 operations need half of it.
const KEPT_BYTES_MAX: usize = 24 << 20;
/// Maximum bytes of a kept key: faults and notes repeat keys several times.
const KEY_BYTES_MAX: usize = 8 << 10;
/// Maximum bytes of a kept text; longer ones are cut where a text is expected, and skipped
/// elsewhere.
const TEXT_BYTES_MAX: usize = 48 << 10;

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
            (Self::Root, "swagger" | "swaggerVersion") => Self::Whole,
            (Self::Root, "info") => Self::Info,
            (Self::Root, "paths") | (Self::Components, "pathItems") => Self::Items,
            (Self::Root, "components") => Self::Components,
            (Self::Root, "webhooks") => Self::Names,
            (Self::Root, "servers") => Self::Whole,
            // Fields of Swagger 2.0.
            (Self::Root, "parameters") => Self::Parameters,
            (Self::Root, "host" | "basePath") => Self::Text,
            (Self::Root, "schemes" | "securityDefinitions") => Self::Whole,
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
            (Self::Item, "patch" | "delete" | "options" | "trace" | item::ANY) => Self::Operation,
            (Self::Item, "$ref") => Self::Text,
            (Self::Item, rest::EXTENSION) => Self::Whole,
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
    /// Estimated bytes of the kept values.
    kept: Cell<usize>,
    /// Estimated bytes of all values so far, in the unit of `Value::memory`.
    weight: Cell<usize>,
    parameters: RefCell<Parameters>,
    /// The first reference to another file in the current value.
    outside: RefCell<Option<Box<str>>>,
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
            weight: Cell::new(0),
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

    /// Returns the memory that the kept values and the whole document take together.
    pub(crate) fn memory(&self) -> usize {
        self.kept.get() + self.weight.get()
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

    fn keep<E: de::Error>(&self, bytes: usize) -> Result<(), E> {
        self.kept.set(self.kept.get() + bytes);
        if self.kept.get() > KEPT_BYTES_MAX {
            let detail = "the document has too many values outside of its schemas";
            return Err(self.stop("openapi.budget", detail.to_owned()));
        }
        Ok(())
    }

    fn keep_key<E: de::Error>(&self, key: &str) -> Result<(), E> {
        if key.len() > KEY_BYTES_MAX {
            let detail = format!("a name in the document is longer than {KEY_BYTES_MAX} bytes");
            return Err(self.stop("openapi.budget", detail));
        }
        self.keep(MEMBER_BYTES + ALLOCATION_BYTES + key.len())
    }

    fn add_weight(&self, bytes: usize) {
        self.weight.set(self.weight.get() + bytes);
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

    fn scalar<E: de::Error>(self, scalar: &impl ToString) -> Result<Node, E> {
        self.leaf(|| Node::Scalar(scalar.to_string()))
    }

    fn leaf<E: de::Error>(self, node: impl FnOnce() -> Node) -> Result<Node, E> {
        self.reading.add_weight(value::VALUE_BYTES);
        if self.place.is_left() {
            return Ok(Node::Skipped);
        }
        self.reading.keep(ALLOCATION_BYTES)?;
        Ok(node())
    }

    fn text<E: de::Error>(self, text: &str) -> Result<Node, E> {
        let weight = value::VALUE_BYTES + ALLOCATION_BYTES + text.len();
        self.reading.add_weight(weight);
        let is_long = text.len() > TEXT_BYTES_MAX && self.place != Place::Text;
        if self.place.is_left() || is_long {
            return Ok(Node::Skipped);
        }
        let kept = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        self.reading.keep(ALLOCATION_BYTES + kept.len())?;
        Ok(Node::Text(kept.to_owned()))
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        if self.place == Place::Text {
            let text = Option::<String>::deserialize(from)?;
            return match text {
                Some(text) => self.text(&text),
                None => self.leaf(|| Node::Nothing),
            };
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
        self.scalar(&value)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Node, E> {
        self.scalar(&value)
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Node, E> {
        self.scalar(&value)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Node, E> {
        self.scalar(&value)
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Node, E> {
        self.scalar(&value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Node, E> {
        self.scalar(&value)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Node, E> {
        match self.place {
            Place::Field(field) => self.reading.parameters.borrow_mut().add(field, value),
            Place::Reference if !value.starts_with('#') => {
                let shown = value.floor_char_boundary(KEY_BYTES_MAX);
                let mut outside = self.reading.outside.borrow_mut();
                outside.get_or_insert_with(|| value[..shown].into());
            }
            _ => {}
        }
        self.text(value)
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
                self.reading.keep(ITEM_BYTES)?;
                list.push(node);
            }
        }
        list.shrink_to_fit();
        self.leaf(|| Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        if self.place == Place::Skip {
            let (inner, reference) = (self.below(Place::Skip)?, self.below(Place::Reference)?);
            while let Some(key) = from.next_key::<Key>()? {
                self.reading.add_weight(value::member_bytes(key.bytes));
                let seed = if key.is_reference { reference } else { inner };
                from.next_value_seed(seed)?;
            }
            return self.leaf(|| Node::Skipped);
        }
        if self.place.is_left() {
            while let Some(key) = from.next_key::<String>()? {
                self.reading.add_weight(value::member_bytes(key.len()));
                from.next_value_seed(self.below(self.place.below(&key))?)?;
            }
            if self.place == Place::Parameter {
                let header = self.reading.parameters.borrow_mut().end();
                self.reading.keep(header)?;
            }
            return self.leaf(|| Node::Skipped);
        }
        self.kept_map(from)
    }
}

impl Seed<'_> {
    fn kept_map<'de, A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let mut map = OpenMap::default();
        if self.place == Place::Operation {
            *self.reading.outside.borrow_mut() = None;
        }
        while let Some(key) = from.next_key::<String>()? {
            if map.has(&key) {
                let shown = &key[..key.floor_char_boundary(KEY_BYTES_MAX)];
                let detail = format!("the key {shown:?} occurs twice in one object");
                return Err(self.reading.stop("openapi.duplicate_key", detail));
            }
            self.reading.keep_key(&key)?;
            let before = self.reading.weight.get();
            self.reading.add_weight(value::member_bytes(key.len()));
            let inner = self.below(self.place.below(&key))?;
            let node = from.next_value_seed(inner)?;
            map.add(key, self.reading.weight.get() - before, node);
        }
        let outside = match self.place {
            Place::Operation => self.reading.outside.borrow_mut().take(),
            _ => None,
        };
        self.leaf(|| Node::Map(map.close(outside)))
    }
}
