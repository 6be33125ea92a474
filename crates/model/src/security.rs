//! How callers of a version authenticate, and which scopes they need.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, pointer_token};
use crate::field::is_free_header;
use crate::scope::Scope;

/// Default header of API keys.
pub const KEY_HEADER: &str = "apikey";
/// Fault of an invalid header for keys.
pub(crate) const KEY_HEADER_FORM: &str =
    "the key's header must be a header name that HTTP itself does not use";
/// Maximum number of scopes that a version declares, and that an operation requires.
pub const SCOPES_MAX: usize = 200;
/// Maximum length of a scope's name, bytes.
const SCOPE_BYTES_MAX: usize = 100;
/// Maximum length of a scope's description, characters.
pub const SCOPE_TEXT_MAX: usize = 200;
/// Maximum length of the name of a query parameter, bytes.
const QUERY_BYTES_MAX: usize = 64;

/// The credentials that a version accepts: at least one scheme.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Security {
    /// Whether a call must satisfy one of the schemes or each of them.
    #[serde(default)]
    pub require: Require,
    /// API keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKey>,
    /// Access tokens of OAuth2 clients, in `Authorization: Bearer …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth2: Option<OAuth2>,
    /// Users of HTTP Basic, in `Authorization: Basic …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic: Option<Basic>,
    /// The scopes that operations may require, by name: what each allows, and how it is granted. A
    /// string in place of a scope is its description; such a scope is granted freely.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, Scope>,
}

/// How the caller is identified to the upstream. Callers cannot set any of it themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// Not at all.
    #[default]
    None,
    /// By the headers `X-Tollgate-Application`, `X-Tollgate-Credential`,
    /// `X-Tollgate-Credential-Kind`, `X-Tollgate-Environment` and `X-Tollgate-Scopes`.
    Headers,
    /// By a JWT in `X-Tollgate-Identity`, signed by the gateway, whose keys are at its
    /// `/.well-known/jwks.json`.
    Jwt,
}

impl Identity {
    /// Returns whether this is the default, which JSON omits.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// How many of the schemes a call must satisfy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Require {
    /// Exactly one; a second credential is refused.
    #[default]
    Any,
    /// All, for the same application and environment.
    All,
}

/// An API key in a header field, or in `Authorization: ApiKey …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ApiKeyScheme))]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The field's name; case is ignored.
    #[serde(default = "key_header")]
    pub header: String,
    /// The query parameter that may contain a key, too. Queries are often logged on their way:
    /// without a name here no key is accepted in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// Access tokens of OAuth2 clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = OAuth2Scheme))]
#[serde(deny_unknown_fields)]
pub struct OAuth2 {}

/// Users of HTTP Basic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BasicScheme))]
#[serde(deny_unknown_fields)]
pub struct Basic {}

fn key_header() -> String {
    KEY_HEADER.to_owned()
}

impl Default for ApiKey {
    fn default() -> Self {
        Self {
            header: key_header(),
            query: None,
        }
    }
}

impl Security {
    /// Creates a security with API keys in this header only.
    #[must_use]
    pub fn api_key(header: &str) -> Self {
        Self {
            api_key: Some(ApiKey {
                header: header.to_owned(),
                query: None,
            }),
            ..Self::default()
        }
    }

    /// Returns the schemes, in the order in which a missing credential is requested.
    #[must_use]
    pub fn schemes(&self) -> Vec<Scheme> {
        let key = self.api_key.clone();
        let key = key.map(|ApiKey { header, query }| Scheme::ApiKey { header, query });
        let oauth2 = self.oauth2.as_ref().map(|_| Scheme::OAuth2);
        let basic = self.basic.as_ref().map(|_| Scheme::Basic);
        key.into_iter().chain(oauth2).chain(basic).collect()
    }

    /// Returns whether every call needs an access token.
    #[must_use]
    pub fn requires_token(&self) -> bool {
        let is_alone = self.api_key.is_none() && self.basic.is_none();
        self.oauth2.is_some() && (is_alone || self.require == Require::All)
    }

