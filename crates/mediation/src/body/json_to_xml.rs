//! `json_to_xml`: a JSON body as an XML 1.0 document in UTF-8, without a declaration.
//!
//! A member becomes an element with its name, an array repeats the element of its member, and the
//! items of an array without a member have a name of their own. `null` becomes an empty element,
//! without `xsi:nil`; numbers keep their digits. What XML cannot hold is refused, not replaced.

use serde::{Deserialize, Serialize};
use tollgate_json::tape::{Kind, NodeId, View};
use tollgate_xml::escape::{Forbidden, push_attribute, push_text};
use tollgate_xml::{DecodeError, is_name};

use super::xml_to_json::{Memory, check};
use crate::edits::Changed;
use crate::outcome::Stop;
use crate::value::BYTES_MAX;
use crate::work::Work;

/// Maximum bytes of a name.
pub(crate) const NAME_BYTES_MAX: usize = 1024;
/// Units for an element and an attribute, and bytes of texts and tags that are written with one
/// more.
const ELEMENT_UNITS: usize = 12;
const ATTRIBUTE_UNITS: usize = 40;
const BYTES_PER_UNIT: usize = 4;

/// The convention by which JSON becomes XML.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JsonToXml {
    /// Name of the root element.
    pub(crate) root: Box<str>,
    /// Name of the items of an array in an array, or at the top.
    pub(crate) item: Box<str>,
    /// Beginning of the names of attributes; none if empty.
    pub(crate) attributes: Box<str>,
    /// Name of the member that is the text of its element.
    pub(crate) text: Box<str>,
}

impl JsonToXml {
    /// Converts a body.
    ///
    /// # Errors
    /// Fails if XML has no place for a name or a character, if a prefix is not declared, if the
    /// document would have more than 10 MiB, or if the work is exceeded.
    pub(crate) fn run(
        &self,
        view: &View<'_>,
        root: NodeId,
        out: &mut Vec<u8>,
        work: &Work,
        memory: &mut Memory,
    ) -> Result<Option<Changed>, Stop> {
        let mut writer = Writer {
            convention: self,
            view: *view,
            out,
            work,
            has_prefix: self.root.contains(':') || self.item.contains(':'),
        };
        writer
            .element(&self.root, root)
            .map_err(|refused| match refused {
                Refused::TooLong => Stop::TooLong,
                Refused::TooMuchWork => Stop::TooMuchWork(None),
                Refused::At(node, reason) => {
                    let pointer = view.pointer(node);
                    Stop::NotWellFormed(format!("{pointer:?} of the body {reason}").into())
                }
            })?;
        if writer.has_prefix {
            check(out, work, memory).map_err(|error| in_namespaces(&error))?;
        }
        Ok(Some(Changed {
            media_type: Some("application/xml; charset=utf-8"),
            coding: None,
        }))
    }
}

/// The reason why a document violates Namespaces in XML 1.0.
fn in_namespaces(error: &DecodeError) -> Stop {
    let reason = error.reason();
    Stop::NotWellFormed(format!("the body has no form in XML: {reason}").into())
}

enum Refused {
    At(NodeId, &'static str),
    TooLong,
    TooMuchWork,
}

struct Writer<'w> {
    convention: &'w JsonToXml,
    view: View<'w>,
    out: &'w mut Vec<u8>,
    work: &'w Work,
    /// Whether a name has a prefix or an attribute declares a namespace.
    has_prefix: bool,
}

impl<'w> Writer<'w> {
    /// Writes the element of a member, or the elements of its array.
    fn member(&mut self, key: NodeId) -> Result<(), Refused> {
        let (view, name) = (self.view, self.view.text(key));
        self.check_name(key, name)?;
        let value = view.value(key);
        if view.kind(value) != Kind::Array {
            return self.element(name, value);
        }
        let mut items = view.children(value);
        items.try_for_each(|item| self.element(name, item))
    }

