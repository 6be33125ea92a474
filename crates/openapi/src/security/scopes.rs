//! The scopes in requirements, as far as a version can declare them.

use std::collections::BTreeMap;

use super::schemes::Scheme;
use crate::model::fault::Fault;
use crate::model::scope::Scope;
use crate::model::security::{SCOPE_FORM, SCOPES_MAX, is_scope};
use crate::notes::{Notes, Occurrences};

/// The code of notes on scopes.
pub(super) const CODE: &str = "openapi.security_scope";

/// The scopes collected so far.
#[derive(Default)]
pub(super) struct Scopes {
    declared: BTreeMap<String, Scope>,
    refused: Occurrences,
    beyond: Occurrences,
}

impl Scopes {
    /// Adds a scope that a requirement at `field` names to an operation's scopes.
    ///
    /// # Errors
    /// Returns a fault if the description of the scope is malformed.
    pub(super) fn add(
        &mut self,
        name: &str,
        scheme: &Scheme<'_>,
        field: impl FnOnce() -> String,
        scopes: &mut Vec<String>,
    ) -> Result<(), Fault> {
        if !is_scope(name) {
            self.refused.add(field);
            return Ok(());
        }
        let is_known = self.declared.contains_key(name);
        if !is_known && self.declared.len() >= SCOPES_MAX {
            self.beyond.add(field);
            return Ok(());
        }
        let declared = self.declared.get(name);
        if declared.is_none_or(|it| it.text.is_empty()) {
            let text = scheme.scope_text(name)?;
            self.declared.insert(name.to_owned(), text.into());
        }
        if !scopes.iter().any(|scope| scope == name) {
            scopes.push(name.to_owned());
        }
        Ok(())
    }

    /// Returns the declared scopes. All are granted freely, since a document does not describe who
    /// grants a scope. Notes those that are left out.
    pub(super) fn finish(self, notes: &mut Notes) -> BTreeMap<String, Scope> {
        let sentence = format!("names that a scope cannot have are left out: {SCOPE_FORM}");
        notes.counted(&self.refused, CODE, &sentence);
        let sentence = format!("only the first {SCOPES_MAX} scopes are taken over");
        notes.counted(&self.beyond, CODE, &sentence);
        self.declared
    }
}
