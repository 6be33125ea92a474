//! `WWW-Authenticate`: one challenge for each scheme of the version (RFC 9110, section 11.6.1).

use std::fmt::Write as _;

use tollgate_model::feed::ServedVersion;

use super::presented::has_bearer;
use crate::exchange::Exchange;
use crate::refusal::Refused;
use crate::route::METADATA;
use crate::settings::at_path;
use crate::snapshot::version::Version;

/// The error code for a token in the request (RFC 6750, section 3.1).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Error<'a> {
    InvalidToken,
    /// The scopes that the operation requires.
    InsufficientScope(&'a [String]),
}

/// Adds the challenge to a refusal, with the `error` if the request carried a token.
pub(crate) fn add(
    refused: Refused,
    version: &Version,
    exchange: &Exchange<'_>,
    error: Error<'_>,
) -> Refused {
    let error = has_bearer(exchange.head()).then_some(error);
    let security = &version.security;
    let mut challenges = String::with_capacity(CHALLENGES_BYTES);
    if security.api_key.is_some() {
        begin(&mut challenges, "ApiKey realm=\"tollgate\"");
    }
    if security.oauth2 {
        begin(&mut challenges, "Bearer realm=\"tollgate\"");
        push_error(&mut challenges, error);
        push_metadata(&mut challenges, &version.served, &exchange.public_url());
    }
    if security.basic {
        begin(
            &mut challenges,
            "Basic realm=\"tollgate\", charset=\"UTF-8\"",
        );
    }
    refused.challenged(challenges)
}

/// Room for the challenges of most versions.
const CHALLENGES_BYTES: usize = 512;

/// Adds a challenge, up to parameters that are pushed afterwards.
fn begin(challenges: &mut String, challenge: &str) {
    if !challenges.is_empty() {
        challenges.push_str(", ");
    }
    challenges.push_str(challenge);
}

/// Adds the error of a Bearer challenge (RFC 6750, section 3).
fn push_error(challenge: &mut String, error: Option<Error<'_>>) {
    match error {
        None => {}
        Some(Error::InvalidToken) => challenge.push_str(", error=\"invalid_token\""),
        Some(Error::InsufficientScope(scopes)) => {
            let scopes = scopes.join(" ");
            // Writing to memory does not fail; scopes hold no quotes and no backslashes.
            let _ = write!(
                challenge,
                ", error=\"insufficient_scope\", scope=\"{scopes}\""
            );
        }
    }
}

/// Adds the URL of a version's protected resource metadata (RFC 9728, section 5.1): its path is
/// inserted between host and path of the resource's URL (section 3.1).
fn push_metadata(challenge: &mut String, served: &ServedVersion, gateway: &str) {
    let (host, path) = at_path(gateway);
    let (context, name) = (&served.context, &served.name);
    // Writing to memory does not fail.
    let _ = write!(
        challenge,
        ", resource_metadata=\"{host}{METADATA}{path}{context}/{name}\""
    );
}
