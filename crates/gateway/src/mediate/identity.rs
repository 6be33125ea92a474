//! Who called, as the upstream is told where the version says so: in fields of their own, or in a
//! signed JWT. A caller's own fields of such names never go on, whether the gateway writes them or
//! not.
//!
//! The key that signs is made by the process and lives as long; its public half is at
//! `/.well-known/jwks.json`. A JWT is kept for its caller, so that a call costs no signature.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

use hashbrown::HashMap;
use serde_json::{Value, json};
use tollgate_http1::compose::push_field;
use tollgate_http1::view::Line;
use tollgate_model::algorithm::Algorithm;
use tollgate_model::feed::ServedVersion;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::jwt;
use tollgate_tokens::key::SigningKey;

use crate::authenticate::Caller;

/// How the names of the fields begin.
const PREFIX: &[u8] = b"x-tollgate-";
/// How long a JWT may be used.
const LIFETIME_S: i64 = 300;
/// How long before its end another one is made.
const RENEWAL_S: i64 = 120;
/// JWTs that a worker keeps at most; when there are more all are forgotten.
const KEPT_MAX: usize = 4_096;

static KEY: LazyLock<Option<SigningKey>> =
    LazyLock::new(|| SigningKey::generate(Algorithm::Es256).ok());

/// The JWTs of a worker's callers.
#[derive(Debug, Default)]
pub(crate) struct Identities(RefCell<HashMap<String, Kept>>);

#[derive(Debug)]
struct Kept {
    token: Rc<str>,
    ends_s: i64,
}

/// The keys that JWTs are signed with, as a set (RFC 7517, section 5).
pub(crate) fn keys() -> String {
    let key = KEY.as_ref().map(SigningKey::public);
    let keys: Vec<_> = key.iter().map(|key| key.jwk(&key.thumbprint())).collect();
    json!({ "keys": keys }).to_string()
}

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
    let now_s = now_us / 1_000_000;
    let token = identities.of(claims, now_s).ok_or(Refusal::Internal)?;
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

impl Identities {
    /// The JWT of these claims, made anew where it would end soon.
    fn of(&self, mut claims: Value, now_s: i64) -> Option<Rc<str>> {
        let said = claims.to_string();
        let mut kept = self.0.borrow_mut();
        if let Some(known) = kept.get(&said)
            && now_s + RENEWAL_S < known.ends_s
        {
            return Some(Rc::clone(&known.token));
        }
        let key = KEY.as_ref()?;
        let ends_s = now_s + LIFETIME_S;
        claims["iat"] = now_s.into();
        claims["exp"] = ends_s.into();
        let name = key.public().thumbprint();
        let token: Rc<str> = jwt::sign(key, &name, "JWT", &claims).into();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        let token_kept = Rc::clone(&token);
        kept.insert(
            said,
            Kept {
                token: token_kept,
                ends_s,
            },
        );
        Some(token)
    }
}
