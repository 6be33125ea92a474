//! The terms that all credentials of applications have, and when credentials were used.
//!
//! Neighbours: `credentials/kind.rs` reads, lists, counts, changes, suspends and revokes
//! credentials of any kind; `credentials/owner.rs` suspends all credentials of a user.
//! `api_keys.rs`, `clients.rs` and `basic_users.rs` have a table each. Its columns for the terms
//! have the same names, so that the statements of `table.rs` differ in the table only.

use tollgate_model::credential::{Allowed, CredentialId, Digest, Environment};
use tollgate_model::id::{ApplicationId, UserId};

use crate::row::Row;
use crate::value::{Value, json};
use crate::{Store, StoreError, Tx};

mod kind;
mod owner;
pub(crate) mod table;

pub use kind::{CredentialKind, Stored, by_id, find, live, revoke, suspend, update};
pub(crate) use kind::{created, rotate};
pub(crate) use owner::forget_owner;
pub use owner::{
    is_owner_suspended, live_of_user, mark_suspended_owners, resume_of_user, suspend_of_user,
};
use table::Table;

/// Every table of credentials.
static TABLES: [&Table; 3] = [&table::API_KEYS, &table::CLIENTS, &table::BASIC_USERS];
/// The tables of credentials that can be created for try-it.
static TRIED: [&Table; 2] = [&table::API_KEYS, &table::BASIC_USERS];

/// The part of a credential that is not its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Its application.
    pub application: ApplicationId,
    /// Its name, chosen by the owner.
    pub name: String,
    /// The environment that it calls.
    pub environment: Environment,
    /// Unix microseconds before which it is not valid.
    pub not_before_us: Option<i64>,
    /// Unix microseconds from which it is not valid.
    pub expires_us: Option<i64>,
    /// Addresses and origins that may use it.
    pub allowed: Allowed,
    /// The user who created it.
    pub created_by: UserId,
    /// When it was created, Unix microseconds.
    pub created_us: i64,
    /// When it was revoked, Unix microseconds; not valid since.
    pub revoked_us: Option<i64>,
    /// When an administrator suspended it, Unix microseconds; not valid until it is resumed.
    pub suspended_us: Option<i64>,
    /// When it was last used, Unix microseconds, according to [`used`].
    pub last_used_us: Option<i64>,
    /// Whether it was created for try-it: it is not listed or counted, and is deleted once expired.
    pub try_it: bool,
}

/// The [`Terms`] that the owner of a credential may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermsChange {
    /// The new name.
    pub name: String,
    /// The new start of its validity.
    pub not_before_us: Option<i64>,
    /// The new end of its validity.
    pub expires_us: Option<i64>,
    /// The new addresses and origins that may use it.
    pub allowed: Allowed,
}

/// The stored form of a secret that can be rotated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its SHA-256.
    pub digest: Digest,
    /// Its last four characters.
    pub hint: String,
    /// The previous digest, and the Unix microseconds until which it is accepted.
    pub previous: Option<(Digest, i64)>,
}

/// A secret that replaces another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecret {
    /// Its SHA-256.
    pub digest: Digest,
    /// Its last four characters.
    pub hint: String,
    /// Unix microseconds until which the previous one is accepted; `None` if it no longer is.
    pub previous_until_us: Option<i64>,
}

/// The columns of [`Terms`], in the order of [`TermsRow::values`].
macro_rules! terms {
    () => {
        "application, name, environment, not_before_us, expires_us, allowed, created_by, \
         created_us, revoked_us, suspended_us, last_used_us, try_it"
    };
}
pub(crate) use terms;

/// [`Terms`] as the values of a row.
pub(crate) struct TermsRow<'t> {
    terms: &'t Terms,
    allowed: Option<String>,
}

impl Terms {
    pub(crate) fn row(&self) -> TermsRow<'_> {
        TermsRow {
            terms: self,
            allowed: allowed_json(&self.allowed),
        }
    }

    pub(crate) fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            application: row.id("application")?,
            name: row.text("name")?,
            environment: row.word("environment", Environment::from_word)?,
            not_before_us: row.int_or_null("not_before_us")?,
            expires_us: row.int_or_null("expires_us")?,
            allowed: row.allowed()?,
            created_by: row.id("created_by")?,
            created_us: row.int("created_us")?,
            revoked_us: row.int_or_null("revoked_us")?,
            suspended_us: row.int_or_null("suspended_us")?,
            last_used_us: row.int_or_null("last_used_us")?,
            try_it: row.boolean("try_it")?,
        })
    }
}

