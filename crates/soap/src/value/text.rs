//! JSON values to normalised text.

use tollgate_json::tape::{self, NodeId, View};

use super::{Lexical, Rule, Shape, Work, Wrong, binary};
use crate::plan::WhiteSpace;

impl Rule {
    #[inline]
    pub(super) fn atom<'a>(
        &self,
        view: View<'a>,
        id: NodeId,
        work: &mut Work,
    ) -> Result<Lexical<'a>, Wrong> {
        let given = match (view.kind(id), &self.shape) {
            (tape::Kind::True, Shape::Boolean) => return Ok(Lexical::Given("true")),
            (tape::Kind::False, Shape::Boolean) => return Ok(Lexical::Given("false")),
            (tape::Kind::Number, shape) => {
                let digits = view.text(id);
                shape.takes_number(digits, view.notation(id))?;
                return Ok(Lexical::Given(digits));
            }
            (tape::Kind::Text, shape) if !matches!(shape, Shape::Boolean) => view.text(id),
            (tape::Kind::Word, _) => view.text(id),
            _ => return Err(Wrong::Type),
        };
        let lexical = self.normalise(given, work);
        if self.shape.has(work.text(lexical)) {
            Ok(lexical)
        } else {
            Err(Wrong::Text)
        }
    }

    /// Normalises the white space of a text by the rule of the type.
    pub(super) fn normalise<'a>(&self, text: &'a str, work: &mut Work) -> Lexical<'a> {
        let lexical = normalise(text, self.space, work);
        match self.shape {
            Shape::Base64 => binary::without_space(lexical, work),
            _ => lexical,
        }
    }

    /// Returns the text of a list; `self` is the rule of its items.
    #[inline(never)]
    pub(super) fn list<'a>(
        &self,
        view: View<'a>,
        id: NodeId,
        work: &mut Work,
    ) -> Result<Lexical<'a>, Wrong> {
        let start = work.text.len();
        match view.kind(id) {
            tape::Kind::Array => {
                for item in view.children(id) {
                    self.item(view, item, start, work)?;
                }
            }
            // A parameter may hold the whole list.
            tape::Kind::Word => {
                for word in view.text(id).split_ascii_whitespace() {
                    if !self.fits(word) {
                        return Err(Wrong::Text);
                    }
                    push_item(start, word, work);
                }
            }
            _ => return Err(Wrong::Type),
        }
        Ok(Lexical::Made(start, work.text.len()))
    }

    /// Appends an item of a list; the text of the list begins at `start`.
    fn item(&self, view: View<'_>, id: NodeId, start: usize, work: &mut Work) -> Result<(), Wrong> {
        let end = work.text.len();
        let lexical = self.lexical(view, id, work)?;
        let text = work.text(lexical);
        if text.is_empty() || text.contains([' ', '\t', '\n', '\r']) {
            return Err(Wrong::Item);
        }
        match lexical {
            Lexical::Given(text) => push_item(start, text, work),
            Lexical::Made(..) => {
                // The text is at the end already, or after something else: move it into its place.
                let made = work.range(lexical);
                let is_first = end == start;
                work.text
                    .replace_range(end..made.start, if is_first { "" } else { " " });
            }
        }
        Ok(())
    }
}

fn push_item(start: usize, text: &str, work: &mut Work) {
    if work.text.len() > start {
        work.text.push(' ');
    }
    work.text.push_str(text);
}

/// Returns the text of the first member that accepts the value. If none does, returns the error of
/// the last.
#[inline(never)]
pub(super) fn union<'a>(
    members: &[Rule],
    view: View<'a>,
    id: NodeId,
    work: &mut Work,
) -> Result<Lexical<'a>, Wrong> {
    let length = work.text.len();
    let mut is_type = true;
    for member in members {
        match member.lexical(view, id, work) {
            Ok(lexical) => return Ok(lexical),
            Err(wrong) => is_type &= wrong == Wrong::Type,
        }
        work.text.truncate(length);
    }
    Err(if is_type { Wrong::Type } else { Wrong::Text })
}

fn normalise<'a>(text: &'a str, space: WhiteSpace, work: &mut Work) -> Lexical<'a> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = work.text.len();
    match space {
        WhiteSpace::Preserve => return Lexical::Given(text),
        WhiteSpace::Replace => {
            if !text.bytes().any(|byte| byte != b' ' && is_space(byte)) {
                return Lexical::Given(text);
            }
            let replaced = text.chars().map(|character| match character {
                '\t' | '\n' | '\r' => ' ',
                _ => character,
            });
            work.text.extend(replaced);
        }
        WhiteSpace::Collapse => {
            // Nearly all texts are words without spaces.
            let mut before = b' ';
            let is_collapsed = !text.bytes().any(is_space)
                || text.bytes().all(|byte| {
                    let is_fine = !is_space(byte) || (byte == b' ' && before != b' ');
                    before = byte;
                    is_fine
                }) && before != b' ';
            if text.is_empty() || is_collapsed {
                return Lexical::Given(text);
            }
            for word in text
                .split([' ', '\t', '\n', '\r'])
                .filter(|word| !word.is_empty())
            {
                push_item(start, word, work);
            }
        }
    }
    Lexical::Made(start, work.text.len())
}
