//! The schemes that a document declares (OpenAPI 3.1, Security Scheme Object), and their
//! equivalents here.

use std::collections::BTreeMap;

use crate::model::fault::{Fault, pointer_token};
use crate::model::security::{ApiKey, KEY_HEADER, SCOPE_TEXT_MAX, Security};
use crate::notes::{Notes, Occurrences};
use crate::reference;
use crate::tree::{Map, Node};

/// Maximum number of schemes that are read.
const SCHEMES_MAX: usize = 100;
/// Maximum characters of a name in a note.
const SHOWN_MAX: usize = 100;
/// The pointer to their declarations.
pub(super) const SCHEMES: &str = "/components/securitySchemes";
/// The code of notes on them.
const CODE: &str = "openapi.security_scheme";
/// Flows that list scopes (OpenAPI 3.1, OAuth Flows Object).
const FLOWS: [&str; 4] = [
    "implicit",
    "password",
    "clientCredentials",
    "authorizationCode",
];

/// The equivalent of a declared scheme.
#[derive(Debug)]
pub(super) enum Form<'a> {
    /// An API key in the header with this name.
    Header(&'a str),
    /// An API key in the query parameter with this name.
    Query(&'a str),
    /// Access tokens with scopes: the descriptions of scopes in each flow.
    Scoped(Vec<(&'static str, &'a Map)>),
    /// Access tokens without declared scopes.
    Bearer,
    /// Users of HTTP Basic.
    Basic,
    /// Unsupported, with the reason.
    Other(String),
}

/// A declared scheme.
#[derive(Debug)]
pub(super) struct Scheme<'a> {
    pub(super) name: &'a str,
    pub(super) form: Form<'a>,
    /// Whether the document or an operation requires it.
    pub(super) is_required: bool,
}

impl Scheme<'_> {
    fn field(&self) -> String {
        field(self.name)
    }

    /// Returns the description of a scope, truncated to the model's bound; empty if there is none.
    pub(super) fn scope_text(&self, scope: &str) -> Result<&str, Fault> {
        let Form::Scoped(flows) = &self.form else {
            return Ok("");
        };
        for (flow, scopes) in flows {
            match scopes.value(scope) {
                None | Some(Node::Nothing) => {}
                Some(Node::Text(text) | Node::Scalar(text)) => {
                    let text = start(text, SCOPE_TEXT_MAX).trim();
                    if !text.is_empty() {
                        return Ok(text);
                    }
                }
                Some(_) => {
                    let at = format!("{}/flows/{flow}/scopes", self.field());
                    let at = format!("{at}/{}", pointer_token(scope));
                    return Err(form_fault(
                        at,
                        "the description of a scope must be a string",
                    ));
                }
            }
        }
        Ok("")
    }
}

/// The schemes of a document.
#[derive(Debug, Default)]
pub(super) struct Schemes<'a> {
    declared: Vec<Scheme<'a>>,
    places: BTreeMap<&'a str, usize>,
    is_cut: bool,
}

impl<'a> Schemes<'a> {
    /// Reads the declared schemes; returns faults for malformed parts.
    pub(super) fn read_declared(&mut self, root: &'a Map) -> Vec<Fault> {
        let Some(components) = root.map("components") else {
            return Vec::new();
        };
        let declared = match object(components, "securitySchemes", "/components") {
            Ok(Some(declared)) => declared,
            Ok(None) => return Vec::new(),
            Err(fault) => return vec![fault],
        };
        self.is_cut = declared.len() > SCHEMES_MAX;
        let mut faults = Vec::new();
        for (name, node) in declared.in_order().into_iter().take(SCHEMES_MAX) {
            match form(root, node, &field(name)) {
                Ok(form) => {
                    self.places.insert(name, self.declared.len());
                    self.declared.push(Scheme {
                        name,
                        form,
                        is_required: false,
                    });
                }
                Err(fault) => faults.push(fault),
            }
        }
        faults
    }

    pub(super) fn is_empty(&self) -> bool {
        self.declared.is_empty()
    }

    /// Returns the scheme with this name and marks it as required.
    pub(super) fn require(&mut self, name: &str) -> Option<&Scheme<'a>> {
        let scheme = &mut self.declared[*self.places.get(name)?];
        scheme.is_required = true;
        Some(scheme)
    }

    fn required(&self) -> impl Iterator<Item = &Scheme<'a>> {
        self.declared.iter().filter(|scheme| scheme.is_required)
    }

    /// Notes the schemes that are left out.
    pub(super) fn note_unsupported(&self, notes: &mut Notes) {
        for scheme in self.required() {
            if let Form::Other(why) = &scheme.form {
                let detail = format!("{} is left out: {why}", scheme.name);
                notes.add(&scheme.field(), CODE, detail);
            }
        }
        let mut idle = Occurrences::default();
        for scheme in self.declared.iter().filter(|scheme| !scheme.is_required) {
            idle.add(|| scheme.field());
        }
        let sentence = "schemes that nothing requires are left out";
        notes.counted(&idle, CODE, sentence);
        if self.is_cut {
            let detail = format!("only the first {SCHEMES_MAX} schemes are read");
            notes.add(SCHEMES, CODE, detail);
        }
    }

    /// Returns the places of API keys: at most one header and one parameter.
    /// `is_authorization_taken` is set if other schemes use that header.
    pub(super) fn api_key(&self, is_authorization_taken: bool, notes: &mut Notes) -> ApiKey {
        let (mut header, mut query) = (None, None);
        for scheme in self.required() {
            let (name, taken, is_same): (_, _, fn(&str, &str) -> bool) = match scheme.form {
                Form::Header(name) => (name, &mut header, str::eq_ignore_ascii_case),
                Form::Query(name) => (name, &mut query, str::eq),
                _ => continue,
            };
            let mut note = |detail: String| {
                let field = format!("{}/name", scheme.field());
                notes.add(&field, CODE, detail);
            };
            let is_query = matches!(scheme.form, Form::Query(_));
            if let Some(why) = refusal(name, is_query, is_authorization_taken) {
                note(format!("{:?} is not used: {why}", shown(name)));
                continue;
            }
            match *taken {
                None => *taken = Some(name),
                Some(first) if is_same(first, name) => {}
                Some(first) => {
                    let name = shown(name);
                    note(format!("{name:?} is not used: keys come in {first:?}"));
                }
            }
        }
        ApiKey {
            header: header.unwrap_or(KEY_HEADER).to_owned(),
            query: query.map(str::to_owned),
        }
    }
}

