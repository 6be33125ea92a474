//! APIs and their versions: the configuration that a revision freezes. `caches.rs` judges caches,
//! `limits.rs` finds limits, `names.rs` has contexts and names, `secrets.rs` the secrets of a
//! configuration.

mod caches;
mod limits;
mod names;
mod secrets;

use serde::{Deserialize, Serialize};

use crate::defaults::is_default;
use crate::fault::Fault;
use crate::field::is_free_header;
pub use crate::kind::Kind;
pub use crate::operation::{METHODS, Method, OPERATIONS_MAX, Operation};
use crate::operation::{operation_faults, path_faults};
use crate::path::{EncodedSlash, MethodOverride, Paths, Reading, Semicolon};
use crate::plan::{Limit, Owner, limit_faults};
use crate::policies::Policies;
use crate::security::{Identity, KEY_HEADER, KEY_HEADER_FORM, Security, access_faults};
use crate::soap::SoapService;
use crate::template::PathTemplate;
use crate::upstream::Upstream;

pub use names::{
    CONTEXT_BYTES_MAX, VERSION_BYTES_MAX, context_fault, contexts_overlap, name_fault,
    version_name_fault,
};
pub use secrets::HeldSecret;

/// The configuration of a version, which a revision freezes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Operations of a REST API.
    #[serde(default)]
    pub operations: Vec<Operation>,
    /// The SOAP service, created by an import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soap: Option<SoapService>,
    /// Upstream for calls with live keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// Upstream for calls with test keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_upstream: Option<Upstream>,
    /// Limits of the version itself, shared by all its callers (`per` contains `api`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// How callers authenticate; if absent, by an API key in the header `key_header`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// Header with the API key if `security` is absent; default `apikey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_header: Option<String>,
    /// How the caller is identified to the upstream.
    #[serde(default, skip_serializing_if = "Identity::is_none")]
    pub identity: Identity,
    /// Maximum size of a request body in bytes; if absent, the gateway's own limit applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_bytes_max: Option<u64>,
    /// How a `%2F` in a path parameter is handled: new versions of REST APIs refuse it, and
    /// versions of earlier releases, which do not have this field, pass it on. A new draft without
    /// the field keeps its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoded_slash: Option<EncodedSlash>,
    /// How the back end treats semicolons in a path.
    #[serde(default, skip_serializing_if = "is_default")]
    pub semicolon: Semicolon,
    /// How literals of path templates are compared.
    #[serde(default, skip_serializing_if = "is_default")]
    pub paths: Paths,
    /// How fields are handled that some back ends read the method from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub method_override: MethodOverride,
    /// What the gateway does with calls besides limiting and passing them on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policies: Policies,
}

impl Configuration {
    /// Returns the initial configuration of an API's first version.
    #[must_use]
    pub fn initial(kind: Kind) -> Self {
        Self {
            encoded_slash: (kind == Kind::Rest).then_some(EncodedSlash::Refuse),
            ..Self::default()
        }
    }

    /// Whether callers can call anything.
    #[must_use]
    pub fn is_callable(&self, kind: Kind) -> bool {
        let rest = self.soap.as_ref().and_then(|soap| soap.rest.as_ref());
        match kind {
            Kind::Rest => !self.operations.is_empty(),
            Kind::SoapToRest => rest.is_some_and(|it| it.resources.iter().any(|it| it.enabled)),
            Kind::Soap => true,
        }
    }

    /// Returns the number of protected operations if all of them accept only access tokens,
    /// otherwise 0. An operation does if the version requires a token or the operation requires
    /// scopes, which keys and users of HTTP Basic do not have.
    #[must_use]
    pub fn operations_by_token(&self) -> usize {
        let requires_token = self.security().requires_token();
        let rest = self.operations.iter().map(|it| (it.anonymous, &it.scopes));
        let soap = self.soap.iter().flat_map(|soap| &soap.operations);
        let soap = soap.map(|it| (it.anonymous, &it.scopes));
        let proxies = self.soap.iter().filter(|soap| soap.rest.is_none());
        let unknown = proxies.map(|soap| &soap.unknown).filter(|it| !it.refused);
        let unknown = unknown.map(|it| (false, &it.scopes));
        let guarded = rest
            .chain(soap)
            .chain(unknown)
            .filter(|(is_anonymous, _)| !is_anonymous);
        let mut by_token = 0;
        for (_, scopes) in guarded {
            if !requires_token && scopes.is_empty() {
                return 0;
            }
            by_token += 1;
        }
        by_token
    }

