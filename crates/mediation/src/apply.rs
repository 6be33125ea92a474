//! Applies the edits of steps to messages. Gateways and the dry run share it, so that both make the
//! same bytes.

use tollgate_model::feed::ServedTarget;
use tollgate_model::path::Reading;
use tollgate_model::path::readings::stays_below;

use crate::edits::Edits;
use crate::escape::push_percent_encoded;
use crate::run::Given;
use crate::scope::Scratch;
use crate::value::Value;

/// The head of a response that edits are applied to.
pub trait AnswerHead {
    /// Returns the status.
    fn status(&self) -> u16;

    /// Replaces the status; the field lines stay.
    fn set_status(&mut self, status: u16);

    /// Returns the value of the first field line with this name, in any case.
    fn field(&self, name: &[u8]) -> Option<&[u8]>;

    /// Appends a field line.
    fn push_field(&mut self, name: &str, value: &[u8]);

    /// Removes the field lines with names of which `is_removed` is true.
    fn remove_fields(&mut self, is_removed: &dyn Fn(&[u8]) -> bool);
}

/// Appends path and query below the upstream's base path; `below` are the caller's.
pub fn push_target(out: &mut Vec<u8>, edits: &Edits<'_>, below: &[u8]) {
    let mut parts = below.splitn(2, |&byte| byte == b'?');
    let path = parts.next().unwrap_or_default();
    let query = &below[path.len()..];
    out.extend_from_slice(edits.path().unwrap_or(path));
    if !edits.changes_query() {
        out.extend_from_slice(query);
        return;
    }
    let mut before = b'?';
    let mut push = |out: &mut Vec<u8>, pair: &[&[u8]]| {
        out.push(before);
        before = b'&';
        pair.iter().for_each(|part| out.extend_from_slice(part));
    };
    let scratch = Scratch::default();
    let pairs = query.strip_prefix(b"?").unwrap_or_default();
    let pairs = pairs.split(|&byte| byte == b'&');
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
        let is_hidden = match scratch.decode(name, true) {
            Value::Text(name) => edits.hides_parameter(name.as_bytes()),
            _ => false,
        };
        if !is_hidden {
            push(out, &[pair]);
        }
    }
    for (name, value) in edits.parameters() {
        push(out, &[]);
        push_percent_encoded(out, name);
        out.push(b'=');
        out.extend_from_slice(value);
    }
}

/// Applies edits to the head of a response. A response without a body keeps its status, and no step
/// sets a session of the portal: `is_session` recognizes the pair of its cookie.
pub fn to_answer(
    edits: &Edits<'_>,
    head: &mut impl AnswerHead,
    is_session: impl Fn(&[u8]) -> bool,
) {
    if !edits.changes_no_field() {
        head.remove_fields(&|name| edits.hides_field(name));
        for (name, value) in edits.fields() {
            if name != "set-cookie" || !is_session(value) {
                head.push_field(name, value);
            }
        }
    }
    let is_bodiless = matches!(head.status(), 204 | 205 | 304);
    if let Some(status) = edits.status().filter(|_| !is_bodiless) {
        head.set_status(status);
    }
}

/// Where an API is, as locations in responses name it.
#[derive(Debug, Clone, Copy)]
pub struct Location<'l> {
    /// The path of the version at the gateway, with that of the gateway's URL.
    pub public: &'l str,
    /// The targets of its upstream.
    pub targets: &'l [ServedTarget],
    /// How paths of the version may be read.
    pub reading: Reading,
}

/// Replaces the upstream's address in a field with a location by the path of the version at the
/// gateway (RFC 9110, section 10.2.2). A location that might be read as one outside of the version
/// is left out; returns whether it was.
pub fn rewrite_location(head: &mut impl AnswerHead, name: &str, at: Location<'_>) -> bool {
    let location = head.field(name.as_bytes());
    let below = location.and_then(|it| at.targets.iter().find_map(|target| below(it, target)));
    let Some(below) = below else { return false };
    let moved = [at.public.as_bytes(), below].concat();
    let path = below.split(|byte| b"?#".contains(byte)).next();
    let stays = stays_below(path.unwrap_or_default(), at.reading).is_ok();
    head.remove_fields(&|of| of.eq_ignore_ascii_case(name.as_bytes()));
    if stays {
        head.push_field(name, &moved);
    }
    !stays
}

/// Returns the part of a location below a target's base path; `None` if it leads elsewhere.
fn below<'l>(location: &'l [u8], target: &ServedTarget) -> Option<&'l [u8]> {
    let origin = format!("{}://{}", target.scheme.word(), target.authority);
    let begins = |text: &[u8]| {
        let start = location.get(..text.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(text))
    };
    let path = if begins(origin.as_bytes()) {
        &location[origin.len()..]
    } else if location.starts_with(b"/") && !location.starts_with(b"//") {
        location
    } else {
        return None;
    };
    let below = path.strip_prefix(target.base_path.as_bytes())?;
    let ends = below.first().is_none_or(|byte| b"/?#".contains(byte));
    ends.then_some(below)
}

/// Replaces the head of a refusal's response by that of one that a step gave; challenges and
/// waiting times stay.
pub fn replace(head: &mut impl AnswerHead, given: &Given) {
    head.remove_fields(&|name| {
        let mut names = given.fields.iter();
        name.eq_ignore_ascii_case(b"content-type")
            || names.any(|(of, _)| name.eq_ignore_ascii_case(of.as_bytes()))
    });
    head.set_status(given.status);
    for (name, value) in &given.fields {
        head.push_field(name, value);
    }
}
