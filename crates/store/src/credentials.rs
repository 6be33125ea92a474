//! What all credentials of applications have in common: their terms, and how they are used.
//!
//! Neighbours: `credentials/kind.rs` reads, lists, counts, changes, suspends and revokes those of
//! any kind; `credentials/owner.rs` suspends those of a user together. `api_keys.rs`,
//! `clients.rs` and `basic_users.rs` have a table each, whose columns of these terms are called the
//! same, so that the statements of `table.rs` differ in its name alone.

use tollgate_model::credential::{Allowed, CredentialId, Digest, Environment};
use tollgate_model::id::{ApplicationId, Id, UserId};

use crate::row::Row;
use crate::value::{Value, json};
use crate::{Store, StoreError, Tx};

mod kind;
mod owner;
pub(crate) mod table;

pub(crate) use kind::created;
pub use kind::{CredentialKind, Stored, by_id, find, live, revoke, suspend, update};
pub(crate) use owner::forget_owner;
pub use owner::{
    is_owner_suspended, live_of_user, mark_suspended_owners, resume_of_user, suspend_of_user,
};
use table::Table;

/// Every table of credentials.
static TABLES: [&Table; 3] = [&table::API_KEYS, &table::CLIENTS, &table::BASIC_USERS];
/// Those of credentials that are made to try an API.
static TRIED: [&Table; 2] = [&table::API_KEYS, &table::BASIC_USERS];

/// What every credential has beside its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Whose it is.
    pub application: ApplicationId,
    /// What it is for, in its owner's words.
    pub name: String,
    /// Which upstream it may reach.
    pub environment: Environment,
    /// Unix microseconds before which it is refused.
    pub not_before_us: Option<i64>,
    /// Unix microseconds from which it is refused.
    pub expires_us: Option<i64>,
    /// From where it may be used.
    pub allowed: Allowed,
    /// Who made it.
    pub created_by: UserId,
    /// When made, Unix microseconds.
    pub created_us: i64,
    /// When it was revoked, Unix microseconds; worth nothing since then.
    pub revoked_us: Option<i64>,
    /// When an administrator suspended it, Unix microseconds; refused until it is resumed.
    pub suspended_us: Option<i64>,
    /// When it was last used, Unix microseconds, as far as [`used`] was told.
    pub last_used_us: Option<i64>,
    /// Whether it was made to try an API: it is not listed, not counted, and swept once it ended.
    pub try_it: bool,
}

/// What is written of [`Terms`] when its owner changes a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermsChange {
    /// The new name.
    pub name: String,
    /// The new beginning.
    pub not_before_us: Option<i64>,
    /// The new end.
    pub expires_us: Option<i64>,
    /// From where it may be used from now on.
    pub allowed: Allowed,
}

/// What is kept of a secret that can be rotated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// SHA-256 of what proves it.
    pub digest: Digest,
    /// Its last four characters.
    pub hint: String,
    /// The digest before, and until when (Unix microseconds) that is taken too.
    pub previous: Option<(Digest, i64)>,
}

/// A new secret in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecret {
    /// SHA-256 of what proves it.
    pub digest: Digest,
    /// Its last four characters.
    pub hint: String,
    /// Until when the one before is taken too, Unix microseconds; `None`: no longer.
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

/// [`Terms`] on their way into a row.
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
    /// `$2` to `$13` after an id.
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

    /// The digest before and its end, as they are stored.
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

/// Puts a new secret in the place of another.
pub(crate) async fn rotate<K>(
    tx: &mut Tx,
    (sql, called): (&'static str, &'static str),
    id: Id<K>,
    secret: &NewSecret,
) -> Result<(), StoreError> {
    let values = [
        id.into(),
        (&secret.digest).into(),
        (&secret.hint).into(),
        secret.previous_until_us.into(),
    ];
    tx.execute_one(sql, &values, called).await
}

/// Remembers when credentials were used: a batch, each minute. Gateways need not hear of it, and
/// one that is gone is none.
///
/// # Errors
/// As any write.
pub async fn used(tx: &mut Tx, uses: &[(CredentialId, i64)]) -> Result<(), StoreError> {
    for &(id, used_us) in uses {
        let (table, id) = match id {
            CredentialId::ApiKey(id) => (&table::API_KEYS, id.raw()),
            CredentialId::Client(id) => (&table::CLIENTS, id.raw()),
            CredentialId::BasicUser(id) => (&table::BASIC_USERS, id.raw()),
            // A token that an application has to try an API is no noun of its own.
            CredentialId::Token(_) => continue,
        };
        tx.execute(table.used, &[id.into(), used_us.into()]).await?;
    }
    Ok(())
}

/// How many credentials an application has to try an API that have not ended. Asked within a write,
/// so that two at once cannot both be the last one allowed.
///
/// # Errors
/// As any read.
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

/// Deletes credentials that were made to try an API and have ended, at most so many of each kind;
/// how many. Gateways need not hear of it: they know when each ends.
///
/// # Errors
/// As any write.
pub async fn sweep_tried(tx: &mut Tx, now_us: i64, at_most: u32) -> Result<u64, StoreError> {
    let mut swept = 0;
    for table in TRIED {
        let values = [now_us.into(), i64::from(at_most).into()];
        swept += tx.execute(table.sweep_tried, &values).await?;
    }
    Ok(swept)
}

/// Whether there is something for [`sweep_tried`], so that a sweep that finds nothing writes
/// nothing.
///
/// # Errors
/// As any read.
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
