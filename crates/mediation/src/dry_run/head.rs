//! The heads of responses, and the response of a refusal.

use tollgate_json::push_string;

use super::message::{Field, REQUEST_ID};
use super::{Refused, Shown, Start};
use crate::apply::AnswerHead;

/// The head of a response.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) fields: Vec<Field>,
}

impl Head {
    pub(super) fn new(status: u16) -> Self {
        let fields = Vec::new();
        Self { status, fields }
    }

    /// Returns the whole response.
    pub(super) fn shown(&self, body: &[u8]) -> Shown {
        Shown::new(Start::Response(self.status), self.fields.clone(), body)
    }

    /// Returns the response with the beginning of its body.
    pub(super) fn shown_with_beginning(&self, body: &[u8]) -> Shown {
        Shown::with_beginning(Start::Response(self.status), self.fields.clone(), body)
    }
}

impl AnswerHead for Head {
    fn status(&self) -> u16 {
        self.status
    }

    fn set_status(&mut self, status: u16) {
        self.status = status;
    }

    fn field(&self, name: &[u8]) -> Option<&[u8]> {
        let mut fields = self.fields.iter();
        let found = fields.find(|(of, _)| of.as_bytes().eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_bytes())
    }

    fn push_field(&mut self, name: &str, value: &[u8]) {
        let value = String::from_utf8_lossy(value).into_owned();
        self.fields.push((name.to_owned(), value));
    }

    fn remove_fields(&mut self, is_removed: &dyn Fn(&[u8]) -> bool) {
        self.fields.retain(|(name, _)| !is_removed(name.as_bytes()));
    }
}

/// Returns the body of a refusal (RFC 9457), as gateways write it.
pub(super) fn problem(refused: &Refused) -> Vec<u8> {
    let facts = refused.refusal.facts();
    let mut body = Vec::new();
    let status = facts.status.to_string();
    let detail = (refused.detail != facts.title).then_some(&*refused.detail);
    let members = [
        ("type", Some(facts.problem_type)),
        ("title", Some(facts.title)),
        ("status", Some(&*status)),
        ("code", Some(facts.code)),
        ("detail", detail),
        ("request_id", Some(REQUEST_ID)),
    ];
    body.push(b'{');
    for (name, value) in members {
        let Some(value) = value else { continue };
        if body.len() > 1 {
            body.push(b',');
        }
        push_string(&mut body, name);
        body.push(b':');
        match name {
            "status" => body.extend_from_slice(value.as_bytes()),
            _ => push_string(&mut body, value),
        }
    }
    body.push(b'}');
    body
}
