//! Events of plans: a change affects the subscriptions under the plan, and for the plan `anonymous`
//! the versions that can be called without a subscription.

use std::sync::Arc;

use tollgate_model::feed::ServedPlan;
use tollgate_model::id::PlanId;
use tollgate_model::plan::ANONYMOUS;

use super::{Reader, rules};

impl Reader {
    pub(super) fn put_plan(&mut self, plan: ServedPlan) {
        let id = plan.id;
        let was_anonymous = self.nouns.anonymous == Some(id);
        self.nouns.plans.insert(id, rules(plan.limits));
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
        let rules = self
            .nouns
            .anonymous
            .and_then(|id| self.nouns.plans.get(&id));
        self.snapshot.anonymous = rules.map(|rules| {
            let open = self.nouns.versions.values().filter(|it| it.may_be_open());
            let bound = open.map(|version| {
                let id = version.served.id;
                let bind = |rule| self.counters.bind_rule(rule, id.raw());
                (id, rules.iter().map(bind).collect())
            });
            Arc::new(bound.collect())
        });
    }
}
