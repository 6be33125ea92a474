//! Compiles the stored form of a version into the form that gateways serve, or returns all faults.

mod cors;
mod soap;

use std::hash::Hasher;

use siphasher::sip::SipHasher24;

use crate::api::{Configuration, Kind, Method, context_fault, version_name_fault};
use crate::fault::Fault;
use crate::feed::{
    ServedAccess, ServedDeprecation, ServedOperation, ServedSecurity, ServedSoap, ServedTarget,
    ServedUpstream, ServedVersion,
};
use crate::id::{ApiId, OperationId, RevisionId, VersionId};
use crate::lifecycle::{AtGateway, State};
use crate::limit::ServedLimit;
use crate::policies::Cache;
use crate::security::Security;
use crate::template::PathTemplate;
use crate::upstream::Upstream;

pub use soap::{Contract, ContractOperation};

/// A version without its revision's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The version's id.
    pub id: VersionId,
    /// Its API.
    pub api: ApiId,
    /// The API's kind.
    pub kind: Kind,
    /// The API's name.
    pub api_name: String,
    /// The API's context.
    pub context: String,
    /// The version's name.
    pub name: String,
    /// Whether it is the API's default version.
    pub is_default: bool,
    /// The names of the API's other versions, if this is the default one; otherwise empty.
    pub other_versions: Vec<String>,
    /// Its state in the lifecycle.
    pub state: State,
    /// The deployed revision.
    pub revision: RevisionId,
    /// Its deprecation, if it is deprecated.
    pub deprecation: Option<ServedDeprecation>,
}

/// The documents of a version, as far as they matter for what is served.
#[derive(Debug, Clone, Copy, Default)]
pub struct Documents<'d> {
    /// The contract that the configuration's SOAP service refers to.
    pub contract: Option<&'d Contract>,
    /// Names of the header parameters in the OpenAPI document, if the policies
    /// [need](crate::policies::Policies::needs_headers) it.
    pub headers: &'d [String],
    /// The steps of the policies, compiled by crate `mediation`; empty without steps.
    pub steps: &'d [u8],
}

/// Compiles a version with its deployed configuration; `Ok(None)` if its state keeps it off
/// gateways. Lists of calendar windows begin at `now_us` (Unix microseconds).
///
/// # Errors
/// All faults of the configuration, with JSON Pointers from its root.
pub fn compile(
    version: &Version,
    configuration: &Configuration,
    documents: Documents<'_>,
    now_us: i64,
) -> Result<Option<ServedVersion>, Vec<Fault>> {
    let mut faults = configuration.faults(version.kind);
    faults.extend(context_fault(&version.context));
    faults.extend(version_name_fault(&version.name));
    if !faults.is_empty() {
        return Err(faults);
    }
    if version.state.at_gateway() == AtGateway::Absent {
        return Ok(None);
    }
    let soap = serve_soap(version, configuration, documents.contract, now_us)?;
    let operations = configuration.operations.iter();
    let operations = operations.map(|operation| ServedOperation {
        id: operation_id(version.id, operation.method, &operation.path),
        method: operation.method,
        path: operation.path.clone(),
        limits: ServedLimit::compile_all(&operation.limits, now_us),
        weight: operation.weight,
        access: ServedAccess {
            scopes: operation.scopes.clone(),
            is_anonymous: operation.anonymous,
        },
        cache: serve_cache(configuration, operation.method, &operation.path),
    });
    let rest = soap.as_deref().and_then(|soap| soap.rest.as_deref());
    let resources = rest.into_iter().flat_map(|rest| &rest.resources);
    let resources = resources.map(|resource| {
        let mut known = soap.iter().flat_map(|soap| &soap.operations);
        let called = known.find(|it| it.id == resource.id);
        ServedOperation {
            id: resource.id,
            method: resource.method,
            path: resource.path.clone(),
            limits: called.map_or_else(Vec::new, |it| it.limits.clone()),
            weight: called.map_or(1, |it| it.weight),
            access: called.map_or_else(ServedAccess::default, |it| it.access.clone()),
            cache: serve_cache(configuration, resource.method, &resource.path),
        }
    });
    let upstream = |it: &Option<Upstream>| it.as_ref().map(|it| serve_upstream(it, now_us));
    Ok(Some(ServedVersion {
        id: version.id,
        api: version.api,
        api_name: version.api_name.clone(),
        context: version.context.clone(),
        name: version.name.clone(),
        is_default: version.is_default,
        other_versions: version.other_versions.clone(),
        state: version.state,
        revision: version.revision,
        operations: operations.chain(resources).collect(),
        upstream: upstream(&configuration.upstream),
        sandbox_upstream: upstream(&configuration.sandbox_upstream),
        limits: ServedLimit::compile_all(&configuration.limits, now_us),
        security: serve_security(&configuration.security()),
        identity: configuration.identity,
        body_bytes_max: configuration.body_bytes_max,
        reading: configuration.reading(),
        soap,
        steps: documents.steps.to_vec(),
        deprecation: version.deprecation.clone(),
        cors: cors::serve(version.kind, configuration, documents.headers),
    }))
}

