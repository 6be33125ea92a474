//! Names of JSON properties: unique where they stand, and the same for the same contract.

use std::collections::BTreeSet;

use crate::convention::{ELEMENT, HEADERS_BESIDE, NIL, TYPE};

/// Names of a group's members that its derived name is made of.
const MEMBERS_NAMED: usize = 3;

/// `name`, or the first of `name_2`, `name_3` … that is free.
pub(super) fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while is_taken(&free) {
        free = format!("{name}_{number}");
        number += 1;
    }
    free
}

/// The keys of one object.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// What some member is called by nature: nobody else gets it.
    natural: BTreeSet<String>,
    given: BTreeSet<String>,
}

impl Keys {
    /// Keys of an object whose members are called so by nature.
    pub(super) fn new<'n>(natural: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            natural: natural.into_iter().map(str::to_owned).collect(),
            given: BTreeSet::new(),
        }
    }

    /// The key of a member: its name, or with a number where another member has that.
    pub(super) fn element(&mut self, name: &str) -> Box<str> {
        let key = if self.given.contains(name) {
            free(name, |key| {
                self.natural.contains(key) || self.given.contains(key)
            })
        } else {
            name.to_owned()
        };
        self.given.insert(key.clone());
        key.into()
    }

    /// The key of an attribute: its name, or `@name` where an element has that.
    pub(super) fn attribute(&mut self, name: &str, elements: &BTreeSet<String>) -> Box<str> {
        let name = if elements.contains(name) {
            format!("@{name}")
        } else {
            name.to_owned()
        };
        let is_ours = |key: &str| [TYPE, ELEMENT, NIL, HEADERS_BESIDE].contains(&key);
        let key = free(&name, |key| is_ours(key) || self.given.contains(key));
        self.given.insert(key.clone());
        key.into()
    }
}

/// The name of a repeated group: `aOrB`, `keyAndValue`.
pub(super) fn group(members: &[String], word: &str) -> String {
    let mut name = String::new();
    for (at, member) in members.iter().take(MEMBERS_NAMED).enumerate() {
        if at == 0 {
            name.push_str(member);
        } else {
            name.push_str(word);
            push_capitalised(&mut name, member);
        }
    }
    if members.len() > MEMBERS_NAMED {
        name.push_str(word);
        name.push_str("More");
    }
    name
}

fn push_capitalised(name: &mut String, word: &str) {
    let mut characters = word.chars();
    if let Some(first) = characters.next() {
        name.extend(first.to_uppercase());
        name.push_str(characters.as_str());
    }
}
