//! SOAP services: what a version says of the one it stands for, and what the service's contract
//! (its WSDL and schemas, read by the crate `soap`) says of what can be called.

use std::collections::HashSet;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;

use crate::fault::Fault;
use crate::id::{OperationId, VersionId};
use crate::plan::{Limit, Per, own_limit_faults};
use crate::resource::RestService;
use crate::security::is_false;

/// Operations of one service at most.
pub const SOAP_OPERATIONS_MAX: usize = 5_000;
/// Bytes of a request that are read to learn its operation, where a version does not say more.
pub const PREFIX_BYTES: u32 = 64 * 1024;
/// The most that a version may say, for large WS-Security headers.
pub const PREFIX_BYTES_MAX: u32 = 256 * 1024;
/// What calls of operations that the contract does not have are recorded under. No operation of a
/// contract is shown by this name: a clash would only pool its figures with theirs.
pub const UNKNOWN: &str = "_unknown";

/// What a version says of its SOAP service; part of the configuration that a revision freezes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SoapService {
    /// Which of the imported contracts of the version: the SHA-256 of its documents in hex.
    pub contract: String,
    /// The service of the contract, by its name.
    pub service: String,
    /// The port of the service that is published, by its name.
    pub port: String,
    /// What can be called, by the names that the import gave.
    #[serde(default)]
    pub operations: Vec<SoapOperation>,
    /// What becomes of calls that the contract does not have.
    #[serde(default)]
    pub unknown: UnknownOperations,
    /// Which HTTP status the gateway's own faults have.
    #[serde(default)]
    pub fault_status: FaultStatus,
    /// Bytes of a request that are read to learn its operation: 65,536 to 262,144.
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
    /// Limits of its own, shared by all callers (`per` is `operation`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Scopes that a call's access token has, each of them. API keys and users of HTTP Basic have
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Whether calls may come without any credential: they are held to the plan `anonymous`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub anonymous: bool,
}

/// What becomes of calls whose operation is not listed: they are counted together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UnknownOperations {
    /// Whether they are refused (`route.no_operation`) rather than passed on.
    pub refused: bool,
    /// Limits on all of them together (`per` is `operation`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Scopes that a call's access token has, each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// Which HTTP status the gateway's own faults have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultStatus {
    /// What the SOAP versions ask for and their clients read: 500 in SOAP 1.1; 400 or 500 in 1.2;
    /// 401 with its challenge in both.
    #[default]
    Soap,
    /// The refusal's own status, as in REST.
    Http,
}

impl SoapService {
    /// The limits of its operations.
    pub(crate) fn every_limit(&self) -> impl Iterator<Item = &Limit> {
        let operations = self.operations.iter().flat_map(|it| &it.limits);
        operations.chain(&self.unknown.limits)
    }

    /// A service with everything else as it is by default.
    #[must_use]
    pub fn of(
        contract: String,
        (service, port): (String, String),
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

    /// Operations that would need no credential although the path does not name them; fields are
    /// pointers from the service.
    pub(crate) fn anonymous_faults(&self) -> Vec<Fault> {
        let operations = self.operations.iter().enumerate();
        let faults = operations.filter(|(_, it)| it.anonymous).map(|(index, _)| {
            let detail = "the operation of a SOAP call is in its body, which is read only for \
                callers who are known; publish it as REST, or in a version of its own";
            Fault::new(
                format!("/operations/{index}/anonymous"),
                "operation.anonymous",
                detail,
            )
        });
        faults.collect()
    }

    /// Everything that is wrong; fields are pointers from the service.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let is_digest = self.contract.len() == 64
            && self
                .contract
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            let detail = "a contract is named by 64 hexadecimal digits; an import makes one";
            faults.push(Fault::new("/contract", "soap.contract", detail));
        }
        if !(PREFIX_BYTES..=PREFIX_BYTES_MAX).contains(&self.prefix_bytes_max) {
            let detail = format!("the prefix is {PREFIX_BYTES} to {PREFIX_BYTES_MAX} bytes");
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
            let limits = own_limit_faults(&operation.limits, Per::Operation).into_iter();
            faults.extend(limits.map(|fault| fault.under(&field)));
        }
        let limits = own_limit_faults(&self.unknown.limits, Per::Operation).into_iter();
        faults.extend(limits.map(|fault| fault.under("/unknown")));
        if let Some(rest) = &self.rest {
            faults.extend(rest.faults().into_iter().map(|it| it.under("/rest")));
            faults.extend(unlisted(rest, &seen));
        }
        faults
    }
}

/// Resources of operations that are not among the listed ones.
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

/// The id of a SOAP operation: the same for the same name of the same version, over all revisions.
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
