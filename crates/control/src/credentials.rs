//! The parts shared by all credentials of applications: their terms in requests and responses, how
//! these are changed, and how many credentials there may be.
//!
//! Neighbours: `keys`, `clients` and `basic_users` are the kinds; `credentials/handlers.rs` has the
//! code that their handlers share; `credentials/rotation.rs` has the grace periods of rotations.

use std::fmt::Display;

use serde::{Deserialize, Deserializer, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::fault::Fault;
use tollgate_model::id::{ApplicationId, Id, UserId};
use tollgate_store::Tx;
use tollgate_store::credentials::{
    self, CredentialKind, Secret, Terms, TermsChange, is_owner_suspended,
};
use tollgate_tokens::generated;

use crate::applications;
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::may::Act;
use crate::state::Control;
use crate::text::renaming_fault;
use crate::time::Time;

mod allowed;
pub(crate) mod handlers;
mod rotation;

pub(crate) use allowed::faults as allowed_faults;
pub(crate) use rotation::{Grace, ROTATING, Rotation, previous_until};

/// Maximum number of live credentials of one kind per application.
pub(crate) const LIVE_MAX: u64 = 20;

/// The words of a kind of credential: codes of problems and events of the audit trail.
pub(crate) struct Words {
    /// One credential, in sentences.
    pub(crate) noun: &'static str,
    /// Several credentials, in sentences.
    pub(crate) plural: &'static str,
    pub(crate) created: &'static str,
    pub(crate) updated: &'static str,
    pub(crate) rotated: &'static str,
    pub(crate) revoked: &'static str,
    pub(crate) suspended: &'static str,
    pub(crate) resumed: &'static str,
    pub(crate) expired: &'static str,
    pub(crate) too_many: &'static str,
}

/// The terms of a credential.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CredentialTerms)]
pub(crate) struct TermsBody {
    /// Its application.
    application: ApplicationId,
    /// Its name.
    name: String,
    /// The environment that it calls.
    environment: Environment,
    /// Not valid before this time; no limit when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<Time>,
    /// Not valid from this time on; no limit when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Time>,
    /// Addresses and origins that may use it; all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<Allowed>,
    /// The user who created it.
    created_by: UserId,
    /// When it was created.
    created_at: Time,
    /// When it was revoked; not valid since.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Time>,
    /// When an administrator suspended it; not valid until it is resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    suspended_at: Option<Time>,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
}

/// The terms of a new credential.
pub(crate) struct NewTerms {
    pub(crate) name: String,
    pub(crate) environment: Environment,
    pub(crate) not_before: Option<Time>,
    pub(crate) expires_at: Option<Time>,
    pub(crate) allowed: Allowed,
}

/// Changes to an API key or a user of HTTP Basic; absent members keep their value.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CredentialPatch {
    /// Its name, 1 to 100 characters.
    pub(crate) name: Option<String>,
    /// Not valid before this time; `null` for no limit.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<Time>)]
    pub(crate) not_before: Option<Option<Time>>,
    /// Not valid from this time on; `null` for no limit.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<Time>)]
    pub(crate) expires_at: Option<Option<Time>>,
    /// Addresses and origins that may use it; empty lists allow all.
    pub(crate) allowed: Option<Allowed>,
    /// Whether it is suspended. Only administrators may set this.
    pub(crate) suspended: Option<bool>,
}

/// Deserializes a member for which absence and `null` differ.
pub(crate) fn or_null<'de, T, D>(from: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(from).map(Some)
}

pub(crate) const fn production() -> Environment {
    Environment::Production
}

/// Returns the stored form of a credential's first secret.
pub(crate) fn first_secret(made: &generated::NewSecret) -> Secret {
    Secret {
        digest: made.digest,
        hint: made.hint.clone(),
        previous: None,
    }
}

impl From<Terms> for TermsBody {
    fn from(terms: Terms) -> Self {
        Self {
            application: terms.application,
            name: terms.name,
            environment: terms.environment,
            not_before: terms.not_before_us.map(Time),
            expires_at: terms.expires_us.map(Time),
            allowed: Some(terms.allowed).filter(|it| *it != Allowed::default()),
            created_by: terms.created_by,
            created_at: Time(terms.created_us),
            revoked_at: terms.revoked_us.map(Time),
            suspended_at: terms.suspended_us.map(Time),
            last_used_at: terms.last_used_us.map(Time),
        }
    }
}

impl NewTerms {
    /// Returns all faults.
    pub(crate) fn faults(&self, words: &Words, now_us: i64) -> Vec<Fault> {
        let mut faults: Vec<_> = name_fault(&self.name).into_iter().collect();
        faults.extend(end_fault(self.not_before, self.expires_at, words, now_us));
        faults.extend(allowed_faults(&self.allowed));
        faults
    }

    /// Returns the terms of a credential that `caller` creates for an application.
    pub(crate) fn into_terms(
        self,
        application: ApplicationId,
        caller: &Caller,
        now_us: i64,
    ) -> Terms {
        Terms {
            application,
            name: self.name,
            environment: self.environment,
            not_before_us: self.not_before.map(|it| it.0),
            expires_us: self.expires_at.map(|it| it.0),
            allowed: self.allowed,
            created_by: caller.user,
            created_us: now_us,
            revoked_us: None,
            suspended_us: None,
            last_used_us: None,
            try_it: false,
        }
    }
}

