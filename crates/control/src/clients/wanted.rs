//! Requests that create or change an OAuth2 client, and their validation.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::fault::Fault;
use tollgate_model::security::{SCOPE_FORM, SCOPES_MAX, is_scope};
use tollgate_store::clients::{Authentication, Client, ClientChange, Grant, TokenForm};
use tollgate_store::credentials::TermsChange;
use tollgate_tokens::jwk;

use super::CLIENT;
use crate::credentials::{CredentialPatch, NewTerms, or_null, production};
use crate::error::{Problem, refuse_any};
use crate::time::Time;

/// Default lifetime of a token in seconds.
const LIFETIME_S: u32 = 3_600;
/// Allowed lifetimes of a token in seconds.
const LIFETIMES_S: std::ops::RangeInclusive<u32> = 300..=3_600;

/// How a client authenticates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ClientAuthentication)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// With a generated secret: `client_secret_basic` or `client_secret_post`.
    #[default]
    ClientSecret,
    /// With assertions signed by its own key (RFC 7523).
    PrivateKeyJwt,
}

/// The form of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TokenForm)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// A JWT (RFC 9068).
    Jwt,
    /// An opaque random string.
    Opaque,
}

/// The tokens issued to a client.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ClientToken)]
pub(crate) struct TokenBody {
    /// Their form.
    form: Form,
    /// Their signature algorithm, for JWT.
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<Algorithm>,
    /// Their lifetime in seconds.
    lifetime_s: u32,
}

/// The tokens to issue to a client; absent members keep their value, or get the default.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[schema(as = NewClientToken)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// Their form; `jwt` by default.
    form: Option<Form>,
    /// Their signature algorithm, for JWT; `ES256` by default.
    algorithm: Option<Algorithm>,
    /// Their lifetime in seconds: 300 to 3600, 3600 by default.
    #[schema(minimum = 300, maximum = 3600)]
    lifetime_s: Option<u32>,
}

/// A new OAuth2 client.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewClient {
    /// Its name, 1 to 100 characters.
    #[serde(default = "unnamed")]
    name: String,
    /// The environment that it calls.
    #[serde(default = "production")]
    environment: Environment,
    /// How it authenticates.
    #[serde(default)]
    authentication: Method,
    /// Its public keys, with `private_key_jwt`: a JWK Set (RFC 7517) of at most 20 keys.
    #[schema(value_type = Option<Object>)]
    jwks: Option<Value>,
    /// Rejected: key sets are not fetched yet.
    #[schema(ignore)]
    jwks_uri: Option<serde::de::IgnoredAny>,
    /// Scopes that its tokens may have.
    #[serde(default)]
    scopes: Vec<String>,
    /// The tokens issued to it.
    #[serde(default)]
    token: NewToken,
    /// Not valid before this time.
    not_before: Option<Time>,
    /// Not valid from this time on.
    expires_at: Option<Time>,
    /// Addresses and origins that may use its tokens; all when absent.
    #[serde(default)]
    allowed: Allowed,
}

/// Changes to an OAuth2 client; absent members keep their value.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientPatch {
    /// Its name, 1 to 100 characters.
    name: Option<String>,
    /// Not valid before this time; `null` for no limit.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<Time>)]
    not_before: Option<Option<Time>>,
    /// Not valid from this time on; `null` for no limit.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<Time>)]
    expires_at: Option<Option<Time>>,
    /// Addresses and origins that may use its tokens; empty lists allow all.
    allowed: Option<Allowed>,
    /// Whether it is suspended. Only administrators may set this.
    suspended: Option<bool>,
    /// Its new public keys, if it has no secret: a JWK Set (RFC 7517).
    #[schema(value_type = Option<Object>)]
    jwks: Option<Value>,
    /// Rejected: key sets are not fetched yet.
    #[schema(ignore)]
    jwks_uri: Option<serde::de::IgnoredAny>,
    /// Scopes that its tokens may have.
    scopes: Option<Vec<String>>,
    /// The tokens issued to it.
    token: Option<NewToken>,
}

