//! The state of reading a contract's parts: its position, and the handling of unknown elements and
//! references. The parts are read in `read.rs` and `binding.rs`.

use roxmltree::Node;

use super::Definitions;
use super::policy::Policies;
use crate::import::name::{self, QName};
use crate::import::notes::{Place, offset};
use crate::import::reading::{Reading, attribute, tag};

/// Maximum number of operations of a binding or port type.
pub(super) const OPERATIONS_MAX: usize = 5_000;

/// Reads documents one after the other into one model.
pub(in crate::import) struct Reader<'r> {
    pub(super) reading: &'r mut Reading,
    pub(super) document: u32,
    pub(super) target: String,
    pub(super) policies: Policies,
    pub(super) definitions: &'r mut Definitions,
}

impl<'r> Reader<'r> {
    pub(in crate::import) fn new(
        reading: &'r mut Reading,
        definitions: &'r mut Definitions,
        document: u32,
    ) -> Self {
        Self {
            reading,
            document,
            target: String::new(),
            policies: Policies::default(),
            definitions,
        }
    }

    pub(super) fn place(&self, node: Node<'_, '_>) -> Place {
        Place {
            document: self.document,
            offset: offset(node.range().start),
        }
    }

    /// Notes an element that is not understood at its place.
    pub(super) fn extension(&mut self, node: Node<'_, '_>) {
        let place = self.place(node);
        let (namespace, local) = tag(node);
        let parent = node
            .parent_element()
            .map_or("", |parent| parent.tag_name().name());
        let is_required = matches!(node.attribute((name::WSDL, "required")), Some("true" | "1"));
        let (code, end) = if namespace == name::WSDL {
            (
                "wsdl.unknown",
                "because there are too many, or none is expected here",
            )
        } else if is_required {
            (
                "wsdl.required_extension",
                "although the contract requires that it be understood",
            )
        } else {
            ("wsdl.extension", "because it does not change messages")
        };
        let name = QName::new(namespace, local);
        let detail = format!("`{name}` in `{parent}` is ignored, {end}");
        self.reading.notes.push(code, place, detail);
    }

    /// Reads a reference to another part of the contract.
    pub(super) fn reference(&mut self, node: Node<'_, '_>, key: &str) -> QName {
        let (place, target) = (self.place(node), self.target.clone());
        self.reading
            .reference(node, place, attribute(node, key), &target)
    }
}
