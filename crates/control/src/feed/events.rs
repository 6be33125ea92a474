//! From what the store says of a noun to what gateways are told of it: limits with their windows,
//! versions compiled.

use tollgate_model::compile;
use tollgate_model::feed::{Event, ServedApplication, ServedPlan};
use tollgate_model::limit::ServedLimit;
use tollgate_model::plan::Limit;
use tollgate_store::feed::{Deployed, Fact};

use crate::contracts::Contracts;

/// The events of these facts; `now_us` (Unix microseconds) is where calendar windows begin.
pub(crate) async fn of(facts: Vec<Fact>, contracts: &Contracts, now_us: i64) -> Vec<Event> {
    let mut events = Vec::with_capacity(facts.len());
    for fact in facts {
        events.push(match fact {
            Fact::Version(deployed) => version(*deployed, contracts, now_us).await,
            fact => event(fact, now_us),
        });
    }
    events
}

fn event(fact: Fact, now_us: i64) -> Event {
    match fact {
        Fact::Version(deployed) => Event::VersionGone(deployed.version.id),
        Fact::VersionGone(id) => Event::VersionGone(id),
        Fact::Plan { id, name, terms } => Event::Plan(ServedPlan {
            id,
            name,
            limits: served(&terms.limits, now_us),
        }),
        Fact::PlanGone(id) => Event::PlanGone(id),
        Fact::Application { id, limits } => Event::Application(ServedApplication {
            id,
            limits: served(&limits, now_us),
        }),
        Fact::ApplicationGone(id) => Event::ApplicationGone(id),
        Fact::Subscription(subscription) => Event::Subscription(subscription),
        Fact::SubscriptionGone(id) => Event::SubscriptionGone(id),
        Fact::Key(key) => Event::Key(key),
        Fact::KeyGone(id) => Event::KeyGone(id),
    }
}

/// What was compiled when it was deployed compiles again; where a later release knows better,
/// not serving the version is safer than serving it by rules that it does not fit.
async fn version(deployed: Deployed, contracts: &Contracts, now_us: i64) -> Event {
    let Deployed {
        version,
        configuration,
        contract,
    } = deployed;
    let id = version.id;
    let place = (version.context.as_str(), version.name.as_str());
    let made = match contracts.of(place, &configuration, contract).await {
        Ok(made) => made,
        Err(reason) => {
            tracing::error!(version = %id, reason, "a deployed contract cannot be served");
            return Event::VersionGone(id);
        }
    };
    let contract = made.as_ref().map(|made| &made.contract);
    match compile::compile(&version, &configuration, contract, now_us) {
        Ok(Some(served)) => Event::Version(Box::new(served)),
        Ok(None) => Event::VersionGone(id),
        Err(faults) => {
            let details: Vec<_> = faults.iter().map(|fault| fault.detail.as_str()).collect();
            let details = details.join("; ");
            tracing::error!(version = %id, details, "a deployed version cannot be served");
            Event::VersionGone(id)
        }
    }
}

fn served(limits: &[Limit], now_us: i64) -> Vec<ServedLimit> {
    let compiled = limits
        .iter()
        .map(|limit| ServedLimit::compile(limit, now_us));
    compiled.collect()
}
