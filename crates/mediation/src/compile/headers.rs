//! The header fields and query parameters that no step may change.

use tollgate_model::api::Configuration;
use tollgate_model::field::{is_step_header, is_token};

/// The names that carry credentials in a version's calls, in lower case.
pub(super) struct Headers<'c> {
    credentials: Vec<String>,
    key_parameter: Option<&'c str>,
}

impl<'c> Headers<'c> {
    pub(super) fn new(configuration: &'c Configuration) -> Self {
        let security = configuration.security();
        let key = security.api_key.map(|key| key.header);
        let upstreams = [&configuration.upstream, &configuration.sandbox_upstream];
        let upstreams = upstreams.into_iter().flatten();
        let presented = upstreams.filter_map(|it| it.credential.as_ref());
        let presented = presented.map(|credential| credential.header().to_owned());
        let credentials = [String::from("authorization")];
        let credentials = credentials.into_iter().chain(key).chain(presented);
        let key = configuration
            .security
            .as_ref()
            .and_then(|it| it.api_key.as_ref());
        Self {
            credentials: credentials.map(|name| name.to_ascii_lowercase()).collect(),
            key_parameter: key.and_then(|key| key.query.as_deref()),
        }
    }

    /// Returns the reason why no step may set this field, if so.
    pub(super) fn refuse(&self, name: &str) -> Option<&'static str> {
        if !is_token(name) {
            return Some("a header name has 1 to 64 letters, digits or \"-\", \"_\" and the like");
        }
        if self.credentials.contains(&name.to_ascii_lowercase()) {
            return Some("this field carries a credential, and no step may change it");
        }
        (!is_step_header(name)).then_some(
            "no step may change this field: it frames or routes the message, or the gateway or a \
             proxy writes it",
        )
    }

    /// Whether a query parameter carries the API key.
    pub(super) fn is_key(&self, parameter: &str) -> bool {
        self.key_parameter == Some(parameter)
    }
}
