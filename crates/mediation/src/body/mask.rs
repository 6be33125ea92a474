//! `mask`: hides the values at paths; all other bytes stay.

use serde::{Deserialize, Serialize};
use tollgate_model::policies::MaskWith;

use super::Body;
use super::path::Paths;
use super::splice::{Operation, splice};
use crate::edits::Changed;
use crate::outcome::Stop;
use crate::work::Work;

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
        out: &mut Vec<u8>,
        work: &Work,
    ) -> Result<Option<Changed>, Stop> {
        splice(body, &self.paths, Operation::Mask(self.with), out, work)
    }
}
