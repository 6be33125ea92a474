//! Bounds on the documents of a contract, and the reasons for rejecting one.

use thiserror::Error;

use tollgate_xml as xml;

/// Bounds on an import.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of documents.
    pub documents_max: usize,
    /// Maximum bytes of all documents, both as received and as text.
    pub bytes_max: usize,
    /// Maximum number of elements in all documents.
    pub elements_max: usize,
    /// Maximum number of declarations and definitions in all schemas, also used to limit the
    /// compiled plan.
    pub components_max: usize,
    /// Maximum depth of nested elements in a document.
    pub depth_max: usize,
}

impl Default for Limits {
    /// 500 documents, 64 MiB, 400,000 elements, 200,000 components, 128 levels.
    fn default() -> Self {
        Self {
            documents_max: 500,
            bytes_max: 64 * 1024 * 1024,
            elements_max: 400_000,
            components_max: 200_000,
            depth_max: 128,
        }
    }
}

/// The reason why a document is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// Its bytes are not valid XML text.
    #[error(transparent)]
    Encoding(xml::DecodeError),
    /// It has a document type.
    #[error("it has a DOCTYPE, which is not allowed in contracts")]
    Doctype,
    /// It is not XML.
    #[error("it is not well-formed XML (line {line}): {fault}")]
    Malformed {
        /// From 1.
        line: u32,
        /// The message of the parser.
        fault: String,
    },
    /// It is XML, but neither a contract nor a schema.
    #[error("it is neither WSDL 1.1 nor an XML Schema: its root is `{0}`")]
    Root(String),
    /// It is WSDL 2.0.
    #[error("it is WSDL 2.0, but only WSDL 1.1 is supported")]
    Wsdl2,
    /// Its elements are nested too deep.
    #[error("its elements are nested more than {0} levels deep")]
    Depth(usize),
    /// An element has too many attributes.
    #[error("an element has more than {0} attributes")]
    Attributes(usize),
    /// The value of an attribute is too long.
    #[error("an attribute has a value of more than {0} bytes")]
    AttributeValue(usize),
    /// Too many namespaces are in scope at once.
    #[error("more than {0} namespaces are in scope at once")]
    Namespaces(usize),
    /// The set has too many documents.
    #[error("the contract has more than {0} documents")]
    TooMany(usize),
    /// The set is too large.
    #[error("the contract has more than {0} bytes")]
    TooLarge(usize),
    /// The set has too many elements.
    #[error("the contract has more than {0} elements")]
    TooManyElements(usize),
}

impl DocumentError {
    /// A stable code word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Encoding(_) => "wsdl.encoding",
            Self::Doctype => "wsdl.doctype",
            Self::Malformed { .. } => "wsdl.malformed",
            Self::Root(_) => "wsdl.root",
            Self::Wsdl2 => "wsdl.version",
            Self::Depth(_) => "wsdl.depth",
            Self::Attributes(_) | Self::AttributeValue(_) => "wsdl.attributes",
            Self::Namespaces(_) => "wsdl.namespaces",
            Self::TooMany(_) => "wsdl.documents",
            Self::TooLarge(_) => "wsdl.too_large",
            Self::TooManyElements(_) => "wsdl.budget",
        }
    }
}
