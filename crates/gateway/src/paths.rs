//! The index of a version's operations by path: literals are matched before parameters.

use hashbrown::HashMap;
use tollgate_model::api::{METHODS, Method};
use tollgate_model::feed::ServedOperation;
use tollgate_model::id::OperationId;
use tollgate_model::template::Segment;

/// Where the segment ends that begins at `start`.
pub(crate) fn segment_end(path: &[u8], start: usize) -> usize {
    memchr::memchr(b'/', &path[start..]).map_or(path.len(), |slash| start + slash)
}

/// The operations of a version as a tree of path segments.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    root: Node,
}

#[derive(Debug, Default)]
struct Node {
    literals: HashMap<Vec<u8>, Node>,
    parameter: Option<Box<Node>>,
    methods: [Option<OperationId>; METHODS.len()],
}

/// What a path and method lead to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Operation(OperationId),
    /// The path exists with these methods only: a bit for each of [`METHODS`].
    OtherMethods(u8),
    Nothing,
}

impl Operations {
    pub(crate) fn new(operations: &[ServedOperation]) -> Self {
        let mut root = Node::default();
        for operation in operations {
            let mut node = &mut root;
            for segment in operation.path.segments() {
                node = match segment {
                    Segment::Literal(text) => node.literals.entry_ref(text.as_bytes()).or_default(),
                    Segment::Parameter(_) => node.parameter.get_or_insert_default(),
                };
            }
            node.methods[operation.method as usize] = Some(operation.id);
        }
        Self { root }
    }

    /// `path` is what follows the version: empty, or beginning with a slash.
    pub(crate) fn find(&self, path: &[u8], method: Option<Method>) -> Found {
        let rest = path.strip_prefix(b"/").filter(|rest| !rest.is_empty());
        let mut allowed = 0;
        match self.root.find(rest, method, &mut allowed) {
            Some(operation) => Found::Operation(operation),
            None if allowed != 0 => Found::OtherMethods(allowed),
            None => Found::Nothing,
        }
    }
}

impl Node {
    /// `rest` is what follows the slash before it; `None` at the end of the path.
    fn find(
        &self,
        rest: Option<&[u8]>,
        method: Option<Method>,
        allowed: &mut u8,
    ) -> Option<OperationId> {
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
