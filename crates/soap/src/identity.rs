//! Who has compiled something, for what others remember of it.

use std::sync::Arc;

/// Stands for one compiled thing: its place in memory, which is given to no other one for as long
/// as somebody holds it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity(Arc<()>);

impl Identity {
    /// A number that tells most of them apart.
    pub(crate) fn number(&self) -> usize {
        Arc::as_ptr(&self.0).addr() / size_of::<[u64; 4]>()
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
