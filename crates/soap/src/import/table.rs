//! Components by name; lookups also find names that a contract writes without their namespace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::name::QName;

/// Components of one kind.
#[derive(Debug, Clone)]
pub struct Table<T> {
    by_name: BTreeMap<QName, T>,
    /// The full name for each local name; `None` if several share it.
    by_local: BTreeMap<Arc<str>, Option<QName>>,
}

/// The result of a lookup.
#[derive(Debug, Clone, Copy)]
pub enum Found<'a, T> {
    /// The component with this name.
    Exact(&'a T),
    /// The only component with this local name, with its name: the contract has the wrong
    /// namespace, but deployed tools find it nevertheless.
    Loose(&'a QName, &'a T),
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            by_name: BTreeMap::new(),
            by_local: BTreeMap::new(),
        }
    }
}

impl<T> Table<T> {
    /// Adds a component; returns `false` if there is one with this name, which is kept.
    pub(crate) fn add(&mut self, name: QName, component: T) -> bool {
        if self.by_name.contains_key(&name) {
            return false;
        }
        self.by_local
            .entry(Arc::clone(&name.local))
            .and_modify(|only| *only = None)
            .or_insert_with(|| Some(name.clone()));
        self.by_name.insert(name, component);
        true
    }

    /// Renames a component: its redefinition takes the name.
    pub(crate) fn rename(&mut self, from: &QName, to: QName) -> bool {
        let Some(component) = self.by_name.remove(from) else {
            return false;
        };
        self.by_local.remove(&from.local);
        self.by_name.insert(to, component);
        true
    }

    /// Returns the component with this name.
    #[must_use]
    pub fn exact(&self, name: &QName) -> Option<&T> {
        self.by_name.get(name)
    }

    pub(super) fn exact_mut(&mut self, name: &QName) -> Option<&mut T> {
        self.by_name.get_mut(name)
    }

    /// Returns the component with this name, or the only one with its local name.
    #[must_use]
    pub fn find(&self, name: &QName) -> Option<Found<'_, T>> {
        if let Some(exact) = self.by_name.get(name) {
            return Some(Found::Exact(exact));
        }
        let only = self.by_local.get(&name.local)?.as_ref()?;
        Some(Found::Loose(only, self.by_name.get(only)?))
    }

    /// Returns all components in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&QName, &T)> {
        self.by_name.iter()
    }

    /// Returns the number of components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}