    /// Returns how the back end reads requests.
    #[must_use]
    pub fn reading(&self) -> Reading {
        Reading {
            encoded_slash: self.encoded_slash.unwrap_or(EncodedSlash::Pass),
            semicolon: self.semicolon,
            paths: self.paths,
            method_override: self.method_override,
        }
    }

    /// Returns faults of its paths that are checked only on saving, beyond [`Self::faults`]: a
    /// stored configuration of an earlier release is served nevertheless.
    #[must_use]
    pub fn path_faults(&self) -> Vec<Fault> {
        let operations = self.operations.iter().enumerate();
        let operations =
            operations.map(|(index, it)| (format!("/operations/{index}"), it.method, &it.path));
        let rest = self.soap.iter().filter_map(|soap| soap.rest.as_ref());
        let resources = rest.flat_map(|rest| rest.resources.iter().enumerate());
        let resources = resources.filter(|(_, it)| it.enabled);
        let resources = resources
            .map(|(index, it)| (format!("/soap/rest/resources/{index}"), it.method, &it.path));
        path_faults(operations.chain(resources), self.paths)
    }

    /// Returns all faults in an API of this kind; fields are JSON Pointers from the configuration.
    /// A service without a contract is not a fault, only not ready.
    #[must_use]
    pub fn faults(&self, kind: Kind) -> Vec<Fault> {
        let mut faults = operation_faults(&self.operations);
        faults.extend(self.kind_faults(kind));
        let upstreams = [
            ("/upstream", &self.upstream),
            ("/sandbox_upstream", &self.sandbox_upstream),
        ];
        for (field, upstream) in upstreams {
            if let Some(upstream) = upstream {
                faults.extend(
                    upstream
                        .faults(kind)
                        .into_iter()
                        .map(|fault| fault.under(field)),
                );
            }
        }
        faults.extend(self.repeated_credential_faults());
        faults.extend(limit_faults(&self.limits, Owner::Version));
        faults.extend(self.key_condition_faults());
        faults.extend(self.security_faults());
        faults.extend(self.reading_faults(kind));
        let of_policies = self.policy_faults(kind).into_iter();
        faults.extend(of_policies.map(|fault| fault.under("/policies")));
        faults
    }

    /// Rejects settings for the reading of paths unless the back end gets the caller's path.
    fn reading_faults(&self, kind: Kind) -> impl Iterator<Item = Fault> {
        let set = [
            ("/encoded_slash", self.encoded_slash.is_some()),
            ("/semicolon", !is_default(&self.semicolon)),
            ("/paths", !is_default(&self.paths)),
        ];
        let set = set
            .into_iter()
            .filter(move |&(_, is_set)| is_set && kind != Kind::Rest);
        set.map(|(field, _)| {
            let detail = "only the back end of an API of kind rest gets the path of a call";
            Fault::new(field, "version.kind", detail)
        })
    }

