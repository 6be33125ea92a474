//! Credentials that gateways hold: API keys, users of HTTP Basic, OAuth2 clients.

use tollgate_model::credential::{CredentialId, Environment};
use tollgate_model::feed::{Event, ServedClient, ServedCredential};
use tollgate_model::id;

use super::{Kind, ReadFact};
use crate::StoreError;
use crate::feed::{Fact, Noun};
use crate::row::Row;

pub(in crate::feed) const API_KEYS: Kind<id::ApiKey> = Kind {
    noun: Noun::API_KEY,
    whole: "select id, digest, application, environment, not_before_us, expires_us, \
            grace_until_us, allowed \
        from api_keys where revoked_us is null and suspended_us is null and id > $1 \
        order by id limit $2",
    changed: "select id, digest, application, environment, not_before_us, expires_us, \
            grace_until_us, allowed \
        from api_keys where revoked_us is null and suspended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: api_key,
    gone: Some(|id| Event::CredentialGone(CredentialId::ApiKey(id))),
};

pub(in crate::feed) const BASIC_USERS: Kind<id::BasicUser> = Kind {
    noun: Noun::BASIC_USER,
    whole: "select id, digest, previous_digest, previous_until_us, application, environment, \
            not_before_us, expires_us, allowed \
        from basic_users where revoked_us is null and suspended_us is null and id > $1 \
        order by id limit $2",
    changed: "select id, digest, previous_digest, previous_until_us, application, environment, \
            not_before_us, expires_us, allowed \
        from basic_users where revoked_us is null and suspended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: basic_user,
    gone: Some(|id| Event::CredentialGone(CredentialId::BasicUser(id))),
};

pub(in crate::feed) const CLIENTS: Kind<id::Client> = Kind {
    noun: Noun::CLIENT,
    whole: "select id, application, environment, scopes, tokens_from_us, not_before_us, \
            expires_us, allowed \
        from clients where revoked_us is null and suspended_us is null and id > $1 \
        order by id limit $2",
    changed: "select id, application, environment, scopes, tokens_from_us, not_before_us, \
            expires_us, allowed \
        from clients where revoked_us is null and suspended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: client,
    gone: Some(|id| Event::CredentialGone(CredentialId::Client(id))),
};

/// Reads a credential that has no previous digest.
fn credential(row: &Row, id: CredentialId) -> Result<ServedCredential, StoreError> {
    Ok(ServedCredential {
        id,
        digest: row.digest("digest")?,
        previous: None,
        application: row.id("application")?,
        environment: row.word("environment", Environment::from_word)?,
        not_before_us: row.int_or_null("not_before_us")?,
        expires_us: row.int_or_null("expires_us")?,
        allowed: row.allowed()?,
    })
}

/// Reads an API key, which expires with its grace period if that ends earlier.
fn api_key(row: &Row, _: i64) -> ReadFact<id::ApiKey> {
    let id = row.id("id")?;
    let grace = row.int_or_null("grace_until_us")?;
    let key = credential(row, CredentialId::ApiKey(id))?;
    let key = ServedCredential {
        expires_us: key.expires_us.into_iter().chain(grace).min(),
        ..key
    };
    Ok(Some((id, Fact::Ready(Event::Credential(key)))))
}

fn basic_user(row: &Row, now_us: i64) -> ReadFact<id::BasicUser> {
    let id = row.id("id")?;
    let previous = row
        .previous_digest()?
        .filter(|&(_, until_us)| until_us > now_us);
    let user = ServedCredential {
        previous,
        ..credential(row, CredentialId::BasicUser(id))?
    };
    Ok(Some((id, Fact::Ready(Event::Credential(user)))))
}

fn client(row: &Row, _: i64) -> ReadFact<id::Client> {
    let id = row.id("id")?;
    let client = ServedClient {
        id,
        application: row.id("application")?,
        environment: row.word("environment", Environment::from_word)?,
        scopes: row.json("scopes")?,
        tokens_from_us: row.int("tokens_from_us")?,
        not_before_us: row.int_or_null("not_before_us")?,
        expires_us: row.int_or_null("expires_us")?,
        allowed: row.allowed()?,
    };
    Ok(Some((id, Fact::Ready(Event::Client(client)))))
}
