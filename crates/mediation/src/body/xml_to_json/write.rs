//! Writes the tree of a document as JSON.

use tollgate_json::{push_escaped, push_string};

use super::XmlToJson;
use super::tree::{Node, Tree, slice};
use crate::outcome::Stop;
use crate::value::BYTES_MAX;

pub(super) struct Writer<'w> {
    convention: &'w XmlToJson,
    tree: &'w Tree,
    document: &'w str,
    out: &'w mut Vec<u8>,
}

/// The depth of an element below the root, and a bit for each path of arrays that it is on.
#[derive(Debug, Clone, Copy)]
struct Place {
    depth: usize,
    paths: u64,
}

impl<'w> Writer<'w> {
    pub(super) fn new(
        convention: &'w XmlToJson,
        tree: &'w Tree,
        document: &'w str,
        out: &'w mut Vec<u8>,
    ) -> Self {
        Self {
            convention,
            tree,
            document,
            out,
        }
    }

    pub(super) fn write(mut self) -> Result<(), Stop> {
        let place = Place {
            depth: 0,
            paths: u64::MAX,
        };
        match self.tree.root() {
            Some(root) => self.element(root, place),
            None => Ok(()),
        }
    }

    /// Writes the value of an element. The reader bounds the depth.
    fn element(&mut self, node: Node<'w>, place: Place) -> Result<(), Stop> {
        if self.out.len() > BYTES_MAX {
            return Err(Stop::TooLong);
        }
        if node.is_text() {
            self.text(node);
            return Ok(());
        }
        let mut before = b'{';
        for (name, value) in node.attributes() {
            self.out.extend([before, b'"']);
            push_escaped(self.out, &self.convention.attributes);
            push_escaped(self.out, name);
            self.out.extend_from_slice(b"\":");
            push_string(self.out, value);
            before = b',';
        }
        if node.pieces().next().is_some() {
            self.out.push(before);
            push_string(self.out, &self.convention.text);
            self.out.push(b':');
            self.text(node);
            before = b',';
        }
        for (name, elements) in node.groups() {
            let name = slice(self.document, name);
            self.out.push(before);
            push_string(self.out, name);
            self.out.push(b':');
            before = b',';
            let (below, is_array) = self.below(name, place);
            if elements.is_one() && !is_array {
                for element in elements.nodes() {
                    self.element(element, below)?;
                }
                continue;
            }
            let mut before = b'[';
            for element in elements.nodes() {
                self.out.push(before);
                self.element(element, below)?;
                before = b',';
            }
            self.out.push(b']');
        }
        self.out.push(b'}');
        Ok(())
    }

    fn text(&mut self, node: Node<'w>) {
        self.out.push(b'"');
        for piece in node.pieces() {
            push_escaped(self.out, piece);
        }
        self.out.push(b'"');
    }

    /// Returns the place of the elements with a name, and whether they are an array in any case.
    fn below(&self, name: &str, place: Place) -> (Place, bool) {
        let (mut paths, mut is_array) = (0, false);
        if place.paths != 0 {
            for (index, path) in self.convention.arrays.iter().enumerate().take(64) {
                let bit = 1 << index;
                let leads = path.get(place.depth).is_some_and(|it| **it == *name);
                if place.paths & bit != 0 && leads {
                    paths |= bit;
                    is_array |= path.len() == place.depth + 1;
                }
            }
        }
        let depth = place.depth + 1;
        (Place { depth, paths }, is_array)
    }
}
