//! The owner of a limit.

use tollgate_model::record::RefusedBy;

/// What a limit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LimitOwner {
    /// Its kind, and the index of the limit in its list.
    pub place: RefusedBy,
    /// Its raw id.
    pub id: i64,
}
