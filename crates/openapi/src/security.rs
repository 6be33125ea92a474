//! The security that a document describes: the schemes it declares, and the requirements of the
//! document and its operations (OpenAPI 3.1, Security Requirement Object).
//!
//! A version has one list of schemes, and a call satisfies any or all of them. Requirements beyond
//! that are noted, and the proposal is the stricter one if possible: only an explicit empty list
//! opens an operation. `document` reads operations and passes them one by one.

use crate::model::fault::{Fault, pointer_token};
use crate::model::security::{Basic, OAuth2, Require, Security};
use crate::notes::{Notes, Occurrences};
use crate::tree::{Map, Node};
use crate::{Access, Proposed};

use requirement::{Alternative, Room};
use schemes::{Form, SCHEMES, Schemes};
use scopes::Scopes;

mod requirement;
mod schemes;
mod scopes;

/// The code of notes on requirements that a version's schemes cannot express.
const CODE: &str = "openapi.security_requirement";

/// The kinds of credentials that a version can require.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Kinds {
    api_key: bool,
    oauth2: bool,
    basic: bool,
}

impl Kinds {
    fn from_form(form: &Form<'_>) -> Self {
        Self {
            api_key: matches!(form, Form::Header(_) | Form::Query(_)),
            oauth2: matches!(form, Form::Scoped(_) | Form::Bearer),
            basic: matches!(form, Form::Basic),
        }
    }

    fn add(&mut self, other: Self) {
        self.api_key |= other.api_key;
        self.oauth2 |= other.oauth2;
        self.basic |= other.basic;
    }

    fn count(self) -> usize {
        [self.api_key, self.oauth2, self.basic]
            .into_iter()
            .map(usize::from)
            .sum()
    }
}

/// The requirements of an operation, or those of the document for operations without their own.
#[derive(Debug, Clone, Default)]
struct Demand {
    access: Access,
    kinds: Kinds,
    /// Whether any alternative has a scheme, supported or not.
    is_required: bool,
    /// A pointer to the requirements, or to the operation without its own.
    field: String,
}

/// The common properties of all alternatives.
#[derive(Default)]
struct Together {
    kinds: Option<Kinds>,
    are_different: bool,
    /// Alternatives with more than one scheme.
    several: Occurrences,
    /// Those of them that lose a scheme, even if each kind is required.
    lessened: Occurrences,
}

impl Together {
    fn add(&mut self, kinds: Kinds, members: usize, field: &str) {
        if members > 1 {
            self.several.add(|| field.to_owned());
        }
        if members > 1 && members > kinds.count() {
            self.lessened.add(|| field.to_owned());
        }
        // An unsupported alternative is omitted: fewer ways in, not more.
        if kinds.count() > 0 {
            let first = *self.kinds.get_or_insert(kinds);
            self.are_different |= first != kinds;
        }
    }

    /// Returns how many of the schemes a call must satisfy; notes differences from the document.
    fn require(&self, notes: &mut Notes) -> Require {
        let alike = self.kinds.filter(|kinds| kinds.count() > 1);
        match alike.filter(|_| !self.are_different) {
            Some(kinds) if kinds.oauth2 && kinds.basic => {
                let sentence = "tokens and HTTP Basic both use Authorization, so no call can \
                    carry both: any one of the schemes is enough";
                notes.counted(&self.several, CODE, sentence);
                Require::Any
            }
            Some(_) => {
                let sentence = "of a requirement with several schemes only one header, one \
                    parameter and one token are used";
                notes.counted(&self.lessened, CODE, sentence);
                Require::All
            }
            None => {
                let sentence = "alternatives of several schemes are not taken over as such: any \
                    one of the version's schemes is enough";
                notes.counted(&self.several, CODE, sentence);
                Require::Any
            }
        }
    }
}

/// Parts of requirements that have no effect.
#[derive(Default)]
struct Aside {
    optional: Occurrences,
    unknown: Occurrences,
    absent: Occurrences,
    roles: Occurrences,
    other_scopes: Occurrences,
}

