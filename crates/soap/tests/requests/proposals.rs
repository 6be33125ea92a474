//! The resources proposed for foreign contracts can be served unchanged.

use std::time::{Duration, Instant};

use tollgate_model::resource::RestService;
use tollgate_soap::resources::{Style, faults, merge, propose};

use super::{corpus, shop};

/// The maximum time for a contract of the corpus on a busy machine.
const TIME: Duration = Duration::from_secs(20);

#[test]
fn proposals_for_any_contract_are_served_unchanged() {
    let shop = [("shop".to_owned(), shop())];
    for (name, plan) in shop.into_iter().chain(corpus()) {
        let start = Instant::now();
        for style in [Style::Rest, Style::Rpc] {
            let resources = propose(&plan, style);
            let operations = plan.operations.iter();
            let callable = operations.filter(|operation| operation.proxy_only.is_none());
            assert_eq!(resources.len(), callable.count(), "{name}");
            assert_eq!(faults(&plan, &resources, &[]), [], "{name}");
            let merged = merge(&plan, &resources, Style::Rest, &[]);
            assert_eq!(
                (&merged.resources, &merged.changes[..]),
                (&resources, &[][..]),
                "{name}"
            );
            let rest = RestService {
                resources,
                ..RestService::default()
            };
            assert_eq!(rest.faults(), [], "{name}");
        }
        assert!(start.elapsed() < TIME, "{name}: {:?}", start.elapsed());
    }
}
