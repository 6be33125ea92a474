//! Keys that match the segments of path templates: [`SegmentKey`], and [`Pattern`] for a segment of
//! alternating literals and parameters, as in `{id}.json`.

use std::ops::Range;

use memchr::memmem;

use crate::path;
use crate::template::{PartOf, PathTemplate, RestLength, Segment};

/// A segment of alternating literals and parameters: matches its literals in their order, with at
/// least one byte for the parameter between each two of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The first and the last one may be empty.
    literals: Vec<Vec<u8>>,
}

/// Whether the matched text has percent-encodings. A literal does not begin inside one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// A `%` begins an encoding of three bytes.
    Encoded,
    /// A `%` is a character like any other, since the text was decoded.
    Decoded,
}

impl Pattern {
    /// Creates a pattern from the literals around and between its parameters: one more than there
    /// are parameters.
    ///
    /// # Panics
    /// If there are fewer than two, or an inner one is empty.
    #[must_use]
    pub fn new(literals: Vec<Vec<u8>>) -> Self {
        let inner = 1..literals.len() - 1;
        assert!(literals[inner].iter().all(|literal| !literal.is_empty()));
        Self { literals }
    }

    /// Returns the number of characters of its literals: of two patterns that match a text, the one
    /// with more is the closer match.
    #[must_use]
    pub fn literal_chars(&self) -> usize {
        let literals = self.literals.iter();
        literals.map(|literal| path::decoded(literal).len()).sum()
    }

    /// Returns whether it matches a segment. Each parameter matches as few bytes as possible; the
    /// time is linear in the length of the segment.
    #[must_use]
    pub fn matches(&self, segment: &[u8], escapes: Escapes) -> bool {
        self.each_literal(segment, escapes, |_| {}).is_some()
    }

    /// Returns the ranges of its literals in a segment, in order; `None` if it does not match.
    #[must_use]
    pub fn literals_in(&self, segment: &[u8]) -> Option<Vec<Range<usize>>> {
        let mut places = Vec::with_capacity(self.literals.len());
        self.each_literal(segment, Escapes::Encoded, |place| places.push(place))?;
        Some(places)
    }

    /// Returns whether both match some segment: one that has the beginnings and ends of both, and
    /// all their other literals in between.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let (first, last) = self.ends();
        let (other_first, other_last) = other.ends();
        (first.starts_with(other_first) || other_first.starts_with(first))
            && (last.ends_with(other_last) || other_last.ends_with(last))
    }

    fn each_literal(
        &self,
        segment: &[u8],
        escapes: Escapes,
        mut place: impl FnMut(Range<usize>),
    ) -> Option<()> {
        let (first, last) = self.ends();
        let end = segment.len().checked_sub(last.len())?;
        let is_apart = |at: usize| escapes == Escapes::Decoded || !is_inside_escape(segment, at);
        if end < first.len()
            || !segment.starts_with(first)
            || !segment.ends_with(last)
            || !(last.is_empty() || is_apart(end))
        {
            return None;
        }
        place(0..first.len());
        let mut at = first.len();
        for literal in &self.literals[1..self.literals.len() - 1] {
            // A parameter matches at least one byte.
            at += 1;
            loop {
                at += memmem::find(segment.get(at..end)?, literal)?;
                if is_apart(at) {
                    break;
                }
                at += 1;
            }
            place(at..at + literal.len());
            at += literal.len();
        }
        place(end..segment.len());
        (at < end).then_some(())
    }

    fn ends(&self) -> (&[u8], &[u8]) {
        (&self.literals[0], &self.literals[self.literals.len() - 1])
    }
}

/// The key that matches a segment of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SegmentKey {
    /// Matches this text.
    Literal(Vec<u8>),
    /// Matches alternating literals and parameters.
    Mixed(Pattern),
    /// Matches every non-empty segment.
    Parameter,
    /// Matches the rest of a path.
    Rest(RestLength),
}

/// Returns the keys of a template's segments and of its rest, with each of its literals converted
/// by `of_literal`. Slashes in the result separate segments, too.
pub fn segment_keys(
    template: &PathTemplate,
    of_literal: impl Fn(&[u8]) -> Vec<u8>,
) -> Vec<SegmentKey> {
    let mut keys = Vec::with_capacity(template.segments().len());
    for segment in template.segments() {
        let mut literals = vec![Vec::new()];
        if let Segment::Rest(rest) = segment {
            keys.push(SegmentKey::Rest(rest.length));
            continue;
        }
        for part in segment.parts() {
            let text = match part {
                PartOf::Literal(text) => of_literal(text.as_bytes()),
                PartOf::Parameter(_) => {
                    literals.push(Vec::new());
                    continue;
                }
            };
            let mut pieces = text.split(|&byte| byte == b'/');
            let first = pieces.next().unwrap_or_default();
            literals.last_mut().expect("one at least").extend(first);
            for piece in pieces {
                let ended = std::mem::replace(&mut literals, vec![piece.to_vec()]);
                keys.push(segment_key(ended));
            }
        }
        keys.push(segment_key(literals));
    }
    keys
}

/// Returns the key of a segment; `literals` are those around and between its parameters.
fn segment_key(mut literals: Vec<Vec<u8>>) -> SegmentKey {
    match &literals[..] {
        [_] => SegmentKey::Literal(literals.remove(0)),
        [first, last] if first.is_empty() && last.is_empty() => SegmentKey::Parameter,
        _ => SegmentKey::Mixed(Pattern::new(literals)),
    }
}

impl SegmentKey {
    /// Returns whether both match some segment; that of a rest is any.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(one), Self::Literal(other)) => one == other,
            (Self::Literal(text), Self::Mixed(pattern))
            | (Self::Mixed(pattern), Self::Literal(text)) => {
                pattern.matches(text, Escapes::Encoded)
            }
            (Self::Literal(text), Self::Parameter) | (Self::Parameter, Self::Literal(text)) => {
                !text.is_empty()
            }
            (Self::Mixed(one), Self::Mixed(other)) => one.overlaps(other),
            (Self::Mixed(_), Self::Parameter) | (Self::Parameter, _) => true,
            (Self::Rest(_), _) | (_, Self::Rest(_)) => true,
        }
    }
}

/// Returns whether both sequences of keys match some path.
#[must_use]
pub fn overlap(one: &[SegmentKey], other: &[SegmentKey]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([SegmentKey::Rest(length)], left) | (left, [SegmentKey::Rest(length)]) => match left {
            [] => length.allows(None),
            [SegmentKey::Literal(text)] => length.allows(Some(text)),
            _ => true,
        },
        ([first, one @ ..], [second, other @ ..]) => first.overlaps(second) && overlap(one, other),
        _ => false,
    }
}

/// Returns whether a percent-encoding begins before this index and ends after it.
fn is_inside_escape(text: &[u8], at: usize) -> bool {
    text[at.saturating_sub(2)..at].contains(&b'%')
}

#[cfg(test)]
mod tests;
