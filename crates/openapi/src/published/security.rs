//! The security of a version in OpenAPI (OpenAPI 3.1, Security Scheme and Security Requirement
//! Objects).

use super::{Published, PublishedOperation};
use crate::model::security::{Require, Scheme};
use crate::value::{Members, Value};

/// The names of the schemes.
const KEY: &str = "api_key";
const KEY_IN_QUERY: &str = "api_key_in_query";
const OAUTH2: &str = "oauth2";
const BASIC: &str = "basic";

/// Returns the security schemes of the version.
pub(super) fn schemes(facts: &Published<'_>) -> Value {
    let mut schemes = Members::default();
    for scheme in facts.security.schemes() {
        match scheme {
            Scheme::ApiKey { header, query } => {
                schemes.put(KEY, key("header", &header));
                if let Some(query) = query {
                    schemes.put(KEY_IN_QUERY, key("query", &query));
                }
            }
            Scheme::OAuth2 => schemes.put(OAUTH2, oauth2(facts)),
            Scheme::Basic => schemes.put(BASIC, http("basic")),
        }
    }
    Value::Map(schemes)
}

fn key(place: &str, name: &str) -> Value {
    Value::from([
        ("type", Value::text("apiKey")),
        ("in", Value::text(place)),
        ("name", Value::text(name)),
    ])
}

fn http(scheme: &str) -> Value {
    Value::from([
        ("type", Value::text("http")),
        ("scheme", Value::text(scheme)),
    ])
}

/// Returns the scheme for tokens: client credentials, the only supported grant; a plain bearer
/// without an issuer.
fn oauth2(facts: &Published<'_>) -> Value {
    let Some(token_url) = facts.token_url else {
        return http("bearer");
    };
    let scopes = facts.security.scopes.iter();
    let scopes = scopes.map(|(name, scope)| (name.clone(), Value::text(&scope.text)));
    let flow = Value::from([
        ("tokenUrl", Value::text(token_url)),
        ("scopes", Value::Map(Members(scopes.collect()))),
    ]);
    Value::from([
        ("type", Value::text("oauth2")),
        ("flows", Value::from([("clientCredentials", flow)])),
    ])
}

/// Adds the security of an operation, if it differs from that of the version.
pub(super) fn require(
    described: &mut Members,
    operation: &PublishedOperation<'_>,
    facts: &Published<'_>,
) {
    if operation.anonymous {
        described.put("security", Value::List(Vec::new()));
    } else if !operation.scopes.is_empty() {
        described.put("security", required(facts, operation.scopes));
    }
}

/// Returns the alternatives, each of which is sufficient. If scopes are required, all include a
/// token.
pub(super) fn required(facts: &Published<'_>, scopes: &[String]) -> Value {
    let schemes = facts.security.schemes();
    let is_open = |scheme: &Scheme| scopes.is_empty() || *scheme == Scheme::OAuth2;
    let ways: Vec<Vec<&Scheme>> = match facts.security.require {
        Require::Any => {
            let open = schemes.iter().filter(|scheme| is_open(scheme));
            open.map(|scheme| vec![scheme]).collect()
        }
        Require::All => vec![schemes.iter().collect()],
    };
    let by_header = ways.iter().map(|way| requirement(way, scopes, KEY, facts));
    let with_query = ways.iter().filter(|way| {
        let has_query = |scheme: &&Scheme| matches!(scheme, Scheme::ApiKey { query: Some(_), .. });
        way.iter().any(has_query)
    });
    let by_query = with_query.map(|way| requirement(way, scopes, KEY_IN_QUERY, facts));
    Value::List(by_header.chain(by_query).collect())
}

fn requirement(
    way: &[&Scheme],
    scopes: &[String],
    key: &'static str,
    facts: &Published<'_>,
) -> Value {
    let each = way.iter().map(|scheme| match scheme {
        Scheme::ApiKey { .. } => (key.to_owned(), Value::List(Vec::new())),
        // Only schemes with scopes have them in a requirement.
        Scheme::OAuth2 if facts.token_url.is_some() => {
            let scopes = scopes.iter().map(Value::text);
            (OAUTH2.to_owned(), Value::List(scopes.collect()))
        }
        Scheme::OAuth2 => (OAUTH2.to_owned(), Value::List(Vec::new())),
        Scheme::Basic => (BASIC.to_owned(), Value::List(Vec::new())),
    });
    Value::Map(Members(each.collect()))
}