/// The members of a patch that only clients have.
pub(crate) struct OwnPatch {
    jwks: Option<Value>,
    has_jwks_uri: bool,
    scopes: Option<Vec<String>>,
    token: Option<NewToken>,
}

/// A validated new client.
pub(crate) struct Decided {
    pub(crate) terms: NewTerms,
    /// Its public keys; if absent, it gets a secret.
    pub(crate) jwks: Option<String>,
    pub(crate) grant: Grant,
}

fn unnamed() -> String {
    "client".to_owned()
}

impl NewClient {
    /// # Errors
    /// Returns all faults.
    pub(crate) fn decide(self, now_us: i64) -> Result<Decided, Problem> {
        let terms = NewTerms {
            name: self.name,
            environment: self.environment,
            not_before: self.not_before,
            expires_at: self.expires_at,
            allowed: self.allowed,
        };
        let mut faults = terms.faults(&CLIENT, now_us);
        faults.extend(jwks_uri_fault(self.jwks_uri.is_some()));
        let is_keyed = self.authentication == Method::PrivateKeyJwt;
        // A request with an address instead gets this fault only.
        if self.jwks_uri.is_none() {
            faults.extend(pairing_fault(is_keyed, self.jwks.is_some()));
        }
        let jwks = self.jwks.map(|set| jwks_text(&set));
        let jwks = taken(jwks.transpose(), &mut faults).flatten();
        faults.extend(scope_faults(&self.scopes));
        let grant = self.token.grant(None, self.scopes);
        let grant = taken(grant, &mut faults);
        match grant {
            Some(grant) if faults.is_empty() => Ok(Decided { terms, jwks, grant }),
            _ => Err(faults.into()),
        }
    }
}

impl ClientPatch {
    /// Splits off the members that all credentials have.
    pub(crate) fn split(self) -> (CredentialPatch, OwnPatch) {
        let common = CredentialPatch {
            name: self.name,
            not_before: self.not_before,
            expires_at: self.expires_at,
            allowed: self.allowed,
            suspended: self.suspended,
        };
        let own = OwnPatch {
            jwks: self.jwks,
            has_jwks_uri: self.jwks_uri.is_some(),
            scopes: self.scopes,
            token: self.token,
        };
        (common, own)
    }
}

impl OwnPatch {
    /// Returns the change to store; `None` if nothing changes.
    ///
    /// # Errors
    /// Returns all faults.
    pub(crate) fn change(
        self,
        client: &Client,
        common: &CredentialPatch,
        now_us: i64,
    ) -> Result<Option<ClientChange>, Problem> {
        let terms = common.change(&client.terms, client.terms.expires_us, &CLIENT, now_us)?;
        let is_own = self.jwks.is_some() || self.scopes.is_some() || self.token.is_some();
        if terms.is_none() && !is_own && !self.has_jwks_uri {
            return Ok(None);
        }
        let mut faults: Vec<_> = jwks_uri_fault(self.has_jwks_uri).into_iter().collect();
        let is_keyed = matches!(client.authentication, Authentication::PrivateKeyJwt { .. });
        if self.jwks.is_some() {
            faults.extend(pairing_fault(is_keyed, true));
        }
        let jwks = self.jwks.map(|set| jwks_text(&set));
        let jwks = taken(jwks.transpose(), &mut faults).flatten();
        faults.extend(self.scopes.iter().flat_map(|scopes| scope_faults(scopes)));
        let scopes = self.scopes.unwrap_or_else(|| client.grant.scopes.clone());
        let token = self.token.unwrap_or_default();
        let grant = taken(token.grant(Some(&client.grant), scopes), &mut faults);
        refuse_any(faults)?;
        let terms = terms.unwrap_or_else(|| TermsChange {
            name: client.terms.name.clone(),
            not_before_us: client.terms.not_before_us,
            expires_us: client.terms.expires_us,
            allowed: client.terms.allowed.clone(),
        });
        Ok(grant.map(|grant| ClientChange { terms, grant, jwks }))
    }
}

