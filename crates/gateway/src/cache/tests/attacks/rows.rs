//! The rows by class.
//!
//! - `rows/poisoning.rs`: fields, bodies and methods; `rows/targets.rs`: parameters, paths and
//!   hosts; `rows/callers.rs`: who shares, and what responses forbid

mod callers;
mod poisoning;
mod targets;

use super::{Expected, Row, Who};

/// All share, for ten minutes, whatever the upstream states.
const SHARED: &str = r#"{"share": "all", "ttl_s": 600}"#;

/// The attacker calls first; the victim calls the same resource.
pub(super) const POISONING: Row = Row {
    rules: SHARED,
    version: "{}",
    by: (Who::Attacker, Who::Victim),
    first: "GET /pets/7",
    field: "",
    second: "GET /pets/7",
    answers: ("200 OK", ""),
    fault: None,
    expected: Expected::Shared,
    status: 200,
    is_kept: true,
    proves: None,
};

/// The victim, lured to a URL, calls first; then the attacker calls.
const DECEPTION: Row = Row {
    by: (Who::Victim, Who::Attacker),
    ..POISONING
};

pub(super) fn all() -> Vec<Row> {
    [poisoning::rows(), targets::rows(), callers::rows()].concat()
}

/// Poisoning by a field line.
fn field(field: &'static str, expected: Expected) -> Row {
    Row {
        field,
        expected,
        ..POISONING
    }
}
