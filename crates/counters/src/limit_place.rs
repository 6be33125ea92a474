//! Where a limit is.

use tollgate_model::record::{Owner, RefusedBy};

/// Where a limit is: in the list of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitPlace {
    /// The kind of the owner, and the index in its list.
    pub place: RefusedBy,
    /// The raw id of the owner.
    pub owner: i64,
}

impl LimitPlace {
    /// What distinguishes counters that are found at the call, besides what they count: plans share
    /// them, other owners have their own.
    pub(crate) fn sharing(self) -> (u8, i64) {
        let owner = self.place.owner();
        let id = if owner == Owner::Plan { 0 } else { self.owner };
        (owner as u8, id)
    }
}
