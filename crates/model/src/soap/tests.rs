use crate::api::{Configuration, Kind};
use std::sync::Arc;

use crate::compile::{self, Contract, ContractOperation, Documents, compile};
use crate::id::{ApiId, RevisionId};
use crate::lifecycle::State;

use super::*;

const DIGEST: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn version(kind: Kind) -> compile::Version {
    compile::Version {
        id: VersionId::from_raw(7),
        api: ApiId::from_raw(3),
        kind,
        api_name: "Pets".to_owned(),
        context: "/orders".into(),
        name: "1.0".into(),
        is_default: true,
        other_versions: Vec::new(),
        state: State::Published,
        revision: RevisionId::from_raw(1),
        deprecation: None,
    }
}

fn configuration(operations: &str) -> Configuration {
    let text = format!(
        r#"{{"soap":{{"contract":"{DIGEST}","service":"Orders","port":"OrdersPort",
            "operations":{operations}}}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

fn with(contract: Option<&Contract>) -> Documents<'_> {
    Documents {
        contract,
        ..Documents::default()
    }
}

fn contract() -> Contract {
    let operation = |name: &str| ContractOperation {
        name: name.to_owned(),
        action: format!("urn:{name}"),
        body: Some(("urn:orders".to_owned(), name.to_owned())),
        proxy_only: (name == "sendFile").then(|| "its body has several parts".to_owned()),
    };
    Contract {
        operations: ["getOrder", "placeOrder", "sendFile"].map(operation).into(),
        documents: Vec::new(),
        plan: Arc::from(*b"plan"),
    }
}

#[test]
fn a_service_is_served_with_the_names_of_its_contract_and_its_own_limits() {
    let configuration = configuration(
        r#"[{"name":"getOrder","limits":[{"per":"operation","amount":2,"window":"minute"}]}]"#,
    );
    let served = compile(
        &version(Kind::Soap),
        &configuration,
        with(Some(&contract())),
        0,
    );
    let soap = served.unwrap().unwrap().soap.unwrap();
    let operation = &soap.operations[0];
    assert_eq!(
        (operation.name.as_str(), operation.limits.len()),
        ("getOrder", 1)
    );
    assert_eq!(operation.action, "urn:getOrder");
    assert_ne!(operation.id, soap.unknown);
    assert_eq!(soap.prefix_bytes_max, PREFIX_BYTES);
}

#[test]
fn operations_outside_the_contract_or_the_kind_are_reported() {
    let faults = |kind, operations, contract: Option<&Contract>| {
        let faults = compile(
            &version(kind),
            &configuration(operations),
            with(contract),
            0,
        )
        .unwrap_err();
        faults
            .into_iter()
            .map(|fault| (fault.field, fault.code))
            .collect::<Vec<_>>()
    };
    let fault = |field: &str, code: &str| vec![(field.to_owned(), code.to_owned())];
    assert_eq!(
        faults(Kind::Soap, r#"[{"name":"cancel"}]"#, Some(&contract())),
        fault("/soap/operations/0/name", "soap.no_operation")
    );
    assert_eq!(
        faults(Kind::Soap, "[]", None),
        fault("/soap", "soap.no_contract")
    );
    assert_eq!(
        faults(Kind::Rest, "[]", None),
        fault("/soap", "version.kind")
    );
    let limits = r#"[{"name":"getOrder","limits":[{"per":"api","amount":2,"window":"minute"}]}]"#;
    assert_eq!(
        faults(Kind::Soap, limits, Some(&contract())),
        fault("/soap/operations/0/limits/0/per", "limit.per")
    );
}
