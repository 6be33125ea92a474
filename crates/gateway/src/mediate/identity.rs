//! The caller's identity for the upstream, if the version wants it: `X-Tollgate-…` fields or a
//! signed JWT. Fields with these names sent by callers are always removed.

use serde_json::{Value, json};
use tollgate_http1::compose::push_field;
use tollgate_model::feed::ServedTarget;
use tollgate_model::refusal::Refusal;

use crate::authorize::Allowed;
use crate::exchange::Exchange;

/// Writes the caller's identity as fields; for an anonymous call only the environment.
pub(super) fn push_fields(out: &mut Vec<u8>, allowed: &Allowed<'_>) {
    let caller = allowed.caller();
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
        let scopes: Vec<_> = allowed.scopes(proven).collect();
        if !scopes.is_empty() {
            push_field(out, "x-tollgate-scopes", scopes.join(" ").as_bytes());
        }
    }
}

/// Writes the caller's identity as a JWT, valid for the target only.
pub(super) fn push_jwt(
    out: &mut Vec<u8>,
    allowed: &Allowed<'_>,
    target: &ServedTarget,
    exchange: &Exchange<'_>,
) -> Result<(), Refusal> {
    let worker = exchange.worker();
    let claims = claims(allowed, worker.settings.issuer(), target);
    let token = worker.identities.token_for(claims, exchange.began_us());
    let token = token.ok_or(Refusal::Internal)?;
    push_field(out, "x-tollgate-identity", token.as_bytes());
    Ok(())
}

fn claims(allowed: &Allowed<'_>, issuer: &str, target: &ServedTarget) -> Value {
    let caller = allowed.caller();
    let served = &allowed.routed().version().served;
    let scopes: Vec<_> = caller.proven().flat_map(|it| allowed.scopes(it)).collect();
    let credentials = caller.proven().map(|it| {
        let id = it.id();
        json!({ "id": id.to_string(), "kind": id.kind() })
    });
    let credentials: Vec<_> = credentials.collect();
    let subject = caller.application().map(|it| it.to_string());
    json!({
        "iss": issuer,
        "aud": format!("{}://{}", target.scheme.word(), target.authority),
        "sub": subject.as_deref().unwrap_or("anonymous"),
        "environment": caller.environment().word(),
        "api": served.api,
        "version": served.id,
        "credentials": credentials,
        "scope": scopes.join(" "),
    })
}
