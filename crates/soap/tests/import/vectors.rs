//! The recorded messages of the corpus: another client's reading of the same bytes confirms their
//! values, not our choice of keys; the requests that it wrote confirm ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use roxmltree::{Document, Node};
use serde_json::Value;
use tollgate_soap::compile::{Choice, compile};
use tollgate_soap::import::read;
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::to_json::{Options, Outcome, Program, Scratch};
use tollgate_soap::to_xml;
use tollgate_xml as xml;

use crate::corpus;

/// Responses that violate their contracts: their values cannot be compared.
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

/// Requests that violate their contracts, or were not written as instructed.
const ASTRAY_REQUESTS: [(&str, &str); 2] = [
    ("SendCDATA", "its element is not qualified"),
    ("fooOp", "its element has no namespace"),
];

/// Requests that lack required values, and how many: their values are right, but they are not
/// passed on.
const INCOMPLETE: [(&str, usize); 2] = [("RetrieveCustomerDetails", 1), ("UpdateProfile", 2)];

/// Collects the scalars of a JSON text as words, except those without meaning.
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
        // The other client's form of a type name: `@type` is its local name.
        Value::Object(members) if members.contains_key("xmlns") && members.len() == 2 => {
            values(&members["type"], into);
        }
        Value::Object(members) => members.values().for_each(|member| values(member, into)),
    }
}

fn values_of(json: &[u8]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let json: Value = serde_json::from_slice(json).expect("JSON");
    values(&json, &mut found);
    found
}

/// A contract with recorded messages.
struct Sample {
    main: String,
    folder: PathBuf,
    plan: ServicePlan,
}

impl Sample {
    /// Returns a recorded message and the other client's values; `None` if there is none.
    fn recorded(&self, name: &str) -> Option<(Vec<u8>, BTreeSet<String>)> {
        let file = |end: &str| fs::read(self.folder.join(format!("{name}.{end}"))).ok();
        Some((file("xml")?, values_of(&file("json")?)))
    }

    fn is_of(&self, rows: &[(&str, &str)]) -> bool {
        rows.iter().any(|(name, _)| self.main.contains(name))
    }
}

/// Returns the contracts of the corpus with recorded messages that can be REST; none without a
/// corpus.
#[expect(clippy::print_stdout, reason = "shows why a test is skipped")]
fn samples() -> Vec<Sample> {
    let Some(corpus) = corpus::corpus() else {
        println!("the corpus is not there: name its folder with WSDL_CORPUS");
        return Vec::new();
    };
    let readme = fs::read_to_string(corpus.join("README.md")).expect("the README of the corpus");
    let mut samples = Vec::new();
    for row in corpus::rows(&readme) {
        let top: Vec<&str> = row.main.splitn(3, '/').take(2).collect();
        let folder = corpus.join(top.join("/"));
        if !folder.join("request.xml").is_file() {
            continue;
        }
        let documents = corpus::collected(&corpus, &row.main).expect("documents");
        let imported = read(&documents, &row.main).expect("a contract");
        let compiled = compile(&imported, &Choice::default()).expect("a plan");
        if compiled.plan.operations[0].proxy_only.is_none() {
            samples.push(Sample {
                main: row.main,
                folder,
                plan: compiled.plan,
            });
        }
    }
    samples
}

/// Returns the JSON of a message of the only operation, read as a response.
fn json_of(sample: &Sample, plan: &ServicePlan, message: &[u8]) -> Vec<u8> {
    let program = Program::load(plan, Options::default());
    let text = xml::decode(message, None, xml::Bounds::default()).expect("a text");
    let (mut scratch, mut json) = (Scratch::default(), Vec::new());
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut json);
    match outcome {
        Ok(Outcome::Empty) => b"{}".to_vec(),
        Ok(Outcome::Json) => json,
        other => panic!("{}: {other:?}", sample.main),
    }
}

#[test]
fn recorded_answers_have_the_values_that_another_client_read() {
    let samples = samples();
    let mut compared = 0;
    for sample in &samples {
        let Some((answer, expected)) = sample.recorded("response") else {
            continue;
        };
        if sample.is_of(&ASTRAY) {
            continue;
        }
        let json = json_of(sample, &sample.plan, &answer);
        let text = String::from_utf8_lossy(&json);
        assert_eq!(values_of(&json), expected, "{}: {text}", sample.main);
        compared += 1;
    }
    println!("{compared} recorded answers");
    assert!(samples.is_empty() || compared >= 8, "only {compared}");
}

