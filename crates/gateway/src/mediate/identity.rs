//! Who called, as the upstream is told where the version says so: in fields of their own, or in a
//! signed JWT. A caller's own fields of such names never go on, whether the gateway writes them or
//! not.

use serde_json::{Value, json};
use tollgate_http1::compose::push_field;
use tollgate_http1::view::Line;
use tollgate_model::feed::ServedVersion;
use tollgate_model::refusal::Refusal;

use crate::authenticate::Caller;
use crate::identities::Identities;

/// How the names of the fields begin.
const PREFIX: &[u8] = b"x-tollgate-";

/// Whether a field of a caller has a name that only the gateway writes.
pub(super) fn is_named(line: Line<'_>) -> bool {
    let name = line.name().get(..PREFIX.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(PREFIX))
}

/// Writes who called, in fields; of an anonymous call only the environment.
pub(super) fn push_fields(out: &mut Vec<u8>, caller: &Caller<'_>) {
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

/// Writes who called, as a JWT of `issuer`.
pub(super) fn push_jwt(
    out: &mut Vec<u8>,
    caller: &Caller<'_>,
    (issuer, served): (&str, &ServedVersion),
    (identities, now_us): (&Identities, i64),
) -> Result<(), Refusal> {
    let claims = claims(caller, issuer, served);
    let token = identities.of(claims, now_us).ok_or(Refusal::Internal)?;
    push_field(out, "x-tollgate-identity", token.as_bytes());
    Ok(())
}

fn claims(caller: &Caller<'_>, issuer: &str, served: &ServedVersion) -> Value {
    let scopes = caller.proven().flat_map(|it| it.scopes());
    let scopes: Vec<_> = scopes.map(String::as_str).collect();
    let credentials = caller.proven().map(|it| {
        let id = it.id();
        json!({ "id": id.to_string(), "kind": id.kind() })
    });
    let credentials: Vec<_> = credentials.collect();
    let subject = caller.application().map(|it| it.to_string());
    json!({
        "iss": issuer,
        "sub": subject.as_deref().unwrap_or("anonymous"),
        "environment": caller.environment().word(),
        "api": served.api,
        "version": served.id,
        "credentials": credentials,
        "scope": scopes.join(" "),
    })
}