impl NewToken {
    /// Returns the new grant of a client; `before` is its present one, if any.
    fn grant(self, before: Option<&Grant>, scopes: Vec<String>) -> Result<Grant, Vec<Fault>> {
        let mut faults = Vec::new();
        let present = before.map_or(TokenForm::Jwt(Algorithm::default()), |it| it.form);
        let form = match (self.form, self.algorithm) {
            (None, None) => present,
            (Some(Form::Opaque), None) => TokenForm::Opaque,
            (Some(Form::Jwt), None) => TokenForm::Jwt(present.algorithm().unwrap_or_default()),
            (Some(Form::Jwt), Some(algorithm)) => TokenForm::Jwt(algorithm),
            (None, Some(algorithm)) if present != TokenForm::Opaque => TokenForm::Jwt(algorithm),
            (Some(Form::Opaque) | None, Some(_)) => {
                let detail = "an opaque token is not signed: leave algorithm out";
                faults.push(Fault::new("/token/algorithm", "client.algorithm", detail));
                present
            }
        };
        let lifetime_s = self.lifetime_s;
        let lifetime_s = lifetime_s
            .or(before.map(|it| it.lifetime_s))
            .unwrap_or(LIFETIME_S);
        if !LIFETIMES_S.contains(&lifetime_s) {
            let detail = "a token lasts 300 to 3600 seconds";
            faults.push(Fault::new("/token/lifetime_s", "client.lifetime", detail));
        }
        match faults.is_empty() {
            true => Ok(Grant {
                scopes,
                form,
                lifetime_s,
            }),
            false => Err(faults),
        }
    }
}

impl TokenBody {
    pub(crate) fn of(grant: &Grant) -> Self {
        let algorithm = grant.form.algorithm();
        Self {
            form: if algorithm.is_some() {
                Form::Jwt
            } else {
                Form::Opaque
            },
            algorithm,
            lifetime_s: grant.lifetime_s,
        }
    }
}

/// Returns the value, or adds its faults to the others.
fn taken<T>(outcome: Result<T, Vec<Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    outcome.map_err(|wrong| faults.extend(wrong)).ok()
}

fn jwks_uri_fault(is_given: bool) -> Option<Fault> {
    let detail = "the address of a key set is not read yet: send the keys as \"jwks\"";
    is_given.then(|| Fault::new("/jwks_uri", "client.jwks_uri", detail))
}

/// Requires keys for `private_key_jwt`, and rejects them for other methods.
fn pairing_fault(is_keyed: bool, has_keys: bool) -> Option<Fault> {
    let detail = match (is_keyed, has_keys) {
        (true, false) => "private_key_jwt needs the client's public keys: send them as \"jwks\"",
        (false, true) => "the client has a secret: keys are for private_key_jwt",
        _ => return None,
    };
    Some(Fault::new("/jwks", "client.jwks", detail))
}

/// Returns the text of a key set to store.
///
/// # Errors
/// Returns the faults of the key set, with pointers from the client.
fn jwks_text(set: &Value) -> Result<String, Vec<Fault>> {
    let text = set.to_string();
    match jwk::parse(text.as_bytes()) {
        Ok(keys) if keys.is_empty() => {
            let detail = "a key set has at least one key";
            Err(vec![Fault::new("/jwks/keys", "client.jwks", detail)])
        }
        Ok(_) => Ok(text),
        Err(faults) => Err(faults.into_iter().map(|it| it.under("/jwks")).collect()),
    }
}

fn scope_faults(scopes: &[String]) -> Vec<Fault> {
    if scopes.len() > SCOPES_MAX {
        let detail = format!("at most {SCOPES_MAX} scopes");
        return vec![Fault::new("/scopes", "client.scopes", detail)];
    }
    let mut faults = Vec::new();
    for (index, scope) in scopes.iter().enumerate() {
        let field = format!("/scopes/{index}");
        if !is_scope(scope) {
            faults.push(Fault::new(field, "client.scope", SCOPE_FORM));
        } else if scopes[..index].contains(scope) {
            let detail = format!("{scope:?} is listed twice");
            faults.push(Fault::new(field, "client.scope", detail));
        }
    }
    faults
}
