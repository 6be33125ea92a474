//! The key manager itself: what it is made of, and what the process that runs it may ask of it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use axum::http::Extensions;
use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;
use tollgate_store::{Store, assertions, tokens};

use crate::allowance::Allowance;
use crate::attempts::Attempts;
use crate::authentication::assertion::Assertions;
use crate::authentication::replay::Replay;
use crate::error::{Code, Refused};
use crate::failure::Failure;
use crate::gateways::{Gateways, InForce};
use crate::keys::Keys;
use crate::made::Made;
use crate::random::Ids;

/// Where tokens are asked for, below the issuer.
pub(crate) const TOKEN: &str = "/oauth2/token";
/// Rows that one write of a sweep deletes at most, so that others get their turn.
const SWEEP_MAX: u32 = 1_000;
/// Writes of one sweep at most.
const SWEEPS_MAX: u32 = 500;

/// What the key manager needs from the process that runs it.
pub struct Parts {
    /// The truth.
    pub store: Store,
    /// Where clients reach the control plane: `iss` of tokens, byte for byte.
    pub issuer: Option<String>,
    /// Where callers reach the gateways: `aud` of tokens, byte for byte.
    pub audience: Option<String>,
    /// How writes reach the gateways.
    pub gateways: Arc<dyn Gateways>,
    /// How often clients have failed.
    pub attempts: Arc<dyn Attempts>,
    /// Now, Unix microseconds.
    pub now_us: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// Whether a request with these extensions came over TLS or from this machine, so that secrets
    /// may be in it (RFC 6749, section 3.2).
    pub came_safely: fn(&Extensions) -> bool,
    /// Days for which a key signs.
    pub signing_key_days: u32,
    /// Opaque tokens that an application has at a time at most.
    pub opaque_tokens_max: u64,
    /// Bytes of the largest token that fits into a request's head at the gateways.
    pub token_bytes_max: usize,
}

/// The key manager: an authorization server (RFC 6749, section 1.1). Cheap to clone, shared by all
/// requests.
#[derive(Clone)]
pub struct AuthorizationServer(Arc<Inner>);

/// What it is made of.
pub struct Inner {
    pub(crate) store: Store,
    /// `iss`, where there is one.
    pub(crate) issuer: Option<String>,
    /// `aud`, where there is one.
    pub(crate) audience: Option<String>,
    pub(crate) gateways: Arc<dyn Gateways>,
    pub(crate) attempts: Arc<dyn Attempts>,
    now_us: Arc<dyn Fn() -> i64 + Send + Sync>,
    pub(crate) came_safely: fn(&Extensions) -> bool,
    pub(crate) assertions: Assertions,
    pub(crate) keys: Keys,
    pub(crate) allowance: Allowance,
    pub(crate) token_bytes_max: usize,
    /// The metadata, once somebody has asked for it.
    pub(crate) metadata: OnceLock<Made>,
    pub(crate) ids: Ids,
}

/// By which names tokens are made.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) audience: &'a str,
}

