//! Sessions of signed-in users, found by the digest of their secret.

use tollgate_model::credential::Digest;
use tollgate_model::id::{SessionId, UserId};

use crate::users::{self, User};
use crate::{Store, StoreError, Tx};

/// One session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the secret.
    pub digest: Digest,
    /// Identifies the session where the secret must not be shown.
    pub id: SessionId,
    /// The owner.
    pub user: UserId,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// Expiry, Unix microseconds.
    pub expires_us: i64,
    /// Time of last use as recorded by [`touch`], Unix microseconds.
    pub last_seen_us: i64,
}

/// Writes a new session.
///
/// # Errors
/// Fails if the database write fails.
pub async fn create(tx: &mut Tx, session: &Session) -> Result<(), StoreError> {
    const SQL: &str = "insert into sessions \
        (digest, id, owner, created_us, expires_us, last_seen_us) \
        values ($1, $2, $3, $4, $5, $6)";
    let values = [
        (&session.digest).into(),
        session.id.into(),
        session.user.into(),
        session.created_us.into(),
        session.expires_us.into(),
        session.last_seen_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    Ok(())
}

/// Returns the session with this digest and its user, in one query: it precedes every request. The
/// caller checks whether the session has expired or the user is disabled.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_digest(
    store: &Store,
    digest: &Digest,
) -> Result<Option<(Session, User)>, StoreError> {
    const SQL: &str = "select s.digest, s.id, s.created_us, s.expires_us, s.last_seen_us, \
            u.id as user_id, u.name as user_name, u.one_time, u.roles, u.disabled, \
            u.created_us as user_created_us \
        from sessions s join users u on u.id = s.owner where s.digest = $1";
    let Some(row) = store.row(SQL, &[digest.into()]).await? else {
        return Ok(None);
    };
    let user = users::read_joined(&row)?;
    let session = Session {
        digest: row.digest("digest")?,
        id: row.id("id")?,
        user: user.id,
        created_us: row.int("created_us")?,
        expires_us: row.int("expires_us")?,
        last_seen_us: row.int("last_seen_us")?,
    };
    Ok(Some((session, user)))
}

/// Records when a session was used. Call it at most once a minute per session: it is a write.
///
/// # Errors
/// Fails if the database write fails; does nothing if the session no longer exists.
pub async fn touch(tx: &mut Tx, digest: &Digest, seen_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update sessions set last_seen_us = $2 where digest = $1";
    tx.execute(SQL, &[digest.into(), seen_us.into()]).await?;
    Ok(())
}

/// Ends a session; does nothing if it no longer exists.
///
/// # Errors
/// Fails if the database write fails.
pub async fn delete(tx: &mut Tx, digest: &Digest) -> Result<(), StoreError> {
    const SQL: &str = "delete from sessions where digest = $1";
    tx.execute(SQL, &[digest.into()]).await?;
    Ok(())
}

/// Ends all sessions of a user except `keep`, if given; returns how many.
///
/// # Errors
/// Fails if the database write fails.
pub async fn delete_of_user(
    tx: &mut Tx,
    user: UserId,
    keep: Option<&Digest>,
) -> Result<u64, StoreError> {
    const SQL: &str = "delete from sessions where owner = $1 and digest <> $2";
    // No digest is empty, so an empty one matches none.
    let keep: &[u8] = keep.map_or(&[], |digest| digest);
    tx.execute(SQL, &[user.into(), keep.into()]).await
}

/// Deletes expired sessions; returns how many.
///
/// # Errors
/// Fails if the database write fails.
pub async fn delete_expired(tx: &mut Tx, now_us: i64) -> Result<u64, StoreError> {
    const SQL: &str = "delete from sessions where expires_us <= $1";
    tx.execute(SQL, &[now_us.into()]).await
}
