//! Writes the edits of steps to the field lines of an upstream's request, and to responses. The
//! rest is shared with the dry run, in crate `mediation`.

use tollgate_http1::compose::push_field;
use tollgate_http1::view::Lines;
use tollgate_mediation::apply::{self, AnswerHead};
use tollgate_mediation::edits::Edits;
use tollgate_mediation::form::Forms;
use tollgate_mediation::run::Given;
use tollgate_model::api::Method;

use super::Shape;
use crate::reply::{Body, Reply};
use crate::snapshot::mediation::Passed;
use crate::snapshot::policies::Steps;
use crate::wire::session_cookie;

pub(super) use tollgate_mediation::apply::{Location, rewrite_location};

impl Shape<'_> {
    fn forms(&self) -> Forms<'_> {
        Forms {
            is_changed: self.is_changed,
            is_decoded: self.is_decoded,
            ..self.steps.forms()
        }
    }

    /// Whether a field line of the caller does not go up in a request with this method.
    pub(crate) fn hides_field(&self, name: &[u8], method: Method) -> bool {
        self.edits.hides_field(name) || self.forms().hides_field(name, method)
    }

    /// Appends the field lines that steps set, and those that a response with other bytes requires.
    pub(crate) fn push_fields(
        &self,
        out: &mut Vec<u8>,
        lines: Lines<'_>,
        passed: Passed,
        method: Method,
    ) {
        let forms = match passed {
            Passed::All => self.forms(),
            _ => Forms {
                revision: None,
                reads_answers: false,
                ..self.forms()
            },
        };
        let lines = lines.iter().filter(|line| !line.is_named_hop);
        let lines = lines.map(|line| (line.name(), line.value()));
        let mut push = |name: &str, value: &[u8]| push_field(out, name, value);
        forms.push_fields(&self.edits, lines, method, &mut push);
    }
}

impl Shape<'_> {
    /// Appends the field lines that steps set, in a request for a response that may be stored.
    pub(crate) fn push_set_fields(&self, out: &mut Vec<u8>) {
        for (name, value) in self.edits.fields() {
            let is_coding = name.eq_ignore_ascii_case("accept-encoding");
            if !is_coding {
                push_field(out, name, value);
            }
        }
    }

    /// Whether the steps of responses read their bodies, which then come without a coding.
    pub(crate) fn reads_answers(&self) -> bool {
        self.steps.reads_answers()
    }
}

/// Prepares the head of a response for the other bytes that its steps may send in each revision.
pub(super) fn revise(edits: &Edits<'_>, steps: &Steps, reply: &mut Reply<'_>, is_head: bool) {
    let describes_another = steps.forms().revise(edits, reply, is_head);
    if let Body::Passed(passed) = &mut reply.body {
        passed.hides_length = describes_another;
    }
}

/// Applies edits to the head of a response. A response without a body keeps its status.
pub(super) fn to_reply(edits: &Edits<'_>, reply: &mut Reply<'_>) {
    apply::to_answer(edits, reply, session_cookie::is_session_pair);
}

/// Replaces a refusal's response by one that a step gave; challenges and waiting times stay.
pub(super) fn replace(reply: &mut Reply<'static>, given: Given) {
    apply::replace(reply, &given);
    reply.body = match given.body.is_empty() {
        true => Body::None,
        false => Body::Bytes(given.body.into()),
    };
}

impl AnswerHead for Reply<'_> {
    fn status(&self) -> u16 {
        self.status()
    }

    fn set_status(&mut self, status: u16) {
        self.set_status(status);
    }

    fn field(&self, name: &[u8]) -> Option<&[u8]> {
        self.field(name)
    }

    fn push_field(&mut self, name: &str, value: &[u8]) {
        self.push_field(name, value);
    }

    fn remove_fields(&mut self, is_removed: &dyn Fn(&[u8]) -> bool) {
        self.remove_fields(is_removed);
    }
}