impl AuthorizationServer {
    /// A key manager of these parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let issuer = parts.issuer.as_ref();
        let endpoint = issuer.map(|issuer| url(issuer, TOKEN));
        let audiences = issuer.cloned().into_iter().chain(endpoint);
        let assertions = Assertions {
            audiences: audiences.collect(),
            replay: Replay::default(),
        };
        let keys = Keys::new(
            parts.store.clone(),
            Arc::clone(&parts.gateways),
            Arc::clone(&parts.now_us),
            parts.signing_key_days,
        );
        Self(Arc::new(Inner {
            assertions,
            keys,
            allowance: Allowance::new(parts.opaque_tokens_max),
            token_bytes_max: parts.token_bytes_max,
            metadata: OnceLock::new(),
            ids: Ids::default(),
            store: parts.store,
            issuer: parts.issuer,
            audience: parts.audience,
            gateways: parts.gateways,
            attempts: parts.attempts,
            now_us: parts.now_us,
            came_safely: parts.came_safely,
        }))
    }

    /// Makes the first key for ES256, where none signs. To be called once, before requests come.
    ///
    /// # Errors
    /// As any write; no key can be made. The first token asked for tries again.
    pub async fn begin(&self) -> Result<(), Failure> {
        match self.keys.signer(Algorithm::Es256).await {
            // Gateways that do not follow yet are no reason not to start.
            Ok(_) | Err(Failure::Unknown(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// One step of what time brings: makes the next key where one has signed long enough, and
    /// deletes keys, tokens, revocations and assertions that have ended. To be called each minute.
    ///
    /// # Errors
    /// As any write; no key can be made. What was left undone is done the next time.
    pub async fn turn(&self) -> Result<(), Failure> {
        let now_us = self.now_us();
        self.assertions.replay.sweep(now_us);
        self.allowance.forget();
        self.keys.turn().await?;
        for _ in 0..SWEEPS_MAX {
            let has_tokens = tokens::has_expired(&self.store, now_us).await?;
            if !has_tokens && !assertions::has_expired(&self.store, now_us).await? {
                break;
            }
            let mut tx = self.store.write().await?;
            tokens::sweep(&mut tx, now_us, SWEEP_MAX).await?;
            assertions::sweep(&mut tx, now_us, SWEEP_MAX).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Makes the next key of an algorithm, which is published now and signs after 15 minutes; the
    /// one before ends when its last token has. Where a next one waits already, it signs after 15
    /// minutes at the latest. The key, and whether every gateway knows it.
    ///
    /// # Errors
    /// As any write; no key can be made.
    pub async fn next_key(&self, algorithm: Algorithm) -> Result<(SigningKeyId, InForce), Failure> {
        self.keys.next(algorithm).await
    }

    /// Deletes a key: its tokens are worth nothing any more. Where it is the one that signs,
    /// another one does from now on.
    ///
    /// # Errors
    /// `StoreError::NotFound`; as any write.
    pub async fn delete_key(&self, id: SigningKeyId) -> Result<InForce, Failure> {
        self.keys.delete(id).await
    }
}

impl Inner {
    /// Now, Unix microseconds.
    pub(crate) fn now_us(&self) -> i64 {
        (self.now_us)()
    }

    /// The names that tokens are made by; without them there are none.
    pub(crate) fn names(&self) -> Result<Names<'_>, Refused> {
        let names = self.issuer.as_deref().zip(self.audience.as_deref());
        let (issuer, audience) = names.ok_or_else(|| {
            let sentence = "no tokens are issued here: the settings control.public_url and \
                gateway.public_url, or HTTPS listeners of both, must say where this is reached";
            Refused::because(Code::TemporarilyUnavailable, sentence)
        })?;
        Ok(Names { issuer, audience })
    }

    /// A signed token, unless it is too large for the gateways to accept.
    pub(crate) fn usable(&self, token: String) -> Result<String, Refused> {
        if token.len() <= self.token_bytes_max {
            return Ok(token);
        }
        let sentence = format!(
            "the token would have {} bytes, and gateways take {}: ask for fewer scopes",
            token.len(),
            self.token_bytes_max
        );
        Err(Refused::because(Code::InvalidScope, sentence))
    }

    /// Waits until every gateway has what was committed so far.
    pub(crate) async fn settle(&self) -> Result<InForce, Failure> {
        let tx = self.store.write().await?;
        Ok(self.gateways.commit(tx).await?)
    }
}

impl Deref for AuthorizationServer {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// Where clients of an issuer get tokens.
#[must_use]
pub fn token_url(issuer: &str) -> String {
    url(issuer, TOKEN)
}

/// The URL of a path below the issuer.
pub(crate) fn url(issuer: &str, path: &str) -> String {
    format!("{}{path}", issuer.trim_end_matches('/'))
}

#[cfg(test)]
mod tests;
