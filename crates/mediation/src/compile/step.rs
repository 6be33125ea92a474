//! Compiles one step of a list.

use tollgate_model::api::{Kind, Method};
use tollgate_model::fault::{Fault, pointer_token};
use tollgate_model::path::Reading;
use tollgate_model::policies::{Policy, Respond, SetHeader, SetQuery, Step as Written};
use tollgate_model::template::PathTemplate;

use super::headers::Headers;
use super::media_type::body_place;
use crate::expression::{self, Expression};
use crate::mock::Examples;
use crate::name::Available;
use crate::note::Note;
use crate::program::{Action, Pattern, Response, Step};
use crate::text::{self, Template};

/// Maximum bytes of a template's text.
const TEMPLATE_BYTES_MAX: usize = 64 << 10;
/// Maximum bytes of a name of a variable or a parameter.
const NAME_BYTES_MAX: usize = 64;
/// Maximum number of names in one step.
const NAMES_MAX: usize = 64;

/// Browsers do not guess another media type (Fetch, section 3.6).
const NO_SNIFFING: (&str, &str) = ("x-content-type-options", "nosniff");

/// An operation: its name, method and path.
pub(super) type Operation<'c> = (String, Method, &'c PathTemplate);

/// The list that a step belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Request,
    Response,
    Error,
}

impl Place {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Error => "error",
        }
    }

    fn available(self) -> Available<'static> {
        Available {
            response: self == Self::Response,
            error: self == Self::Error,
            body: self != Self::Error,
            ..Available::default()
        }
    }
}

/// Compiles the steps of one list, and collects their faults.
pub(super) struct Steps<'c> {
    pub(super) place: Place,
    pub(super) kind: Kind,
    /// How the back end reads paths.
    pub(super) reading: Reading,
    pub(super) headers: &'c Headers<'c>,
    /// The operations that the list applies to, and the examples of their document.
    pub(super) operations: &'c [Operation<'c>],
    pub(super) examples: &'c dyn Examples,
    pub(super) faults: Vec<Fault>,
    pub(super) notes: Vec<Note>,
}

