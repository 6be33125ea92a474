//! Keys that sign access tokens. The private half is sealed by the master key for its signing key,
//! and only [`private`] opens it.

use std::fmt;

use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;

use crate::row::Row;
use crate::{Noun, Store, StoreError, Tx};

const SIGNING_KEY: &str = "signing key";

/// A signing key without its private half.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The key's id.
    pub id: SigningKeyId,
    /// Unique; the `kid` in the headers of tokens (RFC 7515, section 4.1.4).
    pub name: String,
    /// The only algorithm the key is used with.
    pub algorithm: Algorithm,
    /// The public key, as encoded by the crate `tokens`.
    pub public: Vec<u8>,
    /// Creation time, Unix microseconds; the key is published from then on.
    pub created_us: i64,
    /// When it signs and when it ends.
    pub times: Times,
}

/// When a key signs and when it ends, Unix microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Start of signing.
    pub signs_from_us: i64,
    /// End of signing; `None` while no end is set.
    pub signs_until_us: Option<i64>,
    /// When tokens that it signed stop being valid; `None` while no end is set.
    pub ends_us: Option<i64>,
}

/// A private key as PKCS#8 (RFC 5208). `{:?}` does not print it.
pub struct PrivateKey(Vec<u8>);

impl AsRef<[u8]> for PrivateKey {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PrivateKey")
    }
}

/// Writes a new key and seals its private half, PKCS#8 (RFC 5208).
///
/// # Errors
/// [`StoreError::Taken`] with `/name`.
pub async fn create(tx: &mut Tx, key: &SigningKey, private: &[u8]) -> Result<(), StoreError> {
    const SQL: &str = "insert into signing_keys (id, name, algorithm, public, private, \
            created_us, signs_from_us, signs_until_us, ends_us) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let sealed = tx.master_key().seal_bytes(&owner(key.id), private)?;
    let values = [
        key.id.into(),
        (&key.name).into(),
        key.algorithm.word().into(),
        key.public.as_slice().into(),
        (&sealed).into(),
        key.created_us.into(),
        key.times.signs_from_us.into(),
        key.times.signs_until_us.into(),
        key.times.ends_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::SigningKey(key.id)).await
}

/// Returns the key with this id, ended or not.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: SigningKeyId) -> Result<SigningKey, StoreError> {
    const SQL: &str = "select id, name, algorithm, public, created_us, signs_from_us, \
        signs_until_us, ends_us from signing_keys where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_signing_key(&row.ok_or(StoreError::NotFound(SIGNING_KEY))?)
}

/// Lists the keys that have not ended, oldest first.
///
/// # Errors
/// Fails if the database read fails.
pub async fn list(store: &Store, now_us: i64) -> Result<Vec<SigningKey>, StoreError> {
    const SQL: &str = "select id, name, algorithm, public, created_us, signs_from_us, \
            signs_until_us, ends_us from signing_keys \
        where ends_us is null or ends_us > $1 order by id";
    store.list(SQL, &[now_us.into()], read_signing_key).await
}

/// Returns the private half of a key.
///
/// # Errors
/// [`StoreError::NotFound`]; [`StoreError::Corrupt`] if it does not open.
pub async fn private(store: &Store, id: SigningKeyId) -> Result<PrivateKey, StoreError> {
    const SQL: &str = "select private from signing_keys where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    let sealed = row.ok_or(StoreError::NotFound(SIGNING_KEY))?;
    let sealed = sealed.text("private")?;
    let opened = store.master_key().open_bytes(&owner(id), &sealed);
    opened.map(PrivateKey).ok_or_else(|| {
        StoreError::Corrupt(format!(
            "the private half of the signing key {id} does not open"
        ))
    })
}

/// Writes when a key signs and when it ends.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn update(tx: &mut Tx, id: SigningKeyId, times: Times) -> Result<(), StoreError> {
    const SQL: &str = "update signing_keys \
        set signs_from_us = $2, signs_until_us = $3, ends_us = $4 where id = $1";
    let values = [
        id.into(),
        times.signs_from_us.into(),
        times.signs_until_us.into(),
        times.ends_us.into(),
    ];
    tx.execute_one(SQL, &values, SIGNING_KEY).await?;
    tx.note(Noun::SigningKey(id)).await
}

/// Deletes a key: tokens that it signed are no longer accepted.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: SigningKeyId) -> Result<(), StoreError> {
    const SQL: &str = "delete from signing_keys where id = $1";
    tx.execute_one(SQL, &[id.into()], SIGNING_KEY).await?;
    tx.note(Noun::SigningKey(id)).await
}

/// Returns whether there is something to [`delete_ended`]: a call that finds nothing would still
/// write.
///
/// # Errors
/// Fails if the database read fails.
pub async fn has_ended(store: &Store, now_us: i64) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from signing_keys where ends_us <= $1 limit 1";
    Ok(store.row(SQL, &[now_us.into()]).await?.is_some())
}

/// Deletes keys that have ended; returns how many. Notes each for gateways, which do not know when
/// keys end.
///
/// # Errors
/// Fails if the database write fails.
pub async fn delete_ended(tx: &mut Tx, now_us: i64) -> Result<u64, StoreError> {
    const NOTE: &str = "insert into changes (noun, id) \
        select $2, id from signing_keys where ends_us <= $1";
    const SQL: &str = "delete from signing_keys where ends_us <= $1";
    let values = [now_us.into(), Noun::SIGNING_KEY.into()];
    tx.execute(NOTE, &values).await?;
    tx.execute(SQL, &values[..1]).await
}

/// Returns the owner that a private half is sealed for.
fn owner(id: SigningKeyId) -> String {
    format!("signing key {}", id.raw())
}

fn read_signing_key(row: &Row) -> Result<SigningKey, StoreError> {
    Ok(SigningKey {
        id: row.id("id")?,
        name: row.text("name")?,
        algorithm: row.word("algorithm", Algorithm::from_word)?,
        public: row.bytes("public")?,
        created_us: row.int("created_us")?,
        times: Times {
            signs_from_us: row.int("signs_from_us")?,
            signs_until_us: row.int_or_null("signs_until_us")?,
            ends_us: row.int_or_null("ends_us")?,
        },
    })
}
