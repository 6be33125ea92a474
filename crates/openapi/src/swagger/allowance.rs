//! The memory that conversion may add to a document.

use std::cell::Cell;

use crate::model::fault::Fault;
use crate::value::{Members, VALUE_BYTES, Value, member_bytes};

/// Maximum estimated memory that conversion adds, in the unit of [`Value::memory`].
const ADDED_BYTES_MAX: usize = 12 << 20;
/// Estimated bytes of a few members of an object that had none.
const MEMBERS_BYTES: usize = 512;

/// The rest of the memory that conversion may add.
#[derive(Debug)]
pub(super) struct Allowance(Cell<usize>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Cell::new(ADDED_BYTES_MAX))
    }
}

impl Allowance {
    /// Copies a value.
    ///
    /// # Errors
    /// Returns `openapi.budget` instead if too little is left, like all methods.
    pub(super) fn copy(&self, value: &Value) -> Result<Value, Fault> {
        self.charge(value.memory())?;
        Ok(value.clone())
    }

    /// Copies an object.
    pub(super) fn copy_members(&self, members: &Members) -> Result<Members, Fault> {
        self.charge(members.memory())?;
        Ok(members.clone())
    }

    /// Charges for a member that is added to an object, without its value.
    pub(super) fn add_member(&self, name: &str) -> Result<(), Fault> {
        self.charge(member_bytes(name.len()) + VALUE_BYTES)
    }

    /// Charges for a few members that are added to an object.
    pub(super) fn add_members(&self) -> Result<(), Fault> {
        self.charge(MEMBERS_BYTES)
    }

    fn charge(&self, bytes: usize) -> Result<(), Fault> {
        let left = self.0.get().checked_sub(bytes);
        let left = left.ok_or_else(|| {
            let detail = "the document shares parameters or schemas that are too large to be \
                          copied to where OpenAPI 3.0 has them";
            Fault::new("", "openapi.budget", detail)
        })?;
        self.0.set(left);
        Ok(())
    }
}
