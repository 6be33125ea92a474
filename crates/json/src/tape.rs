//! JSON to a tape: one pass over the bytes of a text that records the position of each value,
//! strictly by [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259), without a tree and without
//! parsing numbers.
//!
//! Input that two parsers could interpret differently is rejected: duplicate keys, lone surrogates,
//! invalid UTF-8, text after the value. Schemas are checked by those who walk the tape.
//!
//! Parameters of a path, a query or a header are joined to the tape as [`Kind::Word`]: text that
//! may turn out to be a number. A tape is reused: no allocations in the steady state.

mod join;
mod name;
mod place;
mod read;
mod string;
#[cfg(test)]
mod tests;
mod words;

use std::num::NonZeroU32;

pub use join::GivenTwice;
pub use name::{KeySearch, Name};
pub use place::push_token;

/// Bounds on a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum bytes of the text; at most 1 GiB.
    pub bytes_max: usize,
    /// Maximum depth of nested arrays and objects.
    pub depth_max: u32,
    /// Maximum number of items of one array.
    pub items_max: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes_max: 10 * 1024 * 1024,
            depth_max: 64,
            items_max: 100_000,
        }
    }
}

/// The reason why a text is rejected, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, at byte {offset}")]
pub struct Malformed {
    /// What is wrong.
    pub problem: Problem,
    /// The byte offset of the problem.
    pub offset: usize,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text ends inside a value.
    #[error("the text ends too early")]
    Truncated,
    /// A byte that is not allowed here.
    #[error("an unexpected character")]
    Unexpected,
    /// Something after the value.
    #[error("text after the end of the value")]
    Trailing,
    /// A number such as `01`, `1.` or `+1`.
    #[error("a malformed number")]
    Number,
    /// A backslash before a character that JSON does not define as an escape.
    #[error("an unknown escape")]
    Escape,
    /// Half of a pair of surrogates.
    #[error("half of a surrogate pair")]
    Surrogate,
    /// A control character inside a string that is not escaped.
    #[error("a control character in a string")]
    Control,
    /// Bytes that are not UTF-8.
    #[error("bytes that are not UTF-8")]
    Encoding,
    /// A key that the object already has.
    #[error("a key appears twice")]
    DuplicateKey,
    /// More bytes than [`Bounds::bytes_max`].
    #[error("the text is too long")]
    TooLong,
    /// Deeper than [`Bounds::depth_max`].
    #[error("arrays and objects are nested too deep")]
    TooDeep,
    /// More items than [`Bounds::items_max`].
    #[error("an array has too many items")]
    TooManyItems,
}

/// A value or a key on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// Requires a tape that is as short as [`Bounds::bytes_max`] makes it.
    const fn new(index: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index as u32))
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number; its text is kept as written.
    Number,
    /// A string.
    Text,
    /// The text of a parameter: a string, a number or a boolean, depending on the schema.
    Word,
    /// An array.
    Array,
    /// An object.
    Object,
    /// A key; its value is the next node.
    Key,
}

/// Marks a text that XML neither escapes nor rejects. Without the mark, this is unknown.
const PLAIN: u16 = 1;
/// Marks a number with a decimal point, and one with an exponent.
const WITH_POINT: u16 = 1;
const WITH_EXPONENT: u16 = 2;
/// Marks an array or object of the input that is empty, and one that is not.
const EMPTY: u16 = 1;
const FILLED: u16 = 2;

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    /// Whether the text is in [`Tape::unescaped`] instead of the input.
    is_unescaped: bool,
    /// For a key, its first and last byte: one comparison distinguishes most pairs of keys. For a
    /// text, [`PLAIN`]; for a number, [`WITH_POINT`] and [`WITH_EXPONENT`]; for an array or object
    /// of the input, [`EMPTY`] or [`FILLED`].
    mark: u16,
    start: u32,
    /// End of the text, or of an array or object in the input, the first child of which is the next
    /// node. For an array or object that was joined or was empty before, its first child.
    end: Option<NonZeroU32>,
    /// Next item of the array, or next key of the object.
    next: Option<NodeId>,
}

/// The place of a string that has escapes.
#[derive(Debug, Clone, Copy)]
struct Escaped {
    /// Its beginning in [`Tape::unescaped`].
    unescaped: u32,
    /// Its place in the input, with its quotes.
    start: u32,
    end: u32,
}

/// The positions of the values of one text. Reading a text clears the previous one.
#[derive(Debug, Default)]
pub struct Tape {
    nodes: Vec<Node>,
    /// Strings that had escapes, and the text of parameters.
    unescaped: String,
    /// The places of strings that had escapes, in their order.
    escaped: Vec<Escaped>,
    root: Option<NodeId>,
    /// Parameters that have no place in the root.
    beside: Option<NodeId>,
    /// Keys of the objects being read that have too many for pairwise comparison, with the
    /// [heads](Name::head) of their names.
    keys: Vec<(u64, NodeId)>,
}

