//! Signed access tokens of our key manager (RFC 9068), by the rules of the crate `tokens`. Workers
//! remember verified tokens (`worker/remembered.rs`): a repeated token costs a digest and a
//! look-up, not another signature check.

use std::rc::Rc;

use tollgate_model::credential::Environment;
use tollgate_model::feed::TokenSubject;
use tollgate_model::id::SigningKeyId;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::jwt::{self, Claims, Expected, Invalid, Kind, Unverified};

use super::Judging;
use super::invalid_token::{expired, other_audience};
use crate::refusal::Refused;
use crate::settings::TokenSettings;
use crate::snapshot::Snapshot;
use crate::worker::remembered::{Remembered, Standing, TokenClaims};

/// Tolerated clock difference between the key manager and the gateway.
const LEEWAY_US: i64 = 5_000_000;
/// The claim that selects the upstream for a token of the application itself.
const ENVIRONMENT: &str = "environment";

/// Finds the token with this text, if it is valid now and for this version.
pub(super) fn find(
    judging: &Judging<'_, '_>,
    settings: &TokenSettings,
    text: &[u8],
) -> Result<Rc<Remembered>, Refused> {
    let (snapshot, now_us) = (judging.snapshot, judging.exchange.began_us());
    let digest = jwt::digest(text);
    let mut remembered = judging.exchange.worker().remembered.borrow_mut();
    let token = match remembered.find(&digest) {
        Some(known) if known.standing.epoch == snapshot.security_epoch => known,
        Some(known) => match find_holder(snapshot, &known.claims) {
            Ok(standing) => {
                let token = Remembered::new(known.claims.clone(), standing);
                remembered.insert(digest, token, settings.remembered_max)
            }
            Err(refused) => {
                remembered.forget(&digest);
                return Err(refused);
            }
        },
        None => {
            let token = verify_new(judging, settings, text)?;
            remembered.insert(digest, token, settings.remembered_max)
        }
    };
    if now_us >= token.claims.expires_us {
        remembered.forget(&digest);
        return Err(expired());
    }
    if !token.standing.term.contains(now_us) {
        return Err(Refusal::Invalid.into());
    }
    let resources = &token.claims.resources;
    let is_for = |resource: &String| settings.is_resource(resource, judging.served());
    if !resources.is_empty() && !resources.iter().any(is_for) {
        return Err(other_audience());
    }
    Ok(token)
}

/// Verifies a token not seen before. Cheap checks come before the signature.
fn verify_new(
    judging: &Judging<'_, '_>,
    settings: &TokenSettings,
    text: &[u8],
) -> Result<Remembered, Refused> {
    let (snapshot, exchange) = (judging.snapshot, judging.exchange);
    let mut space = exchange.worker().buffer_pool.scratch();
    let token = Unverified::parse(text, &mut space).map_err(refused)?;
    let kid = token.header().kid();
    let key = kid.and_then(|kid| snapshot.signing_keys.get(kid));
    let key = key.ok_or_else(|| {
        let detail = "The token is not signed by a key of the key manager.";
        Refused::because(Refusal::Invalid, detail)
    })?;
    let audiences = [
        settings.audience.clone(),
        settings.resource(judging.served()),
    ];
    let expected = Expected {
        kind: Kind::AccessToken,
        issuer: &settings.issuer,
        audiences: &audiences,
        now_us: exchange.began_us(),
        leeway_us: LEEWAY_US,
        lifetime_us_max: None,
    };
    let claims = extract_claims(token.claims(), settings, key.id).ok_or(Refusal::Invalid);
    let token = token.check(&expected).map_err(refused)?;
    let claims = claims?;
    let standing = find_holder(snapshot, &claims)?;
    token.verify(&key.verifier).map_err(refused)?;
    Ok(Remembered::new(claims, standing))
}

/// Extracts the claims to remember; `None` unless they are those of our own access tokens.
fn extract_claims(
    claims: &Claims<'_>,
    settings: &TokenSettings,
    key: SigningKeyId,
) -> Option<TokenClaims> {
    let client_id = claims.client_id()?;
    let subject = match client_id.parse() {
        Ok(client) => TokenSubject::Client(client),
        Err(_) => {
            let environment = Environment::from_word(claims.text(ENVIRONMENT)?)?;
            TokenSubject::Application(client_id.parse().ok()?, environment)
        }
    };
    let is_for_all = claims.audiences().any(|name| name == settings.audience);
    let resources = claims.audiences().filter(|_| !is_for_all);
    (claims.subject() == Some(client_id)).then_some(TokenClaims {
        id: claims.token_id()?.parse().ok()?,
        subject,
        scopes: claims.scopes().map(str::to_owned).collect(),
        resources: resources.map(str::to_owned).collect(),
        expires_us: claims.expires_us()?,
        key,
    })
}

/// Looks up the token's holder. Fails if the token is revoked, directly or through its key, its
/// client, or all tokens of the client or the application.
fn find_holder(snapshot: &Snapshot, claims: &TokenClaims) -> Result<Standing, Refused> {
    let has_key = snapshot
        .signing_keys
        .values()
        .any(|key| key.id == claims.key);
    if !has_key || snapshot.revoked_tokens.find(&claims.id).is_some() {
        return Err(Refusal::Invalid.into());
    }
    let standing = match claims.subject {
        TokenSubject::Client(id) => {
            let client = snapshot.clients.find(&id).ok_or(Refusal::Invalid)?;
            Standing::of_client(id, client, &claims.scopes)
        }
        TokenSubject::Application(application, environment) => {
            Standing::of_application(claims.id, application, environment, &claims.scopes)
        }
    };
    let from_us = snapshot.tokens_from_us(standing.application);
    // The id has milliseconds; `iat` only has seconds.
    if claims.id.made_us() < from_us.max(standing.tokens_from_us) {
        return Err(Refusal::Invalid.into());
    }
    Ok(Standing {
        epoch: snapshot.security_epoch,
        ..standing
    })
}

fn refused(invalid: Invalid) -> Refused {
    let (refusal, mut detail) = (Refusal::Invalid, invalid.to_string());
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    detail.push('.');
    Refused::because(refusal, detail)
}
