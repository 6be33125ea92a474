//! The OpenAPI documents of whole contracts are valid according to openapi-spec-validator.
//!
//! The validator is `crates/tollgate/tests/peers/zeep/document.py`, with the Python that `make
//! deps` installs next to it. If that is missing, the test prints a message, or fails under
//! `TOLLGATE_REQUIRE_SERVICES=1`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use tollgate_soap::compile::{Choice, Compiled, compile};
use tollgate_soap::convention::Shape;
use tollgate_soap::resources::Style;

use super::judged::{answers, python};
use super::{contracts, document, imported, peers};

/// Returns every port of a contract that compiles.
fn ports(folder: &Path, main: &str) -> Vec<Compiled> {
    let Some(imported) = imported(folder, main) else {
        return Vec::new();
    };
    let services = imported.report.services.iter();
    let choices = services.flat_map(|service| {
        let ports = service.ports.iter().filter(|port| port.soap.is_some());
        ports.map(|port| Choice {
            service: Some(service.name.clone()),
            port: Some(port.name.clone()),
        })
    });
    choices
        .filter_map(|choice| compile(&imported, &choice).ok())
        .collect()
}

/// Returns the documents of a contract without duplicates: as REST, and as `POST /<operation>` in
/// the shape that a publisher can choose.
fn documents(folder: &Path, main: &str) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut documents = Vec::new();
    for mut compiled in ports(folder, main) {
        let of_rest = document(&compiled.plan, Style::Rest, &compiled.documentation);
        let shape = Shape {
            marks_attributes: true,
            collapses_arrays: true,
            opens_mixed: true,
        };
        shape.apply(&mut compiled.plan);
        let of_rpc = document(&compiled.plan, Style::Rpc, &compiled.documentation);
        for document in [of_rest, of_rpc] {
            let is_any = document["paths"]
                .as_object()
                .is_some_and(|of| !of.is_empty());
            if is_any && seen.insert(document.to_string()) {
                documents.push(document);
            }
        }
    }
    documents
}

/// Finds references of a document to missing components: the validator follows only some.
fn dangling<'a>(document: &'a Value, value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            found.extend(reference.filter(|of| {
                let pointer = of.strip_prefix('#');
                pointer.is_none_or(|of| document.pointer(of).is_none())
            }));
            let mapping = value.pointer("/discriminator/mapping");
            let mapping = mapping.and_then(Value::as_object).into_iter().flatten();
            let targets = mapping.filter_map(|(_, target)| target.as_str());
            found.extend(targets.filter(|of| document.pointer(&of[1..]).is_none()));
            members
                .values()
                .for_each(|of| dangling(document, of, found));
        }
        Value::Array(items) => items.iter().for_each(|of| dangling(document, of, found)),
        _ => {}
    }
}

// rest.openapi.valid
#[test]
fn the_documents_of_contracts_are_valid() {
    let mut questions = Vec::new();
    let of_shop = (peers().join("contract"), "shop.wsdl".to_owned());
    for (folder, name) in contracts().into_iter().chain([of_shop]) {
        for document in documents(&folder, &name) {
            let mut found = BTreeSet::new();
            dangling(&document, &document, &mut found);
            let name = folder.join(&name).display().to_string();
            assert!(found.is_empty(), "{name}: nothing is at {found:?}");
            questions.push(json!({ "name": name, "document": document }));
        }
    }
    let Some(python) = python("openapi-spec-validator's judgement") else {
        return;
    };
    let answers = answers(&python, "zeep/document.py", &questions);
    let wrong = answers
        .iter()
        .filter(|answer| answer["faults"] != json!([]));
    let wrong: Vec<_> = wrong.map(Value::to_string).collect();
    println!(
        "{} of {} are valid",
        answers.len() - wrong.len(),
        answers.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
