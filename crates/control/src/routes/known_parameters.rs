//! Rejects query parameters that an operation does not have. One that is ignored is worse than an
//! error: with a `dry_run` that is not known, the change would be made.

use std::collections::HashMap;
use std::sync::OnceLock;

use axum::extract::Query;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

use crate::error::Problem;

/// Returns the document of the API; an extension of each request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Described(pub(crate) fn() -> &'static OpenApi);

/// The names of an operation's query parameters, by its method and path.
type Known = HashMap<(Method, &'static str), Vec<&'static str>>;

/// Checks that the operation has all parameters of the query. Those outside of the API, such as
/// health checks, ignore what they do not know.
///
/// # Errors
/// 400 `query.invalid`.
pub(super) fn check(parts: &Parts, method: &Method, path: &'static str) -> Result<(), Problem> {
    let query = parts.uri.query().unwrap_or_default();
    if query.is_empty() || !path.starts_with("/api/v1/") {
        return Ok(());
    }
    let Query(sent) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
        .map_err(|malformed| invalid(malformed.body_text()))?;
    let known = parts.extensions.get().map(known);
    let known = known.and_then(|known| known.get(&(method.clone(), path)));
    let known = known.map(Vec::as_slice).unwrap_or_default();
    match sent
        .iter()
        .find(|(name, _)| !known.contains(&name.as_str()))
    {
        None => Ok(()),
        Some((name, _)) => Err(unknown(name, known)),
    }
}

fn unknown(name: &str, known: &[&str]) -> Problem {
    let has = match known {
        [] => "has no query parameters".to_owned(),
        known => format!("has {}", known.join(", ")),
    };
    invalid(format!("unknown parameter {name:?}: this operation {has}"))
}

fn invalid(detail: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
}

fn known(described: &Described) -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let paths = described.0().paths.paths.iter();
        let operations = paths.flat_map(|(path, item)| {
            operations(item).map(|(method, operation)| ((method, path.as_str()), operation))
        });
        operations
            .map(|(key, operation)| (key, query_parameters(operation)))
            .collect()
    })
}

fn operations(item: &PathItem) -> impl Iterator<Item = (Method, &Operation)> {
    let operations = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    let operations = operations.into_iter();
    operations.filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

fn query_parameters(operation: &Operation) -> Vec<&str> {
    let parameters = operation.parameters.iter().flatten();
    let of_query = parameters.filter_map(|parameter| match parameter {
        RefOr::T(it) if it.parameter_in == ParameterIn::Query => Some(it.name.as_str()),
        _ => None,
    });
    of_query.collect()
}
