//! Lines at warn about upstreams that fail calls and transfers that were cut, rate-limited:
//! [`Warnings`].
//!
//! What happened to one call is in its record; why its upstream failed is told here, where the
//! operator looks for it. A line for each version and refusal goes out at most every
//! [`QUIET_US`]; what comes in between is counted and told with the count.

use std::cell::RefCell;
use std::error::Error;

use hashbrown::HashMap;
use tollgate_model::id::VersionId;
use tollgate_model::refusal::Refusal;

use crate::refusal::Refused;

/// How long after a line its like are only counted.
const QUIET_US: i64 = 10_000_000;
/// Versions and refusals that are told apart at a time; further ones are not told.
const KEYS_MAX: usize = 1_024;

/// What one worker has told.
#[derive(Debug, Default)]
pub(crate) struct Warnings(RefCell<HashMap<Key, Told>>);

type Key = (Option<VersionId>, Refusal);

#[derive(Debug)]
struct Told {
    at_us: i64,
    /// How often it happened since, and why the last time.
    more: u64,
    cause: String,
}

impl Warnings {
    /// Logs why a call is refused or cut, where that is for its upstream, or for a transfer that
    /// took too long.
    pub(crate) fn refused(&self, now_us: i64, version: Option<VersionId>, refused: &Refused) {
        let (refusal, cause) = (refused.refusal, refused.cause());
        if side(refusal).is_none() {
            return;
        }
        let key = (version, refusal);
        let mut told = self.0.borrow_mut();
        if let Some(told) = told.get_mut(&key) {
            told.more += 1;
            cause.clone_into(&mut told.cause);
            return;
        }
        if told.len() >= KEYS_MAX {
            return;
        }
        let quiet = Told {
            at_us: now_us,
            more: 0,
            cause: String::new(),
        };
        told.insert(key, quiet);
        warn(key, cause, 0);
    }

    /// Tells what was counted in quiet times that are over. Called about once a second.
    pub(crate) fn tick(&self, now_us: i64) {
        self.0.borrow_mut().retain(|&key, told| {
            if now_us - told.at_us < QUIET_US {
                return true;
            }
            if told.more == 0 {
                return false;
            }
            warn(key, &told.cause, told.more);
            told.at_us = now_us;
            told.more = 0;
            true
        });
    }
}

/// Which side of a call the log names for a refusal; none where it is not logged.
fn side(refusal: Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::BodyTime | Refusal::AnswerTime => Some("a caller"),
        other if other.facts().code.starts_with("upstream.") => Some("a back end"),
        _ => None,
    }
}

fn warn((version, refusal): Key, cause: &str, count: u64) {
    let code = refusal.facts().code;
    let side = side(refusal).unwrap_or_default();
    let of = version.map_or_else(String::new, |version| format!(" of {version}"));
    let version = version.map(tracing::field::display);
    if count == 0 {
        tracing::warn!(code, version, "{code}: {side}{of}: {cause}");
    } else {
        tracing::warn!(
            code,
            version,
            count,
            "{code}: {count} times more, {side}{of}; the last: {cause}"
        );
    }
}

/// An error and its causes in one line.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error: &&dyn Error| (*error).source());
    let words: Vec<_> = causes.map(ToString::to_string).collect();
    words.join(": ")
}

#[cfg(test)]
mod tests;
