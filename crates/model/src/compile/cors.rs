//! Compiles the CORS policy of a version.

use std::collections::BTreeSet;

use crate::api::{Configuration, Kind, METHODS, Method};
use crate::feed::ServedCors;
use crate::policies::{HEADERS_MAX, header_fault};
use crate::resource::Place;
use crate::security::Scheme;

/// Compiles the CORS policy, if there is one. `documented` are the header parameters of the OpenAPI
/// document.
pub(super) fn serve(
    kind: Kind,
    configuration: &Configuration,
    documented: &[String],
) -> Option<Box<ServedCors>> {
    let cors = configuration.policies.cors.as_ref()?;
    let origins: BTreeSet<_> = cors.origins.iter().cloned().collect();
    let headers = match &cors.headers {
        Some(headers) => lower(headers.iter().map(String::as_str)),
        None => headers(kind, configuration, documented),
    };
    let methods = METHODS.into_iter().filter(|method| match &cors.methods {
        Some(methods) => methods.contains(method),
        None => *method != Method::Trace,
    });
    Some(Box::new(ServedCors {
        origins: (!cors.allows_any_origin()).then(|| origins.into_iter().collect()),
        portal: cors.portal,
        methods: methods.collect(),
        headers: headers.into_iter().collect(),
        expose: cors.expose.clone(),
        credentials: cors.credentials,
        max_age_s: cors.max_age_s,
    }))
}

/// Returns the header fields that calls of the version have: credentials, the type of the body and
/// the parameters that are described.
fn headers(kind: Kind, configuration: &Configuration, documented: &[String]) -> BTreeSet<String> {
    let schemes = configuration.security().schemes().into_iter();
    let key = schemes.filter_map(|scheme| match scheme {
        Scheme::ApiKey { header, .. } => Some(header),
        Scheme::OAuth2 | Scheme::Basic => None,
    });
    let mut own = vec!["authorization", "content-type"];
    if kind == Kind::Soap {
        own.push("soapaction");
    }
    let mut headers = lower(own.into_iter());
    headers.extend(key.map(|header| header.to_ascii_lowercase()));
    let rest = configuration.soap.iter().flat_map(|soap| &soap.rest);
    let resources = rest.flat_map(|rest| &rest.resources);
    let parameters = resources
        .filter(|it| it.enabled)
        .flat_map(|it| &it.parameters);
    let parameters = parameters.filter(|it| it.place == Place::Header);
    let parameters = parameters.map(|it| it.name.as_str());
    let described = parameters.chain(documented.iter().map(String::as_str));
    for name in lower(described.filter(|name| header_fault(name).is_none())) {
        if headers.len() < HEADERS_MAX {
            headers.insert(name);
        }
    }
    headers
}

fn lower<'n>(names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    names.map(str::to_ascii_lowercase).collect()
}
