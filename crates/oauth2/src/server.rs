//! The key manager: its parts, and the interface for the process that runs it.

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
use crate::issued::Issued;
use crate::keys::Keys;
use crate::made::Made;
use crate::random::Ids;

/// Path of the token endpoint, below the issuer.
pub(crate) const TOKEN: &str = "/oauth2/token";
/// Maximum number of rows that one write of a sweep deletes, so that other writes get their turn.
const SWEEP_MAX: u32 = 1_000;
/// Maximum number of writes of one sweep.
const SWEEPS_MAX: u32 = 500;

/// The parts that the process provides.
pub struct Parts {
    /// The control plane's store.
    pub store: Store,
    /// Public URL of the control plane: `iss` of tokens, byte for byte.
    pub issuer: Option<String>,
    /// Public URL of the gateways: `aud` of tokens, byte for byte.
    pub audience: Option<String>,
    /// How writes reach the gateways.
    pub gateways: Arc<dyn Gateways>,
    /// How often clients have failed.
    pub attempts: Arc<dyn Attempts>,
    /// Returns the current time, Unix microseconds.
    pub now_us: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// Returns whether a request with these extensions came over TLS or from this machine, so it
    /// may contain secrets (RFC 6749, section 3.2).
    pub came_safely: fn(&Extensions) -> bool,
    /// Number of days for which a key signs.
    pub signing_key_days: u32,
    /// Maximum number of opaque tokens of an application.
    pub opaque_tokens_max: u64,
    /// Length of the largest token that gateways accept in a request's head, bytes.
    pub token_bytes_max: usize,
}

/// The key manager, an authorization server (RFC 6749, section 1.1). Cheap to clone; all requests
/// share it.
#[derive(Clone)]
pub struct AuthorizationServer(Arc<Inner>);

/// The state behind an [`AuthorizationServer`].
pub struct Inner {
    pub(crate) store: Store,
    /// `iss`, if configured.
    pub(crate) issuer: Option<String>,
    /// `aud`, if configured.
    pub(crate) audience: Option<String>,
    pub(crate) gateways: Arc<dyn Gateways>,
    pub(crate) attempts: Arc<dyn Attempts>,
    now_us: Arc<dyn Fn() -> i64 + Send + Sync>,
    pub(crate) came_safely: fn(&Extensions) -> bool,
    pub(crate) assertions: Assertions,
    pub(crate) keys: Keys,
    pub(crate) allowance: Allowance,
    pub(crate) token_bytes_max: usize,
    pub(crate) issued: Issued,
    /// The metadata, rendered on the first request.
    pub(crate) metadata: OnceLock<Made>,
    pub(crate) ids: Ids,
}

/// The issuer and the audience of tokens.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) audience: &'a str,
}

impl AuthorizationServer {
    /// Creates a key manager from its parts.
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
            issued: Issued::default(),
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

    /// Returns the number of tokens issued at the token endpoint for each grant.
    #[must_use]
    pub fn issued(&self) -> Vec<(&'static str, u64)> {
        self.issued.by_grant()
    }

    /// Generates the first key for ES256 if none signs. Call it once, before requests arrive.
    ///
    /// # Errors
    /// Fails if the database write fails or no key can be generated. The first token request tries
    /// again.
    pub async fn begin(&self) -> Result<(), Failure> {
        match self.keys.signer(Algorithm::Es256).await {
            // Gateways that do not follow yet do not prevent the start.
            Ok(_) | Err(Failure::Unknown(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Runs periodic work: schedules successors for keys that have signed long enough, and deletes
    /// keys, tokens, revocations and assertions that have expired. Call it once a minute.
    ///
    /// # Errors
    /// Fails if the database write fails or no key can be generated. The next call does the rest.
    pub async fn turn(&self) -> Result<(), Failure> {
        let now_us = self.now_us();
        self.assertions.replay.sweep(now_us);
        self.allowance.forget();
        self.keys.rotate().await?;
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

    /// Generates the next key of an algorithm, which is published now and signs after 15 minutes;
    /// the one before ends when its last token has expired. If a next key already waits, it signs
    /// after 15 minutes at the latest. Returns the key, and whether every gateway knows it.
    ///
    /// # Errors
    /// Fails if the database write fails or no key can be generated.
    pub async fn next_key(&self, algorithm: Algorithm) -> Result<(SigningKeyId, InForce), Failure> {
        self.keys.next(algorithm).await
    }

    /// Deletes a key: its tokens are no longer valid. If it signs, another one does so from now on.
    ///
    /// # Errors
    /// `StoreError::NotFound`; fails if the database write fails.
    pub async fn delete_key(&self, id: SigningKeyId) -> Result<InForce, Failure> {
        self.keys.delete(id).await
    }
}

impl Inner {
    /// Returns the current time, Unix microseconds.
    pub(crate) fn now_us(&self) -> i64 {
        (self.now_us)()
    }

    /// Returns issuer and audience; fails if they are not configured.
    pub(crate) fn names(&self) -> Result<Names<'_>, Refused> {
        let names = self.issuer.as_deref().zip(self.audience.as_deref());
        let (issuer, audience) = names.ok_or_else(|| {
            let sentence = "tokens are not issued: set control.public_url and \
                gateway.public_url, or configure HTTPS listeners for both";
            Refused::because(Code::TemporarilyUnavailable, sentence)
        })?;
        Ok(Names { issuer, audience })
    }

    /// Returns a signed token unless it is too large for gateways to accept.
    pub(crate) fn usable(&self, token: String) -> Result<String, Refused> {
        if token.len() <= self.token_bytes_max {
            return Ok(token);
        }
        let sentence = format!(
            "the token would have {} bytes, and gateways accept {}: request fewer scopes",
            token.len(),
            self.token_bytes_max
        );
        Err(Refused::because(Code::InvalidScope, sentence))
    }

    /// Waits until every gateway has applied everything committed so far.
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

/// Returns the URL of an issuer's token endpoint.
#[must_use]
pub fn token_url(issuer: &str) -> String {
    url(issuer, TOKEN)
}

/// Returns the URL of a path below the issuer.
pub(crate) fn url(issuer: &str, path: &str) -> String {
    format!("{}{path}", issuer.trim_end_matches('/'))
}

#[cfg(test)]
mod tests;