/// Compiles the SOAP service of a version; `None` for kinds without one.
fn serve_soap(
    version: &Version,
    configuration: &Configuration,
    contract: Option<&Contract>,
    now_us: i64,
) -> Result<Option<Box<ServedSoap>>, Vec<Fault>> {
    if version.kind == Kind::Rest {
        return Ok(None);
    }
    let Some((service, contract)) = configuration.soap.as_ref().zip(contract) else {
        let detail = "a version of this kind needs a contract: import a WSDL";
        return Err(vec![Fault::new("/soap", "soap.no_contract", detail)]);
    };
    let served = soap::serve(service, version.id, contract, now_us);
    let served = served.map_err(|faults| {
        let faults = faults.into_iter();
        faults.map(|fault| fault.under("/soap")).collect::<Vec<_>>()
    })?;
    Ok(Some(Box::new(served)))
}

/// Returns how the responses of an operation are stored; `None` if they are not.
fn serve_cache(
    configuration: &Configuration,
    method: Method,
    path: &PathTemplate,
) -> Option<Box<Cache>> {
    if method != Method::Get {
        return None;
    }
    let cache = configuration.policies.cache_of(&format!("{method} {path}"));
    cache.map(|cache| Box::new(cache.clone()))
}

fn serve_security(security: &Security) -> ServedSecurity {
    ServedSecurity {
        require: security.require,
        schemes: security.schemes(),
        scopes: security.scopes.keys().cloned().collect(),
        by_approval: security.by_approval().map(str::to_owned).collect(),
    }
}

/// Returns the targets of an upstream, without those that have an invalid URL.
#[must_use]
pub fn serve_targets(upstream: &Upstream) -> Vec<ServedTarget> {
    let targets = upstream.targets.iter().filter_map(|it| it.address().ok());
    let targets = targets.map(|address| ServedTarget {
        scheme: address.scheme,
        host: address.host.to_owned(),
        port: address.port,
        authority: address.authority.to_owned(),
        base_path: address.base_path.to_owned(),
        query: address.query.unwrap_or_default().to_owned(),
    });
    targets.collect()
}

fn serve_upstream(upstream: &Upstream, now_us: i64) -> ServedUpstream {
    ServedUpstream {
        ca: upstream.ca.clone(),
        verify_certificate: upstream.verify_certificate,
        limits: ServedLimit::compile_all(&upstream.limits, now_us),
        // An invalid URL has already been reported as a fault.
        targets: serve_targets(upstream),
        connect_timeout_ms: upstream.connect_timeout_ms,
        first_byte_timeout_ms: upstream.first_byte_timeout_ms,
        idle_timeout_ms: upstream.idle_timeout_ms,
        connections_max: upstream.connections_max,
        credential: upstream.credential.clone(),
    }
}

/// Returns the id of an operation: the same for the same method and path shape of the same version,
/// so usage continues across revisions without a lookup table.
#[must_use]
pub fn operation_id(version: VersionId, method: Method, path: &PathTemplate) -> OperationId {
    let mut hasher = SipHasher24::new();
    hasher.write_i64(version.raw());
    hasher.write(method.word().as_bytes());
    hasher.write(path.shape().as_bytes());
    let value = i64::try_from(hasher.finish() >> 1).expect("63 bits fit");
    OperationId::from_raw(value.max(1))
}

#[cfg(test)]
mod tests;
