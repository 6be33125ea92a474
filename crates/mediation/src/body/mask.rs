//! `mask`: hides the values at paths; all other bytes stay.

use serde::{Deserialize, Serialize};
use tollgate_model::policies::MaskWith;

use super::path::Paths;
use super::splice::{Operation, splice};
use super::{Body, Work};
use crate::edits::Changed;
use crate::outcome::Stop;

/// Paths, and what their values become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mask {
    pub(crate) paths: Paths,
    pub(crate) with: MaskWith,
}

impl Mask {
    pub(super) fn run(
        &self,
        body: Body<'_>,
        room: (&mut Vec<u8>, &mut Work),
    ) -> Result<Option<Changed>, Stop> {
        splice(body, &self.paths, Operation::Mask(self.with), room)
    }
}
