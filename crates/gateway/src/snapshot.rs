//! What this gateway serves, indexed for reading: a request holds one from its first step to its
//! last, a change makes a new one that shares all that did not change.
//!
//! `feed` makes them; `route`, `authenticate` and `authorize` read them.

pub(crate) mod callers;
pub(crate) mod contexts;
pub(crate) mod credential;
pub(crate) mod mediation;
pub(crate) mod operations;
pub(crate) mod service;
pub(crate) mod soap_to_rest;
pub(crate) mod table;
pub(crate) mod version;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use hashbrown::HashMap;
use smallvec::SmallVec;
use tollgate_counters::BoundLimit;
use tollgate_model::credential::Digest;
use tollgate_model::feed::Sequence;
use tollgate_model::id::{
    ApiKeyId, ApplicationId, BasicUserId, ClientId, SubscriptionId, TokenId, VersionId,
};
use tollgate_model::subscription;

use crate::snapshot::callers::{Client, Credential, ShortDigest, SigningKey, Token};
use crate::snapshot::contexts::Contexts;
use crate::snapshot::table::Table;

/// All that is served as of one sequence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) sequence: Sequence,
    pub(crate) contexts: Arc<Contexts>,
    pub(crate) subscriptions: Table<(ApplicationId, VersionId), Arc<Subscription>>,
    /// The limits of the plan `anonymous`, of each version that it may be needed for; `None`
    /// without such a plan.
    pub(crate) anonymous: Option<Arc<HashMap<VersionId, Vec<BoundLimit>>>>,
    pub(crate) api_keys: Table<ApiKeyId, Credential>,
    pub(crate) basic_users: Table<BasicUserId, Credential>,
    /// Users of HTTP Basic by the digests of name and password, as what they send names no id.
    pub(crate) basic_user_ids: Table<ShortDigest, BasicUserId>,
    pub(crate) clients: Table<ClientId, Arc<Client>>,
    /// Opaque tokens.
    pub(crate) tokens: Table<TokenId, Token>,
    /// Tokens that are worth nothing although their signatures are good, and when they expire, Unix
    /// microseconds.
    pub(crate) revoked_tokens: Table<TokenId, i64>,
    /// Unix microseconds from when on the tokens of an application were issued that are taken.
    pub(crate) tokens_from_us: Table<ApplicationId, i64>,
    /// By `kid`.
    pub(crate) signing_keys: Arc<HashMap<Box<str>, Arc<SigningKey>>>,
    /// Changes whenever an API key or a signed token that was found good may be so no more.
    pub(crate) security_epoch: u64,
}

impl Snapshot {
    /// The user of HTTP Basic with a name and a password of this digest.
    pub(crate) fn basic_user(&self, digest: &Digest) -> Option<(BasicUserId, &Credential)> {
        let id = *self.basic_user_ids.find(&digest.into())?;
        Some((id, self.basic_users.find(&id)?))
    }

    /// Unix microseconds from when on the tokens of an application were issued that are taken: none
    /// of one that there is not.
    pub(crate) fn tokens_from_us(&self, application: ApplicationId) -> i64 {
        let from_us = self.tokens_from_us.find(&application);
        from_us.copied().unwrap_or(i64::MAX)
    }
}

/// A subscription with its counters.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) id: SubscriptionId,
    pub(crate) status: subscription::Status,
    /// The limits of its plan, then its application's own. Of usual ones nothing else is read than
    /// the lines next to the rest of it: where many subscriptions are called, each miss counts.
    pub(crate) bounds: SmallVec<[BoundLimit; 4]>,
    /// The scopes by approval that it was granted.
    pub(crate) granted: Box<[String]>,
}

/// The present snapshot, shared by the feed's reader and the workers.
#[derive(Debug, Default)]
pub(crate) struct Current {
    snapshot: ArcSwap<Snapshot>,
    epoch: AtomicU64,
}

impl Current {
    /// Every request whose head is read after this sees `snapshot`.
    pub(crate) fn replace(&self, snapshot: Snapshot) {
        self.snapshot.store(Arc::new(snapshot));
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// Changes whenever the snapshot does; zero before the first.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// A copy for one worker, whose requests then count their holds without touching what the
    /// workers share; it has the tables in common with the original.
    pub(crate) fn load(&self) -> Snapshot {
        Snapshot::clone(&self.snapshot.load())
    }
}