/// Returns the reason why API keys cannot have this name, if there is one.
fn refusal(name: &str, is_query: bool, is_authorization_taken: bool) -> Option<String> {
    if !is_query && is_authorization_taken && name.eq_ignore_ascii_case("authorization") {
        return Some("tokens and HTTP Basic use this header".to_owned());
    }
    let key = if is_query {
        ApiKey {
            query: Some(name.to_owned()),
            ..ApiKey::default()
        }
    } else {
        ApiKey {
            header: name.to_owned(),
            query: None,
        }
    };
    let security = Security {
        api_key: Some(key),
        ..Security::default()
    };
    let mut faults = security.faults().into_iter();
    faults.next().map(|fault| fault.detail)
}

fn form<'a>(root: &'a Map, node: &'a Node, field: &str) -> Result<Form<'a>, Fault> {
    let other = |why: &str| Ok(Form::Other(why.to_owned()));
    let written = match node {
        Node::Map(written) => written,
        Node::Nothing => return other("it has no type"),
        _ => return Err(form_fault(field, "a security scheme must be an object")),
    };
    let chain = match reference::resolve(root, written, field) {
        Ok(chain) => chain,
        Err(fault) => return other(&fault.detail),
    };
    let scheme = chain.last().copied().unwrap_or(written);
    match word(scheme, "type", field)? {
        Some("apiKey") => key_form(scheme, field),
        Some("http") => match word(scheme, "scheme", field)? {
            Some(name) if name.eq_ignore_ascii_case("basic") => Ok(Form::Basic),
            Some(name) if name.eq_ignore_ascii_case("bearer") => Ok(Form::Bearer),
            Some(name) => {
                let name = shown(name);
                other(&format!("the HTTP scheme {name:?} is not supported"))
            }
            None => other("it names no HTTP scheme"),
        },
        Some("oauth2") => Ok(Form::Scoped(flows(scheme, field)?)),
        Some("openIdConnect") => Ok(Form::Scoped(Vec::new())),
        Some("mutualTLS") => other("client certificates are not supported"),
        Some(name) => {
            let name = shown(name);
            other(&format!("{name:?} is not a type of OpenAPI 3.0 or 3.1"))
        }
        None => other("it has no type"),
    }
}

fn key_form<'a>(scheme: &'a Map, field: &str) -> Result<Form<'a>, Fault> {
    let place = word(scheme, "in", field)?;
    let name = word(scheme, "name", field)?;
    let why = match (place, name) {
        (Some("header"), Some(name)) => return Ok(Form::Header(name)),
        (Some("query"), Some(name)) => return Ok(Form::Query(name)),
        (Some("cookie"), _) => "keys in cookies are not supported",
        (Some("header" | "query"), None) => "it has no name",
        _ => "it is neither in a header nor in the query",
    };
    Ok(Form::Other(why.to_owned()))
}

fn flows<'a>(scheme: &'a Map, field: &str) -> Result<Vec<(&'static str, &'a Map)>, Fault> {
    let mut found = Vec::new();
    let Some(flows) = object(scheme, "flows", field)? else {
        return Ok(found);
    };
    for name in FLOWS {
        let Some(flow) = object(flows, name, &format!("{field}/flows"))? else {
            continue;
        };
        let scopes = object(flow, "scopes", &format!("{field}/flows/{name}"))?;
        found.extend(scopes.map(|scopes| (name, scopes)));
    }
    Ok(found)
}

/// Returns the object of a key, if present; a fault for other values.
fn object<'a>(map: &'a Map, key: &str, field: &str) -> Result<Option<&'a Map>, Fault> {
    match map.value(key) {
        None | Some(Node::Nothing) => Ok(None),
        Some(Node::Map(object)) => Ok(Some(object)),
        Some(_) => Err(form_fault(
            format!("{field}/{key}"),
            &format!("{key} must be an object"),
        )),
    }
}

/// Returns the string of a key, if present; a fault for other values.
fn word<'a>(map: &'a Map, key: &str, field: &str) -> Result<Option<&'a str>, Fault> {
    match map.value(key) {
        None | Some(Node::Nothing) => Ok(None),
        Some(Node::Text(text)) => Ok(Some(text)),
        Some(_) => Err(form_fault(
            format!("{field}/{key}"),
            &format!("{key} must be a string"),
        )),
    }
}

/// Truncates a name to fit into a sentence: many schemes can refer to one name.
fn shown(name: &str) -> &str {
    start(name, SHOWN_MAX)
}

/// Returns the first characters of a text.
fn start(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map(|(at, _)| at);
    &text[..end.unwrap_or(text.len())]
}

fn field(name: &str) -> String {
    format!("{SCHEMES}/{}", pointer_token(name))
}

pub(super) fn form_fault(field: impl Into<String>, detail: &str) -> Fault {
    Fault::new(field, "openapi.form", detail)
}
