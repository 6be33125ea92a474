//! Credentials, OAuth2 clients and tokens of callers as the snapshot holds them: what is served of
//! each, made ready for judging.

use std::net::IpAddr;
use std::sync::Arc;

use tollgate_fetch::Networks;
use tollgate_model::credential::{Allowed, CredentialId, Environment};
use tollgate_model::feed::{
    ServedClient, ServedCredential, ServedSigningKey, ServedToken, TokenSubject,
};
use tollgate_model::id::{ApplicationId, SigningKeyId, TokenId};
use tollgate_tokens::key::{NoKey, PublicKey, Verifier};

/// An API key, or a password of a user of HTTP Basic.
#[derive(Debug, Clone)]
pub(crate) struct Credential {
    pub(crate) id: CredentialId,
    pub(crate) application: ApplicationId,
    pub(crate) environment: Environment,
    pub(crate) term: Term,
    pub(crate) sources: Option<Arc<Sources>>,
}

/// When something may be used, Unix microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Term {
    from_us: i64,
    until_us: i64,
}

impl Term {
    pub(crate) fn new(from_us: Option<i64>, until_us: Option<i64>) -> Self {
        Self {
            from_us: from_us.unwrap_or(i64::MIN),
            until_us: until_us.unwrap_or(i64::MAX),
        }
    }

    /// The same beginning with an earlier end.
    pub(crate) fn until(self, until_us: i64) -> Self {
        Self {
            until_us: self.until_us.min(until_us),
            ..self
        }
    }

    pub(crate) fn has_ended(self, now_us: i64) -> bool {
        self.until_us <= now_us
    }

    pub(crate) fn contains(self, now_us: i64) -> bool {
        self.from_us <= now_us && now_us < self.until_us
    }
}

impl Credential {
    pub(crate) fn new(served: &ServedCredential) -> Self {
        Self {
            id: served.id,
            application: served.application,
            environment: served.environment,
            term: Term::new(served.not_before_us, served.expires_us),
            sources: Sources::new(&served.allowed),
        }
    }
}

/// An OAuth2 client.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) application: ApplicationId,
    pub(crate) environment: Environment,
    pub(crate) scopes: Vec<String>,
    /// Tokens that were issued before are worth nothing.
    pub(crate) tokens_from_us: i64,
    pub(crate) term: Term,
    pub(crate) sources: Option<Arc<Sources>>,
}

impl Client {
    pub(crate) fn new(served: ServedClient) -> Self {
        Self {
            application: served.application,
            environment: served.environment,
            scopes: served.scopes,
            tokens_from_us: served.tokens_from_us,
            term: Term::new(served.not_before_us, served.expires_us),
            sources: Sources::new(&served.allowed),
        }
    }
}

/// An opaque token.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) id: TokenId,
    pub(crate) subject: TokenSubject,
    pub(crate) scopes: Vec<String>,
    pub(crate) resource: Option<String>,
    pub(crate) issued_us: i64,
    pub(crate) expires_us: i64,
}

impl Token {
    /// What calls with it are recorded under.
    pub(crate) fn credential(&self) -> CredentialId {
        match self.subject {
            TokenSubject::Client(id) => CredentialId::Client(id),
            TokenSubject::Application(..) => CredentialId::Token(self.id),
        }
    }

    pub(crate) fn new(served: ServedToken) -> Self {
        Self {
            id: served.id,
            subject: served.subject,
            scopes: served.scopes,
            resource: served.resource,
            issued_us: served.issued_us,
            expires_us: served.expires_us,
        }
    }
}

/// A key that tokens may be signed with.
#[derive(Debug)]
pub(crate) struct SigningKey {
    pub(crate) id: SigningKeyId,
    pub(crate) verifier: Verifier,
}

impl SigningKey {
    /// # Errors
    /// The key is none.
    pub(crate) fn new(served: ServedSigningKey) -> Result<Self, NoKey> {
        let key = PublicKey::new(served.algorithm, served.public)?;
        Ok(Self {
            id: served.id,
            verifier: Verifier::new(&key)?,
        })
    }
}

/// From where a credential may be used.
#[derive(Debug)]
pub(crate) struct Sources {
    networks: Option<Networks>,
    origins: Vec<String>,
}

impl Sources {
    /// `None` where it may be used from everywhere. What cannot be read allows nothing.
    fn new(allowed: &Allowed) -> Option<Arc<Self>> {
        let Allowed { addresses, origins } = allowed;
        if addresses.is_empty() && origins.is_empty() {
            return None;
        }
        let networks = (!addresses.is_empty()).then(|| {
            let networks = addresses.join(",").parse::<Networks>();
            networks.unwrap_or_default()
        });
        let origins = origins.clone();
        Some(Arc::new(Self { networks, origins }))
    }

    /// Whether a call from this address may be made, by a page of this origin where it names one.
    pub(crate) fn contain(&self, address: IpAddr, origin: Option<&[u8]>) -> bool {
        let knows_address = |networks: &Networks| networks.contain(address);
        let knows_origin =
            |origin: &[u8]| self.origins.iter().any(|known| known.as_bytes() == origin);
        self.networks.as_ref().is_none_or(knows_address)
            && (self.origins.is_empty() || origin.is_some_and(knows_origin))
    }
}
