//! Events of plans: a change affects the subscriptions under the plan, and for the plan `anonymous`
//! the versions that can be called without a subscription.

use std::sync::Arc;

use tollgate_model::feed::ServedPlan;
use tollgate_model::id::PlanId;
use tollgate_model::plan::ANONYMOUS;

use super::{Plan, Reader};
use crate::limits::{Owner, Rules};
use crate::snapshot::Anonymous;

impl Reader {
    pub(super) fn put_plan(&mut self, plan: &ServedPlan) {
        let id = plan.id;
        let was_anonymous = self.nouns.anonymous == Some(id);
        let counts_failures = plan.counts_failures;
        let rules = Rules::new(&plan.limits, Owner::Plan { counts_failures }, id.raw());
        let name = plan.name.as_str().into();
        self.nouns.plans.insert(id, Plan { name, rules });
        if plan.name == ANONYMOUS {
            self.nouns.anonymous = Some(id);
        } else if was_anonymous {
            self.nouns.anonymous = None;
        }
        if plan.name == ANONYMOUS || was_anonymous {
            self.bind_anonymous();
        }
        let under = self
            .nouns
            .subscriptions
            .values()
            .filter(|served| served.plan == id);
        for served in under.cloned().collect::<Vec<_>>() {
            self.put_subscription(served);
        }
    }

    pub(super) fn end_plan(&mut self, id: PlanId) {
        self.nouns.plans.remove(&id);
        if self.nouns.anonymous == Some(id) {
            self.nouns.anonymous = None;
            self.bind_anonymous();
        }
    }

    /// Binds the limits of the plan `anonymous` to each version that can be called without a
    /// subscription; they count all such calls of the version together.
    pub(super) fn bind_anonymous(&mut self) {
        let id = self.nouns.anonymous;
        let plan = id.and_then(|id| Some((id, self.nouns.plans.get(&id)?)));
        self.snapshot.anonymous = plan.map(|(plan_id, plan)| {
            let open = self.nouns.versions.values().filter(|it| it.may_be_open());
            let bound = open.map(|version| {
                let id = version.served.id;
                let dimension = [id.raw()];
                let rules = plan.rules.bound.iter();
                let bounds = rules.map(|rule| self.counters.bind_rule(rule, &dimension));
                (id, bounds.collect())
            });
            Arc::new(Anonymous {
                bounds: bound.collect(),
                policy_line: Arc::clone(&plan.rules.policy_line),
                found: plan.rules.found.clone(),
                plan: plan_id,
            })
        });
    }
}
