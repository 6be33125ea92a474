//! What callers see of a call's limits: the `RateLimit-Policy` line, and their names in `RateLimit`
//! (draft-ietf-httpapi-ratelimit-headers-11).

use std::borrow::Cow;

use smallvec::SmallVec;
use tollgate_counters::{BoundLimit, Rule};

/// Usual maximum of limits per call: up to this many names are kept on the stack.
const ON_STACK: usize = 8;

/// The limits of a call, as its caller sees them. No two policies have one name (section 3).
#[derive(Debug)]
pub(crate) struct PolicyLine {
    /// The `RateLimit-Policy` line with its line end; empty if all limits only observe.
    line: Box<[u8]>,
    /// By the place of a limit: the number of limits before it that have the same name.
    namesakes: Box<[usize]>,
}

impl PolicyLine {
    /// Prepares those of a list of limits.
    pub(crate) fn new<'r>(rules: impl Iterator<Item = &'r Rule> + Clone) -> Self {
        let mut line = Vec::new();
        let shown = shown(rules);
        push_line(&mut line, &shown);
        Self {
            line: line.into(),
            namesakes: shown.iter().map(|named| named.namesakes).collect(),
        }
    }

    /// Appends the `RateLimit-Policy` line.
    pub(crate) fn push_line(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.line);
    }

    /// The limit at this place, with its name.
    pub(crate) fn named<'b>(&self, bounds: &'b [BoundLimit], place: u32) -> Option<Named<'b>> {
        let place = place as usize;
        Some(Named {
            rule: bounds.get(place)?.rule(),
            namesakes: *self.namesakes.get(place)?,
        })
    }
}

/// The limits of a call with their names, by place.
pub(crate) type Shown<'r> = SmallVec<[Named<'r>; ON_STACK]>;

/// Names the limits of a call.
pub(crate) fn shown<'r>(rules: impl Iterator<Item = &'r Rule>) -> Shown<'r> {
    let mut shown = Shown::new();
    for rule in rules {
        let is_same = |named: &&Named<'_>| named.is_shown() && named.rule.name() == rule.name();
        let namesakes = shown.iter().filter(is_same).count();
        shown.push(Named { rule, namesakes });
    }
    shown
}

/// Appends the `RateLimit-Policy` line of these limits, except those that only observe.
pub(crate) fn push_line(out: &mut Vec<u8>, limits: &[Named<'_>]) {
    let mut before: &[u8] = b"ratelimit-policy: ";
    for named in limits.iter().filter(|named| named.is_shown()) {
        out.extend_from_slice(before);
        match named.namesakes {
            0 => out.extend_from_slice(named.rule.policy().as_bytes()),
            _ => {
                named.push_quoted(out);
                out.extend_from_slice(named.rule.terms().as_bytes());
            }
        }
        before = b", ";
    }
    if before == b", " {
        out.extend_from_slice(b"\r\n");
    }
}

/// A limit with its name in the fields of its call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'r> {
    pub(crate) rule: &'r Rule,
    /// The number of limits of the call before it that have the same name.
    namesakes: usize,
}

impl<'r> Named<'r> {
    /// Whether callers see it: not if it only observes.
    fn is_shown(&self) -> bool {
        !self.rule.limit().observes
    }

    pub(crate) fn name(self) -> Cow<'r, str> {
        match self.namesakes {
            0 => Cow::Borrowed(self.rule.name()),
            namesakes => Cow::Owned(format!("{}#{}", self.rule.name(), namesakes + 1)),
        }
    }

    /// Appends the name in quotation marks.
    pub(crate) fn push_quoted(self, out: &mut Vec<u8>) {
        if self.namesakes == 0 {
            return out.extend_from_slice(self.rule.quoted_name().as_bytes());
        }
        out.push(b'"');
        out.extend_from_slice(self.rule.name().as_bytes());
        // No name that is given or made contains it.
        out.push(b'#');
        out.extend_from_slice(itoa::Buffer::new().format(self.namesakes + 1).as_bytes());
        out.push(b'"');
    }
}
