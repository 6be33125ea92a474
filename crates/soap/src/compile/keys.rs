//! The names of JSON properties: unique in their object, and the same for the same contract.

use std::collections::{BTreeMap, BTreeSet};

use crate::convention::{ELEMENT, HEADERS_BESIDE, NIL, TYPE};

/// Maximum number of a group's members in its derived name.
const MEMBERS_NAMED: usize = 3;
/// Bytes of a derived name after which no further member is added.
const NAME_BYTES: usize = 48;

/// Names in use, and the last number tried for each.
#[derive(Debug, Default)]
pub(super) struct Taken {
    names: BTreeSet<String>,
    counted: BTreeMap<String, u32>,
}

impl Taken {
    /// Takes `name`, or the first of `name_2`, `name_3` … that is unused and allowed.
    pub(super) fn take(&mut self, name: &str, may_be: impl Fn(&str) -> bool) -> String {
        let mut free = name.to_owned();
        while self.names.contains(&free) || !may_be(&free) {
            let number = self.counted.entry(name.to_owned()).or_insert(1);
            *number += 1;
            free = format!("{name}_{number}");
        }
        self.names.insert(free.clone());
        free
    }
}

/// The keys of one object.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// The natural names of members, which no other member gets.
    natural: BTreeSet<String>,
    given: Taken,
}

impl Keys {
    /// Prepares keys for an object with these natural names of members.
    pub(super) fn new<'n>(natural: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            natural: natural.into_iter().map(str::to_owned).collect(),
            given: Taken::default(),
        }
    }

    /// Returns the key of a member: its name, with a number if another member has it.
    pub(super) fn element(&mut self, name: &str) -> Box<str> {
        let natural = &self.natural;
        let is_own = |key: &str| key == name || !natural.contains(key);
        self.given.take(name, is_own).into()
    }

    /// Returns the key of an attribute: its name, or `@name` if an element has it.
    pub(super) fn attribute(&mut self, name: &str, elements: &BTreeSet<String>) -> Box<str> {
        let name = if elements.contains(name) {
            format!("@{name}")
        } else {
            name.to_owned()
        };
        let ours = [TYPE, ELEMENT, NIL, HEADERS_BESIDE];
        self.given.take(&name, |key| !ours.contains(&key)).into()
    }
}

/// Returns the name of a repeated group: `aOrB`, `keyAndValue`.
pub(super) fn group(members: &[String], word: &str) -> String {
    let mut name = String::new();
    for (at, member) in members.iter().enumerate() {
        if at == 0 {
            name.push_str(member);
            continue;
        }
        name.push_str(word);
        if at == MEMBERS_NAMED || name.len() > NAME_BYTES {
            name.push_str("More");
            break;
        }
        push_capitalised(&mut name, member);
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
