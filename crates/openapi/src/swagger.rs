//! Converts Swagger 2.0 documents (OpenAPI 2.0) to OpenAPI 3.0, which is the form that the rest of
//! this crate and callers see. The document is stored as uploaded.
//!
//! Fields with another place in 3.0 are moved: `host`, `basePath` and `schemes` become servers,
//! body and form fields a request body (`swagger/operation.rs`), types of parameters and headers
//! schemas (`swagger/schema.rs`). Malformed parts are kept unchanged, to be rejected by `document`.

use crate::model::fault::Fault;
use crate::value::{Members, Value};

mod operation;
mod schema;

use operation::{Defaults, Room};

/// The version that this module converts.
pub(crate) const VERSION: &str = "2.0";

/// Maximum number of levels that conversion adds to values.
pub(crate) const DEEPER: usize = 10;

/// Supported schemes of a server's URL.
const SCHEMES: [&str; 2] = ["https", "http"];

/// Whether a document is Swagger 2.0.
pub(crate) fn is_swagger(root: &Members) -> bool {
    let version = root.value("swagger");
    version.is_some_and(|it| match it {
        Value::Scalar(scalar) => scalar.as_str() == Some(VERSION) || scalar.as_f64() == Some(2.0),
        _ => false,
    })
}

/// Converts a document to OpenAPI 3.0.
///
/// # Errors
/// Returns `openapi.budget` if the result would be many times as large, because operations share
/// large values.
pub(crate) fn converted(mut root: Members) -> Result<Members, Fault> {
    let mut document = Members::default();
    document.put("openapi", Value::text("3.0.3"));
    root.take("swagger");
    for key in ["info", "externalDocs", "tags", "security"] {
        if let Some(value) = root.take(key) {
            document.put(key, value);
        }
    }
    if let Some(servers) = servers(&mut root) {
        document.put("servers", servers);
    }
    let parameters = take_map(&mut root, "parameters");
    let defaults = Defaults {
        room: Room::new(),
        consumes: texts(root.take("consumes")),
        produces: texts(root.take("produces")),
        parameters: &parameters,
    };
    let responses = take_map(&mut root, "responses");
    let mut components = Members::default();
    let named = [
        ("schemas", named_schemas(take_map(&mut root, "definitions"))),
        ("responses", defaults.responses(responses)),
        ("parameters", defaults.shared_parameters()),
        (
            "securitySchemes",
            security_schemes(take_map(&mut root, "securityDefinitions")),
        ),
    ];
    for (key, members) in named {
        if !members.0.is_empty() {
            components.put(key, Value::Map(members));
        }
    }
    let mut paths = take_map(&mut root, "paths");
    for (path, item) in &mut paths.0 {
        if let (false, Value::Map(item)) = (path.starts_with("x-"), item) {
            defaults.convert_item(item);
        }
    }
    document.put("paths", Value::Map(paths));
    document.put("components", Value::Map(components));
    document.0.append(&mut root.0);
    if defaults.room.is_spent() {
        let detail = "the document shares parameters or schemas that are too large to be copied \
                      to where OpenAPI 3.0 has them";
        return Err(Fault::new("", "openapi.budget", detail));
    }
    Ok(document)
}

/// Returns the servers. A host without a scheme gets HTTPS.
fn servers(root: &mut Members) -> Option<Value> {
    let host = root.take("host");
    let base = root.take("basePath");
    let base = base.as_ref().and_then(Value::as_text).unwrap_or_default();
    let declared = texts(root.take("schemes"));
    let Some(host) = host.as_ref().and_then(Value::as_text) else {
        let server = Value::from([("url", Value::text(base))]);
        return (!base.is_empty()).then(|| Value::List(vec![server]));
    };
    let schemes = SCHEMES
        .iter()
        .filter(|it| declared.iter().any(|one| one == *it));
    let mut schemes: Vec<_> = schemes.copied().collect();
    if schemes.is_empty() {
        schemes.push(SCHEMES[0]);
    }
    let url = |scheme| Value::text(format!("{scheme}://{host}{base}"));
    let servers = schemes
        .into_iter()
        .map(|it| Value::from([("url", url(it))]));
    Some(Value::List(servers.collect()))
}

fn named_schemas(mut definitions: Members) -> Members {
    for (_, definition) in &mut definitions.0 {
        schema::convert(definition);
    }
    definitions
}

/// Converts security schemes; the flows of OAuth2 have other names in 3.0.
fn security_schemes(definitions: Members) -> Members {
    let convert = |definition: Value| {
        let Value::Map(mut scheme) = definition else {
            return definition;
        };
        match scheme.value("type").and_then(Value::as_text) {
            Some("basic") => {
                scheme.put("type", Value::text("http"));
                scheme.put("scheme", Value::text("basic"));
            }
            Some("oauth2") => {
                let flow = scheme.take("flow");
                let name = match flow.as_ref().and_then(Value::as_text) {
                    Some("application") => "clientCredentials",
                    Some("accessCode") => "authorizationCode",
                    Some("password") => "password",
                    _ => "implicit",
                };
                let mut flow = Members::default();
                for key in ["authorizationUrl", "tokenUrl", "scopes"] {
                    if let Some(value) = scheme.take(key) {
                        flow.put(key, value);
                    }
                }
                if flow.value("scopes").is_none() {
                    flow.put("scopes", Value::Map(Members::default()));
                }
                scheme.put("flows", Value::from([(name, Value::Map(flow))]));
            }
            _ => {}
        }
        Value::Map(scheme)
    };
    let schemes = definitions.0.into_iter();
    Members(schemes.map(|(name, it)| (name, convert(it))).collect())
}

/// Removes an object; returns an empty one if there is none.
fn take_map(members: &mut Members, key: &str) -> Members {
    match members.take(key) {
        Some(Value::Map(map)) => map,
        _ => Members::default(),
    }
}

/// Returns the strings of a list.
fn texts(list: Option<Value>) -> Vec<String> {
    let Some(Value::List(list)) = list else {
        return Vec::new();
    };
    let texts = list.iter().filter_map(Value::as_text);
    texts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