    /// Writes one element. The tape bounds the depth.
    fn element(&mut self, name: &str, value: NodeId) -> Result<(), Refused> {
        let (view, start) = (self.view, self.out.len());
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_bytes());
        if view.kind(value) == Kind::Object {
            for key in view.children(value) {
                if let Some(name) = self.attribute_name(key) {
                    self.attribute(key, name)?;
                }
            }
        }
        let tag_end = self.out.len();
        if tag_end > BYTES_MAX {
            return Err(Refused::TooLong);
        }
        let units = ELEMENT_UNITS + (tag_end - start) / BYTES_PER_UNIT;
        if !self.work.spend(units) {
            return Err(Refused::TooMuchWork);
        }
        self.out.push(b'>');
        self.content(value)?;
        if self.out.len() == tag_end + 1 {
            self.out.truncate(tag_end);
            self.out.extend_from_slice(b"/>");
        } else {
            self.out.extend_from_slice(b"</");
            self.out.extend_from_slice(name.as_bytes());
            self.out.push(b'>');
        }
        Ok(())
    }

    fn content(&mut self, value: NodeId) -> Result<(), Refused> {
        let (view, convention) = (self.view, self.convention);
        match view.kind(value) {
            Kind::Object => {
                for key in view.children(value) {
                    if view.text(key) == &*convention.text {
                        let text = self.scalar(key)?;
                        self.text(key, text)?;
                    } else if self.attribute_name(key).is_none() {
                        self.member(key)?;
                    }
                }
                Ok(())
            }
            Kind::Array => {
                let mut items = view.children(value);
                items.try_for_each(|item| self.element(&convention.item, item))
            }
            _ => self.text(value, scalar(view, value)),
        }
    }

    /// Returns the name of the attribute that a member becomes.
    fn attribute_name(&self, key: NodeId) -> Option<&'w str> {
        let (name, convention) = (self.view.text(key), self.convention);
        let is_text = name == &*convention.text || convention.attributes.is_empty();
        let name = name.strip_prefix(&*convention.attributes);
        name.filter(|_| !is_text)
    }

    fn attribute(&mut self, key: NodeId, name: &str) -> Result<(), Refused> {
        self.check_name(key, name)?;
        let is_declaration = name == "xmlns" || name.starts_with("xmlns:");
        self.has_prefix |= is_declaration;
        let value = self.scalar(key)?;
        self.work.spend(ATTRIBUTE_UNITS);
        if is_declaration && !is_uri_reference(value) {
            let reason = "declares a namespace that is no URI reference";
            return Err(Refused::At(key, reason));
        }
        self.out.push(b' ');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"=\"");
        push_attribute(self.out, value).map_err(|_: Forbidden| forbidden(key))?;
        self.out.push(b'"');
        Ok(())
    }

    fn text(&mut self, node: NodeId, text: &str) -> Result<(), Refused> {
        self.work.spend(text.len() / BYTES_PER_UNIT);
        push_text(self.out, text).map_err(|_: Forbidden| forbidden(node))
    }

    fn check_name(&mut self, key: NodeId, name: &str) -> Result<(), Refused> {
        if name.len() > NAME_BYTES_MAX || !is_name(name) {
            let reason = "has a name that is no name of XML";
            return Err(Refused::At(key, reason));
        }
        self.has_prefix |= name.contains(':');
        Ok(())
    }

    /// Returns the text of a member that is an attribute or the text of its element.
    fn scalar(&self, key: NodeId) -> Result<&'w str, Refused> {
        let value = self.view.value(key);
        match self.view.kind(value) {
            Kind::Array | Kind::Object => {
                let reason = "is an array or object, where XML has only text";
                Err(Refused::At(key, reason))
            }
            _ => Ok(scalar(self.view, value)),
        }
    }
}

fn forbidden(node: NodeId) -> Refused {
    Refused::At(node, "has a character that XML cannot contain")
}

fn scalar<'a>(view: View<'a>, value: NodeId) -> &'a str {
    match view.kind(value) {
        Kind::True => "true",
        Kind::False => "false",
        _ => view.text(value),
    }
}

/// Whether this is a URI reference (RFC 3986, section 4.1), as the name of a namespace has to be
/// (Namespaces in XML 1.0, section 3). libxml2 rejects others. IP addresses in brackets are not
/// accepted.
fn is_uri_reference(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_mark = |byte: u8| b"-._~:/?@!$&'()*+,;=%#".contains(&byte);
    let is_of_uri = |byte: &u8| byte.is_ascii_alphanumeric() || is_mark(*byte);
    let mut escapes = text.split('%').skip(1).map(str::as_bytes);
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let are_escaped = escapes.all(|rest| is_hex(rest.first()) && is_hex(rest.get(1)));
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = first.split_once(':').map(|(scheme, _)| scheme.as_bytes());
    let is_scheme = |scheme: &[u8]| {
        let later = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(later)
    };
    bytes.iter().all(is_of_uri)
        && text.matches('#').count() <= 1
        && are_escaped
        && scheme.is_none_or(is_scheme)
}
