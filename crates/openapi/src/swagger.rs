//! Converts Swagger 2.0 documents (OpenAPI 2.0) to OpenAPI 3.0, which is the form that the rest of
//! this crate and callers see. The document is stored as uploaded.
//!
//! Operations may share large parameters, and lists of media types multiply schemas, so every copy
//! is charged to an allowance before it is made (`swagger/allowance.rs`).
//!
//! Fields with another place in 3.0 are moved: `host`, `basePath` and `schemes` become servers,
//! body and form fields a request body (`swagger/operation.rs`), types of parameters and headers
//! schemas (`swagger/schema.rs`). Malformed parts are kept unchanged, to be rejected by `document`.

use crate::lookup::Lookup;
use crate::model::fault::Fault;
use crate::value::{Members, Value};

mod allowance;
mod head;
mod operation;
mod schema;

use allowance::Allowance;
pub(crate) use head::convert_root;
use operation::Defaults;

/// The version that this module converts.
pub(crate) const VERSION: &str = "2.0";
/// The version of converted documents.
const CONVERTED_VERSION: &str = "3.0.3";

/// Maximum estimated memory of a document to convert, in the unit of [`Value::memory`]; conversion
/// may add a third of it. Swagger documents are refused when their estimated memory exceeds 40 MiB,
/// usually from 8 to 14 MB on.
const MEMORY_MAX: usize = 40 << 20;

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

/// Checks that a document is small enough to be converted, by its estimated memory.
///
/// # Errors
/// Returns `openapi.budget`.
pub(crate) fn check_memory(memory: usize) -> Result<(), Fault> {
    if memory > MEMORY_MAX {
        let detail = "the document has too many values to be converted to OpenAPI 3.0, as callers \
                      read it";
        return Err(Fault::new("", "openapi.budget", detail));
    }
    Ok(())
}

/// Converts a document to OpenAPI 3.0.
///
/// # Errors
/// Returns `openapi.budget` if the result would be much larger, because operations share large
/// values.
pub(crate) fn converted(mut root: Members) -> Result<Members, Fault> {
    let mut document = Members::default();
    document.put("openapi", Value::text(CONVERTED_VERSION));
    root.take("swagger");
    for key in ["info", "externalDocs", "tags", "security"] {
        if let Some(value) = root.take(key) {
            document.put(key, value);
        }
    }
    if let Some(servers) = servers(&mut root) {
        document.put("servers", servers);
    }
    let allowance = Allowance::default();
    let parameters = take_map(&mut root, "parameters");
    let defaults = Defaults {
        allowance: &allowance,
        consumes: texts(root.take("consumes")),
        produces: texts(root.take("produces")),
        parameters: &parameters,
        lookup: Lookup::default(),
    };
    let responses = take_map(&mut root, "responses");
    let definitions = take_map(&mut root, "definitions");
    let mut components = Members::default();
    let named = [
        ("schemas", named_schemas(definitions, &allowance)?),
        ("responses", defaults.responses(responses)?),
        ("parameters", defaults.shared_parameters()?),
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
            defaults.convert_item(item)?;
        }
    }
    document.put("paths", Value::Map(paths));
    document.put("components", Value::Map(components));
    document.0.append(&mut root.0);
    Ok(document)
}

/// Returns the servers.
fn servers(root: &mut Members) -> Option<Value> {
    let [host, base] = ["host", "basePath"].map(|key| root.take(key));
    let text = |it: &Option<Value>| it.as_ref().and_then(Value::as_text).map(str::to_owned);
    let schemes = texts(root.take("schemes"));
    let declared: Vec<_> = schemes.iter().map(String::as_str).collect();
    let base_path = text(&base).unwrap_or_default();
    let urls = server_urls(text(&host).as_deref(), &base_path, &declared);
    let servers = urls
        .into_iter()
        .map(|url| Value::from([("url", Value::text(url))]));
    let listed: Vec<_> = servers.collect();
    (!listed.is_empty()).then_some(Value::List(listed))
}

/// Returns the URLs of the servers. A host without a scheme gets HTTPS.
fn server_urls(host: Option<&str>, base: &str, declared: &[&str]) -> Vec<String> {
    let Some(host) = host else {
        return match base {
            "" => Vec::new(),
            base => vec![base.to_owned()],
        };
    };
    let is_declared = |scheme: &&str| declared.contains(scheme);
    let mut schemes: Vec<_> = SCHEMES.into_iter().filter(is_declared).collect();
    if schemes.is_empty() {
        schemes.push(SCHEMES[0]);
    }
    let url = |scheme| format!("{scheme}://{host}{base}");
    schemes.into_iter().map(url).collect()
}

fn named_schemas(mut definitions: Members, allowance: &Allowance) -> Result<Members, Fault> {
    for (_, definition) in &mut definitions.0 {
        schema::convert(definition, allowance)?;
    }
    Ok(definitions)
}

/// Returns the name of an OAuth2 flow in 3.0.
fn flow_name(flow: Option<&str>) -> &'static str {
    match flow {
        Some("application") => "clientCredentials",
        Some("accessCode") => "authorizationCode",
        Some("password") => "password",
        _ => "implicit",
    }
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
                let name = flow_name(flow.as_ref().and_then(Value::as_text));
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
