//! `replace_text`: literal texts and their replacements.

use serde::{Deserialize, Serialize};

use crate::edits::Changed;
use crate::outcome::Stop;
use crate::value::BYTES_MAX;
use crate::work::Work;

/// Pairs of a text and its replacement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReplaceText {
    pub(crate) pairs: Box<[(Box<str>, Box<str>)]>,
}

impl ReplaceText {
    /// Replaces, at each place of the body, the first text that matches. Searches replacements no
    /// more.
    ///
    /// # Errors
    /// Fails if the body would have more than 10 MiB, or if the work is exceeded.
    pub(crate) fn run(
        &self,
        body: &[u8],
        out: &mut Vec<u8>,
        work: &Work,
    ) -> Result<Option<Changed>, Stop> {
        let mut firsts = [false; 256];
        for (from, _) in &self.pairs {
            if let Some(&first) = from.as_bytes().first() {
                firsts[usize::from(first)] = true;
            }
        }
        let (mut copied, mut at) = (0, 0);
        while let Some(&byte) = body.get(at) {
            let matched = firsts[usize::from(byte)]
                .then(|| {
                    let mut pairs = self.pairs.iter();
                    pairs.find(|(from, _)| {
                        let is_begun = from.as_bytes().first() == Some(&byte);
                        work.spend(1);
                        is_begun
                            && work.spend_bytes(from.len())
                            && body[at..].starts_with(from.as_bytes())
                    })
                })
                .flatten();
            let Some((from, to)) = matched else {
                work.check()?;
                at += 1;
                continue;
            };
            out.extend_from_slice(&body[copied..at]);
            out.extend_from_slice(to.as_bytes());
            at += from.len();
            copied = at;
            if out.len() > BYTES_MAX {
                return Err(Stop::TooLong);
            }
        }
        if copied == 0 {
            return Ok(None);
        }
        out.extend_from_slice(&body[copied..]);
        Ok(Some(Changed::default()))
    }
}
