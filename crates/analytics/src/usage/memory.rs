//! What queries find in memory.

use std::sync::Arc;

use crate::content::Content;

/// Figures that are not in the file, or not known to be.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) content: Content,
    /// The content of a batch that is not known to be written.
    pub(super) batch: Option<Arc<Content>>,
    /// Number of the last batch.
    pub(super) number: i64,
    /// The first open minute at the last batch.
    pub(super) open: i64,
}

impl Memory {
    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        let batch = self.batch.as_ref().map_or(0, |it| it.rows());
        self.content.rows() + batch
    }
}
