//! API keys of applications, kept by digest only.

use tollgate_model::credential::{Digest, Environment};
use tollgate_model::id::{ApiKeyId, ApplicationId, UserId};

use crate::row::Row;
use crate::value::{after, limit};
use crate::{Noun, Store, StoreError, Tx};

/// One API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The key's id.
    pub id: ApiKeyId,
    /// Whose it is.
    pub application: ApplicationId,
    /// What it is for, in its owner's words.
    pub name: String,
    /// Which upstream it may reach.
    pub environment: Environment,
    /// SHA-256 of the whole key.
    pub digest: Digest,
    /// Last four characters of the key.
    pub hint: String,
    /// Unix microseconds before which it is refused.
    pub not_before_us: Option<i64>,
    /// Unix microseconds from which it is refused.
    pub expires_us: Option<i64>,
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
}

/// Writes a new key.
///
/// # Errors
/// [`StoreError::NotFound`] without such an application.
pub async fn create(tx: &mut Tx, key: &ApiKey) -> Result<(), StoreError> {
    const SQL: &str = "insert into api_keys (id, application, name, environment, digest, hint, \
            not_before_us, expires_us, created_by, created_us, revoked_us, suspended_us, \
            last_used_us) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    let values = [
        key.id.into(),
        key.application.into(),
        (&key.name).into(),
        key.environment.word().into(),
        (&key.digest).into(),
        (&key.hint).into(),
        key.not_before_us.into(),
        key.expires_us.into(),
        key.created_by.into(),
        key.created_us.into(),
        key.revoked_us.into(),
        key.suspended_us.into(),
        key.last_used_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::ApiKey(key.id)).await
}

/// The key with this id, revoked or not.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: ApiKeyId) -> Result<ApiKey, StoreError> {
    const SQL: &str = "select id, application, name, environment, digest, hint, not_before_us, \
            expires_us, created_by, created_us, revoked_us, suspended_us, \
            last_used_us \
        from api_keys where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read(&row.ok_or(StoreError::NotFound("key"))?)
}

/// Keys of an application by id, from the one after `after_id` on, revoked ones too.
///
/// # Errors
/// As any read.
pub async fn list(
    store: &Store,
    application: ApplicationId,
    after_id: Option<ApiKeyId>,
    at_most: u32,
) -> Result<Vec<ApiKey>, StoreError> {
    const SQL: &str = "select id, application, name, environment, digest, hint, not_before_us, \
            expires_us, created_by, created_us, revoked_us, suspended_us, \
            last_used_us \
        from api_keys where application = $1 and id > $2 order by id limit $3";
    let values = [application.into(), after(after_id), limit(at_most)];
    store.list(SQL, &values, read).await
}

/// Revokes a key; one that was revoked before keeps that time.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn revoke(tx: &mut Tx, id: ApiKeyId, at_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update api_keys set revoked_us = coalesce(revoked_us, $2) where id = $1";
    tx.execute_one(SQL, &[id.into(), at_us.into()], "key")
        .await?;
    tx.note(Noun::ApiKey(id)).await
}

/// Suspends a key, or resumes it with `None`; one that is suspended keeps its time.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn suspend(tx: &mut Tx, id: ApiKeyId, at_us: Option<i64>) -> Result<(), StoreError> {
    const SUSPEND: &str = "update api_keys \
        set suspended_us = coalesce(suspended_us, $2), suspended_with_owner = 0 where id = $1";
    const RESUME: &str = "update api_keys set suspended_us = null, suspended_with_owner = 0 \
        where id = $1";
    match at_us {
        Some(at_us) => {
            let values = [id.into(), at_us.into()];
            tx.execute_one(SUSPEND, &values, "key").await?;
        }
        None => tx.execute_one(RESUME, &[id.into()], "key").await?,
    }
    tx.note(Noun::ApiKey(id)).await
}

/// How many keys of a user's applications work at `now_us`, or will.
///
/// # Errors
/// As any read.
pub async fn live_of_user(tx: &mut Tx, user: UserId, now_us: i64) -> Result<u64, StoreError> {
    const SQL: &str = "select count(*) as live from api_keys \
        where application in (select id from applications where owner = $1) \
        and revoked_us is null and suspended_us is null \
        and (expires_us is null or expires_us > $2)";
    let row = tx.row(SQL, &[user.into(), now_us.into()]).await?;
    let live = row.map_or(Ok(0), |row| row.int("live"))?;
    Ok(live.unsigned_abs())
}

/// Suspends the keys of a user's applications that work at `at_us`, or will; how many.
///
/// # Errors
/// As any write.
pub async fn suspend_of_user(tx: &mut Tx, user: UserId, at_us: i64) -> Result<u64, StoreError> {
    const NOTE: &str = "insert into changes (noun, id) select $3, id from api_keys \
        where application in (select id from applications where owner = $1) \
        and revoked_us is null and suspended_us is null \
        and (expires_us is null or expires_us > $2)";
    const SQL: &str = "update api_keys set suspended_us = $2, suspended_with_owner = 1 \
        where application in (select id from applications where owner = $1) \
        and revoked_us is null and suspended_us is null \
        and (expires_us is null or expires_us > $2)";
    let values = [user.into(), at_us.into(), Noun::API_KEY.into()];
    tx.execute(NOTE, &values).await?;
    tx.execute(SQL, &values[..2]).await
}

/// Resumes the keys of a user's applications that [`suspend_of_user`] suspended and that were not
/// revoked since; how many.
///
/// # Errors
/// As any write.
pub async fn resume_of_user(tx: &mut Tx, user: UserId) -> Result<u64, StoreError> {
    const NOTE: &str = "insert into changes (noun, id) select $2, id from api_keys \
        where application in (select id from applications where owner = $1) \
        and revoked_us is null and suspended_with_owner = 1";
    const SQL: &str = "update api_keys set suspended_us = null, suspended_with_owner = 0 \
        where application in (select id from applications where owner = $1) \
        and revoked_us is null and suspended_with_owner = 1";
    let values = [user.into(), Noun::API_KEY.into()];
    tx.execute(NOTE, &values).await?;
    tx.execute(SQL, &values[..1]).await
}

/// Remembers when keys were used: a batch, each minute. Gateways need not hear of it, and a key
/// that is gone is none.
///
/// # Errors
/// As any write.
pub async fn used(tx: &mut Tx, uses: &[(ApiKeyId, i64)]) -> Result<(), StoreError> {
    const SQL: &str = "update api_keys set last_used_us = $2 where id = $1";
    for &(id, used_us) in uses {
        tx.execute(SQL, &[id.into(), used_us.into()]).await?;
    }
    Ok(())
}

fn read(row: &Row) -> Result<ApiKey, StoreError> {
    Ok(ApiKey {
        id: row.id("id")?,
        application: row.id("application")?,
        name: row.text("name")?,
        environment: row.word("environment", Environment::from_word)?,
        digest: row.digest("digest")?,
        hint: row.text("hint")?,
        not_before_us: row.int_or_null("not_before_us")?,
        expires_us: row.int_or_null("expires_us")?,
        created_by: row.id("created_by")?,
        created_us: row.int("created_us")?,
        revoked_us: row.int_or_null("revoked_us")?,
        suspended_us: row.int_or_null("suspended_us")?,
        last_used_us: row.int_or_null("last_used_us")?,
    })
}
