//! Reads the feed: applies each message to the snapshot as a whole and acknowledges its sequence.
//!
//! Runs on its own thread, away from the workers. It keeps the latest state of each noun, so that a
//! change of a plan finds the subscriptions under it. A version that cannot be served is refused:
//! its previous state stays in force, and the acknowledgement reports it.
//!
//! - `credentials.rs`: credentials, clients, tokens and signing keys; `endings.rs`: removal of what
//!   has expired; `plans.rs`: plans, and the limits for calls without a subscription

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tollgate_counters::{Counters, Rule};
use tollgate_model::feed::{
    Applied, Change, Event, Message, RefusedVersion, ServedApplication, ServedSubscription,
    ServedVersion,
};
use tollgate_model::id::{ApplicationId, PlanId, SubscriptionId, VersionId};
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::plan::Per;
use tollgate_model::subscription::Status;

mod credentials;
mod endings;
mod plans;

use endings::Endings;

use crate::clock::wall_us;
use crate::limits::policy_line::PolicyLine;
use crate::limits::{self, Owner, Rules, own_dimension};
use crate::pools::Places;
use crate::snapshot::callers::Reach;
use crate::snapshot::contexts::Contexts;
use crate::snapshot::soap_to_rest::{SoapToRest, Unusable};
use crate::snapshot::version::Version;
use crate::snapshot::{Current, Snapshot, Subscription};
use crate::stored::Caches;
use crate::worker::warnings;

/// Applies the feed's messages.
pub(crate) struct Reader {
    current: Arc<Current>,
    counters: Arc<Counters>,
    caches: Arc<Caches>,
    /// Shared by all snapshots, so that connections survive changes.
    places: Places,
    snapshot: Snapshot,
    nouns: Nouns,
    /// Versions that are refused, with the reasons.
    refused: BTreeMap<VersionId, String>,
    /// The path of the gateway's URL.
    public_path: Box<str>,
}

/// A plan's name, and the rules of its limits.
struct Plan {
    name: Arc<str>,
    rules: Rules,
}

/// The latest state of each noun from the events; for versions, what is in force.
#[derive(Default)]
struct Nouns {
    versions: HashMap<VersionId, Arc<Version>>,
    plans: HashMap<PlanId, Plan>,
    applications: HashMap<ApplicationId, Rules>,
    of_application: HashMap<ApplicationId, HashSet<SubscriptionId>>,
    subscriptions: HashMap<SubscriptionId, ServedSubscription>,
    /// The plan `anonymous`.
    anonymous: Option<PlanId>,
    /// The reaches of the opaque tokens, each once.
    reaches: HashSet<Arc<Reach>>,
    endings: Endings,
}

impl Reader {
    pub(crate) fn new(
        current: Arc<Current>,
        counters: Arc<Counters>,
        caches: Arc<Caches>,
        public_path: &str,
    ) -> Self {
        let snapshot = Snapshot::default();
        Self {
            current,
            counters,
            caches,
            places: Places::default(),
            snapshot,
            nouns: Nouns::default(),
            refused: BTreeMap::new(),
            public_path: public_path.into(),
        }
    }

    /// Applies messages until the feed ends.
    pub(crate) fn follow(
        mut self,
        mut messages: mpsc::Receiver<Message>,
        applied: &watch::Sender<Applied>,
    ) {
        while let Some(message) = messages.blocking_recv() {
            match message {
                Message::Whole(change) => self.replace(change),
                Message::Change(change) if change.after == self.snapshot.sequence => {
                    self.apply(change);
                }
                Message::Heartbeat(present) if present == self.snapshot.sequence => {
                    self.forget_ended(wall_us());
                }
                Message::Change(_) | Message::Heartbeat(_) => {
                    tracing::warn!("the feed has a gap; requesting a full snapshot");
                    applied.send_replace(Applied::default());
                    continue;
                }
            }
            applied.send_replace(self.applied());
        }
    }

    fn applied(&self) -> Applied {
        let refused = self.refused.iter();
        let refused = refused.map(|(&version, reason)| RefusedVersion {
            version,
            reason: reason.clone(),
        });
        Applied {
            sequence: self.snapshot.sequence,
            refused: refused.collect(),
        }
    }

    /// Replaces the whole state with the events of a full message.
    fn replace(&mut self, whole: Change) {
        let before = std::mem::take(&mut self.nouns).versions;
        // Nothing that was verified before counts as verified.
        let security_epoch = self.snapshot.security_epoch + 1;
        self.snapshot = Snapshot {
            security_epoch,
            ..Snapshot::default()
        };
        self.refused.clear();
        self.apply_after(whole, before);
    }

    fn apply(&mut self, change: Change) {
        self.apply_after(change, HashMap::new());
    }

