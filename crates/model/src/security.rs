//! How the callers of a version prove who they are, and what they may call.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, pointer_token};
use crate::field::is_free_header;
use crate::scope::Scope;

/// Where a key is looked for unless the version says otherwise.
pub const KEY_HEADER: &str = "apikey";
/// What a key's header is.
pub(crate) const KEY_HEADER_FORM: &str =
    "the key's header is a header name that HTTP itself does not use";
/// Scopes that a version declares at most, and that an operation asks for at most.
pub const SCOPES_MAX: usize = 200;
/// Bytes of a scope's name at most.
const SCOPE_BYTES_MAX: usize = 100;
/// Characters of what is said of a scope at most.
pub const SCOPE_TEXT_MAX: usize = 200;
/// Bytes of the name of a parameter of the query at most.
const QUERY_BYTES_MAX: usize = 64;

/// What a version takes as proof of who calls: at least one scheme.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Security {
    /// Whether a call satisfies one of the schemes or each of them.
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
    /// The scopes that operations may ask for, by name: what each allows, and who gives it. A text
    /// in the place of a scope is what it allows; it is given freely.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, Scope>,
}

/// How the upstream is told who calls. Callers cannot write any of it themselves.
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
    /// Whether this is what nobody has to say.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// How many of the schemes a call satisfies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Require {
    /// Exactly one; a second credential is refused.
    #[default]
    Any,
    /// Each, all of the same application and environment.
    All,
}

/// An API key in a field of the head, or in `Authorization: ApiKey …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ApiKeyScheme))]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The field's name, in any case of its letters.
    #[serde(default = "key_header")]
    pub header: String,
    /// The parameter of the query that holds a key, too. Queries are written into logs on their
    /// way: without a name here no key is taken from them.
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
    /// API keys in this header alone.
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

    /// The schemes, in the order in which they are asked for.
    #[must_use]
    pub fn schemes(&self) -> Vec<Scheme> {
        let key = self.api_key.clone();
        let key = key.map(|ApiKey { header, query }| Scheme::ApiKey { header, query });
        let oauth2 = self.oauth2.as_ref().map(|_| Scheme::OAuth2);
        let basic = self.basic.as_ref().map(|_| Scheme::Basic);
        key.into_iter().chain(oauth2).chain(basic).collect()
    }

    /// Whether each call carries an access token.
    #[must_use]
    pub fn requires_token(&self) -> bool {
        let is_alone = self.api_key.is_none() && self.basic.is_none();
        self.oauth2.is_some() && (is_alone || self.require == Require::All)
    }

    /// The names of the scopes that count only where they were granted, sorted.
    pub fn by_approval(&self) -> impl Iterator<Item = &str> {
        let scopes = self.scopes.iter().filter(|(_, it)| it.is_by_approval());
        scopes.map(|(name, _)| name.as_str())
    }

    /// Everything that is wrong; fields are pointers from the security.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |field: &str, code: &str, detail: &str| {
            faults.push(Fault::new(field, code, detail));
        };
        if self.schemes().is_empty() {
            let detail = "a version takes at least one of api_key, oauth2 and basic; operations \
                that need none say \"anonymous\": true";
            fault("", "security.none", detail);
        }
        if self.require == Require::All && self.oauth2.is_some() && self.basic.is_some() {
            let detail = "oauth2 and basic both come in Authorization, so that no call can \
                carry both";
            fault("/require", "security.all", detail);
        }
        let takes_authorization = self.oauth2.is_some() || self.basic.is_some();
        if let Some(key) = &self.api_key {
            if takes_authorization && key.header.eq_ignore_ascii_case("authorization") {
                let detail = "oauth2 and basic come in Authorization, so that the key, which comes \
                    there too after the word ApiKey, needs a header of its own";
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
                let detail = "a parameter of the query is 1 to 64 letters, digits, \"-\", \"_\" \
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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
pub(crate) fn is_false(it: &bool) -> bool {
    !it
}

/// What is wrong with the scopes of an operation, and whether it needs a credential at all, in a
/// version of this security; fields are pointers from the operation.
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
        fault("/anonymous", "who calls without a credential has no scope");
    }
    faults
}

/// What a scope's name looks like.
pub const SCOPE_FORM: &str = "a scope is 1 to 100 visible ASCII characters other than \" and \\";

/// Whether a text is a scope's name (RFC 6749, section 3.3).
#[must_use]
pub fn is_scope(name: &str) -> bool {
    let is_token = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    (1..=SCOPE_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_token)
}

/// Whether a parameter's name is the same in a query with and without percent encoding.
fn is_query_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=QUERY_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain)
}

/// One way to prove who calls, as gateways take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// An API key in a field of the head, and in the query where a name is given for it.
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
