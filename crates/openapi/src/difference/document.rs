//! Documents in the form in which they are compared, OpenAPI 3, and the targets of references.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;

use super::pointer::{At, Pointer};
use crate::Limits;
use crate::lookup::Lookup;
use crate::model::fault::{Fault, pointer_token};
use crate::reference::unescaped;
use crate::source;
use crate::swagger;
use crate::value::{Members, Value};

/// References from one object to the next that are followed.
const REFERENCES_MAX: usize = 20;
/// Fields that describe a reference, and do not change its target.
const TEXTS: [&str; 3] = ["$ref", "summary", "description"];

/// A document that was read for comparison.
#[derive(Debug)]
pub struct Document {
    pub(super) root: Value,
}

impl Document {
    /// Reads an uploaded document: OpenAPI 3.0 or 3.1, or Swagger 2.0, which is converted to
    /// OpenAPI 3.0; JSON or YAML.
    ///
    /// # Errors
    /// Those of [`read`](crate::read) for faults of form: a document that it accepts has none.
    pub fn read(bytes: &[u8], limits: Limits) -> Result<Self, Fault> {
        if bytes.len() > limits.bytes_max {
            let detail = format!("a document has at most {} bytes", limits.bytes_max);
            return Err(Fault::new("", "openapi.too_large", detail));
        }
        let root = source::whole(bytes, limits)?;
        let root = match swagger::is_swagger(&root) {
            true => swagger::converted(root)?,
            false => root,
        };
        let paths = root.value("paths").and_then(Value::as_map);
        if paths.is_some_and(|it| it.0.len() > limits.operations_max) {
            let detail = format!("a document has at most {} paths", limits.operations_max);
            return Err(Fault::new("/paths", "openapi.operations", detail));
        }
        Ok(Self {
            root: Value::Map(root),
        })
    }

    /// Returns the estimated bytes of memory.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.root.memory()
    }
}

/// Bytes of data that count as one value of a budget.
pub(super) const BYTES_OF_VALUE: usize = 16;

/// The work that one comparison may still do, in visited values.
#[derive(Debug)]
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) const fn new(values: usize) -> Self {
        Self(Cell::new(values))
    }

    /// Subtracts the values; false if too few are left.
    pub(super) fn spend(&self, values: usize) -> bool {
        let left = self.0.get().saturating_sub(values);
        self.0.set(left);
        left > 0
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// One of the two documents of a comparison.
#[derive(Debug)]
pub(super) struct Side<'d> {
    root: At<'d>,
    /// Targets by reference.
    known: RefCell<HashMap<&'d str, Option<At<'d>>>>,
    lookup: Lookup<'d>,
    /// Schemas by the names that they have for references.
    anchors: OnceCell<HashMap<&'d str, At<'d>>>,
    /// Security schemes by name.
    schemes: OnceCell<HashMap<&'d str, At<'d>>>,
}

impl<'d> Side<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self {
            root: At {
                value: &document.root,
                pointer: Pointer::default(),
            },
            known: RefCell::default(),
            lookup: Lookup::default(),
            anchors: OnceCell::new(),
            schemes: OnceCell::new(),
        }
    }

    pub(super) const fn root(&self) -> &At<'d> {
        &self.root
    }

    /// Returns the security schemes, in their order.
    pub(super) fn schemes(&self) -> impl Iterator<Item = (&'d str, At<'d>)> {
        let components = self.root.member("components");
        let schemes = components.and_then(|it| it.member("securitySchemes"));
        let schemes = schemes.map(|it| it.members()).into_iter().flatten();
        schemes.map(|(name, it)| (name, self.followed(it)))
    }

    /// Returns the security scheme of this name.
    pub(super) fn scheme(&self, name: &str) -> Option<At<'d>> {
        let schemes = self.schemes.get_or_init(|| self.schemes().collect());
        schemes.get(name).cloned()
    }

    /// Returns the value that a reference within the document leads to.
    pub(super) fn target(&self, reference: &'d str) -> Option<At<'d>> {
        if let Some(known) = self.known.borrow().get(reference) {
            return known.clone();
        }
        let found = self.find(reference);
        self.known.borrow_mut().insert(reference, found.clone());
        found
    }

    fn find(&self, reference: &str) -> Option<At<'d>> {
        let fragment = reference.strip_prefix('#')?;
        if fragment.is_empty() {
            return Some(self.root.clone());
        }
        let Some(tokens) = fragment.strip_prefix('/') else {
            let anchors = self.anchors.get_or_init(|| anchors(&self.root));
            return anchors.get(fragment).cloned();
        };
        let mut value = self.root.value;
        let mut pointer = String::new();
        for token in tokens.split('/') {
            let token = unescaped(token);
            value = match value {
                Value::Map(members) => self.lookup.member(members, &token)?,
                Value::List(list) => list.get(token.parse::<usize>().ok()?)?,
                Value::Scalar(_) => return None,
            };
            pointer = pointer + "/" + &pointer_token(&token);
        }
        Some(At {
            value,
            pointer: Pointer::whole(pointer),
        })
    }

    /// Follows references that have nothing but texts beside them. A reference that leads nowhere
    /// or in a circle is returned itself.
    pub(super) fn followed(&self, mut at: At<'d>) -> At<'d> {
        for _ in 0..REFERENCES_MAX {
            let Some(members) = at.map() else { break };
            let Some(reference) = plain_reference(members) else {
                break;
            };
            let Some(target) = self.target(reference) else {
                break;
            };
            at = target;
        }
        at
    }
}

/// The schemas of a document that have a name (JSON Schema Core 2020-12, section 8.2.2).
fn anchors<'d>(root: &At<'d>) -> HashMap<&'d str, At<'d>> {
    let mut anchors = HashMap::new();
    let mut open = vec![root.clone()];
    while let Some(at) = open.pop() {
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = at.text(key) {
                anchors.insert(name, at.clone());
            }
        }
        open.extend(at.members().map(|(_, it)| it));
        open.extend(at.items());
    }
    anchors
}

fn plain_reference(members: &Members) -> Option<&str> {
    let reference = members.value("$ref")?.as_text()?;
    let is_plain = members.0.iter().all(|(key, _)| TEXTS.contains(&&**key));
    is_plain.then_some(reference)
}
