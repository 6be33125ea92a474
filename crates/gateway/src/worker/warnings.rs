//! Rate-limited warnings about failing upstreams and cut transfers: [`Warnings`].
//!
//! What happened to one call is in its record; why its upstream failed is logged here, where
//! operators look for it. There is at most one line per version and refusal every [`QUIET_US`];
//! repetitions are counted, and the next line has the count.

use std::cell::RefCell;
use std::error::Error;

use hashbrown::HashMap;
use tollgate_model::id::VersionId;
use tollgate_model::refusal::Refusal;

use crate::refusal::Refused;

/// Time after a line in which its repetitions are only counted.
const QUIET_US: i64 = 10_000_000;
/// Maximum versions and refusals tracked at a time; further ones are not logged.
const KEYS_MAX: usize = 1_024;

/// The warnings logged by one worker.
#[derive(Debug, Default)]
pub(crate) struct Warnings(RefCell<HashMap<Key, Logged>>);

/// What is repeated: a refusal of calls of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    version: Option<VersionId>,
    refusal: Refusal,
}

#[derive(Debug)]
struct Logged {
    at_us: i64,
    /// Repetitions since then, and the cause of the last one.
    more: u64,
    cause: String,
}

impl Warnings {
    /// Logs why a call was refused or cut, if the upstream is to blame or a transfer took too long.
    pub(crate) fn refused(&self, now_us: i64, version: Option<VersionId>, refused: &Refused) {
        let (refusal, cause) = (refused.refusal, refused.cause());
        if side(refusal).is_none() {
            return;
        }
        let key = Key { version, refusal };
        let mut logged = self.0.borrow_mut();
        if let Some(logged) = logged.get_mut(&key) {
            logged.more += 1;
            cause.clone_into(&mut logged.cause);
            return;
        }
        if logged.len() >= KEYS_MAX {
            return;
        }
        let quiet = Logged {
            at_us: now_us,
            more: 0,
            cause: String::new(),
        };
        logged.insert(key, quiet);
        warn(key, cause, 0);
    }

    /// Logs the repetitions counted in quiet periods that are over. Called about once a second.
    pub(crate) fn tick(&self, now_us: i64) {
        self.0.borrow_mut().retain(|&key, logged| {
            if now_us - logged.at_us < QUIET_US {
                return true;
            }
            if logged.more == 0 {
                return false;
            }
            warn(key, &logged.cause, logged.more);
            logged.at_us = now_us;
            logged.more = 0;
            true
        });
    }
}

/// The side of a call that the log names for a refusal; `None` if it is not logged.
fn side(refusal: Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::BodyTime | Refusal::AnswerTime | Refusal::AnswerRoom => Some("a caller"),
        other if other.facts().code.starts_with("upstream.") => Some("a back end"),
        _ => None,
    }
}

fn warn(key: Key, cause: &str, count: u64) {
    let Key { version, refusal } = key;
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
