//! Personal access tokens: a user's programs authenticate with them; only digests are stored.

use tollgate_model::credential::Digest;
use tollgate_model::id::{self, AccessTokenId, UserId};

use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::users::{self, User};
use crate::value::{after, limit};
use crate::{Store, StoreError, Tx};

/// One personal access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// The token's id.
    pub id: AccessTokenId,
    /// The owner.
    pub user: UserId,
    /// The name that its owner gave it.
    pub name: String,
    /// SHA-256 of the secret.
    pub digest: Digest,
    /// Last four characters of the secret.
    pub hint: String,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// Expiry, Unix microseconds.
    pub expires_us: i64,
    /// Time of last use as recorded by [`touch`], Unix microseconds.
    pub last_used_us: Option<i64>,
}

/// Writes a new token.
///
/// # Errors
/// Fails if the database write fails.
pub async fn create(tx: &mut Tx, token: &AccessToken) -> Result<(), StoreError> {
    const SQL: &str = "insert into access_tokens \
        (id, owner, name, digest, hint, created_us, expires_us, last_used_us) \
        values ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = [
        token.id.into(),
        token.user.into(),
        (&token.name).into(),
        (&token.digest).into(),
        (&token.hint).into(),
        token.created_us.into(),
        token.expires_us.into(),
        token.last_used_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    Ok(())
}

/// Returns the token with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: AccessTokenId) -> Result<AccessToken, StoreError> {
    const SQL: &str = "select id, owner, name, digest, hint, created_us, expires_us, last_used_us \
        from access_tokens where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_access_token(&row.ok_or(StoreError::NotFound("access token"))?)
}

/// Returns the token with this digest and its user, in one query: it precedes every request of a
/// program. The caller checks whether the token has expired or the user is disabled.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_digest(
    store: &Store,
    digest: &Digest,
) -> Result<Option<(AccessToken, User)>, StoreError> {
    const SQL: &str = "select t.id, t.owner, t.name, t.digest, t.hint, t.created_us, \
            t.expires_us, t.last_used_us, u.id as user_id, u.name as user_name, u.one_time, \
            u.roles, u.disabled, u.created_us as user_created_us \
        from access_tokens t join users u on u.id = t.owner where t.digest = $1";
    let row = store.row(SQL, &[digest.into()]).await?;
    row.map(|row| Ok((read_access_token(&row)?, users::read_joined(&row)?)))
        .transpose()
}

/// Returns a user's tokens, optionally only those with a name that matches this
/// [`pattern`](crate::part::pattern).
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    user: UserId,
    pattern: Option<&str>,
    part: &Part<id::AccessToken>,
) -> Result<Found<AccessToken>, StoreError> {
    const SQL: Statements = statements!(
        select "id, owner, name, digest, hint, created_us, expires_us, last_used_us",
        from "access_tokens where owner = $1 and ($2 is null or name like $2 escape '\\')",
        id "id" name "name", after "$3" at_most "$4" key "$5"
    );
    store
        .find(
            &SQL,
            part,
            &[user.into(), pattern.into()],
            read_access_token,
        )
        .await
}

/// Lists a user's tokens by id, beginning after `after_id`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn list(
    store: &Store,
    user: UserId,
    after_id: Option<AccessTokenId>,
    at_most: u32,
) -> Result<Vec<AccessToken>, StoreError> {
    const SQL: &str = "select id, owner, name, digest, hint, created_us, expires_us, last_used_us \
        from access_tokens where owner = $1 and id > $2 order by id limit $3";
    let values = [user.into(), after(after_id), limit(at_most)];
    store.list(SQL, &values, read_access_token).await
}

/// Records when a token was used. Call it at most once a minute per token: it is a write.
///
/// # Errors
/// Fails if the database write fails; does nothing if the token no longer exists.
pub async fn touch(tx: &mut Tx, id: AccessTokenId, used_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update access_tokens set last_used_us = $2 where id = $1";
    tx.execute(SQL, &[id.into(), used_us.into()]).await?;
    Ok(())
}

/// Deletes a token, which is no longer valid from now on.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: AccessTokenId) -> Result<(), StoreError> {
    const SQL: &str = "delete from access_tokens where id = $1";
    tx.execute_one(SQL, &[id.into()], "access token").await
}

/// Deletes all tokens of a user; returns how many.
///
/// # Errors
/// Fails if the database write fails.
pub async fn delete_of_user(tx: &mut Tx, user: UserId) -> Result<u64, StoreError> {
    const SQL: &str = "delete from access_tokens where owner = $1";
    tx.execute(SQL, &[user.into()]).await
}

/// Returns whether there are tokens without an expiry, which earlier releases could create.
///
/// # Errors
/// Fails if the database read fails.
pub async fn has_endless(store: &Store) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from access_tokens where expires_us is null limit 1";
    Ok(store.row(SQL, &[]).await?.is_some())
}

/// Sets an expiry for tokens without one, which earlier releases could create; returns how many.
/// Call it before tokens are read.
///
/// # Errors
/// Fails if the database write fails.
pub async fn end_endless(tx: &mut Tx, expires_us: i64) -> Result<u64, StoreError> {
    const SQL: &str = "update access_tokens set expires_us = $1 where expires_us is null";
    tx.execute(SQL, &[expires_us.into()]).await
}

fn read_access_token(row: &Row) -> Result<AccessToken, StoreError> {
    Ok(AccessToken {
        id: row.id("id")?,
        user: row.id("owner")?,
        name: row.text("name")?,
        digest: row.digest("digest")?,
        hint: row.text("hint")?,
        created_us: row.int("created_us")?,
        expires_us: row.int("expires_us")?,
        last_used_us: row.int_or_null("last_used_us")?,
    })
}
