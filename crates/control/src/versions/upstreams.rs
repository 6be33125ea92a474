//! Whether the upstreams of a configuration may be reached, asked when it is saved and when it is
//! deployed. The gateway asks again for each connection, since a host may get another address.

use std::time::Duration;

use tokio::net::lookup_host;
use tollgate_fetch::tls;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::scheme::UriScheme;
use tollgate_model::upstream::{Target, Upstream};

use crate::error::{Problem, refuse_any};
use crate::state::Control;

/// How long a host is resolved. One that cannot be resolved now may be known later.
const RESOLVE_TIME: Duration = Duration::from_secs(2);

/// Refuses upstreams whose host has an address that no upstream may have, and those that could not
/// prove who they are. Resolves names, so it is not to be called while a write is held.
///
/// # Errors
/// 422 `upstream.forbidden`, `upstream.ca`, `upstream.url`.
pub(crate) async fn judge(control: &Control, configuration: &Configuration) -> Result<(), Problem> {
    let Configuration {
        upstream,
        sandbox_upstream,
        ..
    } = configuration;
    let mut faults = Vec::new();
    for (place, upstream) in [
        ("/upstream", upstream),
        ("/sandbox_upstream", sandbox_upstream),
    ] {
        let Some(upstream) = upstream else {
            continue;
        };
        let mut found = unprovable(upstream);
        for target in &upstream.targets {
            if let Some(detail) = forbidden(control, target).await {
                found.push(Fault::new("/url", "upstream.forbidden", detail));
            }
        }
        faults.extend(found.into_iter().map(|fault| fault.under(place)));
    }
    refuse_any(faults)
}

/// Why an upstream could not prove who it is.
fn unprovable(upstream: &Upstream) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(Err(error)) = upstream.ca.as_deref().map(tls::roots_of) {
        faults.push(Fault::new("/ca", "upstream.ca", error.to_string()));
    }
    for target in &upstream.targets {
        // A URL that is none is refused elsewhere.
        let Ok(address) = target.address() else {
            continue;
        };
        if address.scheme == UriScheme::Https && tls::server_name(address.host).is_err() {
            let detail = format!(
                "{:?} is no name that a certificate could have",
                address.host
            );
            faults.push(Fault::new("/url", "upstream.url", detail));
        }
    }
    faults
}

/// Why a gateway would refuse to connect; `None` where one of the host's addresses is good, or
/// none is known.
async fn forbidden(control: &Control, target: &Target) -> Option<String> {
    // A URL that is none is refused elsewhere.
    let address = target.address().ok()?;
    let resolving = lookup_host((address.host, address.port));
    let resolved = tokio::time::timeout(RESOLVE_TIME, resolving).await;
    let rules = &control.upstream_rules;
    let mut forbidden = None;
    for resolved in resolved.ok()?.ok()? {
        forbidden = Some(rules.judge(address.host, resolved).err()?.to_string());
    }
    forbidden
}