impl Tape {
    /// Clears everything but keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.unescaped.clear();
        self.escaped.clear();
        self.keys.clear();
        self.root = None;
        self.beside = None;
    }

    /// Clears everything, and frees the memory beyond about `bytes` that a long text took.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.clear();
        self.nodes.shrink_to(bytes / size_of::<Node>());
        self.unescaped.shrink_to(bytes);
        self.escaped.shrink_to(bytes / size_of::<Node>());
        self.keys.shrink_to(bytes / size_of::<Node>());
    }

    /// Reads one value, which white space may surround. Returns the text, which [`Tape::view`]
    /// requires.
    ///
    /// # Errors
    ///
    /// Fails if the text does not conform to RFC 8259 or exceeds the bounds. The tape is then
    /// empty.
    pub fn read<'a>(&mut self, json: &'a [u8], bounds: Bounds) -> Result<&'a str, Malformed> {
        self.clear();
        let read = read::read(self, json, bounds);
        if read.is_err() {
            self.clear();
        }
        read
    }

    /// Returns the number of values and keys.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the tape with its text: the one that [`Tape::read`] returned, or `""` if nothing was
    /// read.
    #[must_use]
    pub fn view<'a>(&'a self, json: &'a str) -> View<'a> {
        View {
            json,
            unescaped: &self.unescaped,
            escaped: &self.escaped,
            nodes: &self.nodes,
            root: self.root,
            beside: self.beside,
        }
    }
}

/// A tape with the text that it points into.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    json: &'a str,
    unescaped: &'a str,
    escaped: &'a [Escaped],
    nodes: &'a [Node],
    root: Option<NodeId>,
    beside: Option<NodeId>,
}

impl<'a> View<'a> {
    /// Returns the value; `None` if nothing was read and nothing joined.
    #[must_use]
    pub fn root(self) -> Option<NodeId> {
        self.root
    }

    /// Returns the object that [`Tape::join_beside`] made.
    #[must_use]
    pub fn beside(self) -> Option<NodeId> {
        self.beside
    }

    /// Returns the kind of a node.
    #[must_use]
    #[inline]
    pub fn kind(self, id: NodeId) -> Kind {
        self.nodes[id.index()].kind
    }

    /// Returns the text of a key, string, word or number; empty for others.
    #[must_use]
    #[inline]
    pub fn text(self, id: NodeId) -> &'a str {
        let node = &self.nodes[id.index()];
        let source = if node.is_unescaped {
            self.unescaped
        } else {
            self.json
        };
        match (node.kind, node.end) {
            (Kind::Key | Kind::Text | Kind::Word | Kind::Number, Some(end)) => {
                &source[node.start as usize..end.get() as usize]
            }
            _ => "",
        }
    }

    /// Returns the bytes of a key, string, word or number.
    pub fn bytes(self, id: NodeId) -> &'a [u8] {
        let node = &self.nodes[id.index()];
        match node.kind {
            Kind::Key | Kind::Text | Kind::Word | Kind::Number => self.name(node).bytes,
            _ => b"",
        }
    }

    /// Returns a key, and the next one.
    #[inline]
    pub fn key(self, id: NodeId) -> (Name<'a>, Option<NodeId>) {
        let node = &self.nodes[id.index()];
        (self.name(node), node.next)
    }

    /// Returns the text of a node as a name.
    #[inline]
    fn name(self, node: &Node) -> Name<'a> {
        let source = if node.is_unescaped {
            self.unescaped
        } else {
            self.json
        };
        let end = node.end.map_or(0, NonZeroU32::get);
        Name::within(source.as_bytes(), node.start as usize, end as usize)
    }

    /// Whether a scalar is known to hold nothing that XML escapes or rejects.
    pub fn is_plain(self, id: NodeId) -> bool {
        let node = &self.nodes[id.index()];
        match node.kind {
            Kind::Text => node.mark & PLAIN != 0,
            kind => matches!(kind, Kind::Number | Kind::True | Kind::False),
        }
    }

    /// Returns the notation of a number.
    pub fn notation(self, id: NodeId) -> Notation {
        match self.nodes[id.index()].mark {
            0 => Notation::Integer,
            WITH_POINT => Notation::Decimal,
            _ => Notation::Exponent,
        }
    }

    /// Returns the first item of an array, or the first key of an object.
    #[must_use]
    #[inline]
    pub fn first(self, id: NodeId) -> Option<NodeId> {
        let node = &self.nodes[id.index()];
        match (node.kind, node.mark) {
            (Kind::Array | Kind::Object, FILLED) => Some(self.value(id)),
            (Kind::Array | Kind::Object, 0) => node.end.map(NodeId),
            _ => None,
        }
    }

    /// Returns the next item, or the next key.
    #[must_use]
    #[inline]
    pub fn next(self, id: NodeId) -> Option<NodeId> {
        self.nodes[id.index()].next
    }

    /// Returns the value of a key.
    #[must_use]
    #[inline]
    pub fn value(self, key: NodeId) -> NodeId {
        NodeId(key.0.saturating_add(1))
    }

    /// Returns the items of an array, or the keys of an object.
    pub fn children(self, id: NodeId) -> impl Iterator<Item = NodeId> + 'a {
        std::iter::successors(self.first(id), move |&child| self.next(child))
    }

    /// Returns the key with this name in an object.
    #[must_use]
    pub fn find(self, object: NodeId, name: &str) -> Option<NodeId> {
        self.find_counting(object, name).found
    }
}

/// The notation of a number: RFC 8259 allows no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// Digits, optionally with a minus sign.
    Integer,
    /// The same with a point and more digits.
    Decimal,
    /// With an exponent.
    Exponent,
}
