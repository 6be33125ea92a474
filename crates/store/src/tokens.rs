//! Access tokens that are sent to gateways: opaque ones by digest, and the ids of revoked tokens of
//! either form until they expire. Other signed tokens are not stored; their signature suffices.

use tollgate_model::credential::Digest;
use tollgate_model::feed::{RevokedToken, ServedToken, TokenSubject};
use tollgate_model::id::{ApplicationId, TokenId};

use crate::credentials;
use crate::feed::read_token;
use crate::value::json;
use crate::{Noun, Store, StoreError, Tx};

const TOKEN: &str = "token";

/// Writes a new opaque token.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such client or application.
pub async fn create(tx: &mut Tx, token: &ServedToken) -> Result<(), StoreError> {
    const SQL: &str = "insert into tokens (id, digest, client, application, environment, scopes, \
            resource, issued_us, expires_us) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let (client, application, environment) = match token.subject {
        TokenSubject::Client(id) => (Some(id.raw()), None, None),
        TokenSubject::Application(id, environment) => {
            (None, Some(id.raw()), Some(environment.word()))
        }
    };
    let scopes = json(&token.scopes);
    let values = [
        token.id.into(),
        (&token.digest).into(),
        client.into(),
        application.into(),
        environment.into(),
        (&scopes).into(),
        token.resource.as_deref().into(),
        token.issued_us.into(),
        token.expires_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::Token(token.id)).await
}

/// Returns the opaque token with this digest. The caller checks whether it has expired.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_digest(store: &Store, digest: &Digest) -> Result<Option<ServedToken>, StoreError> {
    const SQL: &str = "select id, digest, client, application, environment, scopes, resource, \
        issued_us, expires_us from tokens where digest = $1";
    let row = store.row(SQL, &[digest.into()]).await?;
    row.as_ref().map(read_token).transpose()
}

/// Returns the opaque token with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: TokenId) -> Result<ServedToken, StoreError> {
    const SQL: &str = "select id, digest, client, application, environment, scopes, resource, \
        issued_us, expires_us from tokens where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_token(&row.ok_or(StoreError::NotFound(TOKEN))?)
}

/// Counts the unexpired opaque tokens of an application's clients, including revoked clients. Call
/// it within the write that creates one, so that two concurrent writes cannot both take the last
/// place.
///
/// # Errors
/// Fails if the database read fails.
pub async fn live(tx: &mut Tx, application: ApplicationId, now_us: i64) -> Result<u64, StoreError> {
    const SQL: &str = "select count(*) as live from tokens \
        where client in (select id from clients where application = $1) and expires_us > $2";
    credentials::count(tx, SQL, &[application.into(), now_us.into()]).await
}

/// Revokes a token of either form. Deletes an opaque one, and stores the revocation of either until
/// the token's expiry. Does nothing more if it was revoked before.
///
/// # Errors
/// Fails if the database write fails.
pub async fn revoke(tx: &mut Tx, token: RevokedToken) -> Result<(), StoreError> {
    const DELETE: &str = "delete from tokens where id = $1";
    const REMEMBER: &str = "insert into revoked_tokens (id, expires_us) values ($1, $2) \
        on conflict (id) do nothing";
    tx.execute(DELETE, &[token.id.into()]).await?;
    tx.execute(REMEMBER, &[token.id.into(), token.expires_us.into()])
        .await?;
    tx.note(Noun::RevokedToken(token.id)).await
}

/// Returns whether a token of either form was revoked; revocations are stored until the token
/// expires.
///
/// # Errors
/// Fails if the database read fails.
pub async fn is_revoked(store: &Store, id: TokenId) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from revoked_tokens where id = $1";
    Ok(store.row(SQL, &[id.into()]).await?.is_some())
}

/// Returns whether there is something to [`sweep`]: a sweep that finds nothing would still write.
///
/// # Errors
/// Fails if the database read fails.
pub async fn has_expired(store: &Store, now_us: i64) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from tokens where expires_us <= $1 \
        union all select 1 from revoked_tokens where expires_us <= $1 limit 1";
    Ok(store.row(SQL, &[now_us.into()]).await?.is_some())
}

/// Deletes expired tokens and revocations, at most `at_most` of each kind; returns how many.
/// Gateways need no notice: they know when each expires.
///
/// # Errors
/// Fails if the database write fails.
pub async fn sweep(tx: &mut Tx, now_us: i64, at_most: u32) -> Result<u64, StoreError> {
    const TOKENS: &str = "delete from tokens where id in \
        (select id from tokens where expires_us <= $1 limit $2)";
    const REVOKED: &str = "delete from revoked_tokens where id in \
        (select id from revoked_tokens where expires_us <= $1 limit $2)";
    let values = [now_us.into(), i64::from(at_most).into()];
    Ok(tx.execute(TOKENS, &values).await? + tx.execute(REVOKED, &values).await?)
}
