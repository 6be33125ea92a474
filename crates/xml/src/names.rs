//! Namespaces as numbers.

/// A namespace as a number of the [`Names`] that returned it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Namespace(u16);

impl Namespace {
    /// No namespace.
    pub const NONE: Self = Self(0);
    /// The namespace of the prefix `xml`.
    pub const XML: Self = Self(1);
    /// `xsi:nil` and `xsi:type`.
    pub const INSTANCE: Self = Self(2);
    /// The envelope of SOAP 1.1.
    pub const ENVELOPE_1_1: Self = Self(3);
    /// The envelope of SOAP 1.2.
    pub const ENVELOPE_1_2: Self = Self(4);
    /// `xop:Include`
    pub const XOP: Self = Self(5);
    /// A namespace that is not among the names: two of them need not be equal.
    pub const OTHER: Self = Self(u16::MAX);
}

/// The namespaces of [`Namespace::NONE`] to [`Namespace::XOP`].
const FIXED: [&str; 6] = [
    "",
    "http://www.w3.org/XML/1998/namespace",
    "http://www.w3.org/2001/XMLSchema-instance",
    "http://schemas.xmlsoap.org/soap/envelope/",
    "http://www.w3.org/2003/05/soap-envelope",
    "http://www.w3.org/2004/08/xop/include",
];

/// The namespaces that a reader recognises.
#[derive(Debug, Clone)]
pub struct Names {
    names: Vec<Box<str>>,
}

impl Names {
    /// Numbers the given namespaces, after those that have a constant. At most 65 thousand are
    /// kept.
    #[must_use]
    pub fn new<'a>(namespaces: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names: Vec<Box<str>> = FIXED.iter().map(|&name| name.into()).collect();
        for name in namespaces {
            if names.len() < usize::from(u16::MAX) && !names.iter().any(|known| **known == *name) {
                names.push(name.into());
            }
        }
        Self { names }
    }

    /// Returns the number of a namespace.
    #[must_use]
    pub fn find(&self, name: &str) -> Namespace {
        let position = self.names.iter().position(|known| **known == *name);
        position.map_or(Namespace::OTHER, |position| Namespace(position as u16))
    }

    /// Returns the name of a namespace; empty for [`Namespace::NONE`] and [`Namespace::OTHER`].
    #[must_use]
    pub fn name(&self, namespace: Namespace) -> &str {
        let name = self.names.get(usize::from(namespace.0));
        name.map_or("", |name| name)
    }
}