    fn security_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        match (&self.security, &self.key_header) {
            (Some(security), None) => {
                let of_security = security.faults().into_iter();
                faults.extend(of_security.map(|fault| fault.under("/security")));
            }
            (Some(_), Some(_)) => {
                let detail = "security.api_key.header already names the header of the key";
                faults.push(Fault::new("/key_header", "version.key_header", detail));
            }
            (None, Some(header)) if !is_free_header(header) => {
                faults.push(Fault::new(
                    "/key_header",
                    "version.key_header",
                    KEY_HEADER_FORM,
                ));
            }
            (None, _) => {}
        }
        let security = self.security();
        for (index, it) in self.operations.iter().enumerate() {
            let wrong = access_faults(&security, &it.scopes, it.anonymous).into_iter();
            faults.extend(wrong.map(|fault| fault.under(&format!("/operations/{index}"))));
        }
        let soap = self.soap.iter();
        for (index, it) in soap.flat_map(|it| &it.operations).enumerate() {
            let wrong = access_faults(&security, &it.scopes, it.anonymous).into_iter();
            faults.extend(wrong.map(|fault| fault.under(&format!("/soap/operations/{index}"))));
        }
        if let Some(soap) = &self.soap {
            let wrong = access_faults(&security, &soap.unknown.scopes, false).into_iter();
            faults.extend(wrong.map(|fault| fault.under("/soap/unknown")));
        }
        faults
    }

    /// Returns whether an operation has this method and path, such as `GET /pets/{id}`.
    #[must_use]
    pub fn has_operation(&self, name: &str) -> bool {
        let is_it = |method: Method, path: &PathTemplate| {
            let path_of = name.strip_prefix(method.word());
            let path_of = path_of.and_then(|rest| rest.strip_prefix(' '));
            path_of == Some(path.as_str())
        };
        let rest = self.soap.iter().filter_map(|soap| soap.rest.as_ref());
        let mut resources = rest.flat_map(|rest| &rest.resources);
        self.operations.iter().any(|it| is_it(it.method, &it.path))
            || resources.any(|it| is_it(it.method, &it.path))
    }

    /// Returns how callers authenticate.
    #[must_use]
    pub fn security(&self) -> Security {
        let header = self.key_header.as_deref().unwrap_or(KEY_HEADER);
        self.security
            .clone()
            .unwrap_or_else(|| Security::api_key(header))
    }

    /// Rejects credentials of upstreams if a service as REST already has a user of HTTP Basic for
    /// both.
    fn repeated_credential_faults(&self) -> impl Iterator<Item = Fault> {
        let rest = self.soap.as_ref().and_then(|soap| soap.rest.as_ref());
        let has_basic = rest.is_some_and(|rest| rest.back_end.basic.is_some());
        let upstreams = [
            ("/upstream", &self.upstream),
            ("/sandbox_upstream", &self.sandbox_upstream),
        ];
        let upstreams = upstreams.into_iter().filter(move |_| has_basic);
        upstreams.filter_map(|(field, upstream)| {
            let credential = upstream.as_ref()?.credential.as_ref()?;
            let field = format!("{field}/credential");
            let detail = "soap.rest.back_end.basic writes this header already";
            let is_same = credential.header().eq_ignore_ascii_case("authorization");
            is_same.then(|| Fault::new(field, "upstream.credential", detail))
        })
    }

    fn kind_faults(&self, kind: Kind) -> Vec<Fault> {
        match (kind, &self.soap) {
            (Kind::Rest, Some(_)) => {
                let detail = "an API of kind rest has no SOAP service";
                vec![Fault::new("/soap", "version.kind", detail)]
            }
            (Kind::Soap | Kind::SoapToRest, _) if !self.operations.is_empty() => {
                let detail = "the operations of a SOAP service are listed under /soap/operations";
                vec![Fault::new("/operations", "version.kind", detail)]
            }
            (Kind::Soap | Kind::SoapToRest, Some(soap)) => {
                let mut faults = soap.faults();
                if soap.rest.is_some() != (kind == Kind::SoapToRest) {
                    let detail = "an API of kind soap_to_rest has resources; other kinds have none";
                    faults.push(Fault::new("/rest", "version.kind", detail));
                }
                if kind == Kind::Soap {
                    faults.extend(soap.anonymous_faults());
                }
                let security = self.security();
                let rest = soap.rest.iter();
                faults.extend(rest.flat_map(|rest| rest.credential_faults(&security)));
                let faults = faults.into_iter();
                faults.map(|fault| fault.under("/soap")).collect()
            }
            (_, None) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