impl Aside {
    fn add_notes(&self, notes: &mut Notes) {
        let rows = [
            (
                &self.optional,
                CODE,
                "optional security is not taken over: a credential is required",
            ),
            (
                &self.absent,
                CODE,
                "operations without security require a credential; \"security\": [] would open \
                 them",
            ),
            (
                &self.roles,
                scopes::CODE,
                "only schemes of type oauth2 and openIdConnect have scopes; those of others have \
                 no effect",
            ),
            (
                &self.other_scopes,
                scopes::CODE,
                "an operation requires the scopes of its first alternative that has any; those of \
                 other alternatives have no effect",
            ),
        ];
        for (found, code, sentence) in rows {
            notes.counted(found, code, sentence);
        }
    }
}

/// The requirements of a document, operation by operation.
pub(crate) struct Requirements<'a> {
    root: &'a Map,
    schemes: Schemes<'a>,
    scopes: Scopes,
    room: Room,
    together: Together,
    aside: Aside,
    /// The requirements of operations without their own.
    document: Option<Demand>,
    operations: Vec<Demand>,
    /// Operations with their own requirements.
    stated: Occurrences,
}

impl<'a> Requirements<'a> {
    pub(crate) fn new(root: &'a Map) -> Self {
        Self {
            root,
            schemes: Schemes::default(),
            scopes: Scopes::default(),
            room: Room::default(),
            together: Together::default(),
            aside: Aside::default(),
            document: None,
            operations: Vec::new(),
            stated: Occurrences::default(),
        }
    }

    /// Reads the requirements for all operations; returns faults for malformed parts.
    pub(crate) fn read_document(&mut self) -> Vec<Fault> {
        let mut faults = self.schemes.read_declared(self.root);
        match self.root.value("security") {
            None | Some(Node::Nothing) => {}
            Some(node) => match self.demand(node, "/security".to_owned()) {
                Ok(demand) => self.document = Some(demand),
                Err(fault) => faults.push(fault),
            },
        }
        faults
    }

    /// Reads the requirements of the operation at `field`.
    ///
    /// # Errors
    /// Returns a fault for the first malformed part.
    pub(crate) fn read_operation(&mut self, from: &Map, field: &str) -> Result<(), Fault> {
        let demand = match (from.value("security"), &self.document) {
            (None | Some(Node::Nothing), None) => {
                self.aside.absent.add(|| field.to_owned());
                Demand::default()
            }
            (None | Some(Node::Nothing), Some(document)) => {
                if !self.room.spend(document.access.scopes.len()) {
                    return Ok(());
                }
                let field = field.to_owned();
                Demand {
                    field,
                    ..document.clone()
                }
            }
            (Some(node), _) => {
                let field = format!("{field}/security");
                self.stated.add(|| field.clone());
                self.demand(node, field)?
            }
        };
        self.operations.push(demand);
        Ok(())
    }

    fn demand(&mut self, node: &Node, field: String) -> Result<Demand, Fault> {
        let alternatives = requirement::read_alternatives(node, &field, &mut self.room)?;
        let mut demand = Demand {
            field,
            ..Demand::default()
        };
        demand.access.anonymous = alternatives.is_empty();
        let mut scopes: Vec<Option<Vec<String>>> = Vec::new();
        for (index, alternative) in alternatives.iter().enumerate() {
            let at = format!("{}/{index}", demand.field);
            if alternative.is_empty() {
                self.aside.optional.add(|| at);
                continue;
            }
            demand.is_required = true;
            let (kinds, named) = self.alternative(alternative, &at)?;
            demand.kinds.add(kinds);
            self.together.add(kinds, alternative.len(), &at);
            if kinds.count() > 0 {
                scopes.push(named);
            }
        }
        if let Some(first) = scopes.iter().flatten().next() {
            let named = |it: &Option<Vec<String>>| it.as_deref().unwrap_or_default() == first;
            if !scopes.iter().all(named) {
                self.aside.other_scopes.add(|| demand.field.clone());
            }
            demand.access.scopes.clone_from(first);
        }
        Ok(demand)
    }

