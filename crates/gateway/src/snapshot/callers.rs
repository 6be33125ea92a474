//! Credentials, OAuth2 clients and tokens of callers in the form in which the snapshot holds them,
//! ready to be checked.

use std::net::IpAddr;
use std::sync::Arc;

use tollgate_fetch::Networks;
use tollgate_model::credential::{Allowed, Digest, Environment};
use tollgate_model::feed::{
    ServedClient, ServedCredential, ServedSigningKey, ServedToken, TokenSubject,
};
use tollgate_model::id::{ApplicationId, SigningKeyId};
use tollgate_tokens::key::{NoKey, PublicKey, Verifier};

/// The first 16 bytes of a SHA-256, all that is kept of it. Secrets are 128 random bits, so finding
/// another text with the same 16 bytes is no easier than guessing the secret: 2^128 attempts for an
/// API key or a token, whose id selects the digest, and 2^108 to match any of a million HTTP Basic
/// users. Two texts with the same digest are no danger: we generate the secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ShortDigest([u8; 16]);

impl From<&Digest> for ShortDigest {
    fn from(digest: &Digest) -> Self {
        let (first, _) = digest.split_first_chunk().expect("32 bytes have 16");
        Self(*first)
    }
}

/// An API key or an HTTP Basic user. There may be a million, so rare properties are kept
/// separately: with its id an entry of a table takes 48 bytes.
#[derive(Debug, Clone)]
pub(crate) struct Credential {
    digest: ShortDigest,
    pub(crate) application: ApplicationId,
    pub(crate) environment: Environment,
    end: End,
    rare: Option<Arc<Rare>>,
}

/// Properties that few credentials have.
#[derive(Debug, Clone)]
struct Rare {
    from_us: Option<i64>,
    /// The digest from before a rotation, and until when it is accepted, Unix microseconds.
    previous: Option<(ShortDigest, i64)>,
    sources: Option<Arc<Sources>>,
}

/// When a credential expires, Unix microseconds, in seven bytes; the eighth is the environment's.
/// They reach the year 4253; later expiries mean never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End([u8; 7]);

impl End {
    const NEVER_US: i64 = (1 << 56) - 1;

    fn new(until_us: Option<i64>) -> Self {
        let until_us = until_us.map_or(Self::NEVER_US, |it| it.clamp(0, Self::NEVER_US));
        let [bytes @ .., _] = until_us.to_le_bytes();
        Self(bytes)
    }

    /// `None` means never.
    fn us(self) -> Option<i64> {
        let [a, b, c, d, e, f, g] = self.0;
        let until_us = i64::from_le_bytes([a, b, c, d, e, f, g, 0]);
        (until_us != Self::NEVER_US).then_some(until_us)
    }
}

/// The period in which something may be used, Unix microseconds.
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

    pub(crate) fn contains(self, now_us: i64) -> bool {
        self.from_us <= now_us && now_us < self.until_us
    }
}

impl Credential {
    pub(crate) fn new(served: &ServedCredential) -> Self {
        let previous = served.previous.as_ref();
        let rare = Rare {
            from_us: served.not_before_us,
            previous: previous.map(|(digest, until_us)| (digest.into(), *until_us)),
            sources: Sources::new(&served.allowed),
        };
        Self {
            digest: (&served.digest).into(),
            application: served.application,
            environment: served.environment,
            end: End::new(served.expires_us),
            rare: rare.boxed(),
        }
    }

    /// Whether this is the digest of its secret and it may be used now.
    pub(crate) fn accepts(&self, digest: &Digest, now_us: i64) -> bool {
        let digest = ShortDigest::from(digest);
        let is_previous = |(previous, until_us)| previous == digest && now_us < until_us;
        let is_own = self.digest == digest || self.previous().is_some_and(is_previous);
        let from_us = self.rare.as_ref().and_then(|rare| rare.from_us);
        is_own && Term::new(from_us, self.end.us()).contains(now_us)
    }

