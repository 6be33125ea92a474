//! The members of objects that a template reads, found in one walk over each object instead of a
//! search for each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tollgate_json::tape::{Kind, Name, NodeId, View};

use crate::scope::Place;
use crate::work::{BYTES_PER_UNIT, NAME_UNITS, search_steps, search_units};

/// The members that are read of one object and of the objects below it, in the order of
/// [`Collecting`].
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
    members: Collecting,
    places: u16,
}

/// Members by the first eight bytes of their names, as in [`Name::head`], and by their names.
type Collecting = BTreeMap<(u64, Box<str>), CollectedMember>;

#[derive(Debug, Default)]
struct CollectedMember {
    place: Option<u16>,
    below: Collecting,
}

impl Collected {
    /// Adds the member at the end of a path; returns its place. `None` for an empty path and if
    /// there are too many.
    pub(crate) fn add(&mut self, path: &[&str]) -> Option<u16> {
        let (last, objects) = path.split_last()?;
        let key = |name: &str| (Name::new(name.as_bytes()).head, name.into());
        let members = objects.iter().fold(&mut self.members, |members, name| {
            &mut members.entry(key(name)).or_default().below
        });
        let member = members.entry(key(last)).or_default();
        if member.place.is_none() {
            member.place = Some(self.places);
            self.places = self.places.checked_add(1)?;
        }
        member.place
    }

    /// Returns the members for searches, and the number of their places.
    pub(crate) fn finish(self) -> (Members, u16) {
        (self.members.into(), self.places)
    }
}

impl From<Collecting> for Members {
    fn from(collected: Collecting) -> Self {
        let heads = collected.keys().map(|(head, _)| *head).collect();
        let members = collected.into_iter().map(|((_, name), member)| Member {
            name,
            place: member.place,
            below: member.below.into(),
        });
        Self {
            heads,
            members: members.collect(),
        }
    }
}

impl Members {
    /// Finds the members of a node, which has none unless it is an object. Returns the units of
    /// work.
    pub(crate) fn find<'m>(
        &self,
        view: &'m View<'m>,
        node: NodeId,
        places: &mut [Place<'m>],
    ) -> usize {
        let mut rest = self.members.len();
        let units_of_key = NAME_UNITS + search_units(rest);
        let (mut units, mut bytes) = (0, 0);
        for (name, key) in view.keys(node) {
            if rest == 0 {
                break;
            }
            units += units_of_key;
            let alike = self.begin_like(name);
            bytes += search_steps(alike.len()) * name.bytes.len();
            let found = alike.binary_search_by(|it| it.name.as_bytes().cmp(name.bytes));
            let Ok(index) = found else { continue };
            let member = &alike[index];
            rest -= 1;
            let value = view.value(key);
            if let Some(place) = member.place {
                places[usize::from(place)] = Some((view, value));
            }
            if !member.below.members.is_empty() && view.kind(value) == Kind::Object {
                units += member.below.find(view, value, places);
            }
        }
        units + bytes / BYTES_PER_UNIT
    }

    /// Returns the members with the first eight bytes of a name, sorted.
    #[inline]
    fn begin_like(&self, name: Name<'_>) -> &[Member] {
        let start = self.heads.partition_point(|&head| head < name.head);
        let heads = &self.heads[start..];
        let alike = match heads.first() {
            Some(&head) if head == name.head => heads.partition_point(|&head| head == name.head),
            _ => 0,
        };
        &self.members[start..start + alike]
    }
}
