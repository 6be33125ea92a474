//! For tests: a gateway that stores the state from its messages, to compare it with the database.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::{
    Applied, Event, Message, RefusedVersion, RevokedToken, Sequence, ServedApplication,
    ServedClient, ServedCredential, ServedPlan, ServedSigningKey, ServedSubscription, ServedToken,
    ServedVersion,
};
use tollgate_model::id::VersionId;

use super::Feed;

/// The state of a gateway after the messages that it has applied.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Mirror {
    pub(crate) sequence: Sequence,
    pub(crate) versions: BTreeMap<i64, ServedVersion>,
    pub(crate) plans: BTreeMap<i64, ServedPlan>,
    pub(crate) applications: BTreeMap<i64, ServedApplication>,
    pub(crate) subscriptions: BTreeMap<i64, ServedSubscription>,
    pub(crate) credentials: BTreeMap<CredentialId, ServedCredential>,
    pub(crate) clients: BTreeMap<CredentialId, ServedClient>,
    pub(crate) tokens: BTreeMap<i64, ServedToken>,
    pub(crate) revoked: BTreeMap<i64, RevokedToken>,
    pub(crate) signing_keys: BTreeMap<i64, ServedSigningKey>,
    /// The number of the last purge of each version.
    pub(crate) purged: BTreeMap<i64, u64>,
    /// Reasons why versions are not served as stored.
    pub(crate) refused: BTreeMap<i64, String>,
}

impl Mirror {
    pub(crate) fn apply(&mut self, message: Message) {
        let change = match message {
            Message::Whole(change) => {
                assert_eq!(change.after, 0, "a full state follows nothing");
                // What was carried out stays so.
                let purged = std::mem::take(&mut self.purged);
                *self = Self {
                    purged,
                    ..Self::default()
                };
                change
            }
            Message::Change(change) => {
                assert_eq!(change.after, self.sequence, "no change is missed");
                assert!(change.sequence > self.sequence, "sequences rise");
                change
            }
            Message::Heartbeat(sequence) => {
                assert_eq!(sequence, self.sequence, "a heartbeat has no new sequence");
                return;
            }
        };
        self.sequence = change.sequence;
        change.events.into_iter().for_each(|event| self.note(event));
    }

    fn applied(&self) -> Applied {
        let refused = self.refused.iter();
        let refused = refused.map(|(&version, reason)| RefusedVersion {
            version: VersionId::from_raw(version),
            reason: reason.clone(),
        });
        Applied {
            sequence: self.sequence,
            refused: refused.collect(),
        }
    }

    fn note(&mut self, event: Event) {
        match &event {
            Event::Version(served) => drop(self.refused.remove(&served.id.raw())),
            Event::VersionGone(id) => drop(self.refused.remove(&id.raw())),
            _ => {}
        }
        match event {
            Event::Version(it) => drop(self.versions.insert(it.id.raw(), *it)),
            Event::VersionRefused(it) => {
                self.refused.insert(it.version.raw(), it.reason);
            }
            Event::VersionGone(id) => drop(self.versions.remove(&id.raw())),
            Event::Plan(it) => drop(self.plans.insert(it.id.raw(), it)),
            Event::PlanGone(id) => drop(self.plans.remove(&id.raw())),
            Event::Application(it) => drop(self.applications.insert(it.id.raw(), it)),
            Event::ApplicationGone(id) => drop(self.applications.remove(&id.raw())),
            Event::Subscription(it) => drop(self.subscriptions.insert(it.id.raw(), it)),
            Event::SubscriptionGone(id) => drop(self.subscriptions.remove(&id.raw())),
            Event::Credential(it) => drop(self.credentials.insert(it.id, it)),
            Event::CredentialGone(id) => {
                self.credentials.remove(&id);
                self.clients.remove(&id);
            }
            Event::Client(it) => drop(self.clients.insert(CredentialId::Client(it.id), it)),
            Event::Token(it) => drop(self.tokens.insert(it.id.raw(), it)),
            Event::TokenRevoked(it) => {
                self.tokens.remove(&it.id.raw());
                self.revoked.insert(it.id.raw(), it);
            }
            Event::SigningKey(it) => drop(self.signing_keys.insert(it.id.raw(), it)),
            Event::SigningKeyGone(id) => drop(self.signing_keys.remove(&id.raw())),
            Event::CachePurged(it) => {
                let last = self.purged.insert(it.version.raw(), it.number);
                assert!(
                    last <= Some(it.number),
                    "numbers of purges rise: {last:?} {it:?}"
                );
            }
        }
    }
}

/// A gateway that applies messages in a separate task, and acknowledges them.
pub(crate) struct Follows {
    mirror: Arc<Mutex<Mirror>>,
}

impl Follows {
    pub(crate) fn new(feed: &Feed) -> Self {
        let (mut messages, applied) = feed.follow();
        let mirror = Arc::new(Mutex::new(Mirror::default()));
        let held = Arc::clone(&mirror);
        tokio::spawn(async move {
            let mut count = 0_u64;
            while let Some(message) = messages.recv().await {
                // Sometimes slow, so that messages queue up and writers have to wait.
                count += 1;
                if count.is_multiple_of(7) {
                    tokio::time::sleep(Duration::from_millis(3)).await;
                }
                let acknowledged = {
                    let mut mirror = held.lock().unwrap();
                    mirror.apply(message);
                    mirror.applied()
                };
                if applied.send(acknowledged).is_err() {
                    return;
                }
            }
        });
        Self { mirror }
    }

    pub(crate) fn now(&self) -> Mirror {
        self.mirror.lock().unwrap().clone()
    }

    pub(crate) async fn until(&self, holds: impl Fn(&Mirror) -> bool) -> Mirror {
        let waiting = async {
            while !holds(&self.now()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(20), waiting).await;
        waited.expect("the condition becomes true in time");
        self.now()
    }
}
