//! `replace_text`: literal texts and their replacements.

use serde::{Deserialize, Serialize};

use crate::edits::Changed;
use crate::outcome::Stop;
use crate::value::BYTES_MAX;
use crate::work::{Reading, Work};

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
        work.charge_reading(Reading {
            bytes: body.len(),
            nodes: 0,
            is_first: true,
        })?;
        let is_begun = |byte: &u8| firsts[usize::from(*byte)];
        let (mut copied, mut at) = (0, 0);
        while let Some(skipped) = body[at..].iter().position(is_begun) {
            at += skipped;
            let rest = &body[at..];
            let matched = self.pairs.iter().find(|(from, _)| {
                work.spend(1);
                from.as_bytes().first() == rest.first()
                    && work.spend_bytes(from.len())
                    && rest.starts_with(from.as_bytes())
            });
            work.check()?;
            let Some((from, to)) = matched else {
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