/// Returns the fault of a credential's expiry, if any.
fn end_fault(
    not_before: Option<Time>,
    expires_at: Option<Time>,
    words: &Words,
    now_us: i64,
) -> Option<Fault> {
    let Time(expires_us) = expires_at?;
    let begins_us = not_before.map_or(now_us, |it| it.0.max(now_us));
    let detail = format!(
        "a {} must expire in the future, and after it becomes valid",
        words.noun
    );
    (expires_us <= begins_us).then(|| Fault::new("/expires_at", words.expired, detail))
}

impl CredentialPatch {
    /// Checks whether the caller may make these changes to a credential.
    pub(crate) async fn may(
        &self,
        control: &Control,
        caller: &Caller,
        terms: &Terms,
        words: &Words,
    ) -> Result<(), Problem> {
        if self.suspended.is_some() {
            caller.may(Act::SuspendCredentials)?;
        }
        words.require_live(control, caller, terms).await
    }

    /// Returns the changed terms; `None` if they stay. Only new values are validated. `ends_us` is
    /// when the credential stops being valid, which may be before its own expiry.
    pub(crate) fn change(
        &self,
        terms: &Terms,
        ends_us: Option<i64>,
        words: &Words,
        now_us: i64,
    ) -> Result<Option<TermsChange>, Problem> {
        let is_timed = self.not_before.is_some() || self.expires_at.is_some();
        if self.name.is_none() && !is_timed && self.allowed.is_none() {
            return Ok(None);
        }
        let not_before = self.not_before.unwrap_or(terms.not_before_us.map(Time));
        let expires_at = self.expires_at.unwrap_or(terms.expires_us.map(Time));
        let name = self.name.as_deref();
        let mut faults: Vec<_> = name
            .and_then(|name| renaming_fault(name, &terms.name))
            .into_iter()
            .collect();
        if is_timed {
            faults.extend(end_fault(not_before, expires_at, words, now_us));
        }
        if is_timed && ends_us.is_some_and(|it| it <= now_us) {
            let detail = format!(
                "the {} has expired and cannot be renewed: create another one",
                words.noun
            );
            faults.push(Fault::new("/expires_at", words.expired, detail));
        }
        faults.extend(self.allowed.iter().flat_map(allowed_faults));
        refuse_any(faults)?;
        Ok(Some(TermsChange {
            name: self.name.clone().unwrap_or_else(|| terms.name.clone()),
            not_before_us: not_before.map(|it| it.0),
            expires_us: expires_at.map(|it| it.0),
            allowed: self
                .allowed
                .clone()
                .unwrap_or_else(|| terms.allowed.clone()),
        }))
    }

    /// Suspends or resumes a credential, if the patch does.
    pub(crate) async fn suspend<K: CredentialKind>(
        &self,
        tx: &mut Tx,
        id: Id<K>,
        now_us: i64,
    ) -> Result<(), Problem> {
        if let Some(suspended) = self.suspended {
            credentials::suspend(tx, id, suspended.then_some(now_us)).await?;
        }
        Ok(())
    }

    /// Logs the changes.
    pub(crate) fn log(&self, caller: &Caller, words: &Words, id: impl Display + Copy) {
        let is_more = self.name.is_some()
            || self.not_before.is_some()
            || self.expires_at.is_some()
            || self.allowed.is_some();
        if is_more {
            caller.log(words.updated, id);
        }
        self.log_suspended(caller, words, id);
    }

    /// Logs whether it was suspended or resumed.
    pub(crate) fn log_suspended(&self, caller: &Caller, words: &Words, id: impl Display) {
        match self.suspended {
            Some(true) => caller.log(words.suspended, id),
            Some(false) => caller.log(words.resumed, id),
            None => {}
        }
    }
}

impl Words {
    /// Requires that the caller owns a credential and that it can be changed: it is not revoked.
    pub(crate) async fn require_live(
        &self,
        control: &Control,
        caller: &Caller,
        terms: &Terms,
    ) -> Result<(), Problem> {
        applications::require_own(control, caller, terms.application, self.noun).await?;
        if terms.try_it {
            let detail = format!(
                "the {} is for trying an API and expires by itself",
                self.noun
            );
            return Err(Problem::conflict("credential.try_it", detail));
        }
        if terms.revoked_us.is_none() {
            return Ok(());
        }
        let detail = format!("the {} is revoked permanently", self.noun);
        Err(Problem::conflict(self.revoked, detail))
    }

    /// Requires that the caller owns a credential and that it can be rotated: it is valid, or will
    /// be. `ends_us` is when it stops being valid.
    pub(crate) async fn require_working(
        &self,
        control: &Control,
        caller: &Caller,
        terms: &Terms,
        ends_us: Option<i64>,
    ) -> Result<(), Problem> {
        self.require_live(control, caller, terms).await?;
        if terms.suspended_us.is_some() {
            let detail = format!("an administrator has suspended the {}", self.noun);
            return Err(Problem::conflict(self.suspended, detail));
        }
        if is_owner_suspended(&control.store, terms.application).await? {
            let detail = format!(
                "an administrator has suspended the credentials of the application's owner; the {} \
                 cannot be rotated until they are resumed",
                self.noun
            );
            return Err(Problem::conflict(self.suspended, detail));
        }
        if ends_us.is_some_and(|it| it <= control.now_us()) {
            let detail = format!("the {} has expired: create another one", self.noun);
            return Err(Problem::conflict(self.expired, detail));
        }
        Ok(())
    }

    /// Rejects a write after which an application has too many live credentials.
    pub(crate) fn bound(&self, live: u64) -> Result<(), Problem> {
        if live <= LIVE_MAX {
            return Ok(());
        }
        let plural = self.plural;
        let detail =
            format!("an application has at most {LIVE_MAX} live {plural}; revoke one first");
        Err(Problem::conflict(self.too_many, detail))
    }
}