    /// The digests that it is found by.
    pub(crate) fn digests(&self) -> impl Iterator<Item = ShortDigest> + use<> {
        let previous = self.previous().map(|(digest, _)| digest);
        previous.into_iter().chain([self.digest])
    }

    /// When it expires, Unix microseconds; `i64::MAX` means never.
    pub(crate) fn ends_us(&self) -> i64 {
        self.end.us().unwrap_or(i64::MAX)
    }

    /// The digest from before a rotation, and until when it is accepted, Unix microseconds.
    pub(crate) fn previous(&self) -> Option<(ShortDigest, i64)> {
        self.rare.as_ref()?.previous
    }

    pub(crate) fn without_previous(&self) -> Self {
        let rare = self.rare.as_ref().and_then(|rare| {
            let rare = Rare {
                previous: None,
                ..Rare::clone(rare)
            };
            rare.boxed()
        });
        Self {
            rare,
            ..self.clone()
        }
    }

    /// Whether it has no rare properties: a copy then shares no reference count.
    pub(crate) fn is_plain(&self) -> bool {
        self.rare.is_none()
    }

    /// Where it may be used from; `None` if anywhere.
    pub(crate) fn sources(&self) -> Option<&Sources> {
        self.rare.as_ref()?.sources.as_deref()
    }
}

impl Rare {
    /// `None` if empty.
    fn boxed(self) -> Option<Arc<Self>> {
        let is_none = self.from_us.is_none() && self.previous.is_none() && self.sources.is_none();
        (!is_none).then(|| Arc::new(self))
    }
}

/// An OAuth2 client.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) application: ApplicationId,
    pub(crate) environment: Environment,
    pub(crate) scopes: Vec<String>,
    /// Tokens issued earlier are not valid.
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

/// An opaque token. The tokens issued within an hour are held: with its id an entry of the table
/// takes 64 bytes.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    digest: ShortDigest,
    pub(crate) subject: TokenSubject,
    /// Shared by all tokens with an equal one.
    pub(crate) reach: Arc<Reach>,
    pub(crate) issued_us: i64,
    pub(crate) expires_us: i64,
}

/// What a token may be used for.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reach {
    pub(crate) scopes: Vec<String>,
    /// The URL of the only version that it is valid for; `None` for every subscribed version.
    pub(crate) resource: Option<String>,
}

impl Token {
    /// Creates a token; `shared` returns the shared copy of its reach.
    pub(crate) fn new(served: ServedToken, shared: impl FnOnce(Reach) -> Arc<Reach>) -> Self {
        Self {
            digest: (&served.digest).into(),
            subject: served.subject,
            reach: shared(Reach {
                scopes: served.scopes,
                resource: served.resource,
            }),
            issued_us: served.issued_us,
            expires_us: served.expires_us,
        }
    }

    /// Whether this is the token's digest.
    pub(crate) fn is(&self, digest: &Digest) -> bool {
        self.digest == digest.into()
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
    /// The key is invalid.
    pub(crate) fn new(served: ServedSigningKey) -> Result<Self, NoKey> {
        let key = PublicKey::new(served.algorithm, served.public)?;
        Ok(Self {
            id: served.id,
            verifier: Verifier::new(&key)?,
        })
    }
}

/// Where a credential may be used from.
#[derive(Debug)]
pub(crate) struct Sources {
    networks: Option<Networks>,
    origins: Vec<String>,
}

impl Sources {
    /// `None` if anywhere. Unreadable networks match nothing.
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

    /// Whether a call from this address may be made, by a page with this origin if it has one.
    pub(crate) fn contain(&self, address: IpAddr, origin: Option<&[u8]>) -> bool {
        let has_address = |networks: &Networks| networks.contain(address);
        let has_origin =
            |origin: &[u8]| self.origins.iter().any(|known| known.as_bytes() == origin);
        self.networks.as_ref().is_none_or(has_address)
            && (self.origins.is_empty() || origin.is_some_and(has_origin))
    }
}

#[cfg(test)]
mod tests;