/// Writes the content of an element in a canonical form: names with their namespaces, attributes in
/// order, text without white space between elements.
fn canonical(node: Node<'_, '_>, out: &mut String) {
    use std::fmt::Write as _;
    let name = node.tag_name();
    let namespace = name.namespace().unwrap_or_default();
    let attributes = node.attributes().map(|attribute| {
        let namespace = attribute.namespace().unwrap_or_default();
        let value = match attribute.name() {
            // A name with a prefix, which may differ.
            "type" if namespace == XSI => match attribute.value().split_once(':') {
                Some((prefix, local)) => {
                    let uri = node.lookup_namespace_uri(Some(prefix)).unwrap_or_default();
                    format!("{{{uri}}}{local}")
                }
                None => attribute.value().to_owned(),
            },
            _ => attribute.value().to_owned(),
        };
        (format!("{{{namespace}}}{}", attribute.name()), value)
    });
    let attributes: BTreeMap<_, _> = attributes.collect();
    let _ = write!(out, "<{{{namespace}}}{} {attributes:?}>", name.name());
    let has_elements = node.children().any(|child| child.is_element());
    let text: String = node.children().filter_map(|child| child.text()).collect();
    if !has_elements && !text.trim().is_empty() {
        let _ = write!(out, "{text:?}");
    }
    for child in node.children().filter(Node::is_element) {
        canonical(child, out);
    }
    out.push_str("</>");
}

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Returns the content of the body of an envelope.
fn content(envelope: &[u8]) -> String {
    let text = std::str::from_utf8(envelope).expect("UTF-8").trim_start();
    let document = Document::parse(text).expect("XML");
    let mut elements = document.descendants().filter(Node::is_element);
    let body = elements.find(|element| element.tag_name().name() == "Body");
    let mut out = String::new();
    let children = body.expect("a body").children().filter(Node::is_element);
    children.for_each(|child| canonical(child, &mut out));
    out
}

#[test]
fn recorded_requests_are_written_as_another_client_wrote_them() {
    let samples = samples();
    let (mut compared, mut wrong) = (0, Vec::new());
    for sample in &samples {
        let Some((request, expected)) = sample.recorded("request") else {
            continue;
        };
        if sample.is_of(&ASTRAY_REQUESTS) {
            continue;
        }
        // Our code never reads requests, but reads responses of the same type.
        let mut echo = sample.plan.clone();
        echo.operations[0].response = Some(echo.operations[0].request.clone());
        let json = json_of(sample, &echo, &request);
        let text = String::from_utf8_lossy(&json);
        assert_eq!(values_of(&json), expected, "{}: {text}", sample.main);
        let program = to_xml::Program::load(&sample.plan, &to_xml::Settings::default());
        let program = program.expect("a plan that loads");
        let call = to_xml::Request {
            body: Some(&json),
            ..to_xml::Request::default()
        };
        let (mut scratch, mut written) = (to_xml::Scratch::default(), Vec::new());
        let outcome = program.write(0, &call, &mut scratch, &mut written);
        let mut incomplete = INCOMPLETE.iter();
        let missing = incomplete.find(|(name, _)| sample.main.contains(name));
        match outcome {
            Err(violations)
                if missing.is_some_and(|(_, count)| *count == violations.len())
                    && violations.iter().all(|it| it.sentence == "is missing") =>
            {
                compared += 1;
            }
            Ok(()) if missing.is_some() => wrong.push(format!("{}: {text}", sample.main)),
            Err(violations) => wrong.push(format!("{}: {violations:?} of {text}", sample.main)),
            Ok(()) if content(&written) != content(&request) => wrong.push(format!(
                "{}: {}\nand not {}",
                sample.main,
                content(&written),
                content(&request)
            )),
            Ok(()) => compared += 1,
        }
    }
    println!("{compared} recorded requests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(samples.is_empty() || compared >= 12, "only {compared}");
}
