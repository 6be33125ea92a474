//! Writes the edits of steps to the field lines of an upstream's request, and to responses. The
//! rest is shared with the dry run, in crate `mediation`.

use tollgate_http1::compose::push_field;
use tollgate_http1::view::Lines;
use tollgate_mediation::apply::{self, AnswerHead};
use tollgate_mediation::edits::Edits;
use tollgate_mediation::run::Given;
use tollgate_model::api::Method;

use super::Shape;
use super::tags::{self, Kept};
use crate::reply::{Body, Reply};
use crate::snapshot::mediation::Passed;
use crate::snapshot::policies::Steps;
use crate::wire::session_cookie;

pub(in crate::mediate) use tollgate_mediation::apply::push_target;
pub(super) use tollgate_mediation::apply::rewrite_location;

impl Shape<'_> {
    /// Whether a field line of the caller does not go up in a request with this method.
    pub(in crate::mediate) fn hides_field(&self, name: &[u8], method: Method) -> bool {
        let is = |of: &str| name.eq_ignore_ascii_case(of.as_bytes());
        self.edits.hides_field(name)
            || self.is_changed && is_of_bytes(name)
            || self.is_decoded && is("content-encoding")
            || self.steps.revision().is_some() && is_condition(name)
            || self.steps.reads_answers() && is_of_form(name, method)
    }

    /// Appends the field lines that steps set, and those that a response with other bytes requires:
    /// the upstream's own entity tags, and a body that steps can read.
    pub(in crate::mediate) fn push_fields(
        &self,
        out: &mut Vec<u8>,
        (lines, passed): (Lines<'_>, Passed),
        method: Method,
    ) {
        let reads_answers = self.steps.reads_answers() && passed == Passed::All;
        for (name, value) in self.edits.fields() {
            if !(reads_answers && is_of_form(name.as_bytes(), method)) {
                push_field(out, name, value);
            }
        }
        if passed != Passed::All {
            return;
        }
        if reads_answers {
            push_field(out, "accept-encoding", b"identity");
        }
        let Some(revision) = self.steps.revision() else {
            return;
        };
        let is_read = matches!(method, Method::Get | Method::Head);
        let passed = lines.iter().filter(|line| !line.is_named_hop);
        let conditions = passed.filter(|line| is_condition(line.name()));
        for line in conditions.filter(|line| !self.edits.hides_field(line.name())) {
            let is_match = line.is(IF_MATCH.as_bytes());
            if is_match && is_read && reads_answers {
                continue;
            }
            let kept = match is_match || !is_read {
                true => Kept::All,
                false => Kept::Of(revision, !reads_answers),
            };
            let mut tags = Vec::with_capacity(line.value().len());
            kept.push(&mut tags, line.value());
            if !tags.is_empty() {
                let name = if is_match { IF_MATCH } else { IF_NONE_MATCH };
                push_field(out, name, &tags);
            }
        }
    }
}

const IF_MATCH: &str = "if-match";
const IF_NONE_MATCH: &str = "if-none-match";

/// Whether a field is a condition on entity tags.
fn is_condition(name: &[u8]) -> bool {
    let mut names = [IF_MATCH, IF_NONE_MATCH].into_iter();
    names.any(|of| name.eq_ignore_ascii_case(of.as_bytes()))
}

/// Whether a field of a request asks for another form of the response than the whole body without a
/// coding. With a date it could be 304, although another revision makes another body.
fn is_of_form(name: &[u8], method: Method) -> bool {
    let is = |of: &str| name.eq_ignore_ascii_case(of.as_bytes());
    let is_read = matches!(method, Method::Get | Method::Head);
    let is_date = is("if-modified-since") || is("if-unmodified-since");
    is("accept-encoding") || is_read && (is("range") || is("if-range") || is_date)
}

/// Whether a field describes the bytes of a body, so that it is wrong for a changed one (RFC 9530;
/// RFC 3230; RFC 1864).
pub(super) fn is_of_bytes(name: &[u8]) -> bool {
    let names = ["digest", "content-digest", "repr-digest", "content-md5"];
    let mut names = names.into_iter();
    names.any(|of| name.eq_ignore_ascii_case(of.as_bytes()))
}

/// Prepares the head of a response for the other bytes that its steps may send in each revision.
pub(super) fn revise(edits: &Edits<'_>, steps: &Steps, reply: &mut Reply<'_>, is_head: bool) {
    const ETAG: &str = "etag";
    let is_etag = |name: &[u8]| name.eq_ignore_ascii_case(ETAG.as_bytes());
    let mut tag = Vec::new();
    if let (Some(sent), Some(revision)) = (reply.field(ETAG.as_bytes()), steps.revision()) {
        // A step that codes the body does so for some callers only.
        let mut set = edits.fields();
        let has_forms = set.any(|(name, _)| name == "content-encoding" || name == "vary");
        tags::push_revised(&mut tag, sent, revision, has_forms);
    }
    // It describes the body of a response to GET (RFC 9110, sections 9.3.2 and 15.4.5).
    let describes_another = is_head && edits.would_change_body || reply.status() == 304;
    reply.remove_fields(|name| {
        is_etag(name)
            || name.eq_ignore_ascii_case(b"accept-ranges")
            || describes_another && is_of_bytes(name)
    });
    if !tag.is_empty() {
        reply.push_field(ETAG, &tag);
    }
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
