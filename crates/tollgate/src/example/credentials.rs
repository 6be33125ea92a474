//! The credentials of the example's application: a key and an OAuth2 client. Each start replaces
//! them, because only digests are stored and the start prints them in clear.

use tollgate_control::{Control, random};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::id::{ApiKeyId, ClientId};
use tollgate_store::api_keys::ApiKey;
use tollgate_store::clients::{Authentication, Client, Grant, TokenForm};
use tollgate_store::credentials::{self, Secret, Terms};
use tollgate_store::{Tx, api_keys, clients, settings};
use tollgate_tokens::{api_key, generated};

use super::{Example, kept};

/// Names of their ids among the store's settings.
const KEY: &str = "example.key";
const CLIENT: &str = "example.client";
/// Lifetime of the client's tokens, in seconds.
const TOKEN_LIFETIME_S: u32 = 3_600;

/// The new credentials, in clear.
pub(super) struct Fresh {
    pub(super) key: String,
    pub(super) client: (ClientId, String),
}

/// Creates a key and a client in place of those of the last start. Suspended ones are replaced by
/// suspended ones: a start resumes nothing.
pub(super) async fn fresh(control: &Control, example: &Example) -> anyhow::Result<Fresh> {
    let (key_id, client_id) = (control.id()?, control.id()?);
    let key = api_key::make(Environment::Production, key_id, random::bytes()?);
    let secret = generated::client_secret(random::bytes()?);
    let mut tx = control.store.write().await?;
    let suspended = revoke(control, &mut tx).await?;
    let terms = |suspended_us| Terms {
        application: example.application,
        name: "example, until the next start".to_owned(),
        environment: Environment::Production,
        not_before_us: None,
        expires_us: None,
        allowed: Allowed::default(),
        created_by: example.owner,
        created_us: control.now_us(),
        revoked_us: None,
        suspended_us,
        last_used_us: None,
        try_it: false,
    };
    let made = ApiKey {
        id: key_id,
        terms: terms(suspended.key_us),
        digest: key.digest,
        hint: key.hint,
        rotated: None,
    };
    api_keys::create(&mut tx, &made).await?;
    let made = Client {
        id: client_id,
        terms: terms(suspended.client_us),
        authentication: Authentication::Secret(Secret {
            digest: secret.digest,
            hint: secret.hint,
            previous: None,
        }),
        grant: Grant {
            scopes: Vec::new(),
            form: TokenForm::Jwt(Algorithm::default()),
            lifetime_s: TOKEN_LIFETIME_S,
        },
        tokens_from_us: 0,
    };
    clients::create(&mut tx, &made).await?;
    settings::put(&mut tx, KEY, &key_id.to_string()).await?;
    settings::put(&mut tx, CLIENT, &client_id.to_string()).await?;
    tx.commit().await?;
    Ok(Fresh {
        key: key.text,
        client: (client_id, secret.text),
    })
}

/// Returns whether credentials of an earlier start exist.
pub(super) async fn are_kept(control: &Control) -> anyhow::Result<bool> {
    let key = kept::<ApiKeyId>(control, KEY).await?;
    let client = kept::<ClientId>(control, CLIENT).await?;
    Ok(key.is_some() || client.is_some())
}

/// The times at which the revoked credentials were suspended, if they were, Unix microseconds.
#[derive(Default)]
pub(super) struct Suspended {
    key_us: Option<i64>,
    client_us: Option<i64>,
}

/// Revokes the key and the client of the last start.
pub(super) async fn revoke(control: &Control, tx: &mut Tx) -> anyhow::Result<Suspended> {
    let mut suspended = Suspended::default();
    let now_us = control.now_us();
    if let Some(id) = kept::<ApiKeyId>(control, KEY).await? {
        settings::delete(tx, KEY).await?;
        // A key that its owner deleted or revoked needs no revocation.
        if let Ok(key) = credentials::by_id(&control.store, id).await
            && key.terms.revoked_us.is_none()
        {
            credentials::revoke(tx, id, now_us).await?;
            suspended.key_us = key.terms.suspended_us;
        }
    }
    if let Some(id) = kept::<ClientId>(control, CLIENT).await? {
        settings::delete(tx, CLIENT).await?;
        if let Ok(client) = credentials::by_id(&control.store, id).await
            && client.terms.revoked_us.is_none()
        {
            credentials::revoke(tx, id, now_us).await?;
            suspended.client_us = client.terms.suspended_us;
        }
    }
    Ok(suspended)
}
