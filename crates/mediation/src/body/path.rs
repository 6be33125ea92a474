//! Paths into JSON bodies: JSONPath (RFC 9535) without filters and slices.
//!
//! A [`Paths`] matches all its paths in one walk over the tape: the state of a node is the set of
//! segments that may match its children, so the work is linear in the body for each segment.

mod parse;

use serde::{Deserialize, Serialize};
use tollgate_json::tape::{Kind, NodeId, View};

/// Maximum bytes of a path.
pub(crate) const BYTES_MAX: usize = 256;
/// Maximum number of segments of a path.
pub(crate) const SEGMENTS_MAX: usize = 16;
/// Maximum number of segments of all paths that are matched together: bits of [`States`].
pub(crate) const STATES_MAX: usize = 128;

/// A compiled path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    segments: Vec<Segment>,
}

/// Paths that are matched together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Paths {
    segments: Box<[Segment]>,
    /// The first segments of all paths.
    first: u128,
    /// The segments that match at any depth.
    descendant: u128,
    /// The last segments of all paths.
    last: u128,
    /// Whether an index counts from the end, so that lengths are needed.
    counts_from_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Segment {
    is_descendant: bool,
    selectors: Box<[Selector]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Selector {
    Name(Box<str>),
    /// Counts from the end if negative.
    Index(i64),
    Wildcard,
}

/// The segments that may match the children of a node: a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct States(u128);

impl States {
    /// Whether nothing below the node can match.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A child of an array or object, as selectors see it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Child<'a> {
    Member(&'a str),
    /// Index, and length of the array if [`Paths::needs_length`].
    Item(usize, usize),
}

/// Whether a child matches a whole path, and the states below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) is_match: bool,
    pub(crate) below: States,
    /// Number of selectors that the child is compared with.
    pub(crate) compared: usize,
}

impl Path {
    /// Returns the name that the last segment selects, if it selects nothing else.
    pub(crate) fn last_name(&self) -> Option<&str> {
        match &*self.segments.last()?.selectors {
            [Selector::Name(name)] => Some(name),
            _ => None,
        }
    }
}

impl Paths {
    /// Combines paths; `None` if they have more than [`STATES_MAX`] segments together.
    pub(crate) fn new(paths: Vec<Path>) -> Option<Self> {
        let (mut segments, mut first, mut last) = (Vec::new(), 0, 0);
        for path in paths {
            if segments.len() + path.segments.len() > STATES_MAX {
                return None;
            }
            first |= 1 << segments.len();
            segments.extend(path.segments);
            last |= 1 << (segments.len() - 1);
        }
        let positions = segments.iter().enumerate();
        let descendant = positions.filter(|(_, segment)| segment.is_descendant);
        let descendant = descendant.fold(0, |bits, (position, _)| bits | 1 << position);
        let mut selectors = segments.iter().flat_map(|segment| &segment.selectors);
        let counts_from_end = selectors.any(|it| matches!(it, Selector::Index(..0)));
        Some(Self {
            segments: segments.into(),
            first,
            descendant,
            last,
            counts_from_end,
        })
    }

    /// Returns the states of the root.
    pub(crate) fn start(&self) -> States {
        States(self.first)
    }

    /// Whether [`Child::Item`] needs the length of its array.
    pub(crate) fn needs_length(&self) -> bool {
        self.counts_from_end
    }

    /// Compares a child of a node with these states.
    pub(crate) fn step(&self, states: States, child: Child<'_>) -> Step {
        let mut below = states.0 & self.descendant;
        let (mut is_match, mut compared) = (false, 0);
        let mut rest = states.0;
        while rest != 0 {
            let position = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            compared += self.segments[position].selectors.len();
            if !self.segments[position].selects(child) {
                continue;
            }
            match self.last & bit != 0 {
                true => is_match = true,
                false => below |= bit << 1,
            }
        }
        let below = States(below);
        Step {
            is_match,
            below,
            compared,
        }
    }

    /// Returns the names that a path adds to an object with these states if they do not exist:
    /// those of a last segment that looks at no greater depth.
    pub(crate) fn added_names(&self, states: States) -> impl Iterator<Item = &str> {
        let mut rest = states.0 & self.last & !self.descendant;
        let positions = std::iter::from_fn(move || {
            let position = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(position)
        });
        let selectors = positions.flat_map(|position| &self.segments[position].selectors);
        selectors.filter_map(|selector| match selector {
            Selector::Name(name) => Some(&**name),
            Selector::Index(_) | Selector::Wildcard => None,
        })
    }
}

impl Segment {
    fn selects(&self, child: Child<'_>) -> bool {
        self.selectors.iter().any(|it| it.selects(child))
    }
}

impl Selector {
    fn selects(&self, child: Child<'_>) -> bool {
        match (self, child) {
            (Self::Wildcard, _) => true,
            (Self::Name(name), Child::Member(key)) => **name == *key,
            (Self::Index(index @ 0..), Child::Item(at, _)) => usize::try_from(*index) == Ok(at),
            (Self::Index(index), Child::Item(at, length)) => {
                usize::try_from(index.unsigned_abs()).is_ok_and(|back| at + back == length)
            }
            (Self::Name(_), Child::Item(..)) | (Self::Index(_), Child::Member(_)) => false,
        }
    }
}

/// Returns the child at `index` of `length` as selectors see it, and its value.
pub(crate) fn child<'a>(
    view: View<'a>,
    id: NodeId,
    index: usize,
    length: usize,
) -> (Child<'a>, NodeId) {
    match view.kind(id) {
        Kind::Key => (Child::Member(view.text(id)), view.value(id)),
        _ => (Child::Item(index, length), id),
    }
}
