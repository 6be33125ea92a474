//! JSON to a tape: one pass over the bytes of a request that tells where each value is, strictly
//! after [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259), without a tree and without numbers.
//!
//! What two readers could understand differently is refused here: duplicate keys, lone
//! surrogates, bytes that are no UTF-8, text after the value. What a schema says is the business
//! of `to_xml`, which walks the tape.
//!
//! Parameters of a path, a query or a header join the tape as [`Kind::Word`]: text that has yet to
//! find out whether it is a number. A tape is reused: the steady state allocates nothing.

mod join;
mod name;
mod read;
mod string;
#[cfg(test)]
mod tests;
mod words;

use std::num::NonZeroU32;

pub use join::GivenTwice;
pub(crate) use name::Name;

/// How much of a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of the text; never more than 1 GiB.
    pub bytes_max: usize,
    /// Arrays and objects within each other.
    pub depth_max: u32,
    /// Items of one array.
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

/// Why a text is not read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, at byte {offset}")]
pub struct Malformed {
    /// What is wrong.
    pub problem: Problem,
    /// Bytes before the place.
    pub offset: usize,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text ends inside a value.
    #[error("the text ends too early")]
    Truncated,
    /// A byte that cannot stand here.
    #[error("an unexpected character")]
    Unexpected,
    /// Something after the value.
    #[error("text after the end of the value")]
    Trailing,
    /// A number such as `01`, `1.` or `+1`.
    #[error("a malformed number")]
    Number,
    /// A backslash with something after it that JSON does not know.
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
    /// A key that the object has already.
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
    /// Of a tape that is as short as [`Bounds::bytes_max`] makes it.
    const fn new(index: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index as u32))
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number; its text is as it was written.
    Number,
    /// A string.
    Text,
    /// A parameter's text: as a string, a number or a truth value, as the schema has it.
    Word,
    /// An array.
    Array,
    /// An object.
    Object,
    /// A key; its value is the node behind it.
    Key,
}

/// Mark of a text in which XML has nothing to escape and nothing to refuse. Where it is missing,
/// that is not known.
const PLAIN: u16 = 1;
/// Marks of a number that has a decimal point, and of one with an exponent.
const WITH_POINT: u16 = 1;
const WITH_EXPONENT: u16 = 2;

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    /// Whether the text is in [`Tape::unescaped`] and not in the input.
    is_unescaped: bool,
    /// Of a key its first and last byte, so that most of two keys are told apart by one
    /// comparison; of a text [`PLAIN`], of a number [`WITH_POINT`] and [`WITH_EXPONENT`].
    mark: u16,
    start: u32,
    /// End of the text; of an array or object, its first item or key.
    end: Option<NonZeroU32>,
    /// Next item of the array, or next key of the object.
    next: Option<NodeId>,
}

/// Where the values of one text are. Reading clears what was there before.
#[derive(Debug, Default)]
pub struct Tape {
    nodes: Vec<Node>,
    /// Strings that had escapes, and the text of parameters.
    unescaped: String,
    root: Option<NodeId>,
    /// Parameters that have no place in the root.
    beside: Option<NodeId>,
    /// Keys of the objects being read that are too many to compare each with each.
    keys: Vec<NodeId>,
}

