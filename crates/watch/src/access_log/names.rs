//! The names of versions and operations in lines; records have only ids.

use std::collections::HashMap;
use std::sync::Arc;

use tollgate_model::id::{OperationId, RevisionId, VersionId};

use super::secrets::Secrets;

/// How long names are used before they are read again: an API may be renamed.
const KEPT_US: i64 = 60 * 1_000_000;

/// The names of a version in lines.
#[derive(Debug, Clone)]
pub struct LineNames {
    /// The revision that they are read from.
    pub revision: RevisionId,
    /// The API's name.
    pub api: String,
    /// The version's name.
    pub version: String,
    /// The names of operations, such as `GET /pets/{pet}`.
    pub operations: HashMap<OperationId, String>,
}

/// The source of names.
pub trait Naming: Send + Sync {
    /// Returns a number that rises with each change of what is served.
    fn generation(&self) -> u64;
    /// Returns the names of a version; `None` if it is not served.
    fn names(&self, version: VersionId) -> Option<LineNames>;
    /// Returns the query parameters that API keys may be in.
    fn key_parameters(&self) -> Vec<String>;
}

/// Names that were read.
pub(super) struct KnownNames {
    naming: Arc<dyn Naming>,
    generation: Option<u64>,
    /// By the revision that served the call.
    names: HashMap<(VersionId, Option<RevisionId>), Option<Arc<LineNames>>>,
    /// Unix microseconds.
    read_us: i64,
    secrets: Secrets,
}

impl KnownNames {
    pub(super) fn new(naming: Arc<dyn Naming>) -> Self {
        Self {
            naming,
            generation: None,
            names: HashMap::new(),
            read_us: i64::MIN,
            secrets: Secrets::default(),
        }
    }

    /// Follows what is served.
    pub(super) fn refresh(&mut self, now_us: i64) {
        let generation = self.naming.generation();
        if self.generation == Some(generation) {
            return;
        }
        self.secrets.extend(self.naming.key_parameters());
        // At once if the clock was set back.
        if !(0..KEPT_US).contains(&now_us.saturating_sub(self.read_us)) {
            self.read_us = now_us;
            self.generation = Some(generation);
            self.names.clear();
        }
    }

    /// Returns the names for a call of a version, and the parameters to hide: `None` if those of
    /// its revision are not known, which may have others than the current one.
    pub(super) fn of_call(
        &mut self,
        version: VersionId,
        revision: Option<RevisionId>,
    ) -> (Option<Arc<LineNames>>, Option<&Secrets>) {
        let (naming, secrets) = (&self.naming, &mut self.secrets);
        let names = self.names.entry((version, revision)).or_insert_with(|| {
            let names = naming.names(version).map(Arc::new);
            // The version may be newer than the last refresh.
            secrets.extend(naming.key_parameters());
            names
        });
        let is_of_revision = names
            .as_ref()
            .is_some_and(|it| Some(it.revision) == revision);
        (names.clone(), is_of_revision.then_some(&*secrets))
    }
}
