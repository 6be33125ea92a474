//! Whether the upstreams of a configuration may be reached, asked when it is saved and when it is
//! deployed. The gateway asks again for each connection, since a host may get another address.

use std::time::Duration;

use tokio::net::lookup_host;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::upstream::Target;

use crate::error::{Problem, refuse_any};
use crate::state::Control;

/// How long a host is resolved. One that cannot be resolved now may be known later.
const RESOLVE_TIME: Duration = Duration::from_secs(2);

/// Refuses upstreams whose host has an address that no upstream may have. Resolves names, so it is
/// not to be called while a write is held.
///
/// # Errors
/// 422 `upstream.forbidden`.
pub(crate) async fn judge(control: &Control, configuration: &Configuration) -> Result<(), Problem> {
    let Configuration {
        upstream,
        sandbox_upstream,
        ..
    } = configuration;
    let mut faults = Vec::new();
    for (field, upstream) in [
        ("/upstream/url", upstream),
        ("/sandbox_upstream/url", sandbox_upstream),
    ] {
        for target in upstream.iter().flat_map(|upstream| &upstream.targets) {
            if let Some(detail) = forbidden(control, target).await {
                faults.push(Fault::new(field, "upstream.forbidden", detail));
            }
        }
    }
    refuse_any(faults)
}

/// Why a gateway would refuse to connect; `None` where one of the host's addresses is good, or
/// none is known.
async fn forbidden(control: &Control, target: &Target) -> Option<String> {
    // A URL that is none is refused elsewhere.
    let address = target.address().ok()?;
    let resolving = lookup_host((address.host, address.port));
    let resolved = tokio::time::timeout(RESOLVE_TIME, resolving).await;
    let rules = control.upstream_rules();
    let mut forbidden = None;
    for resolved in resolved.ok()?.ok()? {
        forbidden = Some(rules.judge(address.host, resolved).err()?.to_string());
    }
    forbidden
}
