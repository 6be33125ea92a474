//! A version's operations, found by path: literals are matched before parameters.

use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_counters::{BoundLimit, Counters};
use tollgate_model::api::{METHODS, Method};
use tollgate_model::feed::{ServedAccess, ServedOperation};
use tollgate_model::id::OperationId;
use tollgate_model::limit::ServedLimit;
use tollgate_model::template::Segment;

use crate::mediation::Mediation;

/// Where the segment ends that begins at `start`.
pub(crate) fn segment_end(path: &[u8], start: usize) -> usize {
    memchr::memchr(b'/', &path[start..]).map_or(path.len(), |slash| start + slash)
}

/// The dimension of a noun's own limit: apart from that of a plan's limit on the same noun, since
/// a call that both apply to is counted by both.
pub(crate) fn own_dimension(id: i64) -> i64 {
    -id
}

/// An operation as this gateway serves it: what limits and mediation hang on.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    /// Its own limits.
    pub(crate) bounds: Vec<BoundLimit>,
    /// What its callers prove.
    pub(crate) access: ServedAccess,
    pub(crate) mediation: Arc<Mediation>,
}

impl Operation {
    pub(crate) fn new(
        (id, limits, access): (OperationId, &[ServedLimit], &ServedAccess),
        mediation: Arc<Mediation>,
        counters: &Counters,
    ) -> Self {
        let of = own_dimension(id.raw());
        let bounds = limits.iter().map(|limit| counters.bind(limit, of));
        Self {
            id,
            bounds: bounds.collect(),
            access: access.clone(),
            mediation,
        }
    }
}

/// The operations of a version with a tree of path segments.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    list: Vec<Operation>,
    root: Node,
}

#[derive(Debug, Default)]
struct Node {
    literals: HashMap<Vec<u8>, Node>,
    parameter: Option<Box<Node>>,
    /// By method: the operation's place in the list.
    methods: [Option<u32>; METHODS.len()],
}

/// What a path and method lead to.
#[derive(Debug)]
pub(crate) enum Found<'s> {
    Operation(&'s Operation),
    /// The path exists with these methods only: a bit for each of [`METHODS`].
    OtherMethods(u8),
    Nothing,
}

impl Operations {
    /// Of these operations, each with its mediation.
    pub(crate) fn new(
        operations: Vec<(&ServedOperation, Arc<Mediation>)>,
        counters: &Counters,
    ) -> Self {
        let (mut list, mut root) = (Vec::with_capacity(operations.len()), Node::default());
        for (operation, mediation) in operations {
            let mut node = &mut root;
            for segment in operation.path.segments() {
                node = match segment {
                    Segment::Literal(text) => node.literals.entry_ref(text.as_bytes()).or_default(),
                    Segment::Parameter(_) => node.parameter.get_or_insert_default(),
                };
            }
            let place = u32::try_from(list.len()).expect("operations are bounded");
            node.methods[operation.method as usize] = Some(place);
            let what = (operation.id, &*operation.limits, &operation.access);
            list.push(Operation::new(what, mediation, counters));
        }
        Self { list, root }
    }

    /// `path` is what follows the version: empty, or beginning with a slash.
    pub(crate) fn find(&self, path: &[u8], method: Option<Method>) -> Found<'_> {
        let rest = path.strip_prefix(b"/").filter(|rest| !rest.is_empty());
        let mut allowed = 0;
        match self.root.find(rest, method, &mut allowed) {
            Some(place) => Found::Operation(&self.list[place as usize]),
            None if allowed != 0 => Found::OtherMethods(allowed),
            None => Found::Nothing,
        }
    }
}

impl Node {
    /// `rest` is what follows the slash before it; `None` at the end of the path.
    fn find(&self, rest: Option<&[u8]>, method: Option<Method>, allowed: &mut u8) -> Option<u32> {
        let Some(rest) = rest else {
            for (bit, operation) in self.methods.iter().enumerate() {
                *allowed |= u8::from(operation.is_some()) << bit;
            }
            return self.methods[method? as usize];
        };
        let (segment, after) = rest.split_at(segment_end(rest, 0));
        let after = after.strip_prefix(b"/");
        if let Some(node) = self.literals.get(segment)
            && let Some(operation) = node.find(after, method, allowed)
        {
            return Some(operation);
        }
        let parameter = self.parameter.as_ref().filter(|_| !segment.is_empty())?;
        parameter.find(after, method, allowed)
    }
}
