//! Compiles the SOAP service of a version with its contract.

use std::sync::Arc;

use crate::fault::Fault;
use crate::feed::{
    ServedAccess, ServedDocument, ServedResource, ServedRest, ServedSoap, ServedSoapOperation,
};
use crate::id::VersionId;
use crate::limit::ServedLimit;
use crate::resource::RestService;
use crate::soap::{SoapService, UNKNOWN, soap_operation_id};

/// A contract, as far as gateways need it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contract {
    /// The operations of the published port.
    pub operations: Vec<ContractOperation>,
    /// The documents as served to callers.
    pub documents: Vec<ServedDocument>,
    /// The compiled plan, as encoded by the crate `soap`.
    pub plan: Arc<[u8]>,
}

/// An operation of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractOperation {
    /// Its name.
    pub name: String,
    /// The `soapAction` of its binding; empty if there is none.
    pub action: String,
    /// Namespace and local name of the body's child; `None` for an empty body.
    pub body: Option<(String, String)>,
    /// Why it cannot be called as REST; `None` if it can.
    pub proxy_only: Option<String>,
}

/// Compiles a SOAP service into the form that gateways serve.
///
/// # Errors
/// Operations that the contract does not have; fields are JSON Pointers from the service.
pub(super) fn serve(
    service: &SoapService,
    version: VersionId,
    contract: &Contract,
    now_us: i64,
) -> Result<ServedSoap, Vec<Fault>> {
    let mut operations = Vec::with_capacity(service.operations.len());
    let mut faults = Vec::new();
    for (index, operation) in service.operations.iter().enumerate() {
        let known = contract
            .operations
            .iter()
            .find(|it| it.name == operation.name);
        let Some(known) = known else {
            let detail = format!("the contract has no operation {:?}", operation.name);
            let field = format!("/operations/{index}/name");
            faults.push(Fault::new(field, "soap.no_operation", detail));
            continue;
        };
        operations.push(ServedSoapOperation {
            id: soap_operation_id(version, &operation.name),
            name: operation.name.clone(),
            action: known.action.clone(),
            body: known.body.clone(),
            limits: ServedLimit::compile_all(&operation.limits, now_us),
            weight: operation.weight,
            access: ServedAccess {
                scopes: operation.scopes.clone(),
                is_anonymous: operation.anonymous,
            },
        });
    }
    let rest = service.rest.as_ref().map(|rest| {
        let served = serve_rest(rest, version, contract);
        served.map_err(|wrong| faults.extend(wrong.into_iter().map(|it| it.under("/rest"))))
    });
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(ServedSoap {
        operations,
        unknown: soap_operation_id(version, UNKNOWN),
        unknown_limits: ServedLimit::compile_all(&service.unknown.limits, now_us),
        unknown_access: ServedAccess {
            scopes: service.unknown.scopes.clone(),
            is_anonymous: false,
        },
        refuses_unknown: service.unknown.refused,
        fault_status: service.fault_status,
        prefix_bytes_max: service.prefix_bytes_max,
        documents: contract.documents.clone(),
        rest: rest.and_then(Result::ok).map(Box::new),
    })
}

/// Compiles the enabled resources of a SOAP service as REST.
fn serve_rest(
    rest: &RestService,
    version: VersionId,
    contract: &Contract,
) -> Result<ServedRest, Vec<Fault>> {
    let (mut resources, mut faults) = (Vec::new(), Vec::new());
    for (index, resource) in rest.resources.iter().enumerate() {
        if !resource.enabled {
            continue;
        }
        let field = format!("/resources/{index}/operation");
        let mut known = contract.operations.iter();
        match known.position(|it| it.name == resource.operation) {
            None => {
                let detail = format!("the contract has no operation {:?}", resource.operation);
                faults.push(Fault::new(field, "soap.no_operation", detail));
            }
            // Also if it can only be proxied: the control plane deploys no such resource, but an
            // earlier release, which did not reject the operation's types, may have.
            Some(place) => resources.push(ServedResource {
                id: soap_operation_id(version, &resource.operation),
                method: resource.method,
                path: resource.path.clone(),
                operation: u32::try_from(place).expect("operations are bounded"),
                parameters: resource.parameters.clone(),
            }),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let headers = rest.back_end.headers.iter();
    Ok(ServedRest {
        plan: Arc::clone(&contract.plan),
        resources,
        headers: headers
            .map(|(part, value)| (part.clone(), value.to_string()))
            .collect(),
        username_token: rest.back_end.username_token.clone(),
        basic: rest.back_end.basic.clone(),
        answers: rest.answers.clone(),
    })
}
