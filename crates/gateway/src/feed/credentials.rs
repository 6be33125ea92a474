//! Events of credentials, OAuth2 clients and their tokens, and signing keys.

use std::sync::Arc;

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::{
    RevokedToken, ServedApplication, ServedClient, ServedCredential, ServedSigningKey, ServedToken,
};
use tollgate_model::id::{ApiKeyId, ApplicationId, BasicUserId, SigningKeyId};

use super::Reader;
use super::endings::user_ends_us;
use crate::snapshot::Application;
use crate::snapshot::callers::{Client, Credential, SigningKey, Token};

impl Reader {
    pub(super) fn put_credential(&mut self, served: &ServedCredential) {
        let credential = Credential::new(served);
        match served.id {
            CredentialId::ApiKey(id) => self.put_api_key(id, credential),
            CredentialId::BasicUser(id) => {
                self.end_basic_user(id);
                self.put_basic_user(id, credential);
            }
            // These have events of their own.
            CredentialId::Client(_) | CredentialId::Token(_) => {}
        }
    }

    pub(super) fn end_credential(&mut self, id: CredentialId) {
        match id {
            CredentialId::ApiKey(id) => {
                self.snapshot.api_keys.remove(&id);
                self.snapshot.security_epoch += 1;
            }
            CredentialId::BasicUser(id) => drop(self.end_basic_user(id)),
            CredentialId::Client(id) => {
                self.snapshot.clients.remove(&id);
                self.snapshot.security_epoch += 1;
            }
            CredentialId::Token(_) => {}
        }
    }

    fn put_api_key(&mut self, id: ApiKeyId, key: Credential) {
        self.nouns.endings.api_keys.note(key.ends_us());
        if self.snapshot.api_keys.insert(id, key).is_some() {
            self.snapshot.security_epoch += 1;
        }
    }

    /// Adds an HTTP Basic user with an unused id.
    pub(super) fn put_basic_user(&mut self, id: BasicUserId, user: Credential) {
        self.nouns.endings.basic_users.note(user_ends_us(&user));
        for digest in user.digests() {
            self.snapshot.basic_user_ids.insert(digest, id);
        }
        self.snapshot.basic_users.insert(id, user);
    }

    pub(super) fn end_basic_user(&mut self, id: BasicUserId) -> Option<Credential> {
        let user = self.snapshot.basic_users.remove(&id)?;
        for digest in user.digests() {
            self.snapshot.basic_user_ids.remove(&digest);
        }
        Some(user)
    }

    pub(super) fn put_client(&mut self, client: ServedClient) {
        let client_id = client.id;
        let client = Arc::new(Client::new(client));
        self.snapshot.clients.insert(client_id, client);
        self.snapshot.security_epoch += 1;
    }

    pub(super) fn put_token(&mut self, token: ServedToken) {
        self.nouns.endings.tokens.note(token.expires_us);
        let (id, reaches) = (token.id, &mut self.nouns.reaches);
        let token = Token::new(token, |reach| match reaches.get(&reach) {
            Some(known) => Arc::clone(known),
            None => {
                let reach = Arc::new(reach);
                reaches.insert(Arc::clone(&reach));
                reach
            }
        });
        self.snapshot.tokens.insert(id, token);
    }

    /// Removes an opaque token; a JWT keeps a valid signature, so its id is kept.
    pub(super) fn revoke_token(&mut self, token: RevokedToken) {
        let RevokedToken { id, expires_us } = token;
        if self.snapshot.tokens.remove(&id).is_none() {
            self.nouns.endings.revocations.note(expires_us);
            self.snapshot.revoked_tokens.insert(id, expires_us);
            self.snapshot.security_epoch += 1;
        }
    }

    pub(super) fn put_owner(&mut self, served: &ServedApplication) {
        let application = Application {
            owner: served.owner,
            tokens_from_us: served.tokens_from_us,
        };
        let applications = &mut self.snapshot.applications;
        let before = applications.find(&served.id).copied();
        if before != Some(application) {
            applications.insert(served.id, application);
        }
        if before.is_some_and(|before| before.tokens_from_us != application.tokens_from_us) {
            self.snapshot.security_epoch += 1;
        }
    }

    pub(super) fn end_tokens_of(&mut self, application: ApplicationId) {
        self.snapshot.applications.remove(&application);
        self.snapshot.security_epoch += 1;
    }

    pub(super) fn put_signing_key(&mut self, served: ServedSigningKey) {
        let (id, name) = (served.id, served.name.clone().into_boxed_str());
        match SigningKey::new(served) {
            Ok(key) => {
                let keys = Arc::make_mut(&mut self.snapshot.signing_keys);
                keys.insert(name, Arc::new(key));
            }
            Err(error) => {
                tracing::error!(key = %id, %error, "the signing key {id} cannot be used: {error}");
            }
        }
    }

    pub(super) fn end_signing_key(&mut self, id: SigningKeyId) {
        Arc::make_mut(&mut self.snapshot.signing_keys).retain(|_, key| key.id != id);
        self.snapshot.security_epoch += 1;
    }
}
