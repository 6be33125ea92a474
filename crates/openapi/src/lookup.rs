//! Finds members of the objects of a document. Attackers can choose the objects that references
//! name, and how often, so large ones have an index.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::value::{Members, Value};

/// Members from which on an object has an index.
const LARGE: usize = 32;

/// The indexes of the large objects of a document.
#[derive(Debug, Default)]
pub(crate) struct Lookup<'d> {
    /// By the address of an object, the places of its members.
    places: RefCell<HashMap<usize, HashMap<&'d str, usize>>>,
}

impl<'d> Lookup<'d> {
    /// Returns the value of a member; the first of several with this name.
    pub(crate) fn member(&self, members: &'d Members, key: &str) -> Option<&'d Value> {
        if members.0.len() < LARGE {
            return members.value(key);
        }
        let mut places = self.places.borrow_mut();
        let places = places
            .entry(std::ptr::from_ref(members).addr())
            .or_insert_with(|| {
                let keys = members.0.iter().enumerate().rev();
                keys.map(|(place, (key, _))| (key.as_str(), place))
                    .collect()
            });
        places.get(key).map(|&place| &members.0[place].1)
    }

    /// Returns an object and those that its `$ref` leads to within the document, nearest first. The
    /// last one has a `$ref` only if that cannot be resolved, or there are `objects_max`.
    pub(crate) fn chain(
        &self,
        root: &'d Members,
        first: &'d Members,
        objects_max: usize,
    ) -> Vec<&'d Members> {
        let next = |of: &&'d Members| {
            let reference = self.member(of, "$ref").and_then(Value::as_text)?;
            self.target(root, reference)
        };
        let chain = std::iter::successors(Some(first), next);
        chain.take(objects_max).collect()
    }

    /// Returns the object that a reference within the document leads to.
    pub(crate) fn target(&self, root: &'d Members, reference: &str) -> Option<&'d Members> {
        let tokens = crate::reference::tokens(reference.strip_prefix('#')?)?;
        let mut present = root;
        for token in tokens {
            present = self.member(present, &token)?.as_map()?;
        }
        Some(present)
    }
}
