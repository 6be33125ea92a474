//! The guide's page on the convention, held to both transcoders: in each of its examples a schema
//! is followed by messages, each with its JSON, and by JSON that is refused, with what is told.

use roxmltree::{Document, Node};

use crate::plan::ServicePlan;
use crate::testing::compiled_schema;
use crate::to_json::{self, Options, Outcome};
use crate::to_xml::{self, Request, Settings};
use crate::xml::{Bounds, decode};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/guide/json-convention.md"
);
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The fenced blocks of a section: what is said of each, and what is in it.
fn blocks(section: &str) -> Vec<(&str, &str)> {
    let fenced = section.split("```").skip(1).step_by(2);
    let blocks = fenced.map(|block| block.split_once('\n').expect("a line that names it"));
    blocks.collect()
}

/// The contract whose messages are of the first type that a schema has.
fn plan(schema: &str) -> ServicePlan {
    let (_, rest) = schema.split_once("name=\"").expect("a named type");
    let (name, _) = rest.split_once('"').expect("the end of a name");
    let message = |local| format!("<xs:element name='{local}' type='t:{name}'/>");
    let messages = message("request") + &message("response");
    compiled_schema(&format!("{schema}{messages}")).plan
}

/// A message of the page as the child of a body: in the contract's namespace, by another name.
fn renamed(message: &str, local: &str) -> String {
    let name = message.trim_start().trim_start_matches('<');
    let end = name.find([' ', '>', '/']).expect("the end of a name");
    let declared = format!("<{local} xmlns='urn:t' xmlns:t='urn:t' xmlns:xsi='{INSTANCE}'");
    let begun = message.replacen(&format!("<{}", &name[..end]), &declared, 1);
    begun.replace(&format!("</{}>", &name[..end]), &format!("</{local}>"))
}

fn answered(plan: &ServicePlan, message: &str) -> String {
    let body = renamed(message, "response");
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{body}</e:Body>\
         </e:Envelope>"
    );
    let program = to_json::Program::load(plan, Options::default());
    let (mut scratch, mut out) = (to_json::Scratch::default(), Vec::new());
    let text = decode(envelope.as_bytes(), None, Bounds::default()).unwrap();
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    assert_eq!(outcome, Ok(Outcome::Json), "{message}");
    assert_eq!(scratch.mismatches().count, 0, "{message}");
    String::from_utf8(out).unwrap()
}

fn sent(plan: &ServicePlan, json: &str) -> Result<String, String> {
    let program = to_xml::Program::load(plan, &Settings::default()).unwrap();
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let mut out = Vec::new();
    let written = program.write(0, &request, &mut to_xml::Scratch::default(), &mut out);
    let told = |it: &to_xml::Violation| format!("{} {}\n", it.pointer, it.sentence);
    match written {
        Ok(()) => Ok(String::from_utf8(out).unwrap()),
        Err(violations) => Err(violations.iter().map(told).collect()),
    }
}

/// JSON without the white space between its tokens.
fn compact(json: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let kept = json.chars().filter(|&character| {
        let was_text = is_text;
        if character == '"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = was_text && character == '\\' && !is_escaped;
        was_text || !character.is_whitespace()
    });
    kept.collect()
}

/// What an element holds, however its prefixes are called and its lines broken.
fn told(element: Node<'_, '_>) -> String {
    let mut attributes: Vec<_> = element
        .attributes()
        .map(|it| match it.value().split_once(':') {
            Some((prefix, local)) if it.name() == "type" => {
                let namespace = element.lookup_namespace_uri(Some(prefix));
                format!("type={{{}}}{local}", namespace.unwrap_or_default())
            }
            None if it.name() == "type" && it.namespace() == Some(INSTANCE) => {
                let namespace = element.lookup_namespace_uri(None);
                format!("type={{{}}}{}", namespace.unwrap_or_default(), it.value())
            }
            _ => format!("{{{:?}}}{}={}", it.namespace(), it.name(), it.value()),
        })
        .collect();
    attributes.sort();
    let has_elements = element.children().any(|child| child.is_element());
    let content = element.children().map(|child| match child.text() {
        _ if child.is_element() => told(child),
        Some(text) if has_elements && text.trim().is_empty() && text.contains('\n') => {
            String::new()
        }
        text => format!("{:?}", text.unwrap_or_default()),
    });
    let content: String = content.collect();
    let name = element.tag_name();
    format!(
        "<{:?} {} {attributes:?}>{content}</>",
        name.namespace(),
        name.name()
    )
}

fn check(section: &str) -> usize {
    let mut blocks = blocks(section).into_iter();
    let (_, schema) = blocks.next().expect("a schema");
    let plan = plan(schema);
    let mut checked = 0;
    while let Some((kind, first)) = blocks.next() {
        let (_, second) = blocks.next().expect("blocks come in twos");
        checked += 1;
        if kind == "json refused" {
            let told = sent(&plan, first).expect_err(first);
            assert_eq!(told.trim_end(), second.trim_end(), "{first}");
            continue;
        }
        assert_eq!(answered(&plan, first), compact(second), "{first}");
        if kind == "xml answer" {
            continue;
        }
        let xml = sent(&plan, second).unwrap_or_else(|told| panic!("{second}{told}"));
        let envelope = Document::parse(&xml).unwrap();
        let body = envelope.root_element().last_element_child().unwrap();
        let expected = renamed(first, "request");
        let expected = Document::parse(&expected).unwrap();
        let found = told(body.first_element_child().unwrap());
        assert_eq!(found, told(expected.root_element()), "{xml}");
    }
    checked
}

#[test]
fn every_example_of_the_guide_holds_in_both_directions() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (_, examples) = page.split_once("\n## Examples\n").expect("examples");
    let (examples, _) = examples.split_once("\n## ").expect("what follows them");
    let checked: Vec<usize> = examples.split("\n### ").skip(1).map(check).collect();
    assert!(
        checked.len() > 5 && checked.iter().all(|&count| count > 0),
        "{checked:?}"
    );
}
