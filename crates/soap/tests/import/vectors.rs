//! The recorded answers of the corpus: another client's reading of the same bytes is a witness of
//! their values, not of our spelling of keys.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use tollgate_soap::compile::{Choice, compile};
use tollgate_soap::import::read;
use tollgate_soap::to_json::{Options, Program, Scratch};
use tollgate_soap::xml;

use crate::corpus;

/// Answers that are not what their contracts say: their values cannot be compared.
const ASTRAY: [(&str, &str); 5] = [
    (
        "Dummy__should_handle_cdata_xml",
        "the other client reads XML in a text",
    ),
    (
        "Dummy__should_handle_inline_types",
        "its elements are qualified",
    ),
    ("SendCDATA", "its element is not qualified"),
    ("execFile", "its element is of another namespace"),
    ("fooOp", "its envelope has no namespace of SOAP"),
];

/// The scalars of a JSON text as words, without what tells nothing.
fn values(json: &Value, into: &mut BTreeSet<String>) {
    match json {
        Value::Null => {}
        Value::Bool(value) => drop(into.insert(value.to_string())),
        Value::Number(value) => drop(into.insert(value.to_string())),
        Value::String(value) => {
            let value = value.trim();
            if !value.is_empty() {
                into.insert(value.to_owned());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| values(item, into)),
        Value::Object(members) => members.values().for_each(|member| values(member, into)),
    }
}

fn values_of(json: &[u8]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let json: Value = serde_json::from_slice(json).expect("JSON");
    values(&json, &mut found);
    found
}

#[test]
fn recorded_answers_have_the_values_that_another_client_read() {
    let Some(folder) = corpus::corpus() else {
        println!("the corpus is not there: name its folder with WSDL_CORPUS");
        return;
    };
    let readme = fs::read_to_string(folder.join("README.md")).expect("the README of the corpus");
    let mut compared = 0;
    for row in corpus::rows(&readme) {
        let top: Vec<&str> = row.main.splitn(3, '/').take(2).collect();
        let sample = folder.join(top.join("/"));
        let recorded = (
            fs::read(sample.join("response.xml")),
            fs::read(sample.join("response.json")),
        );
        let (Ok(answer), Ok(expected)) = recorded else {
            continue;
        };
        let documents = corpus::collected(&folder, &row.main).expect("documents");
        let imported = read(&documents, &row.main).expect("a contract");
        let compiled = compile(&imported, &Choice::default()).expect("a plan");
        let is_proxied = compiled.plan.operations[0].proxy_only.is_some();
        if is_proxied || ASTRAY.iter().any(|(name, _)| row.main.contains(name)) {
            continue;
        }
        let program = Program::load(&compiled.plan, Options::default());
        let text = xml::decode(&answer, None, xml::Bounds::default()).expect("a text");
        let (mut scratch, mut json) = (Scratch::default(), Vec::new());
        let outcome = program.answer(0, &text, &(), &mut scratch, &mut json);
        assert!(outcome.is_ok(), "{}: {outcome:?}", row.main);
        let text = String::from_utf8_lossy(&json);
        assert_eq!(
            values_of(&json),
            values_of(&expected),
            "{}: {text}",
            row.main
        );
        compared += 1;
    }
    println!("{compared} recorded answers");
    assert!(compared >= 8, "only {compared}");
}
