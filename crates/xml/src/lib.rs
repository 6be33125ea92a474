#![doc = include_str!("../README.md")]

mod attributes;
mod characters;
mod decode;
mod encoding;
pub mod escape;
mod known_names;
mod names;
mod place;
mod reader;
mod stack;
mod tag;
#[cfg(test)]
mod tests;

pub use characters::is_plain_name;
pub use characters::{is_name, is_space, trim};
pub use decode::is_sound_prefix;
pub use decode::{Text, decode, decode_prefix};
pub use encoding::{DecodeError, declared_encoding};
pub use names::{Names, Namespace};
pub use place::Place;
pub use reader::{Event, Reader, Tag};
pub use stack::{Attribute, Stack};

/// Bounds on a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum bytes of the document, before and after decoding.
    pub bytes_max: usize,
    /// Maximum depth of nested elements.
    pub depth_max: u32,
    /// Maximum number of attributes of an element, including namespace declarations.
    pub attributes_max: usize,
    /// Maximum number of namespace declarations in scope.
    pub namespaces_max: usize,
    /// Maximum bytes of a name, including its prefix.
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

/// The reason why a document is rejected, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, at byte {offset}")]
pub struct Error {
    /// What is wrong.
    pub problem: Problem,
    /// The byte offset of the problem, counted in the decoded text.
    pub offset: usize,
}

/// What is wrong with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The document is incomplete; more bytes may make it valid.
    #[error("the document ends too early")]
    Truncated,
    /// A document type declaration, whatever its content.
    #[error("a document type declaration is not allowed")]
    Doctype,
    /// A processing instruction where none is allowed.
    #[error("a processing instruction is not allowed here")]
    Instruction,
    /// A reference to an entity other than the five, or to a character that XML forbids.
    #[error("a reference to an unknown entity or a forbidden character")]
    Reference,
    /// Something that begins like markup, but is none that XML defines.
    #[error("markup is malformed")]
    Markup,
    /// The XML declaration is malformed or not at the beginning.
    #[error("the XML declaration is invalid")]
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
    /// A declaration that Namespaces in XML forbids.
    #[error("a namespace declaration is invalid")]
    NamespaceDeclaration,
    /// A second root element, or text outside the root.
    #[error("there is content outside the root element")]
    BesideRoot,
    /// `]]>` in text.
    #[error("text contains \"]]>\"")]
    SectionEnd,
    /// A character that XML forbids.
    #[error("a character is not allowed in XML")]
    Character,
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
    /// Returns the error at an offset.
    #[must_use]
    pub const fn at(self, offset: usize) -> Error {
        Error {
            problem: self,
            offset,
        }
    }

    /// Whether the document was well-formed as far as it was read, but exceeds a bound.
    #[must_use]
    pub const fn is_bound(self) -> bool {
        matches!(
            self,
            Self::Size | Self::Depth | Self::Attributes | Self::Namespaces | Self::NameLength
        )
    }
}
