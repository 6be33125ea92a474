//! The effective value of each setting, as text, and its origin.

use std::collections::BTreeMap;

use super::value::Value;
use super::{Declared, Origin, SettingsError};

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The value's text.
    pub text: String,
    /// Its origin.
    pub origin: Origin,
}

/// Every setting's text and origin.
#[derive(Debug, Clone)]
pub struct Effective(pub(super) BTreeMap<&'static str, Found>);

impl Effective {
    /// Returns the value and origin of a declared setting.
    #[must_use]
    pub fn found(&self, declared: &Declared) -> &Found {
        self.0
            .get(declared.name)
            .expect("every declared setting has its default")
    }

    /// Returns the typed value of the setting with this name.
    ///
    /// # Errors
    /// Fails if the value is invalid.
    pub fn parse<V: Value>(&self, name: &'static str) -> Result<V, SettingsError> {
        let found = self.0.get(name).expect("the declaration names it");
        V::parse(&found.text).ok_or_else(|| SettingsError::Wrong {
            name,
            text: found.text.clone(),
            origin: found.origin.clone(),
            expects: V::expects(),
        })
    }
}