    /// Applies the events together, and only then publishes them. `before` has the versions of the
    /// replaced state, no longer in force; those that the events refuse are restored from it.
    fn apply_after(&mut self, change: Change, before: HashMap<VersionId, Arc<Version>>) {
        let mut contexts = None;
        for event in change.events {
            match event {
                Event::Version(served) => {
                    let contexts = contexts.get_or_insert_with(|| self.contexts());
                    let before = before.get(&served.id);
                    self.put_version(contexts, *served, before);
                }
                Event::VersionRefused(RefusedVersion { version, reason }) => {
                    contexts.get_or_insert_with(|| self.contexts());
                    self.refused.insert(version, reason);
                }
                Event::VersionGone(id) => {
                    let contexts = contexts.get_or_insert_with(|| self.contexts());
                    self.refused.remove(&id);
                    if let Some(before) = self.nouns.versions.remove(&id) {
                        contexts.remove(&before.served);
                    }
                }
                Event::Plan(plan) => self.put_plan(&plan),
                Event::PlanGone(id) => self.end_plan(id),
                Event::Application(application) => self.put_application(&application),
                Event::ApplicationGone(id) => {
                    self.nouns.applications.remove(&id);
                    self.end_tokens_of(id);
                    self.put_subscriptions_of(id);
                }
                Event::Subscription(served) => self.put_subscription(served),
                Event::SubscriptionGone(id) => self.end_subscription(id),
                Event::Credential(credential) => self.put_credential(&credential),
                Event::CredentialGone(id) => self.end_credential(id),
                Event::Client(client) => self.put_client(client),
                Event::Token(token) => self.put_token(token),
                Event::TokenRevoked(token) => self.revoke_token(token),
                Event::SigningKey(key) => self.put_signing_key(key),
                Event::SigningKeyGone(id) => self.end_signing_key(id),
                Event::CachePurged(purge) => self.caches.purge(purge),
            }
        }
        if let Some(mut contexts) = contexts {
            self.keep_refused(&mut contexts, before);
            self.snapshot.contexts = Arc::new(contexts);
            self.bind_anonymous();
        }
        self.snapshot.sequence = change.sequence;
        self.current.replace(self.snapshot.clone());
        self.current.note_applied();
        self.places.release();
    }

    fn contexts(&self) -> Contexts {
        Contexts::clone(&self.snapshot.contexts)
    }

    /// Replaces a version once the new one is ready; `before` is the last version in force, if none
    /// is now.
    fn put_version(
        &mut self,
        contexts: &mut Contexts,
        served: ServedVersion,
        before: Option<&Arc<Version>>,
    ) {
        let id = served.id;
        let present = self.nouns.versions.get(&id).or(before).cloned();
        match self.make_ready(served, present.as_deref()) {
            Ok(version) => {
                let version = Arc::new(version);
                self.refused.remove(&id);
                if let Some(before) = self.nouns.versions.insert(id, Arc::clone(&version)) {
                    contexts.remove(&before.served);
                }
                contexts.insert(&version);
            }
            Err(error) => {
                let reason = warnings::chain(&error);
                tracing::error!(version = %id, reason, "version {id} cannot be served: {reason}");
                self.refused.insert(id, reason);
            }
        }
    }

    fn make_ready(
        &mut self,
        served: ServedVersion,
        before: Option<&Version>,
    ) -> Result<Version, Unusable> {
        let soap_to_rest = self.soap_to_rest(&served, before)?;
        let (counters, places) = (&self.counters, &mut self.places);
        Version::new(served, soap_to_rest, counters, places, &self.public_path)
    }

    /// Keeps the previous state of refused versions, unless another version has taken its place:
    /// its API may have given up its context to another one.
    fn keep_refused(
        &mut self,
        contexts: &mut Contexts,
        mut before: HashMap<VersionId, Arc<Version>>,
    ) {
        let versions = &mut self.nouns.versions;
        for id in self.refused.keys() {
            let (old, is_in_force) = match (versions.remove(id), before.remove(id)) {
                (Some(old), _) => (old, true),
                (None, Some(old)) => (old, false),
                (None, None) => continue,
            };
            let mut others = versions.values();
            if others.any(|other| are_in_conflict(&old.served, &other.served)) {
                contexts.remove(&old.served);
                continue;
            }
            if !is_in_force {
                contexts.insert_back(&old);
            }
            versions.insert(*id, old);
        }
    }