impl Tape {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.unescaped.clear();
        self.keys.clear();
        self.root = None;
        self.beside = None;
    }

    /// Reads one value; white space may be around it. Gives the text, which [`Tape::view`] wants.
    ///
    /// # Errors
    ///
    /// What is not RFC 8259, or beyond the bounds. The tape is then empty.
    pub fn read<'a>(&mut self, json: &'a [u8], bounds: Bounds) -> Result<&'a str, Malformed> {
        self.clear();
        let read = read::read(self, json, bounds);
        if read.is_err() {
            self.clear();
        }
        read
    }

    /// The tape with its text: the one that [`Tape::read`] gave, or `""` where nothing was read.
    #[must_use]
    pub fn view<'a>(&'a self, json: &'a str) -> View<'a> {
        View {
            json,
            unescaped: &self.unescaped,
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
    nodes: &'a [Node],
    root: Option<NodeId>,
    beside: Option<NodeId>,
}

impl<'a> View<'a> {
    /// The value; `None` where nothing was read and nothing joined.
    #[must_use]
    pub fn root(self) -> Option<NodeId> {
        self.root
    }

    /// The object that [`Tape::join_beside`] made.
    #[must_use]
    pub fn beside(self) -> Option<NodeId> {
        self.beside
    }

    /// What a node is.
    #[must_use]
    pub fn kind(self, id: NodeId) -> Kind {
        self.nodes[id.index()].kind
    }

    /// The text of a key, string, word or number; empty for others.
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

    /// The bytes of a key, string, word or number.
    pub(crate) fn bytes(self, id: NodeId) -> &'a [u8] {
        let node = &self.nodes[id.index()];
        match node.kind {
            Kind::Key | Kind::Text | Kind::Word | Kind::Number => self.name(node).bytes,
            _ => b"",
        }
    }

    /// A key, and the next one.
    #[inline]
    pub(crate) fn key(self, id: NodeId) -> (Name<'a>, Option<NodeId>) {
        let node = &self.nodes[id.index()];
        (self.name(node), node.next)
    }

    /// What a node with a text says.
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

    /// Whether a scalar is known to hold nothing that XML would escape or refuse.
    pub(crate) fn is_plain(self, id: NodeId) -> bool {
        let node = &self.nodes[id.index()];
        match node.kind {
            Kind::Text => node.mark & PLAIN != 0,
            kind => matches!(kind, Kind::Number | Kind::True | Kind::False),
        }
    }

    /// How a number is written.
    pub(crate) fn notation(self, id: NodeId) -> Notation {
        match self.nodes[id.index()].mark {
            0 => Notation::Integer,
            WITH_POINT => Notation::Decimal,
            _ => Notation::Exponent,
        }
    }

    /// The first item of an array, or the first key of an object.
    #[must_use]
    pub fn first(self, id: NodeId) -> Option<NodeId> {
        let node = &self.nodes[id.index()];
        match node.kind {
            Kind::Array | Kind::Object => node.end.map(NodeId),
            _ => None,
        }
    }

    /// The next item, or the next key.
    #[must_use]
    pub fn next(self, id: NodeId) -> Option<NodeId> {
        self.nodes[id.index()].next
    }

    /// The value of a key.
    #[must_use]
    pub fn value(self, key: NodeId) -> NodeId {
        NodeId(key.0.saturating_add(1))
    }

    /// The items of an array, or the keys of an object.
    pub fn children(self, id: NodeId) -> impl Iterator<Item = NodeId> + 'a {
        std::iter::successors(self.first(id), move |&child| self.next(child))
    }

    /// The key of an object that has this name.
    #[must_use]
    pub fn find(self, object: NodeId, name: &str) -> Option<NodeId> {
        let mut keys = self.children(object);
        keys.find(|&key| self.kind(key) == Kind::Key && self.bytes(key) == name.as_bytes())
    }

    /// Where a node is, as a JSON Pointer
    /// ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)). Searches the whole tape: it is for
    /// faults.
    #[must_use]
    pub fn pointer(self, id: NodeId) -> String {
        let mut pointer = String::new();
        for root in [self.root, self.beside].into_iter().flatten() {
            if self.walk(root, id, &mut pointer) {
                break;
            }
        }
        pointer
    }

    /// Appends the way from `at` to `id`, if it is below.
    fn walk(self, at: NodeId, id: NodeId, pointer: &mut String) -> bool {
        if at == id {
            return true;
        }
        let is_object = self.kind(at) == Kind::Object;
        for (position, child) in self.children(at).enumerate() {
            let length = pointer.len();
            let value = if is_object {
                push_token(pointer, self.text(child));
                self.value(child)
            } else {
                push_token(pointer, &position.to_string());
                child
            };
            if child == id || self.walk(value, id, pointer) {
                return true;
            }
            pointer.truncate(length);
        }
        false
    }
}

/// How a number is written: RFC 8259 leaves no other ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Digits, perhaps with a minus.
    Integer,
    /// The same with a point and digits behind it.
    Decimal,
    /// With an exponent.
    Exponent,
}

/// Appends a reference token to a JSON Pointer.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(character),
        }
    }
}
