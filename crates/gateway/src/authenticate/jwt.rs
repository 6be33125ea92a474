//! Signed access tokens of our key manager (RFC 9068), by the rules of the crate `tokens`. A token
//! that was found good is remembered by its worker (`worker/remembered.rs`): seen again, it costs
//! its digest and a look-up; the signature is not checked twice.

use std::rc::Rc;

use tollgate_model::credential::Environment;
use tollgate_model::feed::TokenSubject;
use tollgate_model::id::SigningKeyId;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::jwt::{self, Claims, Expected, Invalid, Kind, Unverified};

use super::invalid_token::{expired, other_audience};
use crate::refusal::Refused;
use crate::settings::TokenSettings;
use crate::snapshot::Snapshot;
use crate::snapshot::version::Version;
use crate::worker::Worker;
use crate::worker::remembered::{Remembered, Said, Standing};

/// How far the clock of the key manager may be from ours.
const LEEWAY_US: i64 = 5_000_000;
/// The claim that says which upstream the token of an application itself reaches.
const ENVIRONMENT: &str = "environment";

/// The token of this text, if it may be used now, for this version.
pub(super) fn find(
    snapshot: &Snapshot,
    version: &Version,
    (worker, settings): (&Worker, &TokenSettings),
    (text, now_us): (&[u8], i64),
) -> Result<Rc<Remembered>, Refused> {
    let digest = jwt::digest(text);
    let mut remembered = worker.remembered.borrow_mut();
    let token = match remembered.find(&digest) {
        Some(known) if known.standing.epoch == snapshot.security_epoch => known,
        Some(known) => match stand(snapshot, &known.said) {
            Ok(standing) => {
                let token = Remembered::new(known.said.clone(), standing);
                remembered.insert(digest, token, settings.remembered_max)
            }
            Err(refused) => {
                remembered.forget(&digest);
                return Err(refused);
            }
        },
        None => {
            let token = read(snapshot, version, (worker, settings), (text, now_us))?;
            remembered.insert(digest, token, settings.remembered_max)
        }
    };
    if now_us >= token.said.expires_us {
        remembered.forget(&digest);
        return Err(expired());
    }
    if !token.standing.term.contains(now_us) {
        return Err(Refusal::Invalid.into());
    }
    let resources = &token.said.resources;
    let is_for = |resource: &String| settings.is_resource(resource, &version.served);
    if !resources.is_empty() && !resources.iter().any(is_for) {
        return Err(other_audience());
    }
    Ok(token)
}

/// Reads a token that was not seen before. What is cheap is judged before the signature.
fn read(
    snapshot: &Snapshot,
    version: &Version,
    (worker, settings): (&Worker, &TokenSettings),
    (text, now_us): (&[u8], i64),
) -> Result<Remembered, Refused> {
    let mut space = worker.buffer_pool.scratch();
    let token = Unverified::parse(text, &mut space).map_err(refused)?;
    let key = token.header().kid();
    let key = key.and_then(|kid| snapshot.signing_keys.get(kid));
    let key = key.ok_or_else(|| {
        let detail = "The token is not signed with a key of the key manager.";
        Refused::because(Refusal::Invalid, detail)
    })?;
    let audiences = [
        settings.audience.clone(),
        settings.resource(&version.served),
    ];
    let expected = Expected {
        kind: Kind::AccessToken,
        issuer: &settings.issuer,
        audiences: &audiences,
        now_us,
        leeway_us: LEEWAY_US,
        lifetime_us_max: None,
    };
    let said = say(token.claims(), settings, key.id).ok_or(Refusal::Invalid);
    let token = token.check(&expected).map_err(refused)?;
    let said = said?;
    let standing = stand(snapshot, &said)?;
    token.verify(&key.verifier).map_err(refused)?;
    Ok(Remembered::new(said, standing))
}

/// Extracts the claims to remember; `None` unless they are those of our own access tokens.
fn say(claims: &Claims<'_>, settings: &TokenSettings, key: SigningKeyId) -> Option<Said> {
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
    (claims.subject() == Some(client_id)).then_some(Said {
        id: claims.token_id()?.parse().ok()?,
        subject,
        scopes: claims.scopes().map(str::to_owned).collect(),
        resources: resources.map(str::to_owned).collect(),
        expires_us: claims.expires_us()?,
        key,
    })
}

/// What is known of the token's holder now, unless the token was revoked, with whatever it hangs
/// on: itself, its key, its client, all that were issued to the client or the application.
fn stand(snapshot: &Snapshot, said: &Said) -> Result<Standing, Refused> {
    let has_key = snapshot.signing_keys.values().any(|key| key.id == said.key);
    if !has_key || snapshot.revoked_tokens.find(&said.id).is_some() {
        return Err(Refusal::Invalid.into());
    }
    let standing = match said.subject {
        TokenSubject::Client(id) => {
            let client = snapshot.clients.find(&id).ok_or(Refusal::Invalid)?;
            Standing::of_client(id, client, &said.scopes)
        }
        TokenSubject::Application(application, environment) => {
            Standing::of_application(said.id, (application, environment), &said.scopes)
        }
    };
    let from_us = snapshot.tokens_from_us(standing.application);
    // The id holds milliseconds, where `iat` has seconds only.
    if said.id.made_us() < from_us.max(standing.tokens_from_us) {
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
