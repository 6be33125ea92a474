//! Changes of heads that follow from changed bodies, beside the edits of steps: entity tags,
//! conditions and digests. Shared by gateways and the dry run.
//!
//! - `tags.rs`: entity tags of the bodies that steps make

mod tags;

use tollgate_model::api::Method;

use crate::apply::AnswerHead;
use crate::edits::Edits;
use tags::Kept;

const IF_MATCH: &str = "if-match";
const IF_NONE_MATCH: &str = "if-none-match";

/// The effect of steps on the bodies of a call.
#[derive(Debug, Clone, Copy)]
pub struct Forms<'s> {
    /// The digits of the revision's id, if steps of the version change the bodies of responses: its
    /// entity tags then end in them.
    pub revision: Option<&'s str>,
    /// Whether steps of the call read bodies of responses, for some responses at least.
    pub reads_answers: bool,
    /// Whether the body that goes up has other bytes than the caller's.
    pub is_changed: bool,
    /// Whether the caller's body had a content coding that the one that goes up does not have.
    pub is_decoded: bool,
}

impl Forms<'_> {
    /// Whether a field line of the caller does not go up in a request with this method.
    #[must_use]
    pub fn hides_field(&self, name: &[u8], method: Method) -> bool {
        self.is_changed && is_of_bytes(name)
            || self.is_decoded && name.eq_ignore_ascii_case(b"content-encoding")
            || self.revision.is_some() && is_condition(name)
            || self.reads_answers && is_of_form(name, method)
    }

    /// Writes the field lines that steps set, and those that a response with other bytes requires:
    /// the upstream's own entity tags, and a body that steps can read. `lines` are the names and
    /// values of the caller's, without hop-by-hop fields.
    pub fn push_fields<'l>(
        &self,
        edits: &Edits<'_>,
        lines: impl Iterator<Item = (&'l [u8], &'l [u8])>,
        method: Method,
        push: &mut dyn FnMut(&str, &[u8]),
    ) {
        for (name, value) in edits.fields() {
            if !(self.reads_answers && is_of_form(name.as_bytes(), method)) {
                push(name, value);
            }
        }
        if self.reads_answers {
            push("accept-encoding", b"identity");
        }
        let Some(revision) = self.revision else {
            return;
        };
        let is_read = matches!(method, Method::Get | Method::Head);
        let conditions = lines.filter(|(name, _)| is_condition(name) && !edits.hides_field(name));
        for (name, value) in conditions {
            let is_match = name.eq_ignore_ascii_case(IF_MATCH.as_bytes());
            if is_match && is_read && self.reads_answers {
                continue;
            }
            let kept = match is_match || !is_read {
                true => Kept::All,
                false => Kept::Of(revision, !self.reads_answers),
            };
            let mut tags = Vec::with_capacity(value.len());
            kept.push(&mut tags, value);
            if !tags.is_empty() {
                push(if is_match { IF_MATCH } else { IF_NONE_MATCH }, &tags);
            }
        }
    }

    /// Prepares the head of a response for the other bytes that its steps may send in each
    /// revision. Returns whether its length and digests are those of another body: it has none
    /// itself.
    pub fn revise(&self, edits: &Edits<'_>, head: &mut impl AnswerHead, is_head: bool) -> bool {
        const ETAG: &str = "etag";
        let mut tag = Vec::new();
        if let (Some(sent), Some(revision)) = (head.field(ETAG.as_bytes()), self.revision) {
            // A step that codes the body does so for some callers only.
            let mut set = edits.fields();
            let has_forms = set.any(|(name, _)| name == "content-encoding" || name == "vary");
            tags::push_revised(&mut tag, sent, revision, has_forms);
        }
        // It describes the body of a response to GET (RFC 9110, sections 9.3.2 and 15.4.5).
        let describes_another = is_head && edits.would_change_body || head.status() == 304;
        head.remove_fields(&|name| {
            name.eq_ignore_ascii_case(ETAG.as_bytes())
                || name.eq_ignore_ascii_case(b"accept-ranges")
                || describes_another && is_of_bytes(name)
        });
        if !tag.is_empty() {
            head.push_field(ETAG, &tag);
        }
        describes_another
    }
}

/// Removes the field lines of a response that its new body makes wrong. `is_decoded`: the new body
/// no longer has the content coding of the upstream's.
pub fn replace_body(head: &mut impl AnswerHead, is_decoded: bool) {
    head.remove_fields(&|name| {
        is_of_bytes(name) || is_decoded && name.eq_ignore_ascii_case(b"content-encoding")
    });
}

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

/// Whether a field describes the bytes of a body, and is wrong for other bytes (RFC 9530;
/// RFC 3230; RFC 1864).
fn is_of_bytes(name: &[u8]) -> bool {
    let names = ["digest", "content-digest", "repr-digest", "content-md5"];
    let mut names = names.into_iter();
    names.any(|of| name.eq_ignore_ascii_case(of.as_bytes()))
}
