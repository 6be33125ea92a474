//! The deprecation of a version: when it began, the announced end (the sunset), the version that
//! succeeds it, and a text for its callers. It lasts as long as the state `deprecated`, and stays
//! with a version that retires.
//!
//! The sunset is only announced: no version retires by itself.

use std::collections::HashMap;
use std::iter;

use super::State;
use crate::fault::Fault;
use crate::id::VersionId;

/// Maximum time from now to a sunset: ten years, with three leap days.
const SUNSET_MAX_US: i64 = 3_653 * 86_400 * 1_000_000;

/// The deprecation of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// When the version was deprecated, Unix microseconds.
    pub since_us: i64,
    /// The announced end, Unix microseconds.
    pub sunset_us: Option<i64>,
    /// The version that its callers should move to.
    pub successor: Option<Successor>,
    /// Text for its callers.
    pub text: String,
}

/// The successor of a deprecated version: another version of the same API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    /// The version's id.
    pub id: VersionId,
    /// The version's name.
    pub name: String,
    /// The version's state.
    pub state: State,
}

impl Deprecation {
    /// Returns the deprecation as callers see it: without a successor that has left the catalogue
    /// since.
    #[must_use]
    pub fn announced(self) -> Self {
        Self {
            successor: self.successor.filter(|it| it.state.may_succeed()),
            ..self
        }
    }
}

impl State {
    /// Returns whether a version in this state can be announced as a successor: callers must be
    /// able to find it in the catalogue.
    #[must_use]
    pub const fn may_succeed(self) -> bool {
        self.in_catalogue().is_listed(true)
    }
}

/// Returns the fault of a new sunset at the time `now_us` (both Unix microseconds), if any.
#[must_use]
pub fn sunset_fault(sunset_us: i64, now_us: i64) -> Option<Fault> {
    let (code, detail) = if sunset_us <= now_us {
        (
            "deprecation.sunset_past",
            "the sunset must be in the future",
        )
    } else if sunset_us > now_us.saturating_add(SUNSET_MAX_US) {
        let detail = "the sunset must be at most 10 years from now";
        ("deprecation.sunset_far", detail)
    } else {
        return None;
    };
    Some(Fault::new("/sunset", code, detail))
}

/// Returns the fault of making another version of the API the successor of `version`, if any.
/// `successors` has the present successors of all deprecated versions of the API.
#[must_use]
pub fn successor_fault(
    version: VersionId,
    &Successor { id, state, .. }: &Successor,
    successors: &HashMap<VersionId, VersionId>,
) -> Option<Fault> {
    let (code, detail) = if id == version {
        let detail = "a version cannot be its own successor".to_owned();
        ("deprecation.successor_self", detail)
    } else if !state.may_succeed() {
        let detail = format!(
            "a successor must be published, prototyped or deprecated; this version is {}",
            state.word()
        );
        ("deprecation.successor_state", detail)
    } else if leads_to(version, id, successors) {
        let detail = "the successors would form a circle".to_owned();
        ("deprecation.successor_circle", detail)
    } else {
        return None;
    };
    Some(Fault::new("/successor", code, detail))
}

/// Returns whether following the successors from `from` reaches `version`.
fn leads_to(
    version: VersionId,
    from: VersionId,
    successors: &HashMap<VersionId, VersionId>,
) -> bool {
    let chain = iter::successors(Some(from), |id| successors.get(id).copied());
    // Each successor is passed once, unless they form a circle.
    chain.take(successors.len() + 1).any(|id| id == version)
}

#[cfg(test)]
mod tests;
