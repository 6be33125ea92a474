//! The value that each setting has in the end, as text, and where it was written.

use std::collections::BTreeMap;

use super::value::Value;
use super::{Declared, Origin, SettingsError};

/// One value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The value's text.
    pub text: String,
    /// Where it was written.
    pub origin: Origin,
}

/// Every setting's text and origin.
#[derive(Debug, Clone)]
pub struct Effective(pub(super) BTreeMap<&'static str, Found>);

impl Effective {
    /// What was found for a declared setting.
    #[must_use]
    pub fn found(&self, declared: &Declared) -> &Found {
        self.0
            .get(declared.name)
            .expect("every declared setting has its default")
    }

    /// The typed value of the setting of this name.
    ///
    /// # Errors
    /// The value is not one.
    pub fn read<V: Value>(&self, name: &'static str) -> Result<V, SettingsError> {
        let found = self.0.get(name).expect("the declaration names it");
        V::read(&found.text).ok_or_else(|| SettingsError::Wrong {
            name,
            text: found.text.clone(),
            origin: found.origin.clone(),
            expects: V::expects(),
        })
    }
}
