//! Reading XML strictly: what a gateway and a back end could read differently is refused.
//!
//! [`decode`] makes text of bytes, once per message. [`Reader`] pulls events from the text; what a
//! message has few of (comments, sections, instructions), and where a start tag ends that is not
//! written as nearly all are, is found by quick-xml, all else is checked here: names, end tags,
//! attributes, namespaces, references, characters, one root (XML 1.0, fifth edition; Namespaces in
//! XML 1.0, third edition). DOCTYPE is refused, so there are five entities and nothing to expand.
//!
//! Namespaces are compared as numbers: [`Names`] gives the ones that matter a [`Namespace`], and
//! [`Stack`] keeps the prefixes in scope. A stack is reused from message to message, so that the
//! steady state allocates nothing.
//!
//! ```
//! use tollgate_soap::xml::{Bounds, Event, Names, Reader, Stack, decode};
//!
//! let names = Names::new(["urn:shop"]);
//! let bounds = Bounds::default();
//! let text = decode(b"<s:order xmlns:s='urn:shop'>12</s:order>", None, bounds)?;
//! let mut stack = Stack::default();
//! let mut reader = Reader::new(&text, &names, &mut stack, bounds);
//! let Event::Start(tag) = reader.next()? else { panic!() };
//! assert_eq!((tag.namespace, tag.local), (names.find("urn:shop"), "order"));
//! assert!(matches!(reader.next()?, Event::Text("12")));
//! assert!(matches!(reader.next()?, Event::End));
//! assert!(matches!(reader.next()?, Event::Eof));
//! # Ok::<(), tollgate_soap::xml::Error>(())
//! ```

mod attributes;
mod characters;
mod decode;
mod known_names;
mod names;
mod place;
mod reader;
mod stack;
mod tag;
#[cfg(test)]
mod tests;

pub(crate) use characters::is_plain_name;
pub use characters::{is_space, trim};
pub(crate) use decode::is_sound_prefix;
pub use decode::{Text, decode, decode_prefix};
pub use names::{Names, Namespace};
pub(crate) use place::Place;
pub use reader::{Event, Reader, Tag};
pub use stack::{Attribute, Stack};

/// How much of a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of the document, before and after its decoding.
    pub bytes_max: usize,
    /// Elements within each other.
    pub depth_max: u32,
    /// Attributes of an element, declarations of namespaces among them.
    pub attributes_max: usize,
    /// Declarations of namespaces in scope at one place.
    pub namespaces_max: usize,
    /// Bytes of a name, with its prefix.
    pub name_bytes_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes_max: 10 * 1024 * 1024,
            depth_max: 128,
            attributes_max: 256,
            namespaces_max: 128,
            name_bytes_max: 1024,
        }
    }
}

/// Why a document is not read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, at byte {offset}")]
pub struct Error {
    /// What is wrong.
    pub problem: Problem,
    /// Bytes before the place, counted in the decoded text.
    pub offset: usize,
}

/// What is wrong with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// More bytes may still make it right; of a whole document, they are missing.
    #[error("the document ends too early")]
    Truncated,
    /// A document type declaration, whatever it says.
    #[error("a document type declaration is not allowed")]
    Doctype,
    /// A processing instruction where none is allowed.
    #[error("a processing instruction is not allowed here")]
    Instruction,
    /// A reference to an entity that is none of the five, or to a character that XML forbids.
    #[error("a reference to an unknown entity or a forbidden character")]
    Reference,
    /// Something like `<!`, a comment or a tag that XML does not know.
    #[error("markup is malformed")]
    Markup,
    /// The XML declaration is wrong or late.
    #[error("the XML declaration is wrong")]
    Declaration,
    /// The XML declaration names another version than 1.0.
    #[error("the version of XML is not 1.0")]
    Version,
    /// The end tag of another element.
    #[error("an end tag does not match its start tag")]
    EndTag,
    /// A name that XML does not allow.
    #[error("a name is malformed")]
    Name,
    /// An attribute without `=`, quotes or a space before it, or with `<` in its value.
    #[error("an attribute is malformed")]
    Attribute,
    /// An attribute twice, by its name in its namespace.
    #[error("an attribute appears twice")]
    DuplicateAttribute,
    /// A prefix that nothing declares.
    #[error("a prefix is not declared")]
    Prefix,
    /// A declaration that the namespaces of XML do not allow.
    #[error("a namespace is declared wrongly")]
    NamespaceDeclaration,
    /// A second root element, or text beside the root.
    #[error("there is content beside the root element")]
    BesideRoot,
    /// `]]>` in text.
    #[error("text contains \"]]>\"")]
    SectionEnd,
    /// A character that XML forbids.
    #[error("a character is not allowed in XML")]
    Character,
    /// Bytes that are not text in the encoding they claim, or an encoding that is not supported.
    #[error("the encoding is not supported or does not fit the bytes")]
    Encoding,
    /// [`Bounds::bytes_max`]
    #[error("the document is too large")]
    Size,
    /// [`Bounds::depth_max`]
    #[error("elements are nested too deeply")]
    Depth,
    /// [`Bounds::attributes_max`]
    #[error("an element has too many attributes")]
    Attributes,
    /// [`Bounds::namespaces_max`]
    #[error("too many namespaces are declared")]
    Namespaces,
    /// [`Bounds::name_bytes_max`]
    #[error("a name is too long")]
    NameLength,
}

impl Problem {
    /// The error at a place.
    #[must_use]
    pub const fn at(self, offset: usize) -> Error {
        Error {
            problem: self,
            offset,
        }
    }

    /// Whether the document is sound XML as far as it was read, but more than is read.
    #[must_use]
    pub const fn is_bound(self) -> bool {
        matches!(
            self,
            Self::Size | Self::Depth | Self::Attributes | Self::Namespaces | Self::NameLength
        )
    }
}
