//! A service of one operation, made from a schema in a page: the JSON of its responses, the XML of
//! its requests, and the OpenAPI document for both.

use roxmltree::{Document, Node};
use serde_json::Value;
use tollgate_soap::compile::{Choice, compile};
use tollgate_soap::convention::Shape;
use tollgate_soap::import::{Documents, read};
use tollgate_soap::to_json::{self, Options, Outcome};
use tollgate_soap::to_xml::{Program, Request, Scratch, Settings};
use tollgate_xml::{self as xml, decode};

use crate::described;
use crate::validator::misfit;

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Prefixes declared around every message of a page.
const PREFIXES: &str = "xmlns='urn:t' xmlns:t='urn:t' xmlns:a='urn:a' xmlns:b='urn:b' \
    xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";

/// Returns the contract of a service with one document/literal operation `call`, which sends the
/// global element `request` of this schema and receives `response`. The schema's namespace is
/// `urn:t`, its prefix `t`, and its elements are qualified.
pub(crate) fn wsdl(schema: &str, request: &str, response: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t"
            xmlns:a="urn:a" xmlns:b="urn:b"
            xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
          <types>
            <xs:schema targetNamespace="urn:t" elementFormDefault="qualified">{schema}</xs:schema>
          </types>
          <message name="request"><part name="parameters" element="t:{request}"/></message>
          <message name="response"><part name="parameters" element="t:{response}"/></message>
          <portType name="P"><operation name="call">
            <input message="t:request"/><output message="t:response"/>
          </operation></portType>
          <binding name="B" type="t:P">
            <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="call">
              <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output>
            </operation>
          </binding>
          <service name="S"><port name="P" binding="t:B">
            <soap:address location="http://localhost/"/></port></service>
        </definitions>"#
    )
}

/// Both transcoders of a service, and its document.
pub(crate) struct Service {
    to_xml: Program,
    to_json: to_json::Program,
    document: Value,
}

impl Service {
    /// Makes a service from the first operation of a contract: the first of these documents.
    pub(crate) fn of(documents: &[(&str, &str)]) -> Self {
        let mut set = Documents::default();
        for (name, text) in documents {
            set.add(name, text.as_bytes()).expect("a document");
        }
        let imported = read(&set, documents[0].0).expect("a contract");
        let mut plan = compile(&imported, &Choice::default()).expect("a plan").plan;
        // As a new import has it.
        let shape = Shape {
            opens_mixed: true,
            ..Shape::default()
        };
        shape.apply(&mut plan);
        assert_eq!(plan.operations[0].proxy_only, None);
        let document = described(&plan);
        // rest.name.component: a name that OpenAPI allows, whatever the name of the type.
        let components = document["components"]["schemas"].as_object();
        for name in components.expect("components").keys() {
            let is_allowed = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
            assert!(name.chars().all(is_allowed), "{name}");
        }
        Self {
            to_xml: Program::load(&plan, &Settings::default()).expect("a plan that loads"),
            to_json: to_json::Program::load(&plan, Options::default()),
            document,
        }
    }

    /// Returns the JSON of a response, and its number of mismatches.
    pub(crate) fn answered(&self, body: &str) -> Result<(String, u32), String> {
        let envelope = format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' {PREFIXES}><e:Body>\
             {body}</e:Body></e:Envelope>"
        );
        let bounds = xml::Bounds::default();
        let text = decode(envelope.as_bytes(), None, bounds).map_err(|error| error.to_string())?;
        let (mut scratch, mut out) = (to_json::Scratch::default(), Vec::new());
        match self.to_json.answer(0, &text, &(), &mut scratch, &mut out) {
            Ok(Outcome::Json) => {
                let json = String::from_utf8(out).expect("UTF-8");
                Ok((json, scratch.mismatches().count))
            }
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the envelope of a request, or a line for each violation.
    pub(crate) fn sent(&self, json: &str) -> Result<String, String> {
        let request = Request {
            body: Some(json.as_bytes()),
            ..Request::default()
        };
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        match self.to_xml.write(0, &request, &mut scratch, &mut out) {
            Ok(()) => Ok(String::from_utf8(out).expect("UTF-8")),
            Err(violations) => {
                let lines = violations.iter();
                let lines = lines.map(|it| format!("{} {}\n", it.pointer, it.sentence));
                Err(lines.collect::<String>().trim_end().to_owned())
            }
        }
    }

    /// Returns why JSON does not match the document's schema of requests.
    pub(crate) fn misfit_of_request(&self, json: &Value) -> Option<String> {
        self.misfit("/requestBody/content/application~1json/schema", json)
    }

    /// Returns why JSON does not match the document's schema of responses.
    pub(crate) fn misfit_of_answer(&self, json: &Value) -> Option<String> {
        self.misfit("/responses/200/content/application~1json/schema", json)
    }

    fn misfit(&self, place: &str, json: &Value) -> Option<String> {
        let paths = self.document["paths"].as_object().expect("paths");
        let operation = &paths.values().next().expect("a path")["post"];
        let schema = operation.pointer(place).expect("a schema");
        misfit(&self.document, schema, json)
    }
}

/// Returns JSON without the white space between its tokens.
pub(crate) fn compact(json: &str) -> String {
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

/// Returns the content of an envelope's header and body, in a form that does not depend on
/// prefixes.
pub(crate) fn content(envelope: &str) -> String {
    let document = Document::parse(envelope).unwrap_or_else(|error| panic!("{error}: {envelope}"));
    let parts = document.root_element().children();
    let content = parts.flat_map(|part| part.children().filter(Node::is_element));
    content.map(canonical).collect()
}

/// Like [`content`], for elements in a page.
pub(crate) fn expected_content(elements: &str) -> String {
    content(&format!("<x><y {PREFIXES}>{elements}</y></x>"))
}

/// Returns the content of an element, independent of prefixes and line breaks.
fn canonical(element: Node<'_, '_>) -> String {
    let mut attributes: Vec<_> = element
        .attributes()
        .map(|it| {
            let of_instance = it.namespace() == Some(INSTANCE);
            if it.name() != "type" || !of_instance && !it.value().contains(':') {
                return format!("{{{:?}}}{}={}", it.namespace(), it.name(), it.value());
            }
            let (prefix, local) = match it.value().split_once(':') {
                Some((prefix, local)) => (Some(prefix), local),
                None => (None, it.value()),
            };
            let namespace = element.lookup_namespace_uri(prefix);
            format!("type={{{}}}{local}", namespace.unwrap_or_default())
        })
        .collect();
    attributes.sort();
    let has_elements = element.children().any(|child| child.is_element());
    let content = element.children().map(|child| match child.text() {
        _ if child.is_element() => canonical(child),
        Some(text) if has_elements && text.trim().is_empty() && text.contains('\n') => {
            String::new()
        }
        text => {
            let text = text.unwrap_or_default();
            let name = text.split_once(':');
            let name = name.and_then(|(prefix, local)| {
                Some((element.lookup_namespace_uri(Some(prefix))?, local))
            });
            match name {
                Some((namespace, local)) => format!("{{{namespace}}}{local}"),
                None => format!("{text:?}"),
            }
        }
    });
    let content: String = content.collect();
    let name = element.tag_name();
    format!(
        "<{:?} {} {attributes:?}>{content}</>",
        name.namespace().unwrap_or_default(),
        name.name()
    )
}
