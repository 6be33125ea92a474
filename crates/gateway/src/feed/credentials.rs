//! The events of credentials, of OAuth2 clients and their tokens, and of the keys that sign tokens.
//!
//! What ends by itself (credentials, tokens, revocations, the password before a rotation) is taken
//! out within a minute after its end, without an event.

use std::sync::Arc;

use tollgate_model::credential::{CredentialId, Digest};
use tollgate_model::feed::{
    RevokedToken, ServedClient, ServedCredential, ServedSigningKey, ServedToken,
};
use tollgate_model::id::{ApplicationId, SigningKeyId, TokenId};

use super::Reader;
use crate::callers::{Client, Credential, SigningKey, Token};

const MINUTE_US: i64 = 60_000_000;

/// Something of the snapshot that ends by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ending {
    Token(TokenId),
    Revocation(TokenId),
    Digest(Digest),
}

impl Reader {
    pub(super) fn put_credential(&mut self, served: &ServedCredential) {
        self.end_credential(served.id);
        let credential = Credential::new(served);
        if let Some((digest, until_us)) = served.previous {
            let previous = Credential {
                term: credential.term.until(until_us),
                ..credential.clone()
            };
            self.snapshot.credentials.insert(digest, previous);
            self.ends_at(until_us, Ending::Digest(digest));
        }
        self.snapshot.credentials.insert(served.digest, credential);
        if let Some(until_us) = served.expires_us {
            self.ends_at(until_us, Ending::Digest(served.digest));
        }
        let digests = (served.digest, served.previous.map(|(digest, _)| digest));
        self.nouns.digests.insert(served.id, digests);
    }

    pub(super) fn end_credential(&mut self, id: CredentialId) {
        if let CredentialId::Client(id) = id {
            self.snapshot.clients.remove(&id);
            self.snapshot.security_epoch += 1;
        }
        if let Some((present, previous)) = self.nouns.digests.remove(&id) {
            for digest in previous.into_iter().chain([present]) {
                self.snapshot.credentials.remove(&digest);
            }
        }
    }

    pub(super) fn put_client(&mut self, client: ServedClient) {
        let client_id = client.id;
        let client = Arc::new(Client::new(client));
        self.snapshot.clients.insert(client_id, client);
        self.snapshot.security_epoch += 1;
    }

    pub(super) fn put_token(&mut self, token: ServedToken) {
        self.ends_at(token.expires_us, Ending::Token(token.id));
        self.nouns.tokens.insert(token.id, token.digest);
        let digest = token.digest;
        let token = Arc::new(Token::new(token));
        self.snapshot.tokens.insert(digest, token);
    }

    /// Takes an opaque token out; of a JWT, whose signature stays good, its id is kept.
    pub(super) fn revoke_token(&mut self, token: RevokedToken) {
        match self.nouns.tokens.remove(&token.id) {
            Some(digest) => drop(self.snapshot.tokens.remove(&digest)),
            None => {
                self.snapshot.revoked_tokens.insert(token.id, ());
                self.ends_at(token.expires_us, Ending::Revocation(token.id));
                self.snapshot.security_epoch += 1;
            }
        }
    }

    pub(super) fn put_tokens_from(&mut self, application: ApplicationId, from_us: i64) {
        let tokens_from_us = &mut self.snapshot.tokens_from_us;
        let before = tokens_from_us.find(&application).copied();
        if before != Some(from_us) {
            tokens_from_us.insert(application, from_us);
        }
        if before.is_some_and(|before| before != from_us) {
            self.snapshot.security_epoch += 1;
        }
    }

    pub(super) fn end_tokens_of(&mut self, application: ApplicationId) {
        self.snapshot.tokens_from_us.remove(&application);
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

    /// Takes out what has ended a minute ago and longer.
    pub(super) fn forget_ended(&mut self, now_us: i64) {
        let rest = self.nouns.endings.split_off(&(now_us / MINUTE_US));
        let ended = std::mem::replace(&mut self.nouns.endings, rest);
        if ended.is_empty() {
            return;
        }
        for ending in ended.into_values().flatten() {
            match ending {
                Ending::Token(id) => {
                    if let Some(digest) = self.nouns.tokens.remove(&id) {
                        self.snapshot.tokens.remove(&digest);
                    }
                }
                Ending::Revocation(id) => drop(self.snapshot.revoked_tokens.remove(&id)),
                Ending::Digest(digest) => self.forget_digest(digest, now_us),
            }
        }
        self.current.replace(self.snapshot.clone());
    }

    /// Takes out what is found by a digest, unless it was given a later end.
    fn forget_digest(&mut self, digest: Digest, now_us: i64) {
        let credentials = &mut self.snapshot.credentials;
        let has_ended = |it: &Credential| it.term.has_ended(now_us);
        if credentials.find(&digest).is_some_and(has_ended) {
            credentials.remove(&digest);
        }
    }

    fn ends_at(&mut self, until_us: i64, ending: Ending) {
        let endings = &mut self.nouns.endings;
        endings
            .entry(until_us / MINUTE_US)
            .or_default()
            .push(ending);
    }
}
