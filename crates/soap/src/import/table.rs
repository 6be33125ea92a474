//! Components by name, found also where a contract spells a name without its namespace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::name::QName;

/// Components of one kind.
#[derive(Debug, Clone)]
pub struct Table<T> {
    by_name: BTreeMap<QName, T>,
    /// The full name of a local name; `None` where several share it.
    by_local: BTreeMap<Arc<str>, Option<QName>>,
}

/// What is found under a name.
#[derive(Debug, Clone, Copy)]
pub enum Found<'a, T> {
    /// The component of this name.
    Exact(&'a T),
    /// The only component of this local name, with its name: the contract spells it wrongly and
    /// deployed tools find it all the same.
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
    /// Adds a component; `false` if there is one of this name, which stays.
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

    /// Moves a component to another name: a redefinition takes its own.
    pub(crate) fn rename(&mut self, from: &QName, to: QName) -> bool {
        let Some(component) = self.by_name.remove(from) else {
            return false;
        };
        self.by_local.remove(&from.local);
        self.by_name.insert(to, component);
        true
    }

    /// The component of this name.
    #[must_use]
    pub fn exact(&self, name: &QName) -> Option<&T> {
        self.by_name.get(name)
    }

    pub(super) fn exact_mut(&mut self, name: &QName) -> Option<&mut T> {
        self.by_name.get_mut(name)
    }

    /// The component of this name, or the only one of its local name.
    #[must_use]
    pub fn find(&self, name: &QName) -> Option<Found<'_, T>> {
        if let Some(exact) = self.by_name.get(name) {
            return Some(Found::Exact(exact));
        }
        let only = self.by_local.get(&name.local)?.as_ref()?;
        Some(Found::Loose(only, self.by_name.get(only)?))
    }

    /// All components in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&QName, &T)> {
        self.by_name.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}
