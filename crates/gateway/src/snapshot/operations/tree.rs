//! The paths of operations as a tree of segments: [`Node`].
//!
//! The closest branch of a node is tried first: a literal, then segments that mix literals and
//! parameters by their number of literal characters, then a parameter, and last a parameter for the
//! rest of the path. If what follows matches nothing in a branch, the next one is tried.

use hashbrown::HashMap;
use tollgate_model::api::{METHODS, Method};
use tollgate_model::pattern::{Escapes, Pattern, SegmentKey};
use tollgate_model::template::RestLength;

use super::segment_end;

/// The operation's place in the list, by method.
pub(crate) type Methods = [Option<u32>; METHODS.len()];

/// A segment with what may follow it.
#[derive(Debug, Default)]
pub(super) struct Node {
    literals: HashMap<Vec<u8>, Node>,
    /// Those with most literal characters first.
    mixed: Vec<(Pattern, Node)>,
    parameter: Option<Box<Node>>,
    rest: Option<Box<RestNode>>,
    methods: Methods,
}

/// What is looked for at a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// `None` for a method that no operation has.
    pub(super) method: Option<Method>,
    /// How the path is written.
    pub(super) escapes: Escapes,
}

impl Wanted {
    /// A method at a path in its matched form.
    pub(super) fn of(method: Option<Method>) -> Self {
        Self {
            method,
            escapes: Escapes::Encoded,
        }
    }
}

/// The rest of a path, at its end.
#[derive(Debug)]
struct RestNode {
    length: RestLength,
    methods: Methods,
}

impl Node {
    /// Returns the slot of an operation with these keys, creating the nodes on the way.
    pub(super) fn slot(&mut self, keys: Vec<SegmentKey>, method: Method) -> &mut Option<u32> {
        let mut node = self;
        for key in keys {
            node = match key {
                SegmentKey::Literal(text) => node.literals.entry(text).or_default(),
                SegmentKey::Mixed(pattern) => node.mixed(pattern),
                SegmentKey::Parameter => node.parameter.get_or_insert_default(),
                SegmentKey::Rest(length) => {
                    let rest = node
                        .rest
                        .get_or_insert_with(|| Box::new(RestNode::new(length)));
                    // Decoded literals may bring two of different lengths to one place.
                    if length == RestLength::Any {
                        rest.length = length;
                    }
                    return &mut rest.methods[method as usize];
                }
            };
        }
        &mut node.methods[method as usize]
    }

    fn mixed(&mut self, pattern: Pattern) -> &mut Self {
        let at = self.mixed.iter().position(|(known, _)| *known == pattern);
        let at = at.unwrap_or_else(|| {
            let chars = pattern.literal_chars();
            let is_closer = |(known, _): &(Pattern, Self)| known.literal_chars() >= chars;
            let at = self.mixed.partition_point(is_closer);
            self.mixed.insert(at, (pattern, Self::default()));
            at
        });
        &mut self.mixed[at].1
    }

    /// Finds an operation. `path` is empty, or begins with a slash.
    ///
    /// # Errors
    /// The methods with which the path exists, a bit for each of [`METHODS`].
    pub(super) fn find(&self, path: &[u8], wanted: Wanted) -> Result<u32, u8> {
        let mut allowed = 0;
        let found = self.find_below(below_slash(path), wanted, &mut allowed);
        found.ok_or(allowed)
    }

    /// Returns the operations of the closest template that matches a path. `path` is as for
    /// [`Self::find`].
    pub(super) fn methods_of(&self, path: &[u8], escapes: Escapes) -> Option<&Methods> {
        self.methods_below(below_slash(path), escapes)
    }

    /// `left` is what follows the next slash; `None` at the end of the path.
    fn find_below(&self, left: Option<&[u8]>, wanted: Wanted, allowed: &mut u8) -> Option<u32> {
        let found = match left {
            Some(left) => self.find_segment(left, wanted, allowed),
            None => one_of(&self.methods, wanted.method, allowed),
        };
        if found.is_some() {
            return found;
        }
        let of_rest = self.rest.as_ref().filter(|it| it.length.allows(left))?;
        one_of(&of_rest.methods, wanted.method, allowed)
    }

    /// Finds an operation below the segment with which `left` begins.
    fn find_segment(&self, left: &[u8], wanted: Wanted, allowed: &mut u8) -> Option<u32> {
        let (segment, after) = left.split_at(segment_end(left, 0));
        let after = after.strip_prefix(b"/");
        if let Some(node) = self.literals.get(segment)
            && let Some(operation) = node.find_below(after, wanted, allowed)
        {
            return Some(operation);
        }
        for (pattern, node) in &self.mixed {
            if pattern.matches(segment, wanted.escapes)
                && let Some(operation) = node.find_below(after, wanted, allowed)
            {
                return Some(operation);
            }
        }
        let parameter = self.parameter.as_ref().filter(|_| !segment.is_empty())?;
        parameter.find_below(after, wanted, allowed)
    }

    /// `left` is as for [`Self::find_below`].
    fn methods_below(&self, left: Option<&[u8]>, escapes: Escapes) -> Option<&Methods> {
        let closest = match left {
            Some(left) => self.methods_of_segment(left, escapes),
            None => self
                .methods
                .iter()
                .any(Option::is_some)
                .then_some(&self.methods),
        };
        let of_rest = self.rest.as_ref().filter(|it| it.length.allows(left));
        closest.or_else(|| of_rest.map(|it| &it.methods))
    }

    /// Returns the operations below the segment with which `left` begins.
    fn methods_of_segment(&self, left: &[u8], escapes: Escapes) -> Option<&Methods> {
        let (segment, after) = left.split_at(segment_end(left, 0));
        let after = after.strip_prefix(b"/");
        let literal = self.literals.get(segment);
        let mixed = self.mixed.iter();
        let mixed = mixed.filter(|(pattern, _)| pattern.matches(segment, escapes));
        let parameter = self.parameter.as_deref().filter(|_| !segment.is_empty());
        let mut closest_first = literal.into_iter().chain(mixed.map(|(_, node)| node));
        let closest = closest_first.find_map(|node| node.methods_below(after, escapes));
        closest.or_else(|| parameter?.methods_below(after, escapes))
    }
}

impl RestNode {
    fn new(length: RestLength) -> Self {
        Self {
            length,
            methods: Methods::default(),
        }
    }
}

/// Returns the operation of a method, and adds the methods to those that the path exists with.
fn one_of(methods: &Methods, method: Option<Method>, allowed: &mut u8) -> Option<u32> {
    for (bit, operation) in methods.iter().enumerate() {
        *allowed |= u8::from(operation.is_some()) << bit;
    }
    methods[method? as usize]
}

/// Returns what follows the leading slash of a path; `None` if nothing does.
fn below_slash(path: &[u8]) -> Option<&[u8]> {
    path.strip_prefix(b"/").filter(|rest| !rest.is_empty())
}
