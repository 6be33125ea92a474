//! The OpenAPI 3.1 document of this API, generated from the handlers' types.
//!
//! The error responses of operations are added here, in one place, derived from the act, path,
//! parameters and body of each.

use std::sync::OnceLock;

use axum::http::{HeaderMap, Method};
use axum::response::Response;
use tollgate_tokens::session::COOKIE;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::schema::{ArrayItems, Schema};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Components, Content, Ref, RefOr, ResponseBuilder};

use crate::constant::{Constant, Tag};
use crate::error::{Problem, ProblemBody};
use crate::hosts::is_change;
use crate::may::{Act, Who};
use crate::routes::{Route, Routes};
use crate::{access_tokens, applications, session, signing_keys, subscriptions, usage, users};
use crate::{apis, catalogue, health, plans, portal, versions};
use crate::{basic_users, clients, keys, status, try_it};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tollgate control plane",
        description = "Publish, consume and administer APIs. Every error response is a problem \
                       document (RFC 9457) with a stable `code`.",
    ),
    paths(
        health::alive, health::ready, show, portal::show,
        session::sign_in, session::show, session::sign_out, session::password::change,
        access_tokens::list, access_tokens::show, access_tokens::create, access_tokens::delete,
        users::list, users::show, users::create, users::update, users::delete,
        plans::list, plans::show, plans::create, plans::update, plans::delete,
        applications::list, applications::show, applications::create, applications::update,
        applications::delete, applications::void_tokens, applications::retired::list,
        keys::list, keys::show, keys::create, keys::update, keys::revoke, keys::rotate,
        clients::list, clients::show, clients::create, clients::update, clients::revoke,
        clients::rotate, clients::void_tokens,
        basic_users::list, basic_users::show, basic_users::create, basic_users::update,
        basic_users::revoke, basic_users::rotate,
        signing_keys::list, signing_keys::create, signing_keys::revoke, status::show,
        try_it::create,
        subscriptions::list, subscriptions::show, subscriptions::create, subscriptions::update,
        subscriptions::delete, subscriptions::scopes::replace,
        apis::list, apis::create, apis::import::import, apis::wsdl::import, apis::show,
        apis::update, apis::delete,
        versions::list, versions::creation::create, versions::overview::list, versions::show,
        versions::make_default, versions::delete,
        versions::draft::show, versions::draft::replace, versions::draft::patch,
        versions::draft::restore, versions::difference::show, versions::mediate::run,
        versions::document::show, versions::replacement::replace,
        versions::contract::show, versions::contract::replace,
        versions::plans::list, versions::plans::replace,
        versions::lifecycle::history, versions::lifecycle::advance, versions::deprecation::update,
        versions::revisions::list, versions::revisions::create, versions::revisions::show,
        versions::revisions::delete,
        versions::deployment::show, versions::deployment::replace, versions::cache::purge,
        catalogue::list, catalogue::show, catalogue::difference::show, catalogue::document::show,
        catalogue::document::contract, catalogue::operations::list,
        catalogue::operations::show, usage::show, usage::calls::list,
        usage::explain::show, usage::health::show, usage::quotas::show,
    ),
    components(schemas(ProblemBody<'static>)),
)]
struct Document;

/// Returns the document of the whole API with these routes.
pub(crate) fn of(routes: &Routes) -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    let components = document.components.get_or_insert_with(Components::new);
    for (name, scheme) in security_schemes() {
        components.add_security_scheme(name, scheme);
    }
    for (status, description) in REFUSALS {
        let problem = Content::new(Some(Ref::from_schema_name("Problem")));
        let response = ResponseBuilder::new()
            .description(description)
            .content("application/problem+json", problem);
        components.responses.insert(name(status), response.into());
    }
    for (name, schema) in &mut components.schemas {
        if let Some(noun) = name.strip_prefix("List_") {
            refer(schema, noun);
        }
    }
    for route in routes.list() {
        let item = document.paths.paths.get_mut(route.path);
        if let Some(operation) = item.and_then(|item| operation_mut(item, route)) {
            complete(operation, route);
        }
    }
    document
}

/// Get the OpenAPI document of this API.
///
/// Compressed with Brotli or gzip if the client accepts it. A request with its `ETag` in
/// `If-None-Match` gets 304, until another release runs.
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "health",
    responses(
        (status = 200, description = "The OpenAPI document", body = Object, headers(
            ("ETag" = String, description = "Version of the document"),
        )),
        (status = 304, description = "Unchanged: If-None-Match has the current ETag"),
    ),
)]
pub(crate) async fn show(
    document: &'static utoipa::openapi::OpenApi,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    static DOCUMENT: OnceLock<Constant> = OnceLock::new();
    let made = match DOCUMENT.get() {
        Some(made) => made,
        None => {
            let text = serde_json::to_vec(document).map_err(|error| Problem::internal(&error))?;
            let made = Constant::new("application/json", Tag::of([&*text]), text);
            DOCUMENT.get_or_init(|| made)
        }
    };
    made.answer(&headers)
        .map_err(|error| Problem::internal(&error))
}

/// Replaces the items' schema in a generic list, which is a full copy, by a reference.
fn refer(list: &mut RefOr<Schema>, noun: &str) {
    if let RefOr::T(Schema::Object(list)) = list
        && let Some(RefOr::T(Schema::Array(items))) = list.properties.get_mut("items")
    {
        items.items = ArrayItems::RefOrSchema(Box::new(Ref::from_schema_name(noun).into()));
    }
}

