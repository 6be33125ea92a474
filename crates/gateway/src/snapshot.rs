//! The state that this gateway serves, indexed for reading: a request holds one snapshot from its
//! first step to its last, a change creates a new one that shares everything unchanged.
//!
//! `feed` creates snapshots; `route`, `authenticate` and `authorize` read them.

pub(crate) mod caching;
pub(crate) mod callers;
pub(crate) mod contexts;
pub(crate) mod cors;
pub(crate) mod credential;
pub(crate) mod deprecation;
pub(crate) mod mediation;
pub(crate) mod operations;
pub(crate) mod policies;
pub(crate) mod service;
pub(crate) mod soap_to_rest;
pub(crate) mod table;
pub(crate) mod version;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use arc_swap::ArcSwap;
use hashbrown::HashMap;
use smallvec::SmallVec;
use tollgate_counters::BoundLimit;
use tollgate_model::credential::Digest;
use tollgate_model::feed::Sequence;
use tollgate_model::id::{
    ApiKeyId, ApplicationId, BasicUserId, ClientId, PlanId, SubscriptionId, TokenId, UserId,
    VersionId,
};
use tollgate_model::subscription;

use crate::clock::wall_us;
use crate::limits::Found;
use crate::limits::policy_line::PolicyLine;
use crate::snapshot::callers::{Client, Credential, ShortDigest, SigningKey, Token};
use crate::snapshot::contexts::Contexts;
use crate::snapshot::table::Table;

/// Everything that is served as of one sequence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) sequence: Sequence,
    pub(crate) contexts: Arc<Contexts>,
    pub(crate) subscriptions: Table<(ApplicationId, VersionId), Arc<Subscription>>,
    /// The limits of the plan `anonymous`; `None` without such a plan.
    pub(crate) anonymous: Option<Arc<Anonymous>>,
    pub(crate) api_keys: Table<ApiKeyId, Credential>,
    pub(crate) basic_users: Table<BasicUserId, Credential>,
    /// HTTP Basic users by the digests of name and password, since requests carry no id.
    pub(crate) basic_user_ids: Table<ShortDigest, BasicUserId>,
    pub(crate) clients: Table<ClientId, Arc<Client>>,
    /// Opaque tokens.
    pub(crate) tokens: Table<TokenId, Token>,
    /// Revoked tokens with signatures that are still valid, and their expiry, Unix microseconds.
    pub(crate) revoked_tokens: Table<TokenId, i64>,
    pub(crate) applications: Table<ApplicationId, Application>,
    /// By `kid`.
    pub(crate) signing_keys: Arc<HashMap<Box<str>, Arc<SigningKey>>>,
    /// Changes whenever a verified API key or signed token may no longer be valid.
    pub(crate) security_epoch: u64,
}

impl Snapshot {
    /// The HTTP Basic user with this digest of name and password.
    pub(crate) fn basic_user(&self, digest: &Digest) -> Option<(BasicUserId, &Credential)> {
        let id = *self.basic_user_ids.find(&digest.into())?;
        Some((id, self.basic_users.find(&id)?))
    }

    /// Unix microseconds; older tokens of an application are not valid. `i64::MAX` for an unknown
    /// application.
    pub(crate) fn tokens_from_us(&self, application: ApplicationId) -> i64 {
        let known = self.applications.find(&application);
        known.map_or(i64::MAX, |it| it.tokens_from_us)
    }
}

/// An application, without its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Application {
    pub(crate) owner: UserId,
    /// Unix microseconds; tokens issued earlier are not valid.
    pub(crate) tokens_from_us: i64,
}

/// The limits of calls without a subscription.
#[derive(Debug)]
pub(crate) struct Anonymous {
    /// Those of each version that can be called without one.
    pub(crate) bounds: HashMap<VersionId, Vec<BoundLimit>>,
    /// What callers see of them, if no other limits apply.
    pub(crate) policy_line: Arc<PolicyLine>,
    /// Those that are found at the call.
    pub(crate) found: Found,
    pub(crate) plan: PlanId,
}

/// A subscription with its counters.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) id: SubscriptionId,
    pub(crate) plan_id: PlanId,
    pub(crate) status: subscription::Status,
    /// The owner of its application, if that is known.
    pub(crate) owner: Option<UserId>,
    /// The limits of its plan, then the application's own. They are inline: usually a call reads
    /// only adjacent cache lines, and with many active subscriptions each miss counts.
    pub(crate) bounds: SmallVec<[BoundLimit; 4]>,
    /// What callers see of them, if no other limits apply.
    pub(crate) policy_line: Arc<PolicyLine>,
    /// The limits of its plan, and those of the application, that are found at the call.
    pub(crate) found: [Found; 2],
    /// The scopes by approval that are granted to it.
    pub(crate) granted: Box<[String]>,
    /// The name of its plan; empty for an unknown one.
    pub(crate) plan: Arc<str>,
}

/// The current snapshot, shared by the feed's reader and the workers.
#[derive(Debug, Default)]
pub(crate) struct Current {
    snapshot: ArcSwap<Snapshot>,
    epoch: AtomicU64,
    /// When a change of the configuration was applied, Unix microseconds.
    applied_us: AtomicI64,
}

impl Current {
    /// Replaces the snapshot; every request with a head read after this sees the new one.
    pub(crate) fn replace(&self, snapshot: Snapshot) {
        self.snapshot.store(Arc::new(snapshot));
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// Notes that the snapshot has a change of the configuration.
    pub(crate) fn note_applied(&self) {
        self.applied_us.store(wall_us(), Ordering::Relaxed);
    }

    /// When a change of the configuration was last applied, Unix microseconds.
    pub(crate) fn applied_us(&self) -> i64 {
        self.applied_us.load(Ordering::Relaxed)
    }

    /// Changes with the snapshot; zero before the first.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Returns a copy for one worker, so that its requests count references without touching memory
    /// shared by the workers; the tables are shared with the original.
    pub(crate) fn load(&self) -> Snapshot {
        Snapshot::clone(&self.snapshot.load())
    }
}
