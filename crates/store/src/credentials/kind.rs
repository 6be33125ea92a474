//! The kinds of credentials, and what is done with each of them in the same way.

use tollgate_model::id::{self, ApplicationId, Id};

use super::table::Table;
use super::{NewSecret, Terms, TermsChange, allowed_json, count};
use crate::part::{Found, Part, Statements};
use crate::row::Row;
use crate::{Noun, Store, StoreError, Tx};

/// A kind of credential, named by the marker of its ids: [`id::ApiKey`], [`id::Client`] or
/// [`id::BasicUser`].
pub trait CredentialKind: id::Kind + Sized {
    /// One credential.
    type Credential: Send;

    /// How credentials of this kind are stored.
    const STORED: Stored<Self>;

    /// The id of a credential.
    fn id(credential: &Self::Credential) -> Id<Self>;

    /// What it has in common with other credentials.
    fn terms(credential: &Self::Credential) -> &Terms;

    /// Unix microseconds from which it is refused; `None` if it has no end.
    fn ends_us(credential: &Self::Credential) -> Option<i64> {
        Self::terms(credential).expires_us
    }
}

/// How the credentials of a kind are stored.
pub struct Stored<K: CredentialKind> {
    /// The statements that differ from those of other kinds in the table only.
    pub(crate) table: &'static Table,
    /// Reads the credential with the id `$1`.
    pub(crate) by_id: &'static str,
    /// List the credentials of the application `$1`, without those for try-it, that match the
    /// pattern `$2`, or all of them if it is null.
    pub(crate) find: Statements,
    /// The credential as it is noted for gateways.
    pub(crate) noun: fn(Id<K>) -> Noun,
    /// Reads a row of `by_id` or `find`.
    pub(crate) read: fn(&Row) -> Result<K::Credential, StoreError>,
}

/// Returns the credential with this id, revoked or not.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is none.
pub async fn by_id<K: CredentialKind>(
    store: &Store,
    id: Id<K>,
) -> Result<K::Credential, StoreError> {
    let Stored { table, read, .. } = K::STORED;
    let row = store.row(K::STORED.by_id, &[id.into()]).await?;
    read(&row.ok_or(StoreError::NotFound(table.called))?)
}

/// Lists an application's credentials of one kind, without those for try-it: all, or those with
/// this [`pattern`](crate::part::pattern) in their name.
///
/// # Errors
/// Fails if the database read fails.
pub async fn find<K: CredentialKind>(
    store: &Store,
    application: ApplicationId,
    pattern: Option<&str>,
    part: &Part<K>,
) -> Result<Found<K::Credential>, StoreError> {
    let filter = [application.into(), pattern.into()];
    store
        .find(&K::STORED.find, part, &filter, K::STORED.read)
        .await
}

/// Counts an application's credentials of one kind that are valid, will become valid, or may be
/// resumed. Part of a write, so that two concurrent requests cannot both create the last one
/// allowed.
///
/// # Errors
/// Fails if the database read fails.
pub async fn live<K: CredentialKind>(
    tx: &mut Tx,
    application: ApplicationId,
    now_us: i64,
) -> Result<u64, StoreError> {
    let values = [application.into(), now_us.into()];
    count(tx, K::STORED.table.live, &values).await
}

/// Updates the terms that the owner of a credential may change.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such credential.
pub async fn update<K: CredentialKind>(
    tx: &mut Tx,
    id: Id<K>,
    change: &TermsChange,
) -> Result<(), StoreError> {
    let allowed = allowed_json(&change.allowed);
    let values = [
        id.into(),
        (&change.name).into(),
        change.not_before_us.into(),
        change.expires_us.into(),
        allowed.as_deref().into(),
    ];
    let Stored { table, noun, .. } = K::STORED;
    tx.execute_one(table.update, &values, table.called).await?;
    tx.note(noun(id)).await
}

/// Replaces a secret with a statement that takes the id `$1`, the digest, the hint, and the end of
/// the previous secret.
pub(crate) async fn rotate<K: CredentialKind>(
    tx: &mut Tx,
    sql: &'static str,
    id: Id<K>,
    secret: &NewSecret,
) -> Result<(), StoreError> {
    let values = [
        id.into(),
        (&secret.digest).into(),
        (&secret.hint).into(),
        secret.previous_until_us.into(),
    ];
    tx.execute_one(sql, &values, K::STORED.table.called).await
}

/// Revokes a credential; one that was revoked before keeps that time. Tokens of a revoked client
/// are no longer valid.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such credential.
pub async fn revoke<K: CredentialKind>(
    tx: &mut Tx,
    id: Id<K>,
    at_us: i64,
) -> Result<(), StoreError> {
    let Stored { table, noun, .. } = K::STORED;
    let values = [id.into(), at_us.into()];
    tx.execute_one(table.revoke, &values, table.called).await?;
    tx.note(noun(id)).await
}

/// Suspends a credential, or resumes it with `None`; one that is suspended already keeps its time.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such credential.
pub async fn suspend<K: CredentialKind>(
    tx: &mut Tx,
    id: Id<K>,
    at_us: Option<i64>,
) -> Result<(), StoreError> {
    let Stored { table, noun, .. } = K::STORED;
    match at_us {
        Some(at_us) => {
            let values = [id.into(), at_us.into()];
            tx.execute_one(table.suspend, &values, table.called).await?;
        }
        None => {
            tx.execute_one(table.resume, &[id.into()], table.called)
                .await?;
        }
    }
    tx.note(noun(id)).await
}

/// Completes the creation of a credential, which is suspended if its owner is.
pub(crate) async fn created<K: CredentialKind>(
    tx: &mut Tx,
    credential: &K::Credential,
) -> Result<(), StoreError> {
    let Stored { table, noun, .. } = K::STORED;
    let id = K::id(credential);
    let values = [id.into(), K::terms(credential).created_us.into()];
    tx.execute(table.follow_owner, &values).await?;
    tx.note(noun(id)).await
}
