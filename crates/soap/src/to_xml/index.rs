//! The plan, indexed for writing.

use tollgate_json::tape::Name;

use crate::plan::Process;
use crate::value::Rule;

/// An operation.
#[derive(Debug)]
pub(super) struct Operation {
    /// The start tag of the envelope, with the namespaces that the request may need.
    pub(super) open: Box<[u8]>,
    pub(super) body: Option<Element>,
    /// The key of the header blocks in the JSON, and the blocks that consumers may send, by part.
    pub(super) headers_key: &'static str,
    pub(super) headers: Slots,
    pub(super) blocks: Vec<Element>,
    /// The configured blocks, already written.
    pub(super) fixed_headers: Box<[u8]>,
}

/// An element with its tags.
#[derive(Debug)]
pub(super) struct Element {
    /// `<n1:line>`
    pub(super) open: Markup,
    /// `<n1:line`, to which attributes can be added.
    pub(super) unclosed: Markup,
    /// `</n1:line>`
    pub(super) close: Markup,
    pub(super) ty: usize,
    pub(super) nillable: bool,
    pub(super) is_abstract: bool,
    /// Replaces the rule of its type if it has a fixed value.
    pub(super) fixed: Option<Box<Rule>>,
}

/// A global element that a wildcard may hold.
#[derive(Debug)]
pub(super) struct Global {
    pub(super) namespace: Box<str>,
    pub(super) element: Element,
}

/// Number of bytes that are copied for markup of any length up to this, which is cheaper than
/// copying the exact number.
const MARKUP_COPIED: usize = 32;

/// A piece of markup, ready to be written.
#[derive(Debug)]
pub(super) struct Markup {
    length: usize,
    /// The whole markup if it is short, padded with spaces.
    short: [u8; MARKUP_COPIED],
    whole: Box<[u8]>,
}

impl Markup {
    pub(super) fn new(markup: String) -> Self {
        let whole = markup.into_bytes().into_boxed_slice();
        let mut short = [b' '; MARKUP_COPIED];
        if let Some(start) = short.get_mut(..whole.len()) {
            start.copy_from_slice(&whole);
        }
        Self {
            length: whole.len(),
            short,
            whole,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>) {
        if self.length > MARKUP_COPIED {
            out.extend_from_slice(&self.whole);
            return;
        }
        let end = out.len() + self.length;
        out.extend_from_slice(&self.short);
        out.truncate(end);
    }
}

#[derive(Debug)]
pub(super) enum Type {
    Simple(Rule),
    Complex(Complex),
}

#[derive(Debug)]
pub(super) struct Complex {
    pub(super) json: Box<str>,
    pub(super) is_abstract: bool,
    pub(super) is_bare: bool,
    pub(super) is_list: bool,
    /// Attributes first, in their order; then the text or the fields.
    pub(super) slots: Slots,
    pub(super) attributes: Vec<Attribute>,
    pub(super) any_attribute: bool,
    /// Whether its text alone is accepted instead of the object.
    pub(super) is_open: bool,
    /// Whether `@type` may be any type.
    pub(super) takes_any_type: bool,
    pub(super) content: Content,
    /// The values of `@type`, sorted, with the types.
    pub(super) derived: Vec<(Box<str>, usize)>,
    /// ` xsi:type="n1:Line"`; empty for a type without a name.
    pub(super) xsi_type: Box<[u8]>,
}

#[derive(Debug)]
pub(super) struct Attribute {
    /// ` name="`
    pub(super) open: Markup,
    pub(super) json: Box<str>,
    pub(super) rule: Rule,
    pub(super) required: bool,
}

#[derive(Debug)]
pub(super) enum Content {
    Empty,
    Text(Rule),
    Mixed,
    Elements(Elements),
}

#[derive(Debug)]
pub(super) struct Elements {
    pub(super) fields: Vec<Field>,
    pub(super) order: Step,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) json: Box<str>,
    /// The place of its key; the members of a substitution group have the next places.
    pub(super) slot: usize,
    /// The place of its last written item, if the field appears in more than one place.
    pub(super) cursor: Option<usize>,
    pub(super) kind: FieldKind,
    pub(super) is_array: bool,
}

