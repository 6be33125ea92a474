//! Whether the upstreams of a configuration are allowed, checked on saving and on deploying. The
//! gateway checks again for each connection, since a host may get another address.

use std::time::Duration;

use tokio::net::lookup_host;
use tollgate_fetch::tls;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::scheme::UriScheme;
use tollgate_model::upstream::{Target, Upstream};

use crate::error::{Problem, refuse_any};
use crate::state::Control;

/// Maximum time to resolve a host. One that cannot be resolved now may be known later.
const RESOLVE_TIME: Duration = Duration::from_secs(2);

/// Rejects upstreams with a host that resolves to a forbidden address, and those with a certificate
/// that could never be verified. Resolves names, so it must not be called while a write is held.
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

/// Returns why an upstream's certificate could never be verified.
fn unprovable(upstream: &Upstream) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(Err(error)) = upstream.ca.as_deref().map(tls::roots_of) {
        faults.push(Fault::new("/ca", "upstream.ca", error.to_string()));
    }
    for target in &upstream.targets {
        // An invalid URL is rejected elsewhere.
        let Ok(address) = target.address() else {
            continue;
        };
        if address.scheme == UriScheme::Https && tls::server_name(address.host).is_err() {
            let detail = format!(
                "{:?} is not a name that a certificate could have",
                address.host
            );
            faults.push(Fault::new("/url", "upstream.url", detail));
        }
    }
    faults
}

/// Returns why a gateway would refuse to connect; `None` if one of the host's addresses is allowed,
/// or none is known.
async fn forbidden(control: &Control, target: &Target) -> Option<String> {
    // An invalid URL is rejected elsewhere.
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
