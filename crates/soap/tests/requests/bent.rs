//! Responses with changed names: one element of a response that fits its contract gets another
//! namespace, or another prefix. Either the result is the same JSON, or the response still fits the
//! contract (a wildcard allows the element), or it is refused: JSON never lacks a member.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::to_json::{self, Error, Options, Outcome};
use tollgate_soap::to_xml::{Program, Request, Scratch, Settings};
use tollgate_xml::{self as xml, decode};

use super::fuzzing::{Random, Seed};
use super::instances::Instances;
use super::{corpus, echo, shop};

/// Responses per operation, and elements changed in each.
const TRIES: usize = 8;

/// JSON and the number of mismatches; no JSON for an empty response.
type Transcoded = (Option<Value>, u32);

struct Answers {
    plan: ServicePlan,
    to_xml: Program,
    to_json: to_json::Program,
}

impl Answers {
    fn new(plan: ServicePlan) -> Self {
        let plan = echo(plan);
        Self {
            to_xml: Program::load(&plan, &Settings::default()).expect("a plan that loads"),
            to_json: to_json::Program::load(&plan, Options::default()),
            plan,
        }
    }

    /// Makes a response that fits the contract; `None` if none could be made.
    fn make(&self, operation: usize, random: &mut Random) -> Option<String> {
        let body = self.plan.operations[operation].request.body.as_ref()?;
        let value = Instances::new(&self.plan, random).element(body)?;
        let json = serde_json::to_vec(&value).expect("JSON");
        let request = Request {
            body: Some(&json),
            ..Request::default()
        };
        let mut xml = Vec::new();
        let mut scratch = Scratch::default();
        let written = self
            .to_xml
            .write(operation, &request, &mut scratch, &mut xml);
        written.expect("a request that fits");
        Some(String::from_utf8(xml).expect("UTF-8"))
    }

    fn read(&self, operation: usize, xml: &str) -> Result<Transcoded, Error> {
        let text = decode(xml.as_bytes(), None, xml::Bounds::default()).expect("text");
        let (mut out, mut scratch) = (Vec::new(), to_json::Scratch::default());
        let outcome = self
            .to_json
            .answer(operation, &text, &(), &mut scratch, &mut out)?;
        let json = match outcome {
            Outcome::Json => Some(serde_json::from_slice(&out).expect("JSON")),
            _ => None,
        };
        Ok((json, scratch.mismatches().count))
    }
}

/// Renames one element below the body; returns whether its namespace changed.
fn bend(xml: &str, plan: &ServicePlan, random: &mut Random) -> (String, bool) {
    let document = roxmltree::Document::parse(xml).expect("XML");
    let root = document.root_element();
    let body = root.last_element_child();
    let all: Vec<_> = body.expect("a body").descendants().skip(1).collect();
    // The contract cannot notice the absence of an unknown element in a wildcard.
    let is_of_contract = |node: &&roxmltree::Node<'_, '_>| {
        node.is_element() && node.tag_name().namespace() != Some("urn:unknown")
    };
    let elements: Vec<_> = all.iter().filter(is_of_contract).collect();
    let node = elements[random.below(elements.len())];
    let local = node.tag_name().name();
    let known = &plan.namespaces[random.below(plan.namespaces.len())];
    let own = node.tag_name().namespace().unwrap_or_default();
    let namespace = match random.below(4) {
        0 => own,
        1 => "",
        2 => known,
        _ => "urn:bent",
    };
    let mut name = String::from(local);
    let mut start = name.clone();
    if !namespace.is_empty() {
        name = format!("bent:{local}");
        start.clear();
        write!(start, "{name} xmlns:bent=\"{namespace}\"").expect("a string");
    }
    let range = node.range();
    let mut out = xml.to_owned();
    let opening = name_at(xml, range.start + 1);
    if xml[range.clone()].ends_with(&format!("</{}>", &xml[opening.clone()])) {
        let end = range.end - 1;
        out.replace_range(end - opening.len()..end, &name);
    }
    out.replace_range(opening, &start);
    (out, namespace != own)
}

fn name_at(xml: &str, start: usize) -> Range<usize> {
    let rest = &xml[start..];
    let bytes = rest.find([' ', '/', '>']).expect("the end of a tag");
    start..start + bytes
}

#[test]
fn one_bent_name_is_read_or_refused_and_never_left_out() {
    let (mut read, mut refused, mut sound) = (0, 0, 0);
    let plans = corpus();
    let shop = ("the shop".to_owned(), shop());
    for (path, plan) in plans.into_iter().chain([shop]) {
        let answers = Answers::new(plan);
        let mut random = Random(1);
        for (index, operation) in answers.plan.operations.iter().enumerate() {
            for _ in 0..if operation.proxy_only.is_none() {
                TRIES
            } else {
                0
            } {
                let seed = Seed(random.next() | 1);
                let mut random = Random(seed.0);
                let Some(xml) = answers.make(index, &mut random) else {
                    continue;
                };
                let whole = answers.read(index, &xml).expect("an answer that fits");
                for _ in 0..TRIES {
                    let (bent, is_other) = bend(&xml, &answers.plan, &mut random);
                    let name = &operation.name;
                    match answers.read(index, &bent) {
                        Err(_) if is_other => refused += 1,
                        Err(error) => panic!("{path} {name}: {error}\n{bent}"),
                        Ok((json, 0)) => {
                            let is_kept = || json.iter().any(|it| it.to_string().contains('<'));
                            assert!(json == whole.0 || is_kept(), "{path} {name}\n{xml}\n{bent}");
                            sound += 1;
                        }
                        Ok((json, _)) => {
                            assert_eq!(json, whole.0, "{path} {name}\n{xml}\n{bent}");
                            read += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{read} read, {refused} refused, {sound} that fit");
    assert!(read > refused && refused > 0);
}
