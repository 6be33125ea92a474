//! The signed tokens that a worker has verified, by the digest of the whole token: a bounded LRU
//! cache. Only verified tokens get in.

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_model::credential::{CredentialId, Digest, Environment};
use tollgate_model::feed::TokenSubject;
use tollgate_model::id::{ApplicationId, ClientId, SigningKeyId, TokenId};

use crate::snapshot::callers::{Client, Sources, Term};

/// A verified token.
#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) claims: TokenClaims,
    pub(crate) standing: Standing,
}

/// The claims of a verified token, kept so that its signature needs no second check.
#[derive(Debug, Clone)]
pub(crate) struct TokenClaims {
    pub(crate) id: TokenId,
    pub(crate) subject: TokenSubject,
    pub(crate) scopes: Rc<[String]>,
    /// The URLs of the versions that it is valid for; empty for every subscribed version.
    pub(crate) resources: Rc<[String]>,
    pub(crate) expires_us: i64,
    pub(crate) key: SigningKeyId,
}

/// The state of a token's holder as of the last look-up.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) application: ApplicationId,
    pub(crate) environment: Environment,
    pub(crate) credential: CredentialId,
    /// The token's scopes that its client still has.
    pub(crate) scopes: Vec<String>,
    pub(crate) sources: Option<Arc<Sources>>,
    pub(crate) term: Term,
    pub(crate) tokens_from_us: i64,
    /// The security epoch of the snapshot used for the look-up.
    pub(crate) epoch: u64,
}

impl Standing {
    pub(crate) fn of_client(id: ClientId, client: &Client, scopes: &[String]) -> Self {
        let kept = scopes.iter().filter(|scope| client.scopes.contains(scope));
        Self {
            application: client.application,
            environment: client.environment,
            credential: CredentialId::Client(id),
            scopes: kept.cloned().collect(),
            sources: client.sources.clone(),
            term: client.term,
            tokens_from_us: client.tokens_from_us,
            epoch: 0,
        }
    }

    pub(crate) fn of_application(
        token: TokenId,
        application: ApplicationId,
        environment: Environment,
        scopes: &[String],
    ) -> Self {
        Self {
            application,
            environment,
            credential: CredentialId::Token(token),
            scopes: scopes.to_vec(),
            sources: None,
            term: Term::new(None, None),
            tokens_from_us: 0,
            epoch: 0,
        }
    }
}

impl Remembered {
    pub(crate) fn new(claims: TokenClaims, standing: Standing) -> Self {
        Self { claims, standing }
    }
}

/// The tokens of a worker, from most to least recently used.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    places: HashMap<Digest, usize>,
    slots: Vec<Slot>,
    first: Option<usize>,
    last: Option<usize>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Slot {
    digest: Digest,
    token: Option<Rc<Remembered>>,
    before: Option<usize>,
    after: Option<usize>,
}

impl Memory {
    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the token with this digest and marks it as most recently used.
    pub(crate) fn find(&mut self, digest: &Digest) -> Option<Rc<Remembered>> {
        let place = *self.places.get(digest)?;
        if self.first != Some(place) {
            self.unlink(place);
            self.link_first(place);
        }
        self.slots[place].token.clone()
    }

    /// Adds a token; beyond `tokens_max` the least recently used one is dropped.
    pub(crate) fn insert(
        &mut self,
        digest: Digest,
        token: Remembered,
        tokens_max: usize,
    ) -> Rc<Remembered> {
        self.forget(&digest);
        while self.places.len() >= tokens_max.max(1) {
            let Some(last) = self.last else { break };
            let digest = self.slots[last].digest;
            self.forget(&digest);
        }
        let token = Rc::new(token);
        let slot = Slot {
            digest,
            token: Some(Rc::clone(&token)),
            before: None,
            after: None,
        };
        let place = match self.free.pop() {
            Some(place) => {
                self.slots[place] = slot;
                place
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        self.places.insert(digest, place);
        self.link_first(place);
        token
    }

    pub(crate) fn forget(&mut self, digest: &Digest) {
        if let Some(place) = self.places.remove(digest) {
            self.unlink(place);
            self.slots[place].token = None;
            self.free.push(place);
        }
    }

    fn link_first(&mut self, place: usize) {
        self.slots[place].before = None;
        self.slots[place].after = self.first;
        match self.first {
            Some(first) => self.slots[first].before = Some(place),
            None => self.last = Some(place),
        }
        self.first = Some(place);
    }

    fn unlink(&mut self, place: usize) {
        let Slot { before, after, .. } = self.slots[place];
        match before {
            Some(before) => self.slots[before].after = after,
            None => self.first = after,
        }
        match after {
            Some(after) => self.slots[after].before = before,
            None => self.last = before,
        }
    }
}

#[cfg(test)]
mod tests;
