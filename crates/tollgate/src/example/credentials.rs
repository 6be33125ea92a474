//! The credentials of the example's application: a key and an OAuth2 client. They are kept over
//! restarts, and each start prints them in clear, so their texts are stored too, sealed by the
//! master key. Each is replaced once it is no longer valid.

use tollgate_control::{Control, random};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::id::{self, ApiKeyId, ClientId, Id};
use tollgate_store::api_keys::ApiKey;
use tollgate_store::clients::{Authentication, Client, Grant, TokenForm};
use tollgate_store::credentials::{self, CredentialKind, Secret, Terms};
use tollgate_store::{StoreError, Tx, api_keys, clients, settings};
use tollgate_tokens::{api_key, generated};

use super::{Example, kept};

/// Names among the store's settings of what is kept of a credential.
struct Names {
    id: &'static str,
    /// Its text, sealed.
    text: &'static str,
}

const KEY: Names = Names {
    id: "example.key",
    text: "example.key.text",
};
const CLIENT: Names = Names {
    id: "example.client",
    text: "example.client.secret",
};
/// Lifetime of the client's tokens, in seconds.
const TOKEN_LIFETIME_S: u32 = 3_600;

/// The credentials in clear.
pub(super) struct Printed {
    pub(super) key: String,
    pub(super) client: (ClientId, String),
}

/// Returns the credentials of the last start. Replaces those that are missing, no longer valid or
/// of a release that did not keep their texts; a suspended one stays, or is replaced by a suspended
/// one: a start resumes nothing.
pub(super) async fn prepare(control: &Control, example: &Example) -> anyhow::Result<Printed> {
    let key = match stored_key(control, example).await? {
        Some(key) => key,
        None => create_key(control, example).await?,
    };
    let client = match stored_client(control, example).await? {
        Some(client) => client,
        None => create_client(control, example).await?,
    };
    Ok(Printed { key, client })
}

/// Returns the key of the last start, if it is valid.
async fn stored_key(control: &Control, example: &Example) -> anyhow::Result<Option<String>> {
    let stored = valid::<id::ApiKey>(control, example, &KEY).await?;
    let stored = stored.filter(|(key, text)| generated::matches(&key.digest, text));
    Ok(stored.map(|(_, text)| text))
}

/// Returns the id and the secret of the client of the last start, if they are valid.
async fn stored_client(
    control: &Control,
    example: &Example,
) -> anyhow::Result<Option<(ClientId, String)>> {
    let stored = valid::<id::Client>(control, example, &CLIENT).await?;
    let stored = stored.filter(|(client, text)| match &client.authentication {
        Authentication::Secret(secret) => generated::matches(&secret.digest, text),
        Authentication::PrivateKeyJwt { .. } => false,
    });
    Ok(stored.map(|(client, text)| (client.id, text)))
}

/// Returns a credential of the last start and its text, if it is one of the example's application
/// that was not revoked and has not ended.
async fn valid<K: CredentialKind>(
    control: &Control,
    example: &Example,
    names: &Names,
) -> anyhow::Result<Option<(K::Credential, String)>> {
    let text = settings::sealed_by_name(&control.store, names.text).await?;
    let credential = stored::<K>(control, names).await?.filter(|credential| {
        let terms = K::terms(credential);
        let has_ended = K::ends_us(credential).is_some_and(|it| it <= control.now_us());
        terms.application == example.application && terms.revoked_us.is_none() && !has_ended
    });
    Ok(credential.zip(text))
}

/// Reads a credential of the last start, if it exists.
async fn stored<K: CredentialKind>(
    control: &Control,
    names: &Names,
) -> anyhow::Result<Option<K::Credential>> {
    let Some(id) = kept::<Id<K>>(control, names.id).await? else {
        return Ok(None);
    };
    match credentials::by_id::<K>(&control.store, id).await {
        Ok(credential) => Ok(Some(credential)),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn create_key(control: &Control, example: &Example) -> anyhow::Result<String> {
    let id = control.id()?;
    let key = api_key::make(Environment::Production, id, random::bytes()?);
    let mut tx = control.store.write().await?;
    let suspended_us = revoke_one::<id::ApiKey>(control, &mut tx, &KEY).await?;
    let made = ApiKey {
        id,
        terms: terms(control, example, suspended_us),
        digest: key.digest,
        hint: key.hint,
        rotated: None,
    };
    api_keys::create(&mut tx, &made).await?;
    settings::put(&mut tx, KEY.id, &id.to_string()).await?;
    settings::put_sealed(&mut tx, KEY.text, &key.text).await?;
    tx.commit().await?;
    Ok(key.text)
}

async fn create_client(control: &Control, example: &Example) -> anyhow::Result<(ClientId, String)> {
    let id = control.id()?;
    let secret = generated::client_secret(random::bytes()?);
    let mut tx = control.store.write().await?;
    let suspended_us = revoke_one::<id::Client>(control, &mut tx, &CLIENT).await?;
    let made = Client {
        id,
        terms: terms(control, example, suspended_us),
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
    settings::put(&mut tx, CLIENT.id, &id.to_string()).await?;
    settings::put_sealed(&mut tx, CLIENT.text, &secret.text).await?;
    tx.commit().await?;
    Ok((id, secret.text))
}

fn terms(control: &Control, example: &Example, suspended_us: Option<i64>) -> Terms {
    Terms {
        application: example.application,
        name: "example, printed at each start".to_owned(),
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
    }
}

/// Returns whether credentials of an earlier start exist.
pub(super) async fn are_kept(control: &Control) -> anyhow::Result<bool> {
    let key = kept::<ApiKeyId>(control, KEY.id).await?;
    let client = kept::<ClientId>(control, CLIENT.id).await?;
    Ok(key.is_some() || client.is_some())
}

/// Revokes the key and the client of the last start.
pub(super) async fn revoke(control: &Control, tx: &mut Tx) -> anyhow::Result<()> {
    revoke_one::<id::ApiKey>(control, tx, &KEY).await?;
    revoke_one::<id::Client>(control, tx, &CLIENT).await?;
    Ok(())
}

/// Revokes a credential of the last start, unless its owner did. Returns when it was suspended, if
/// it was, in Unix microseconds.
async fn revoke_one<K: CredentialKind>(
    control: &Control,
    tx: &mut Tx,
    names: &Names,
) -> anyhow::Result<Option<i64>> {
    let credential = stored::<K>(control, names).await?;
    settings::delete(tx, names.id).await?;
    settings::delete(tx, names.text).await?;
    let Some(credential) = credential.filter(|it| K::terms(it).revoked_us.is_none()) else {
        return Ok(None);
    };
    credentials::revoke(tx, K::id(&credential), control.now_us()).await?;
    Ok(K::terms(&credential).suspended_us)
}