    /// The REST service of a version: the previous one if nothing of it has changed, since large
    /// contracts take a while.
    fn soap_to_rest(
        &self,
        served: &ServedVersion,
        before: Option<&Version>,
    ) -> Result<Option<Arc<SoapToRest>>, Unusable> {
        let Some(soap) = &served.soap else {
            return Ok(None);
        };
        let Some(rest) = &soap.rest else {
            return Ok(None);
        };
        let same = before.filter(|before| before.served.soap.as_ref() == Some(soap));
        if let Some(same) = same.and_then(|before| before.soap_to_rest.as_ref()) {
            return Ok(Some(Arc::clone(same)));
        }
        // Calls of a blocked version never get this far, so nothing can prevent blocking it.
        if served.state.at_gateway() == AtGateway::Refused {
            return Ok(None);
        }
        Ok(Some(Arc::new(SoapToRest::new(rest)?)))
    }

    fn put_application(&mut self, application: &ServedApplication) {
        let id = application.id;
        let rules = Rules::new(&application.limits, Owner::Application, id.raw());
        self.nouns.applications.insert(id, rules);
        self.put_owner(application);
        self.put_subscriptions_of(id);
    }

    fn put_subscriptions_of(&mut self, application: ApplicationId) {
        let ids = self.nouns.of_application.get(&application);
        let served = ids.into_iter().flatten();
        let served = served.filter_map(|id| self.nouns.subscriptions.get(id).cloned());
        for served in served.collect::<Vec<_>>() {
            self.put_subscription(served);
        }
    }

    /// Adds a subscription. One with an unknown plan or application is not active: without limits
    /// it would be unlimited.
    fn put_subscription(&mut self, served: ServedSubscription) {
        let plan = self.nouns.plans.get(&served.plan);
        let application = self.nouns.applications.get(&served.application);
        let owner = self.snapshot.applications.find(&served.application);
        let owner = owner.map(|application| application.owner);
        let status = match (plan, application) {
            (Some(_), Some(_)) => served.status,
            _ => Status::Pending,
        };
        let of_plan = |rule| self.counters.bind_rule(rule, &[dimension(rule, &served)]);
        let own = [own_dimension(served.application.raw())];
        let own = |rule| self.counters.bind_rule(rule, &own);
        let plan_rules = plan.into_iter().flat_map(|plan| &plan.rules.bound);
        let own_rules = application.into_iter().flat_map(|rules| &rules.bound);
        // Most applications have no limits of their own, and share what was prepared for the plan.
        let policy_line = match (plan, application) {
            (Some(plan), Some(own)) if own.bound.is_empty() => Arc::clone(&plan.rules.policy_line),
            _ => {
                let rules = plan_rules.clone().chain(own_rules.clone());
                Arc::new(PolicyLine::new(rules.map(Arc::as_ref)))
            }
        };
        let bounds = plan_rules.map(of_plan).chain(own_rules.map(own));
        let subscription = Arc::new(Subscription {
            id: served.id,
            plan_id: served.plan,
            status,
            owner,
            bounds: bounds.collect(),
            policy_line,
            found: [
                plan.and_then(|plan| plan.rules.found.clone()),
                application.and_then(|rules| rules.found.clone()),
            ],
            granted: served.scopes.clone().into(),
            plan: plan.map_or_else(Arc::default, |plan| Arc::clone(&plan.name)),
        });
        self.snapshot
            .subscriptions
            .insert((served.application, served.version), subscription);
        let of_application = self.nouns.of_application.entry(served.application);
        of_application.or_default().insert(served.id);
        self.nouns.subscriptions.insert(served.id, served);
    }

    /// Removes a subscription, unless a newer one already has its place.
    fn end_subscription(&mut self, id: SubscriptionId) {
        let Some(served) = self.nouns.subscriptions.remove(&id) else {
            return;
        };
        if let Some(of_application) = self.nouns.of_application.get_mut(&served.application) {
            of_application.remove(&id);
        }
        let place = (served.application, served.version);
        let subscriptions = &mut self.snapshot.subscriptions;
        if subscriptions.find(&place).is_some_and(|it| it.id == id) {
            subscriptions.remove(&place);
        }
    }
}

/// Whether two versions conflict in their paths: contexts of two APIs never overlap, and no two
/// versions of one API have the same name.
fn are_in_conflict(one: &ServedVersion, other: &ServedVersion) -> bool {
    if one.context == other.context {
        return one.api != other.api || one.name == other.name;
    }
    let is_below = |inner: &str, outer: &str| {
        let below = inner.strip_prefix(outer);
        below.is_some_and(|below| below.starts_with('/'))
    };
    is_below(&one.context, &other.context) || is_below(&other.context, &one.context)
}

fn dimension(rule: &Rule, served: &ServedSubscription) -> i64 {
    match rule.limit().per {
        Per::SUBSCRIPTION => limits::subscription(served.application.raw(), served.version.raw()),
        Per::APPLICATION => served.application.raw(),
        _ => served.version.raw(),
    }
}

#[cfg(test)]
mod tests;
