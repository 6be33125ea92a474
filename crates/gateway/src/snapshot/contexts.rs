//! The index of versions by context and name: finds the version of a path.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use tollgate_model::feed::ServedVersion;
use tollgate_model::id::VersionId;

use crate::snapshot::operations::segment_end;
use crate::snapshot::version::Version;

/// The contexts of a snapshot. Their names and those of versions are kept as bytes, so that request
/// paths never need to be text.
#[derive(Debug, Default, Clone)]
pub(crate) struct Contexts {
    apis: HashMap<Vec<u8>, Versions>,
    segments_max: usize,
}

#[derive(Debug, Default, Clone)]
struct Versions {
    by_name: HashMap<Vec<u8>, Arc<Version>>,
    default: Option<DefaultVersion>,
}

/// The default version of a context.
#[derive(Debug, Clone)]
struct DefaultVersion {
    version: Arc<Version>,
    /// The names of the API's other versions, whether they are served or not.
    others: Arc<HashSet<Vec<u8>>>,
}

impl DefaultVersion {
    fn new(version: &Arc<Version>) -> Self {
        let others = version.served.other_versions.iter();
        let others = others.map(|name| name.clone().into_bytes()).collect();
        Self {
            version: Arc::clone(version),
            others: Arc::new(others),
        }
    }
}

impl Contexts {
    /// How many versions there are.
    pub(crate) fn versions(&self) -> usize {
        let versions = self.apis.values();
        versions.map(|it| it.by_name.len()).sum()
    }

    /// The versions, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Version> {
        let versions = self.apis.values().flat_map(|it| it.by_name.values());
        versions.map(Arc::as_ref)
    }

    /// Returns the version with this id.
    pub(crate) fn version(&self, id: VersionId) -> Option<&Version> {
        self.all().find(|it| it.served.id == id)
    }

    /// Adds a version, or replaces the one of the same context and name.
    pub(crate) fn insert(&mut self, version: &Arc<Version>) {
        let served = &version.served;
        let segments = served.context.split('/').count() - 1;
        self.segments_max = self.segments_max.max(segments);
        let versions = self.apis.entry_ref(served.context.as_bytes()).or_default();
        let name = served.name.clone().into_bytes();
        versions.by_name.insert(name, Arc::clone(version));
        if served.is_default {
            versions.default = Some(DefaultVersion::new(version));
        } else {
            versions.unset_default(served);
        }
    }

    /// Adds a previously served version, unless another one has become the default.
    pub(crate) fn insert_back(&mut self, version: &Arc<Version>) {
        let context = version.served.context.as_bytes();
        let default = self.apis.get(context).and_then(|it| it.default.clone());
        self.insert(version);
        if let Some((versions, default)) = self.apis.get_mut(context).zip(default) {
            versions.default = Some(default);
        }
    }

    /// Removes a version as it was inserted, unless another one already has its place.
    pub(crate) fn remove(&mut self, served: &ServedVersion) {
        let Some(versions) = self.apis.get_mut(served.context.as_bytes()) else {
            return;
        };
        let name = served.name.as_bytes();
        let is_it = |version: &Arc<Version>| version.served.id == served.id;
        if versions.by_name.get(name).is_some_and(is_it) {
            versions.by_name.remove(name);
        }
        versions.unset_default(served);
        if versions.by_name.is_empty() {
            self.apis.remove(served.context.as_bytes());
        }
    }

    /// Returns the version of a path, and how many of its bytes name it. A path that begins with
    /// the name of another version than the default one is never a path of the default one.
    pub(crate) fn find(&self, path: &[u8]) -> Option<(&Version, usize)> {
        let mut end = 0;
        for _ in 0..self.segments_max {
            if path.len() <= end {
                return None;
            }
            end = segment_end(path, end + 1);
            if let Some(versions) = self.apis.get(&path[..end]) {
                return versions.find(path, end);
            }
        }
        None
    }
}

impl Versions {
    fn find(&self, path: &[u8], context_end: usize) -> Option<(&Version, usize)> {
        if context_end == path.len() {
            let default = self.default.as_ref()?;
            return Some((&default.version, context_end));
        }
        let end = segment_end(path, context_end + 1);
        let name = &path[context_end + 1..end];
        if let Some(version) = self.by_name.get(name) {
            return Some((version, end));
        }
        let default = self.default.as_ref()?;
        (!default.others.contains(name)).then_some((&*default.version, context_end))
    }

    /// Leaves the context without a default version if it is this one.
    fn unset_default(&mut self, served: &ServedVersion) {
        let default = self.default.as_ref();
        if default.is_some_and(|default| default.version.served.id == served.id) {
            self.default = None;
        }
    }
}

#[cfg(test)]
mod tests;