#[derive(Debug)]
pub(super) enum FieldKind {
    Element(Element),
    /// The head first.
    Substitution(Vec<(Box<str>, Element)>),
    Group {
        slots: Slots,
        elements: Elements,
    },
    Any(Wildcard),
}

#[derive(Debug)]
pub(super) struct Wildcard {
    pub(super) namespaces: Option<Vec<Box<str>>>,
    pub(super) is_except: bool,
    pub(super) process: Process,
}

/// The order of a schema. `fields` are the fields below a step.
#[derive(Debug)]
pub(super) enum Step {
    Field(Place),
    Sequence {
        steps: Vec<Step>,
        fields: Vec<usize>,
        is_optional: bool,
    },
    Choice {
        branches: Vec<Step>,
        fields: Vec<usize>,
        is_optional: bool,
    },
}

/// One appearance of a field.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) field: usize,
    pub(super) min: u32,
    pub(super) max: u32,
    /// Items required by later appearances.
    pub(super) later_min: u32,
    /// Whether it appears later, so that not all items must be written here.
    pub(super) has_later: bool,
}

/// The keys of an object and their places.
#[derive(Debug, Default)]
pub(super) struct Slots {
    keys: Vec<Key>,
    /// The places of keys, sorted by key.
    sorted: Vec<usize>,
    /// Total number of places: more than keys if fields need a cursor.
    pub(super) count: usize,
}

/// A key prepared for comparison with names.
#[derive(Debug, Default)]
struct Key {
    /// As in [`Name`]; for a removed key, a value that no name begins with.
    head: u64,
    name: Box<str>,
}

impl Key {
    #[inline]
    fn is(&self, name: Name<'_>) -> bool {
        self.head == name.head
            && self.name.len() == name.bytes.len()
            && (name.bytes.len() <= 8 || self.name.as_bytes() == name.bytes)
    }
}

/// Maximum number of keys that are scanned; more are searched.
const KEYS_SCANNED_MAX: usize = 12;
/// Number of keys that are compared first, from the expected one on.
const KEYS_NEAR: usize = 3;

impl Slots {
    pub(super) fn new(keys: Vec<Box<str>>, cursors: usize) -> Self {
        let mut sorted: Vec<_> = (0..keys.len()).collect();
        sorted.sort_unstable_by_key(|&slot| &keys[slot]);
        let key = |name: Box<str>| Key {
            head: Name::new(name.as_bytes()).head,
            name,
        };
        Self {
            count: keys.len() + cursors,
            keys: keys.into_iter().map(key).collect(),
            sorted,
        }
    }

    /// Removes a key but keeps its place.
    pub(super) fn forget(&mut self, slot: usize) {
        self.keys[slot] = Key {
            head: u64::MAX,
            ..Key::default()
        };
        self.sorted.retain(|&other| other != slot);
    }

    /// Returns the place of a key, which is likely to be the expected one.
    #[inline]
    pub(super) fn find(&self, name: Name<'_>, expected: usize) -> Option<usize> {
        // Optional keys are often absent, so it may be one of the next.
        let near = self.keys.get(expected..).unwrap_or_default();
        for (offset, key) in near.iter().take(KEYS_NEAR).enumerate() {
            if key.is(name) {
                return Some(expected + offset);
            }
        }
        self.search(name)
    }

    #[inline(never)]
    fn search(&self, name: Name<'_>) -> Option<usize> {
        if self.keys.len() <= KEYS_SCANNED_MAX {
            return self.keys.iter().position(|key| key.is(name));
        }
        let place = self
            .sorted
            .binary_search_by(|&slot| self.keys[slot].name.as_bytes().cmp(name.bytes));
        Some(self.sorted[place.ok()?])
    }
}