impl Steps<'_> {
    /// Compiles the step at a JSON Pointer; `None` if it has faults.
    pub(super) fn compile(&mut self, written: &Written, at: &str) -> Option<Step> {
        let before = self.faults.len();
        self.check_place(&written.policy, at);
        let condition = written.condition.as_deref();
        let condition = condition.map(|text| self.expression(text, &format!("{at}/if")));
        let action = self.action(&written.policy, at);
        if self.faults.len() > before {
            return None;
        }
        let step = Step::new(at, condition.flatten(), action?);
        if self.kind == Kind::Soap && step.needs_body() {
            let detail = "the messages of a SOAP service pass unread: a step needs the body";
            self.fault(format!("{at}/policy"), "policy.kind", detail);
            return None;
        }
        Some(step)
    }

    pub(super) fn fault(
        &mut self,
        field: impl Into<String>,
        code: &str,
        detail: impl Into<String>,
    ) {
        self.faults.push(Fault::new(field, code, detail));
    }

    /// Rejects a policy that does not belong in this list, or in an API of this kind.
    fn check_place(&mut self, policy: &Policy, at: &str) {
        use Place::{Error, Request, Response};
        let places: &[Place] = match policy {
            Policy::SetHeader(_) | Policy::RemoveHeader(_) | Policy::RenameHeader(_) => {
                &[Request, Response, Error]
            }
            Policy::SetQuery(_)
            | Policy::RemoveQuery(_)
            | Policy::RewritePath(_)
            | Policy::SetMethod(_)
            | Policy::Mock(_) => &[Request],
            Policy::SetStatus(_) | Policy::RewriteLocation(_) => &[Response],
            Policy::Mask(_) | Policy::Compress(_) => &[Response],
            Policy::ThreatProtection(_) => &[Request],
            Policy::Let(_)
            | Policy::JsonTemplate(_)
            | Policy::JsonEdit(_)
            | Policy::ReplaceText(_)
            | Policy::JsonToXml(_)
            | Policy::XmlToJson(_) => &[Request, Response],
            Policy::Respond(_) => &[Request, Error],
        };
        let (field, word) = (format!("{at}/policy"), policy.word());
        if !places.contains(&self.place) {
            let lists: Vec<_> = places.iter().map(|it| it.word()).collect();
            let detail = format!("{word} is a policy of the lists {}", lists.join(", "));
            return self.fault(field, "policy.place", detail);
        }
        let needs_rest = matches!(
            policy,
            Policy::SetQuery(_)
                | Policy::RemoveQuery(_)
                | Policy::RewritePath(_)
                | Policy::SetMethod(_)
        );
        if needs_rest && self.kind != Kind::Rest {
            let kind = self.kind.word();
            let detail = format!("the requests of a back end of kind {kind} have one target");
            self.fault(field, "policy.kind", detail);
        }
    }

    fn action(&mut self, policy: &Policy, at: &str) -> Option<Action> {
        match policy {
            Policy::SetHeader(it) => self.set_header(it, at),
            Policy::RemoveHeader(it) => {
                let names = self.patterns(&it.names, at)?;
                for (index, name) in it.names.iter().enumerate() {
                    // A beginning matches only fields that may change.
                    if !name.ends_with('*') && !name.eq_ignore_ascii_case("cookie") {
                        self.header(name, &format!("{at}/names/{index}"));
                    }
                }
                Some(Action::RemoveHeader(names))
            }
            Policy::RenameHeader(it) => {
                let from = self.header(&it.from, &format!("{at}/from"));
                let to = self.header(&it.to, &format!("{at}/to"));
                Some(Action::RenameHeader(from, to))
            }
            Policy::SetQuery(it) => self.set_query(it, at),
            Policy::RemoveQuery(it) => Some(Action::RemoveQuery(self.patterns(&it.names, at)?)),
            Policy::RewritePath(it) => self.rewrite_path(it, at),
            Policy::SetMethod(it) => {
                let is_allowed = matches!(
                    it.method,
                    Method::Get | Method::Post | Method::Put | Method::Patch | Method::Delete
                );
                if !is_allowed {
                    let detail = "one of GET, POST, PUT, PATCH and DELETE";
                    self.fault(format!("{at}/method"), "policy.value", detail);
                }
                Some(Action::SetMethod(it.method))
            }
            Policy::SetStatus(it) => {
                self.check_status(it.status, at);
                if matches!(it.status, 204 | 205 | 304) {
                    let detail = format!("a response with status {} has no body", it.status);
                    self.fault(format!("{at}/status"), "policy.value", detail);
                }
                Some(Action::SetStatus(it.status))
            }
            Policy::RewriteLocation(it) => Some(Action::RewriteLocation(it.content_location)),
            Policy::Let(it) => {
                self.check_name(&it.name, &format!("{at}/name"));
                let value = self.expression(&it.value, &format!("{at}/value"))?;
                Some(Action::Let(it.name.as_str().into(), value))
            }
            Policy::Respond(it) => self.respond(it, at),
            Policy::Mock(it) => self.mock(it, at),
            policy => self.body(policy, at),
        }
    }

    fn set_header(&mut self, it: &SetHeader, at: &str) -> Option<Action> {
        let name = self.header(&it.name, &format!("{at}/name"));
        let value = self.template(&it.value, text::Place::Header, &format!("{at}/value"))?;
        Some(Action::SetHeader(name, value, it.mode))
    }

    fn set_query(&mut self, it: &SetQuery, at: &str) -> Option<Action> {
        let field = format!("{at}/name");
        if it.name.is_empty() || it.name.len() > NAME_BYTES_MAX {
            let detail = format!("a name has 1 to {NAME_BYTES_MAX} bytes");
            self.fault(&field, "policy.value", detail);
        } else if self.headers.is_key(&it.name) {
            let detail = "this parameter carries the API key, and no step may change it";
            self.fault(&field, "policy.value", detail);
        }
        let value = self.template(&it.value, text::Place::QueryValue, &format!("{at}/value"))?;
        Some(Action::SetQuery(it.name.as_str().into(), value, it.mode))
    }

    fn respond(&mut self, it: &Respond, at: &str) -> Option<Action> {
        self.check_status(it.status, at);
        let mut headers = Vec::new();
        for (name, value) in &it.headers {
            let field = format!("{at}/headers/{}", pointer_token(name));
            if name.eq_ignore_ascii_case("content-type") {
                let detail = "content_type sets this field";
                self.fault(&field, "policy.header", detail);
            }
            let name = self.header(name, &field);
            headers.extend(Some(name).zip(self.template(value, text::Place::Header, &field)));
        }
        let has_body = !it.body.is_empty();
        if has_body && matches!(it.status, 204 | 205 | 304) {
            let detail = format!("a response with status {} has no body", it.status);
            self.fault(format!("{at}/body"), "policy.value", detail);
        }
        if has_body != it.content_type.is_some() {
            let detail = "a body has a media type, and only a body";
            self.fault(format!("{at}/content_type"), "policy.value", detail);
        }
        if let Some(media_type) = &it.content_type {
            let field = format!("{at}/content_type");
            let literal = Template::literal(media_type);
            let is_plain = media_type.bytes().all(|byte| (b' '..0x7f).contains(&byte));
            if !is_plain || media_type.len() > 128 || !media_type.contains('/') {
                let detail = "a media type, such as \"application/json\"";
                self.fault(field, "policy.value", detail);
            }
            headers.push(("content-type".into(), literal));
        }
        let place = body_place(it.content_type.as_deref().unwrap_or_default());
        let body = self.template(&it.body, place, &format!("{at}/body"))?;
        if !headers.iter().any(|(name, _)| **name == *NO_SNIFFING.0) {
            let (name, value) = NO_SNIFFING;
            headers.push((name.into(), Template::literal(value)));
        }
        Some(Action::Respond(Box::new(Response {
            status: it.status,
            headers,
            body,
        })))
    }

    pub(super) fn check_status(&mut self, status: u16, at: &str) {
        if !(200..=599).contains(&status) {
            let detail = "a status from 200 to 599";
            self.fault(format!("{at}/status"), "policy.value", detail);
        }
    }

    /// Checks the name of a header field that a step changes; returns it in lower case.
    fn header(&mut self, name: &str, field: &str) -> Box<str> {
        if let Some(detail) = self.headers.refuse(name) {
            self.fault(field, "policy.header", detail);
        }
        name.to_ascii_lowercase().into()
    }

    fn patterns(&mut self, names: &[String], at: &str) -> Option<Box<[Pattern]>> {
        let field = format!("{at}/names");
        if names.is_empty() || names.len() > NAMES_MAX {
            let detail = format!("1 to {NAMES_MAX} names");
            self.fault(field, "policy.value", detail);
            return None;
        }
        for (index, name) in names.iter().enumerate() {
            let begin = name.strip_suffix('*').unwrap_or(name);
            if begin.is_empty() || begin.contains('*') || begin.len() > NAME_BYTES_MAX {
                let detail = format!(
                    "a name of 1 to {NAME_BYTES_MAX} bytes, or the beginning of one and \"*\""
                );
                self.fault(format!("{field}/{index}"), "policy.value", detail);
            }
        }
        Some(names.iter().map(|name| Pattern::parse(name)).collect())
    }

    pub(super) fn check_name(&mut self, name: &str, field: &str) -> bool {
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        let mut bytes = name.bytes();
        let is_name = bytes.next().is_some_and(is_letter)
            && bytes.all(|byte| is_letter(byte) || byte.is_ascii_digit())
            && name.len() <= NAME_BYTES_MAX;
        if !is_name {
            let detail = format!("1 to {NAME_BYTES_MAX} letters, digits and \"_\"");
            self.fault(field, "policy.value", detail);
        }
        is_name
    }

    pub(super) fn expression(&mut self, text: &str, field: &str) -> Option<Expression> {
        self.expression_with(text, field, &[])
    }

    /// Compiles an expression that knows more names.
    pub(super) fn expression_with(
        &mut self,
        text: &str,
        field: &str,
        locals: &[&str],
    ) -> Option<Expression> {
        let available = Available {
            locals,
            ..self.place.available()
        };
        let parsed = Expression::parse(text, &available);
        self.parsed(parsed, field, "policy.expression")
    }

    pub(super) fn template(
        &mut self,
        text: &str,
        place: text::Place,
        field: &str,
    ) -> Option<Template> {
        self.template_with(text, place, field, &[])
    }

    /// Compiles a template that knows more names.
    pub(super) fn template_with(
        &mut self,
        text: &str,
        place: text::Place,
        field: &str,
        locals: &[&str],
    ) -> Option<Template> {
        if text.len() > TEMPLATE_BYTES_MAX {
            let detail = format!("a template has at most {TEMPLATE_BYTES_MAX} bytes");
            self.fault(field, "policy.template", detail);
            return None;
        }
        let available = Available {
            locals,
            ..self.place.available()
        };
        let parsed = Template::parse(text, place, &available);
        self.parsed(parsed, field, "policy.template")
    }

    pub(super) fn parsed<T>(
        &mut self,
        parsed: Result<T, expression::Fault>,
        field: &str,
        code: &str,
    ) -> Option<T> {
        parsed
            .map_err(|fault| self.fault(field, code, fault.to_string()))
            .ok()
    }
}
