//! Access tokens in `Authorization: Bearer …` (RFC 6750, section 2.1): opaque tokens, found by id
//! and verified by digest, and signed tokens (`jwt.rs`).

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::TokenSubject;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::opaque;

use super::invalid_token::{expired, other_audience};
use super::{Holder, Judging, Proven, jwt};
use crate::refusal::Refused;
use crate::settings::TokenSettings;

/// Prefixes of API keys, which belong to another scheme.
const KEY_PREFIXES: [&[u8]; 2] = [b"tg_live_", b"tg_test_"];

/// Finds the token with this text, if it is valid now and for this version.
pub(super) fn find<'s>(judging: &Judging<'_, 's>, text: &[u8]) -> Result<Proven<'s>, Refused> {
    let tokens = judging.exchange.worker().settings.tokens.as_ref();
    let settings = tokens.ok_or_else(|| {
        let detail = "This gateway accepts no access tokens.";
        Refused::because(Refusal::Invalid, detail)
    })?;
    if opaque::is_marked(text) {
        return find_opaque(judging, settings, text);
    }
    if KEY_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
        let detail = "An API key is not a Bearer token.";
        return Err(Refused::because(Refusal::WrongKind, detail));
    }
    let token = jwt::find(judging, settings, text)?;
    Ok(Proven::Remembered(token))
}

fn find_opaque<'s>(
    judging: &Judging<'_, 's>,
    settings: &TokenSettings,
    text: &[u8],
) -> Result<Proven<'s>, Refused> {
    let (snapshot, now_us) = (judging.snapshot, judging.exchange.began_us());
    let (id, digest) = opaque::parse(text).ok_or(Refusal::Invalid)?;
    let token = snapshot.tokens.find(&id).filter(|it| it.is(&digest));
    let token = token.ok_or(Refusal::Invalid)?;
    let holder = match token.subject {
        TokenSubject::Client(client_id) => {
            let client = snapshot
                .clients
                .find(&client_id)
                .filter(|it| it.term.contains(now_us));
            let client = client.ok_or(Refusal::Invalid)?;
            Holder {
                credential: CredentialId::Client(client_id),
                application: client.application,
                environment: client.environment,
                client: Some(client),
            }
        }
        TokenSubject::Application(application, environment) => Holder {
            credential: CredentialId::Token(id),
            application,
            environment,
            client: None,
        },
    };
    let from_us = holder.client.map_or(0, |client| client.tokens_from_us);
    if token.issued_us < from_us.max(snapshot.tokens_from_us(holder.application)) {
        return Err(Refusal::Invalid.into());
    }
    if now_us >= token.expires_us {
        return Err(expired());
    }
    let is_for = |resource: &String| settings.is_resource(resource, judging.served());
    if !token.reach.resource.iter().all(is_for) {
        return Err(other_audience());
    }
    Ok(Proven::Token(token, holder))
}
