//! The plans that limits of operations name.

use std::collections::HashSet;

use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_store::{LIST_MAX, Store, StoreError, plans};

/// Returns a fault for each name of a plan that does not exist, in the limits of a configuration.
/// Plans are only read if a limit names some.
pub(super) async fn faults(
    store: &Store,
    configuration: &Configuration,
) -> Result<Vec<Fault>, StoreError> {
    let limits = configuration.limit_lists().flat_map(|(list, limits)| {
        let limits = limits.iter().enumerate();
        limits.map(move |(index, limit)| (format!("{list}/{index}/plans"), &limit.plans))
    });
    let named = limits.flat_map(|(field, plans)| {
        let plans = plans.iter().flatten().enumerate();
        plans.map(move |(index, plan)| (format!("{field}/{index}"), plan))
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let names = plan_names(store).await?;
    let unknown = named.into_iter().filter(|(_, plan)| !names.contains(*plan));
    let faults = unknown.map(|(field, plan)| {
        let detail = format!("there is no plan {plan:?}");
        Fault::new(field, "limit.plans", detail)
    });
    Ok(faults.collect())
}

async fn plan_names(store: &Store) -> Result<HashSet<String>, StoreError> {
    let mut names = HashSet::new();
    let mut after = None;
    loop {
        let page = plans::list(store, after, LIST_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(names);
        };
        after = Some(last.id);
        names.extend(page.into_iter().map(|plan| plan.name));
    }
}