    /// Reads an alternative: its kinds of credentials, and its scopes if a scheme has any.
    fn alternative(
        &mut self,
        members: &Alternative<'_>,
        field: &str,
    ) -> Result<(Kinds, Option<Vec<String>>), Fault> {
        let mut kinds = Kinds::default();
        let mut scopes = None;
        for member in members {
            let at = || format!("{field}/{}", pointer_token(member.scheme));
            let Some(scheme) = self.schemes.require(member.scheme) else {
                self.aside.unknown.add(at);
                continue;
            };
            kinds.add(Kinds::from_form(&scheme.form));
            match scheme.form {
                Form::Scoped(_) => {
                    let scopes = scopes.get_or_insert_default();
                    for (index, name) in member.scopes.iter().enumerate() {
                        let at = || format!("{}/{index}", at());
                        self.scopes.add(name, scheme, at, scopes)?;
                    }
                }
                _ if member.scopes.is_empty() => {}
                _ => self.aside.roles.add(at),
            }
        }
        Ok((kinds, scopes))
    }

    /// Returns the proposal, if the document requires supported schemes or opens operations; notes
    /// the unsupported schemes.
    pub(crate) fn finish(self, notes: &mut Notes) -> Option<Proposed> {
        const CODE: &str = "openapi.security";
        let place = self.place()?;
        if self.room.is_spent() {
            let detail = "the document's security is too large: none is proposed";
            notes.add(&place, CODE, detail);
            return None;
        }
        let demands = || self.document.iter().chain(&self.operations);
        let is_required = demands().any(|demand| demand.is_required);
        let opens = self.operations.iter().any(|demand| demand.access.anonymous);
        if !is_required && !opens {
            let detail = "the document requires no security scheme: none is proposed";
            notes.add(&place, CODE, detail);
            return None;
        }
        self.schemes.note_unsupported(notes);
        let sentence = "requirements name schemes that are not declared in \
            components.securitySchemes";
        notes.counted(&self.aside.unknown, self::CODE, sentence);
        let mut kinds = Kinds::default();
        demands().for_each(|demand| kinds.add(demand.kinds));
        if is_required && kinds.count() == 0 {
            let detail = "no security scheme that the document requires is supported";
            let code = if opens { self::CODE } else { CODE };
            notes.add(&place, code, detail);
            if !opens {
                return None;
            }
        }
        let detail = "the document's security is proposed: it has an effect only if the import \
            applies it";
        notes.add(&place, CODE, detail);
        Some(self.proposed(kinds, notes))
    }

    /// Returns a pointer to the first security in the document, if there is any.
    fn place(&self) -> Option<String> {
        let document = self.document.as_ref().map(|demand| demand.field.clone());
        let declared = || (!self.schemes.is_empty()).then(|| SCHEMES.to_owned());
        let operation = || self.stated.first().map(str::to_owned);
        document.or_else(declared).or_else(operation)
    }

    fn proposed(mut self, kinds: Kinds, notes: &mut Notes) -> Proposed {
        let security = match kinds.count() {
            0 => None,
            _ => Some(self.security(kinds, notes)),
        };
        self.aside.add_notes(notes);
        let operations = self.operations.into_iter();
        Proposed {
            security,
            operations: operations.map(|demand| demand.access).collect(),
        }
    }

    /// Returns the security of a version that accepts these kinds of credentials.
    fn security(&mut self, kinds: Kinds, notes: &mut Notes) -> Security {
        let require = self.together.require(notes);
        let mut others = Occurrences::default();
        for demand in &self.operations {
            if demand.is_required && demand.kinds != kinds {
                others.add(|| demand.field.clone());
            }
        }
        let sentence = "a version's schemes apply to all of its operations: these require others";
        notes.counted(&others, CODE, sentence);
        let has_authorization = kinds.oauth2 || kinds.basic;
        let api_key = kinds
            .api_key
            .then(|| self.schemes.api_key(has_authorization, notes));
        Security {
            require,
            api_key,
            oauth2: kinds.oauth2.then(OAuth2::default),
            basic: kinds.basic.then(Basic::default),
            scopes: std::mem::take(&mut self.scopes).finish(notes),
        }
    }
}

#[cfg(test)]
mod tests;
