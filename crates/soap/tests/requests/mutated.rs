//! After any mutation of messages of whole contracts, nothing panics, and the output of a
//! transcoder is XML, or JSON, to independent readers.

use serde_json::Value;
use tollgate_json::tape::{self, Tape};
use tollgate_model::resource::Resource;
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::resources::{Style, propose};
use tollgate_soap::to_json::{self, Options};
use tollgate_soap::to_xml::{self, Parameter, Program, Request, Settings, UsernameToken};
use tollgate_xml::{self as xml, decode};

use super::fuzzing::{Random, fuzz};
use super::instances::Instances;
use super::{corpus, echo, shop};

/// Words that mutations insert.
const WORDS: [&str; 36] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\uffff",
    "null",
    "true",
    "0",
    "-0",
    "1e5",
    "18446744073709551616",
    "\"\"",
    "\"x\"",
    "{}",
    "[]",
    "\"@type\":",
    "\"@nil\":true",
    "\"@element\":",
    "\"value\":",
    "\"any\":",
    "\"headers\":",
    "\"__proto__\":1,",
    "<",
    "]]>",
    "&amp;",
    "<a xmlns:b='c'>",
    "</a>",
    "\u{0}",
    "\u{feff}",
    "é",
];

fn mutate(json: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(json.len() + 1);
        let end = (at + random.below(12)).min(json.len());
        match random.below(5) {
            0 => drop(json.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
            1 => drop(json.splice(at..end, WORDS[random.below(WORDS.len())].bytes())),
            2 => drop(json.drain(at..end)),
            3 => {
                let copy = json[at..end].to_vec();
                let to = random.below(json.len() + 1);
                json.splice(to..to, copy);
            }
            _ => json.insert(at, random.next() as u8),
        }
    }
}

/// Returns the contract of the shop and those of the corpus.
fn plans() -> Vec<ServicePlan> {
    let corpus = corpus().into_iter().map(|(_, plan)| plan);
    let plans = [shop()].into_iter().chain(corpus);
    let is_rest = |plan: &ServicePlan| plan.operations.iter().any(|of| of.proxy_only.is_none());
    plans.filter(is_rest).collect()
}

/// Picks one of them: every second time the first, that of the shop.
fn one<'a, T>(of: &'a [T], random: &mut Random) -> &'a T {
    let at = random.below(2 * of.len());
    of.get(at).unwrap_or(&of[0])
}

/// Returns the JSON of a request's body; `null` if none could be made.
fn body(plan: &ServicePlan, operation: usize, random: &mut Random) -> Vec<u8> {
    let body = plan.operations[operation].request.body.as_ref();
    let value = body.and_then(|body| Instances::new(plan, random).element(body));
    serde_json::to_vec(&value).expect("JSON")
}

/// Returns texts for some of a resource's parameters.
fn texts<'a>(resource: &'a Resource, random: &mut Random) -> Vec<Parameter<'a>> {
    let values = ["7", "AB-1234", "2026-01-31", "a b"];
    let mut parameters = Vec::new();
    for declared in &resource.parameters {
        for _ in 0..random.below(3) {
            let all = values.iter().chain(&WORDS);
            let text = all.clone().nth(random.below(all.count()));
            parameters.push(Parameter {
                path: &declared.path,
                text: text.expect("a text"),
                is_array: declared.is_array,
            });
        }
    }
    parameters
}

#[test]
fn the_output_for_any_json_is_xml() {
    let settings = Settings {
        token: Some(UsernameToken {
            name: "a".into(),
            password: "b".into(),
            is_digest: true,
        }),
        ..Settings::default()
    };
    let services = plans().into_iter().map(|plan| {
        let program = Program::load(&plan, &settings).expect("a plan that loads");
        let resources = propose(&plan, Style::Rest);
        (plan, program, resources)
    });
    let services: Vec<_> = services.collect();
    let (mut scratch, mut out) = (to_xml::Scratch::default(), Vec::new());
    fuzz(|random| {
        let (plan, program, resources) = one(&services, random);
        let resource = &resources[random.below(resources.len())];
        let mut operations = plan.operations.iter();
        let operation = operations.position(|of| *of.name == resource.operation);
        let operation = operation.expect("the operation of a resource");
        let mut json = body(plan, operation, random);
        // Sometimes the body is left valid, so that only parameters are mutated.
        if random.below(4) > 0 {
            mutate(&mut json, random);
        }
        let parameters = texts(resource, random);
        let request = Request {
            body: Some(&*json).filter(|_| resource.method.has_body() || random.below(4) > 0),
            parameters: &parameters,
            ..Request::default()
        };
        out.clear();
        out.extend_from_slice(b"before");
        let is_written = program.write(operation, &request, &mut scratch, &mut out);
        let is_written = is_written.is_ok();
        let xml = out.strip_prefix(b"before").expect("what was there");
        if is_written {
            let xml = std::str::from_utf8(xml).expect("UTF-8");
            if let Err(error) = roxmltree::Document::parse(xml) {
                panic!("{}\n{xml}\n{error}", String::from_utf8_lossy(&json));
            }
        } else {
            assert!(xml.is_empty());
        }
        is_written
    });
}

#[test]
fn the_json_of_any_answer_is_valid() {
    let services = plans().into_iter().map(|plan| {
        let plan = echo(plan);
        let to_xml = Program::load(&plan, &Settings::default()).expect("a plan that loads");
        let to_json = to_json::Program::load(&plan, Options::default());
        (plan, to_xml, to_json)
    });
    let services: Vec<_> = services.collect();
    let mut scratch = (to_xml::Scratch::default(), to_json::Scratch::default());
    let (mut xml, mut json, mut tape) = (Vec::new(), Vec::new(), Tape::default());
    fuzz(|random| {
        let (plan, to_xml, to_json) = one(&services, random);
        let operation = random.below(plan.operations.len());
        if plan.operations[operation].proxy_only.is_some() {
            return false;
        }
        let sent = body(plan, operation, random);
        let request = Request {
            body: Some(&sent),
            ..Request::default()
        };
        xml.clear();
        let written = to_xml.write(operation, &request, &mut scratch.0, &mut xml);
        if written.is_err() {
            return false;
        }
        random.mutated(&mut xml);
        let Ok(text) = decode(&xml, None, xml::Bounds::default()) else {
            return false;
        };
        json.clear();
        let outcome = to_json.answer(operation, &text, &(), &mut scratch.1, &mut json);
        let Ok(to_json::Outcome::Json | to_json::Outcome::Fault { .. }) = outcome else {
            assert!(json.is_empty(), "{}", text.as_str());
            return outcome.is_ok();
        };
        let read = serde_json::from_slice::<Value>(&json);
        assert!(read.is_ok(), "{}\n{}", text.as_str(), json.escape_ascii());
        // serde_json accepts duplicate keys; our reader does not.
        let bounds = tape::Bounds {
            depth_max: 10_000,
            ..tape::Bounds::default()
        };
        let read = tape.read(&json, bounds).map(|_| ());
        assert_eq!(read, Ok(()), "{}\n{}", text.as_str(), json.escape_ascii());
        true
    });
}
