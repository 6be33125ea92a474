//! Writes the edits of steps to the field lines of an upstream's request, and to responses. The
//! rest is shared with the dry run, in crate `mediation`.

use tollgate_http1::compose::push_field;
use tollgate_mediation::apply::{self, AnswerHead};
use tollgate_mediation::edits::Edits;
use tollgate_mediation::run::Given;

use crate::reply::{Body, Reply};
use crate::wire::session_cookie;

pub(in crate::mediate) use tollgate_mediation::apply::push_target;
pub(super) use tollgate_mediation::apply::rewrite_location;

/// Appends the field lines that steps set.
pub(in crate::mediate) fn push_fields(out: &mut Vec<u8>, edits: &Edits<'_>) {
    for (name, value) in edits.fields() {
        push_field(out, name, value);
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
