//! Access tokens that gateways are told of: opaque ones by digest, and those of either form that
//! were revoked before their end. A token of the other form is known by its signature alone.

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
/// [`StoreError::NotFound`] without such a client or application.
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

/// The opaque token with this digest. Whether it has expired is for the caller to judge.
///
/// # Errors
/// As any read.
pub async fn by_digest(store: &Store, digest: &Digest) -> Result<Option<ServedToken>, StoreError> {
    const SQL: &str = "select id, digest, client, application, environment, scopes, resource, \
        issued_us, expires_us from tokens where digest = $1";
    let row = store.row(SQL, &[digest.into()]).await?;
    row.as_ref().map(read_token).transpose()
}

/// The opaque token with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: TokenId) -> Result<ServedToken, StoreError> {
    const SQL: &str = "select id, digest, client, application, environment, scopes, resource, \
        issued_us, expires_us from tokens where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_token(&row.ok_or(StoreError::NotFound(TOKEN))?)
}

/// How many opaque tokens the clients of an application have, revoked clients too, that have not
/// expired. Asked within a write, so that two at once cannot both be the last one allowed.
///
/// # Errors
/// As any read.
pub async fn live(tx: &mut Tx, application: ApplicationId, now_us: i64) -> Result<u64, StoreError> {
    const SQL: &str = "select count(*) as live from tokens \
        where client in (select id from clients where application = $1) and expires_us > $2";
    credentials::count(tx, SQL, &[application.into(), now_us.into()]).await
}

/// Revokes a token of either form. An opaque one is deleted; that it was revoked is remembered of
/// both until they would have expired. One that was revoked before stays so.
///
/// # Errors
/// As any write.
pub async fn revoke(tx: &mut Tx, token: RevokedToken) -> Result<(), StoreError> {
    const DELETE: &str = "delete from tokens where id = $1";
    const REMEMBER: &str = "insert into revoked_tokens (id, expires_us) values ($1, $2) \
        on conflict (id) do nothing";
    tx.execute(DELETE, &[token.id.into()]).await?;
    tx.execute(REMEMBER, &[token.id.into(), token.expires_us.into()])
        .await?;
    tx.note(Noun::RevokedToken(token.id)).await
}

/// Whether a token of either form was revoked, as long as that is remembered.
///
/// # Errors
/// As any read.
pub async fn is_revoked(store: &Store, id: TokenId) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from revoked_tokens where id = $1";
    Ok(store.row(SQL, &[id.into()]).await?.is_some())
}

/// Whether there is something for [`sweep`], so that a sweep that finds nothing writes nothing.
///
/// # Errors
/// As any read.
pub async fn has_expired(store: &Store, now_us: i64) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from tokens where expires_us <= $1 \
        union all select 1 from revoked_tokens where expires_us <= $1 limit 1";
    Ok(store.row(SQL, &[now_us.into()]).await?.is_some())
}

/// Deletes what has expired, at most so many of each kind; how many. Gateways need not hear of it:
/// they know when each expires.
///
/// # Errors
/// As any write.
pub async fn sweep(tx: &mut Tx, now_us: i64, at_most: u32) -> Result<u64, StoreError> {
    const TOKENS: &str = "delete from tokens where id in \
        (select id from tokens where expires_us <= $1 limit $2)";
    const REVOKED: &str = "delete from revoked_tokens where id in \
        (select id from revoked_tokens where expires_us <= $1 limit $2)";
    let values = [now_us.into(), i64::from(at_most).into()];
    Ok(tx.execute(TOKENS, &values).await? + tx.execute(REVOKED, &values).await?)
}
