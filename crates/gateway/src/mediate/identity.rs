//! Who called, in the fields `X-Tollgate-…` of the upstream's request. A caller's own fields of such
//! names never go on, whether the version writes them or not.

use tollgate_http1::compose::push_field;
use tollgate_http1::view::Line;

use crate::authenticate::Caller;

const PREFIX: &[u8] = b"x-tollgate-";

/// Whether a field of a caller has a name that only the gateway writes.
pub(super) fn is_named(line: Line<'_>) -> bool {
    let name = line.name().get(..PREFIX.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(PREFIX))
}

/// Writes who called: of an anonymous call only the environment.
pub(super) fn push(out: &mut Vec<u8>, caller: &Caller<'_>) {
    let environment = caller.environment().word();
    push_field(out, "x-tollgate-environment", environment.as_bytes());
    if let Some(application) = caller.application() {
        let application = application.to_string();
        push_field(out, "x-tollgate-application", application.as_bytes());
    }
    for proven in caller.proven() {
        let credential = proven.id();
        push_field(
            out,
            "x-tollgate-credential",
            credential.to_string().as_bytes(),
        );
        push_field(
            out,
            "x-tollgate-credential-kind",
            credential.kind().as_bytes(),
        );
        if !proven.scopes().is_empty() {
            let scopes = proven.scopes().join(" ");
            push_field(out, "x-tollgate-scopes", scopes.as_bytes());
        }
    }
}
