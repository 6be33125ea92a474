//! The members of objects that a template reads, found in one walk over each object instead of a
//! search for each.

use serde::{Deserialize, Serialize};
use tollgate_soap::tape::{Kind, Name, NodeId, View};

use crate::scope::Place;
use crate::work::NAME_UNITS;

/// Names that a key is compared with in one unit of work.
const NAMES_PER_UNIT: usize = 16;

/// The members that are read of one object and of the objects below it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Members {
    /// The first eight bytes of each name, as in [`Name::head`].
    heads: Vec<u64>,
    members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Member {
    name: Box<str>,
    /// The index among the places, if its value is read.
    place: Option<u16>,
    below: Members,
}

/// Members as they are collected, and the number of places that they need.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) members: Members,
    pub(crate) places: u16,
}

impl Collected {
    /// Adds the member at the end of a path; returns its place. `None` for an empty path and if
    /// there are too many.
    pub(crate) fn add(&mut self, path: &[&str]) -> Option<u16> {
        let (last, objects) = path.split_last()?;
        let members = objects.iter().fold(&mut self.members, |members, name| {
            &mut members.member(name).below
        });
        let member = members.member(last);
        if member.place.is_none() {
            member.place = Some(self.places);
            self.places = self.places.checked_add(1)?;
        }
        member.place
    }
}

impl Members {
    fn member(&mut self, name: &str) -> &mut Member {
        let index = self.members.iter().position(|it| *it.name == *name);
        let index = index.unwrap_or_else(|| {
            self.heads.push(Name::new(name.as_bytes()).head);
            self.members.push(Member {
                name: name.into(),
                place: None,
                below: Self::default(),
            });
            self.members.len() - 1
        });
        &mut self.members[index]
    }

    /// Finds the members of a node, which has none unless it is an object. Returns the units of
    /// work.
    pub(crate) fn find<'m>(
        &self,
        view: &'m View<'m>,
        node: NodeId,
        places: &mut [Place<'m>],
    ) -> usize {
        let mut rest = self.members.len();
        let units_of_key = NAME_UNITS + rest / NAMES_PER_UNIT;
        let mut units = 0;
        for (name, key) in view.keys(node) {
            if rest == 0 {
                break;
            }
            units += units_of_key;
            let Some(member) = self.named(name) else {
                continue;
            };
            rest -= 1;
            let value = view.value(key);
            if let Some(place) = member.place {
                places[usize::from(place)] = Some((view, value));
            }
            if !member.below.members.is_empty() && view.kind(value) == Kind::Object {
                units += member.below.find(view, value, places);
            }
        }
        units
    }

    #[inline]
    fn named(&self, name: Name<'_>) -> Option<&Member> {
        let index = self.heads.iter().position(|&head| head == name.head)?;
        let is_named = |member: &&Member| member.name.as_bytes() == name.bytes;
        // Others with the same first bytes come later.
        self.members[index..].iter().find(is_named)
    }
}
