//! What is used of the limits of subscriptions and versions. It is read for people, beside the
//! calls: none of them waits for it.

use std::sync::Arc;

use hashbrown::HashSet;
use tollgate_counters::{BoundLimit, Consumption, Counters, Rule};
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApplicationId, VersionId};
use tollgate_model::quota::{Quota, QuotaOwner, QuotaUse, Subject};
use tollgate_model::record::Owner;

use crate::clock::wall_us;
use crate::limits::Found;
use crate::snapshot::Snapshot;
use crate::snapshot::operations::Operation;
use crate::snapshot::version::Version;
use crate::status::Observer;

impl Observer {
    /// Returns the limits of these, and what is used of each. Those that are not served have none.
    #[must_use]
    pub fn quotas(&self, subjects: &[Subject]) -> Vec<Quota> {
        let snapshot = self.current.load();
        let mut quotas = Quotas::new(&snapshot, wall_us());
        for subject in subjects {
            match *subject {
                Subject::Subscription(application, version) => {
                    quotas.add_subscription(application, version);
                }
                Subject::Version(id) => {
                    if let Some(version) = snapshot.contexts.version(id) {
                        quotas.add_version(version);
                    }
                }
            }
        }
        quotas.finish(&self.counters)
    }
}

/// Reads what is used of limits.
struct Quotas<'s> {
    snapshot: &'s Snapshot,
    now_us: i64,
    quotas: Vec<Quota>,
    /// Those with several counters, and the places of their quotas.
    found: Vec<(usize, &'s Rule)>,
    /// The applications of which the own limits have been added.
    applications: HashSet<ApplicationId>,
}

impl<'s> Quotas<'s> {
    fn new(snapshot: &'s Snapshot, now_us: i64) -> Self {
        Self {
            snapshot,
            now_us,
            quotas: Vec::new(),
            found: Vec::new(),
            applications: HashSet::new(),
        }
    }

    /// Adds the limits of a subscription's plan, and those of its application once.
    fn add_subscription(&mut self, application: ApplicationId, version: VersionId) {
        let Some(subscription) = self.snapshot.subscriptions.find(&(application, version)) else {
            return;
        };
        let of_plan = QuotaOwner {
            application: Some(application),
            version: Some(version),
            plan: Some(subscription.plan_id),
            ..QuotaOwner::default()
        };
        let of_application = QuotaOwner {
            application: Some(application),
            ..QuotaOwner::default()
        };
        let (of_the_plan, own): (Vec<_>, Vec<_>) = subscription.bounds.iter().partition(|bound| {
            bound
                .rule()
                .place()
                .is_some_and(|it| it.owner() == Owner::Plan)
        });
        let [found, own_found] = &subscription.found;
        self.add_bound(of_plan, of_the_plan);
        self.add_found(of_plan, found);
        if self.applications.insert(application) {
            self.add_bound(of_application, own);
            self.add_found(of_application, own_found);
        }
    }

    /// Adds the limits of a version, its operations and its upstreams, and those of callers without
    /// a subscription.
    fn add_version(&mut self, version: &'s Version) {
        let id = version.served.id;
        let own = QuotaOwner {
            version: Some(id),
            ..QuotaOwner::default()
        };
        self.add_bound(own, &version.bounds);
        self.add_found(own, &version.found);
        let of_soap = version.service.iter().flat_map(|it| it.operations());
        for operation in version.operations.all().iter().chain(of_soap) {
            self.add_operation(own, operation);
        }
        for environment in [Environment::Production, Environment::Sandbox] {
            if let Some(upstream) = version.upstream(environment) {
                let environment = Some(environment);
                self.add_bound(QuotaOwner { environment, ..own }, &upstream.bounds);
            }
        }
        if let Some(anonymous) = &self.snapshot.anonymous {
            let plan = Some(anonymous.plan);
            let bounds = anonymous.bounds.get(&id);
            self.add_bound(QuotaOwner { plan, ..own }, bounds.into_iter().flatten());
            if bounds.is_some() {
                self.add_found(QuotaOwner { plan, ..own }, &anonymous.found);
            }
        }
    }

    fn add_operation(&mut self, of_version: QuotaOwner, operation: &'s Operation) {
        let owner = QuotaOwner {
            operation: Some(operation.id),
            ..of_version
        };
        self.add_bound(owner, &operation.bounds);
        self.add_found(owner, &operation.found);
    }

    fn add_bound(&mut self, owner: QuotaOwner, bounds: impl IntoIterator<Item = &'s BoundLimit>) {
        for bound in bounds {
            let Consumption {
                used,
                amount,
                resets_us,
            } = bound.consumption(self.now_us);
            self.add(
                owner,
                bound.rule(),
                QuotaUse::Counter {
                    used,
                    amount,
                    resets_us,
                },
            );
        }
    }

    fn add_found(&mut self, owner: QuotaOwner, found: &'s Found) {
        for limit in found.iter().flat_map(Arc::as_ref) {
            let place = self.quotas.len();
            if self.add(owner, limit.rule(), QuotaUse::Counters(0)) {
                self.found.push((place, limit.rule()));
            }
        }
    }

    /// Returns whether the limit has a place to name.
    fn add(&mut self, owner: QuotaOwner, rule: &Rule, consumption: QuotaUse) -> bool {
        let Some(place) = rule.place() else {
            return false;
        };
        self.quotas.push(Quota {
            owner,
            place,
            name: rule.name().to_owned(),
            limit: rule.limit().clone(),
            consumption,
        });
        true
    }

    /// Counts the counters of limits with several, all in one pass.
    fn finish(mut self, counters: &Counters) -> Vec<Quota> {
        let rules: Vec<_> = self.found.iter().map(|(_, rule)| *rule).collect();
        if !rules.is_empty() {
            for ((place, _), count) in self.found.iter().zip(counters.count_of(&rules)) {
                self.quotas[*place].consumption = QuotaUse::Counters(count);
            }
        }
        self.quotas
    }
}
