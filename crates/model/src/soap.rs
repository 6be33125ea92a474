//! SOAP services: a version's settings for its service, whose operations come from the service's
//! contract (WSDL and schemas, read by the crate `soap`).

use std::collections::HashSet;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;

use crate::defaults::{is_default, is_one, one};
use crate::fault::Fault;
use crate::id::{OperationId, VersionId};
use crate::plan::{Limit, Owner, limit_faults, weight_fault};
use crate::resource::RestService;

/// Maximum number of operations of one service.
pub const SOAP_OPERATIONS_MAX: usize = 5_000;
/// Default number of bytes of a request that are read to find its operation.
pub const PREFIX_BYTES: u32 = 64 * 1024;
/// Largest value that a version may set, for large WS-Security headers.
pub const PREFIX_BYTES_MAX: u32 = 256 * 1024;
/// Name under which calls of operations outside the contract are recorded. A contract's operation
/// of the same name would only share its figures with them.
pub const UNKNOWN: &str = "_unknown";

/// A version's settings for its SOAP service; part of the configuration that a revision freezes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SoapService {
    /// The imported contract of the version: the SHA-256 of its documents in hex.
    pub contract: String,
    /// The name of the service in the contract.
    pub service: String,
    /// The name of the published port of the service.
    pub port: String,
    /// The operations that can be called, by the names that the import gave.
    #[serde(default)]
    pub operations: Vec<SoapOperation>,
    /// How calls outside the contract are handled.
    #[serde(default)]
    pub unknown: UnknownOperations,
    /// HTTP status of the gateway's own faults.
    #[serde(default)]
    pub fault_status: FaultStatus,
    /// Bytes of a request that are read to find its operation: 65,536 to 262,144.
    #[serde(default = "prefix_bytes")]
    pub prefix_bytes_max: u32,
    /// The service as REST; in an API of kind `soap_to_rest` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestService>,
}

const fn prefix_bytes() -> u32 {
    PREFIX_BYTES
}

/// An operation of a SOAP service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SoapOperation {
    /// Its name in the contract.
    pub name: String,
    /// Its own limits; `per` contains `operation`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Units that a call of it costs, for limits on `units`: 1 to 10,000; 1 if absent.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: u16,
    /// Scopes that a call's access token must have, each of them. API keys and users of HTTP Basic
    /// have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Whether calls without any credential are allowed; the plan `anonymous` limits them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub anonymous: bool,
}

/// How calls of unlisted operations are handled; they are counted together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UnknownOperations {
    /// Whether they are refused (`route.no_operation`) rather than passed on.
    pub refused: bool,
    /// Limits across all of them (`per` is `operation`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Scopes that a call's access token must have, each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// HTTP status of the gateway's own faults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultStatus {
    /// The status that the SOAP versions require and their clients expect: 500 in SOAP 1.1; 400 or
    /// 500 in 1.2; 401 with its challenge in both.
    #[default]
    Soap,
    /// The refusal's own status, as in REST.
    Http,
}

impl SoapService {
    /// Creates a service with defaults for everything else.
    #[must_use]
    pub fn of(
        contract: String,
        service: String,
        port: String,
        operations: Vec<SoapOperation>,
    ) -> Self {
        Self {
            contract,
            service,
            port,
            operations,
            unknown: UnknownOperations::default(),
            fault_status: FaultStatus::default(),
            prefix_bytes_max: PREFIX_BYTES,
            rest: None,
        }
    }

    /// Rejects operations without a credential, since the path does not name the operation; fields
    /// are JSON Pointers from the service.
    pub(crate) fn anonymous_faults(&self) -> Vec<Fault> {
        let operations = self.operations.iter().enumerate();
        let faults = operations.filter(|(_, it)| it.anonymous).map(|(index, _)| {
            let detail = "the operation of a SOAP call is in its body, which is only read for \
                authenticated callers; publish it as REST, or in a version of its own";
            Fault::new(
                format!("/operations/{index}/anonymous"),
                "operation.anonymous",
                detail,
            )
        });
        faults.collect()
    }

    /// Returns all faults; fields are JSON Pointers from the service.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let is_digest = self.contract.len() == 64
            && self
                .contract
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            let detail = "a contract is identified by 64 hexadecimal digits; an import creates one";
            faults.push(Fault::new("/contract", "soap.contract", detail));
        }
        if !(PREFIX_BYTES..=PREFIX_BYTES_MAX).contains(&self.prefix_bytes_max) {
            let detail = format!("the prefix must be {PREFIX_BYTES} to {PREFIX_BYTES_MAX} bytes");
            faults.push(Fault::new("/prefix_bytes_max", "soap.prefix", detail));
        }
        if self.operations.len() > SOAP_OPERATIONS_MAX {
            let detail = format!("at most {SOAP_OPERATIONS_MAX} operations");
            faults.push(Fault::new("/operations", "operation.too_many", detail));
            return faults;
        }
        let mut seen = HashSet::new();
        for (index, operation) in self.operations.iter().enumerate() {
            let field = format!("/operations/{index}");
            if !seen.insert(operation.name.as_str()) {
                let detail = format!("the operation {:?} is listed twice", operation.name);
                faults.push(Fault::new(field.clone(), "operation.repeated", detail));
            }
            let own = limit_faults(&operation.limits, Owner::Operation).into_iter();
            let own = own.chain(weight_fault(operation.weight));
            faults.extend(own.map(|fault| fault.under(&field)));
        }
        let limits = limit_faults(&self.unknown.limits, Owner::Operation).into_iter();
        faults.extend(limits.map(|fault| fault.under("/unknown")));
        if let Some(rest) = &self.rest {
            faults.extend(rest.faults().into_iter().map(|it| it.under("/rest")));
            faults.extend(unlisted(rest, &seen));
        }
        faults
    }
}

/// Rejects resources of unlisted operations.
fn unlisted(rest: &RestService, listed: &HashSet<&str>) -> Vec<Fault> {
    let resources = rest.resources.iter().enumerate();
    let unlisted = resources.filter(|(_, it)| !listed.contains(&*it.operation));
    let faults = unlisted.map(|(index, resource)| {
        let detail = format!(
            "{:?} is not listed under /soap/operations",
            resource.operation
        );
        let field = format!("/rest/resources/{index}/operation");
        Fault::new(field, "soap.no_operation", detail)
    });
    faults.collect()
}

/// Returns the id of a SOAP operation: the same for the same name of the same version, across
/// revisions.
#[must_use]
pub fn soap_operation_id(version: VersionId, name: &str) -> OperationId {
    let mut hasher = SipHasher24::new();
    hasher.write_i64(version.raw());
    hasher.write(b"SOAP ");
    hasher.write(name.as_bytes());
    let value = i64::try_from(hasher.finish() >> 1).expect("63 bits fit");
    OperationId::from_raw(value.max(1))
}

#[cfg(test)]
mod tests;