fn security_schemes() -> [(&'static str, SecurityScheme); 3] {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A personal access token"))
        .build();
    let cookie = ApiKeyValue::with_description(COOKIE, "The cookie of a session");
    let csrf = "The session's CSRF token, required with the cookie for changes";
    let csrf = ApiKeyValue::with_description("X-CSRF-Token", csrf);
    [
        ("access_token", SecurityScheme::Http(bearer)),
        ("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie))),
        ("csrf", SecurityScheme::ApiKey(ApiKey::Header(csrf))),
    ]
}

/// Error responses that several operations share.
const REFUSALS: [(u16, &str); 15] = [
    (400, "A parameter or the body is malformed"),
    (401, "Not signed in"),
    (
        403,
        "Signed in, but not allowed; or a one-time password must be changed first",
    ),
    (404, "Not found, or the caller may not read it"),
    (408, "The body was not received in time"),
    (
        409,
        "Conflict with the current state, such as a name that is taken or a resource in use",
    ),
    (412, "It was changed in the meantime"),
    (413, "The body is too large"),
    (415, "The media type of the body is not supported"),
    (421, "The requested host name is not served here"),
    (422, "The request is invalid; each fault is listed"),
    (428, "If-Match is missing"),
    (429, "Too many attempts; Retry-After is the time to wait"),
    (500, "Internal error"),
    (
        503,
        "The store is unavailable, for example because the disk is full; or, with the code \
         `feed.behind`, the change is saved, but a gateway has not applied it yet; or, with \
         `feed.refused`, it is saved, but a gateway cannot serve it, so calls still see the \
         previous state",
    ),
];

fn name(status: u16) -> String {
    format!("Refused{status}")
}

/// Adds error responses, security and a unique id to an operation.
fn complete(operation: &mut Operation, route: &Route) {
    let tag = operation.tags.iter().flatten().next().cloned();
    let tag = tag.unwrap_or_default().replace('-', "_");
    let verb = operation.operation_id.take().unwrap_or_default();
    operation.operation_id = Some(format!("{tag}_{verb}"));
    operation.security = Some(security(route));
    forbid_null(operation);
    for status in refusals(operation, route) {
        let refusal = Ref::from_response_name(name(status));
        let responses = &mut operation.responses.responses;
        responses
            .entry(status.to_string())
            .or_insert(refusal.into());
    }
}

/// Removes `null` from the schema of an optional body, which is absent instead.
fn forbid_null(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };
    if body.required.is_some() {
        return;
    }
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content
            && let Some(RefOr::T(Schema::OneOf(either))) = &content.schema
        {
            let mut given = either.items.iter();
            content.schema = given.find(|it| matches!(it, RefOr::Ref(_))).cloned();
        }
    }
}

fn security(route: &Route) -> Vec<SecurityRequirement> {
    const NO_SCOPES: [String; 0] = [];
    let mut anyone = Vec::new();
    match route.act.who() {
        Who::Anyone => return anyone,
        Who::Visitors(_) => anyone.push(SecurityRequirement::default()),
        Who::SignedIn | Who::Roles(_) => {}
    }
    let token = SecurityRequirement::new("access_token", NO_SCOPES);
    let mut session = SecurityRequirement::new("session", NO_SCOPES);
    if is_change(&route.method) {
        session = session.add("csrf", NO_SCOPES);
    }
    anyone.extend([token, session]);
    anyone
}

/// Returns the statuses of an operation's error responses, besides those that its handler lists.
fn refusals(operation: &Operation, route: &Route) -> Vec<u16> {
    let mut statuses = vec![400, 421, 500];
    if route.act != Act::Visit {
        statuses.extend([401, 403, 429, 503]);
    }
    if route.path == "/readyz" {
        statuses.push(503);
    }
    // Their filters refer to resources, which may not exist.
    let is_filtered = matches!(route.act, Act::SeeSubscriptions | Act::SeeUsage);
    if route.path.contains('{') || is_filtered {
        statuses.push(404);
    }
    if operation.request_body.is_some() {
        statuses.extend([408, 413, 415, 422, 503]);
    }
    if route.path.starts_with("/api/v1/session") && operation.request_body.is_some() {
        statuses.extend([401, 429]);
    }
    // A document or contract that was saved may be unreadable in this release, or too large.
    let describes =
        route.path.starts_with("/api/v1/catalogue/{version}/") || route.path.ends_with("/document");
    if is_change(&route.method) && route.act != Act::Visit || describes {
        statuses.push(409);
    }
    let mut parameters = operation.parameters.iter().flatten();
    if parameters.any(|it| matches!(it, RefOr::T(parameter) if parameter.name == "If-Match")) {
        statuses.extend([412, 428]);
    }
    statuses
}

fn operation_mut<'a>(item: &'a mut PathItem, route: &Route) -> Option<&'a mut Operation> {
    match route.method {
        Method::GET => item.get.as_mut(),
        Method::PUT => item.put.as_mut(),
        Method::POST => item.post.as_mut(),
        Method::PATCH => item.patch.as_mut(),
        Method::DELETE => item.delete.as_mut(),
        _ => None,
    }
}