    /// Returns the names of the scopes that need a grant, sorted.
    pub fn by_approval(&self) -> impl Iterator<Item = &str> {
        let scopes = self.scopes.iter().filter(|(_, it)| it.is_by_approval());
        scopes.map(|(name, _)| name.as_str())
    }

    /// Returns all faults; fields are JSON Pointers from the security.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |field: &str, code: &str, detail: &str| {
            faults.push(Fault::new(field, code, detail));
        };
        if self.schemes().is_empty() {
            let detail = "a version needs at least one of api_key, oauth2 and basic; operations \
                without a credential have \"anonymous\": true";
            fault("", "security.none", detail);
        }
        if self.require == Require::All && self.oauth2.is_some() && self.basic.is_some() {
            let detail = "oauth2 and basic both use Authorization, so no call can \
                carry both";
            fault("/require", "security.all", detail);
        }
        let takes_authorization = self.oauth2.is_some() || self.basic.is_some();
        if let Some(key) = &self.api_key {
            if takes_authorization && key.header.eq_ignore_ascii_case("authorization") {
                let detail = "oauth2 and basic use Authorization; the key, which is also accepted \
                    there after the word ApiKey, needs a header of its own";
                fault("/api_key/header", "version.key_header", detail);
            }
            if !is_free_header(&key.header) {
                fault("/api_key/header", "version.key_header", KEY_HEADER_FORM);
            }
            if key
                .query
                .as_deref()
                .is_some_and(|name| !is_query_name(name))
            {
                let detail = "a query parameter must be 1 to 64 letters, digits, \"-\", \"_\" \
                    or \".\"";
                fault("/api_key/query", "security.query", detail);
            }
        }
        if self.scopes.len() > SCOPES_MAX {
            let detail = format!("at most {SCOPES_MAX} scopes");
            fault("/scopes", "security.scopes", &detail);
        }
        for (name, Scope { text, .. }) in &self.scopes {
            let field = format!("/scopes/{}", pointer_token(name));
            if !is_scope(name) {
                fault(&field, "security.scope", SCOPE_FORM);
            }
            if text.chars().count() > SCOPE_TEXT_MAX {
                let detail = format!("at most {SCOPE_TEXT_MAX} characters");
                fault(&field, "security.scope_text", &detail);
            }
        }
        faults
    }
}

/// Returns the faults of an operation's scopes and of `anonymous`, in a version with this security;
/// fields are JSON Pointers from the operation.
pub(crate) fn access_faults(
    security: &Security,
    scopes: &[String],
    is_anonymous: bool,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |field: &str, detail: &str| {
        faults.push(Fault::new(field, "operation.scope", detail));
    };
    let mut seen = BTreeSet::new();
    for (index, scope) in scopes.iter().enumerate() {
        let field = format!("/scopes/{index}");
        if !security.scopes.contains_key(scope) {
            fault(&field, &format!("{scope:?} is not among /security/scopes"));
        } else if !seen.insert(scope) {
            fault(&field, &format!("{scope:?} is listed twice"));
        }
    }
    if !scopes.is_empty() && security.oauth2.is_none() {
        let detail = "scopes belong to access tokens, and the version's security has no oauth2";
        fault("/scopes", detail);
    }
    if !scopes.is_empty() && is_anonymous {
        fault("/anonymous", "a call without a credential has no scopes");
    }
    faults
}

/// Fault of an invalid scope name.
pub const SCOPE_FORM: &str =
    "a scope must be 1 to 100 visible ASCII characters other than \" and \\";

/// Returns whether a text is a valid scope name (RFC 6749, section 3.3).
#[must_use]
pub fn is_scope(name: &str) -> bool {
    let is_token = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    (1..=SCOPE_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_token)
}

/// Returns whether a parameter's name is the same in a query with and without percent-encoding.
fn is_query_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=QUERY_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain)
}

/// A way to authenticate, as checked by gateways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// An API key in a header field, and in the query if a parameter is named.
    ApiKey {
        /// The field's name.
        header: String,
        /// The parameter's name.
        query: Option<String>,
    },
    /// An access token of an OAuth2 client.
    OAuth2,
    /// A user of HTTP Basic.
    Basic,
}

#[cfg(test)]
mod tests;
