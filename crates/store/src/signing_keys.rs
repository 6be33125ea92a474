//! Keys that access tokens are signed with. The private half is sealed by the master key for the
//! key that it belongs to, and opened by [`private`] alone.

use std::fmt;

use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;

use crate::row::Row;
use crate::{Noun, Store, StoreError, Tx};

const SIGNING_KEY: &str = "signing key";

/// One key, without its private half.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The key.
    pub id: SigningKeyId,
    /// Unique; names it in the heads of tokens (`kid`; RFC 7515, section 4.1.4).
    pub name: String,
    /// The only algorithm that it is for.
    pub algorithm: Algorithm,
    /// The public key, as the crate `tokens` writes it.
    pub public: Vec<u8>,
    /// When made, Unix microseconds; it is published since then.
    pub created_us: i64,
    /// When it signs and when it ends.
    pub times: Times,
}

/// When a key signs and when it ends, Unix microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// It signs from then on.
    pub signs_from_us: i64,
    /// It signs no more from then on; `None` while it signs.
    pub signs_until_us: Option<i64>,
    /// Tokens that are signed with it are worth nothing from then on; `None` while it is needed.
    pub ends_us: Option<i64>,
}

/// A private key as PKCS#8 (RFC 5208). It is not shown by `{:?}`.
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

/// The key with this id, ended or not.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: SigningKeyId) -> Result<SigningKey, StoreError> {
    const SQL: &str = "select id, name, algorithm, public, created_us, signs_from_us, \
        signs_until_us, ends_us from signing_keys where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read(&row.ok_or(StoreError::NotFound(SIGNING_KEY))?)
}

/// The keys that have not ended, oldest first.
///
/// # Errors
/// As any read.
pub async fn list(store: &Store, now_us: i64) -> Result<Vec<SigningKey>, StoreError> {
    const SQL: &str = "select id, name, algorithm, public, created_us, signs_from_us, \
            signs_until_us, ends_us from signing_keys \
        where ends_us is null or ends_us > $1 order by id";
    store.list(SQL, &[now_us.into()], read).await
}

/// The private half of a key.
///
/// # Errors
/// [`StoreError::NotFound`]; [`StoreError::Corrupt`] of one that does not open.
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

/// Deletes a key: no token that is signed with it is taken any more.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: SigningKeyId) -> Result<(), StoreError> {
    const SQL: &str = "delete from signing_keys where id = $1";
    tx.execute_one(SQL, &[id.into()], SIGNING_KEY).await?;
    tx.note(Noun::SigningKey(id)).await
}

/// Whether there is something for [`delete_ended`], so that one that finds nothing writes nothing.
///
/// # Errors
/// As any read.
pub async fn has_ended(store: &Store, now_us: i64) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from signing_keys where ends_us <= $1 limit 1";
    Ok(store.row(SQL, &[now_us.into()]).await?.is_some())
}

/// Deletes the keys that have ended; how many. Gateways hear of it: they do not know when keys end.
///
/// # Errors
/// As any write.
pub async fn delete_ended(tx: &mut Tx, now_us: i64) -> Result<u64, StoreError> {
    const NOTE: &str = "insert into changes (noun, id) \
        select $2, id from signing_keys where ends_us <= $1";
    const SQL: &str = "delete from signing_keys where ends_us <= $1";
    let values = [now_us.into(), Noun::SIGNING_KEY.into()];
    tx.execute(NOTE, &values).await?;
    tx.execute(SQL, &values[..1]).await
}

/// What a private half is sealed for.
fn owner(id: SigningKeyId) -> String {
    format!("signing key {}", id.raw())
}

fn read(row: &Row) -> Result<SigningKey, StoreError> {
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
