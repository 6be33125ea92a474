//! What queries find in memory.

use std::sync::Arc;

use hashbrown::HashSet;

use crate::content::Content;
use crate::stored::{Span, unreadable_at};

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
    /// Where pages were found unreadable.
    pub(super) unreadable: HashSet<Span>,
}

impl Memory {
    /// Notes the loss of an unreadable page, once.
    pub(super) fn note_unreadable(&mut self, span: Span) {
        if self.unreadable.insert(span) {
            self.content.add_loss(&unreadable_at(span));
        }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        let batch = self.batch.as_ref().map_or(0, |it| it.rows());
        self.content.rows() + batch
    }
}