impl TermsRow<'_> {
    /// Returns `$2` to `$13`, after the id.
    pub(crate) fn values(&self) -> [Value<'_>; 12] {
        let terms = self.terms;
        [
            terms.application.into(),
            (&terms.name).into(),
            terms.environment.word().into(),
            terms.not_before_us.into(),
            terms.expires_us.into(),
            self.allowed.as_deref().into(),
            terms.created_by.into(),
            terms.created_us.into(),
            terms.revoked_us.into(),
            terms.suspended_us.into(),
            terms.last_used_us.into(),
            terms.try_it.into(),
        ]
    }
}

impl Secret {
    pub(crate) fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            digest: row.digest("digest")?,
            hint: row.text("hint")?,
            previous: row.previous_digest()?,
        })
    }

    /// Returns the previous digest and its end, as stored.
    pub(crate) fn previous_values(secret: Option<&Self>) -> [Value<'_>; 2] {
        let previous = secret.and_then(|it| it.previous.as_ref());
        let digest = previous.map(|(digest, _)| digest);
        let until_us = previous.map(|&(_, until_us)| until_us);
        [digest.into(), until_us.into()]
    }
}

fn allowed_json(allowed: &Allowed) -> Option<String> {
    (*allowed != Allowed::default()).then(|| json(allowed))
}

/// Stores when credentials were used, in a batch per minute. Deleted credentials are ignored;
/// gateways need no event.
///
/// # Errors
/// Fails if the database write fails.
pub async fn used(tx: &mut Tx, uses: &[(CredentialId, i64)]) -> Result<(), StoreError> {
    for &(id, used_us) in uses {
        let (table, id) = match id {
            CredentialId::ApiKey(id) => (&table::API_KEYS, id.raw()),
            CredentialId::Client(id) => (&table::CLIENTS, id.raw()),
            CredentialId::BasicUser(id) => (&table::BASIC_USERS, id.raw()),
            // Tokens for try-it have no row.
            CredentialId::Token(_) => continue,
        };
        tx.execute(table.used, &[id.into(), used_us.into()]).await?;
    }
    Ok(())
}

/// Counts an application's credentials for try-it that have not expired. Part of a write, so that
/// two concurrent requests cannot both create the last one allowed.
///
/// # Errors
/// Fails if the database read fails.
pub async fn tried(
    tx: &mut Tx,
    application: ApplicationId,
    now_us: i64,
) -> Result<u64, StoreError> {
    let mut tried = 0;
    for table in TRIED {
        tried += count(tx, table.tried, &[application.into(), now_us.into()]).await?;
    }
    Ok(tried)
}

/// Deletes expired credentials for try-it, at most `at_most` of each kind. Returns how many.
/// Gateways need no event: they hold the expiry of each.
///
/// # Errors
/// Fails if the database write fails.
pub async fn sweep_tried(tx: &mut Tx, now_us: i64, at_most: u32) -> Result<u64, StoreError> {
    let mut swept = 0;
    for table in TRIED {
        let values = [now_us.into(), i64::from(at_most).into()];
        swept += tx.execute(table.sweep_tried, &values).await?;
    }
    Ok(swept)
}

/// Returns whether [`sweep_tried`] has anything to delete, so that an empty sweep writes nothing.
///
/// # Errors
/// Fails if the database read fails.
pub async fn has_tried(store: &Store, now_us: i64) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from api_keys where try_it = 1 and expires_us <= $1 \
        union all select 1 from basic_users where try_it = 1 and expires_us <= $1 limit 1";
    Ok(store.row(SQL, &[now_us.into()]).await?.is_some())
}

/// Notes the credentials of an application that is about to be deleted.
pub(crate) async fn note_of_application(
    tx: &mut Tx,
    application: ApplicationId,
) -> Result<(), StoreError> {
    for table in TABLES {
        let values = [application.into(), table.noun.into()];
        tx.execute(table.note_of_application, &values).await?;
    }
    Ok(())
}

pub(crate) async fn count(
    tx: &mut Tx,
    sql: &'static str,
    values: &[Value<'_>],
) -> Result<u64, StoreError> {
    let row = tx.row(sql, values).await?;
    let live = row.map_or(Ok(0), |row| row.int("live"))?;
    Ok(live.unsigned_abs())
}
