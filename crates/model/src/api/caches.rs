//! Judges the caches of a configuration with what surrounds them; their own fields are judged in
//! `policies`.

use super::{Configuration, Kind};
use crate::fault::Fault;
use crate::policies::{Cache, Surroundings};

impl Configuration {
    /// Returns the faults of policies, as far as crate `mediation` does not find them; fields are
    /// JSON Pointers from the policies.
    #[must_use]
    pub fn policy_faults(&self, kind: Kind) -> Vec<Fault> {
        let upstreams = [&self.upstream, &self.sandbox_upstream];
        let upstreams = upstreams.into_iter().flatten();
        let presented = upstreams.filter_map(|it| it.credential.as_ref());
        let presented: Vec<_> = presented.map(|it| it.header()).collect();
        let mut faults = self.policies.faults(Surroundings {
            identity: self.identity,
            security: &self.security(),
            presented: &presented,
        });
        for (index, it) in self.policies.operations.iter().enumerate() {
            let Some(cache) = &it.cache else {
                continue;
            };
            let at = format!("/operations/{index}/cache");
            let other = it.operations.iter().find(|name| !name.starts_with("GET "));
            if let Some(name) = other.filter(|_| cache.enabled) {
                let detail = format!("only responses to GET are stored, not those of {name}");
                faults.push(Fault::new(&at, "cache.operation", detail));
            }
            faults.extend(kind_fault(kind, cache, true).map(|fault| fault.under(&at)));
        }
        let of_version = self.policies.cache.iter();
        let of_version = of_version.filter_map(|cache| kind_fault(kind, cache, false));
        faults.extend(of_version.map(|fault| fault.under("/cache")));
        faults
    }
}

/// Rejects caches of SOAP services: the responses of one as REST are stored only for operations
/// that are known to change nothing, for a time that the contract does not state.
fn kind_fault(kind: Kind, cache: &Cache, is_of_operation: bool) -> Option<Fault> {
    let (field, detail) = match kind {
        Kind::Rest => return None,
        _ if !cache.enabled => return None,
        Kind::Soap => ("", "responses of a SOAP service are never stored"),
        Kind::SoapToRest if !is_of_operation => (
            "",
            "a method of a SOAP operation is only a proposal: list the operations to be cached",
        ),
        Kind::SoapToRest if cache.ttl_s.is_none() => (
            "/ttl_s",
            "a SOAP service does not state for how long its responses are fresh",
        ),
        Kind::SoapToRest if cache.query.is_some() => {
            ("/query", "the envelope has all parameters of the query")
        }
        Kind::SoapToRest => return None,
    };
    Some(Fault::new(field, "cache.kind", detail))
}
