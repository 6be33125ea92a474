//! Joins parameters to the tape, so that the writer need not distinguish them from the body.

use std::num::NonZeroU32;

use super::{Kind, Node, NodeId, Tape};

/// The error for a parameter at a place that has a value already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenTwice;

impl Tape {
    /// Makes the root an empty object if nothing was read and nothing joined.
    pub fn root_object(&mut self) {
        if self.root.is_none() {
            self.root = Some(self.push_container(Kind::Object));
        }
    }

    /// Puts a parameter's text at the place that the keys lead to, and creates the objects on the
    /// way. With `is_array`, further texts for the same place become further items.
    ///
    /// A value on the way that is not an object is left unchanged: the schema will reject it.
    ///
    /// # Errors
    ///
    /// Fails if the place has a value already.
    pub fn join(
        &mut self,
        json: &str,
        path: &[String],
        text: &str,
        is_array: bool,
    ) -> Result<(), GivenTwice> {
        let Some((last, way)) = path.split_last() else {
            if self.root.is_some() {
                return Err(GivenTwice);
            }
            self.root = Some(self.push_text(Kind::Word, text));
            return Ok(());
        };
        let mut object = match self.root {
            Some(root) => root,
            None => {
                let root = self.push_container(Kind::Object);
                self.root = Some(root);
                root
            }
        };
        for name in way {
            let view = self.view(json);
            object = match view.find(object, name) {
                Some(key) => view.value(key),
                None if view.kind(object) == Kind::Object => {
                    self.push_key(object, name);
                    self.push_container(Kind::Object)
                }
                None => return Ok(()),
            };
        }
        self.join_here(json, object, last, text, is_array)
    }

    /// Like [`Tape::join`], but into a separate object, if the root has no place for the parameter.
    ///
    /// # Errors
    ///
    /// Fails like [`Tape::join`].
    pub fn join_beside(
        &mut self,
        json: &str,
        path: &[String],
        text: &str,
        is_array: bool,
    ) -> Result<(), GivenTwice> {
        std::mem::swap(&mut self.root, &mut self.beside);
        let joined = self.join(json, path, text, is_array);
        std::mem::swap(&mut self.root, &mut self.beside);
        joined
    }

    fn join_here(
        &mut self,
        json: &str,
        object: NodeId,
        name: &str,
        text: &str,
        is_array: bool,
    ) -> Result<(), GivenTwice> {
        let view = self.view(json);
        if let Some(key) = view.find(object, name) {
            let array = view.value(key);
            let is_ours = view
                .first(array)
                .is_some_and(|item| view.kind(item) == Kind::Word);
            if !is_array || view.kind(array) != Kind::Array || !is_ours {
                return Err(GivenTwice);
            }
            let item = self.push_text(Kind::Word, text);
            self.append(array, item);
            return Ok(());
        }
        if view.kind(object) != Kind::Object {
            return Ok(());
        }
        self.push_key(object, name);
        if is_array {
            let array = self.push_container(Kind::Array);
            let item = self.push_text(Kind::Word, text);
            self.append(array, item);
        } else {
            self.push_text(Kind::Word, text);
        }
        Ok(())
    }

    fn push_key(&mut self, object: NodeId, name: &str) {
        let key = self.push_text(Kind::Key, name);
        self.append(object, key);
    }

    /// Appends a node as the last child. Arrays of parameters keep a link to their last item, as a
    /// query may repeat a key very often.
    fn append(&mut self, parent: NodeId, child: NodeId) {
        let node = self.nodes[parent.index()];
        let is_ours = node.kind == Kind::Array && node.is_unescaped;
        let last = match NonZeroU32::new(node.start).filter(|_| is_ours) {
            Some(last) => Some(NodeId(last)),
            None => self.view("").children(parent).last(),
        };
        match last {
            Some(last) => self.nodes[last.index()].next = Some(child),
            None => {
                let parent = &mut self.nodes[parent.index()];
                parent.mark = 0;
                parent.end = Some(child.0);
            }
        }
        if is_ours {
            self.nodes[parent.index()].start = child.0.get();
        }
    }

    fn push_text(&mut self, kind: Kind, text: &str) -> NodeId {
        let start = self.unescaped.len();
        self.unescaped.push_str(text);
        let end = self.unescaped.len();
        self.push_node(Node {
            kind,
            is_unescaped: true,
            mark: 0,
            start: u32::try_from(start).unwrap_or(0),
            end: u32::try_from(end).ok().and_then(NonZeroU32::new),
            next: None,
        })
    }

    fn push_container(&mut self, kind: Kind) -> NodeId {
        self.push_node(Node {
            kind,
            is_unescaped: true,
            mark: 0,
            start: 0,
            end: None,
            next: None,
        })
    }

    fn push_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        let number = u32::try_from(self.nodes.len())
            .ok()
            .and_then(NonZeroU32::new);
        NodeId(number.unwrap_or(NonZeroU32::MIN))
    }
}
