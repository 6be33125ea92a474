//! Every route of the control plane on one page: method, path, permission, handler; and the bound
//! on the body if it is not the default.
//!
//! The permission is an [`Act`], looked up in `may`; the layers around each request are in `frame`.

use std::sync::LazyLock;

use axum::http::{StatusCode, header};
use axum::routing::any;
use axum::{Extension, Router};
use utoipa::openapi::OpenApi;

use crate::error::Problem;
use crate::json::{
    CONTRACT_BYTES_MAX, DOCUMENT_BYTES_MAX, DRAFT_BYTES_MAX, MEDIATE_BYTES_MAX, SIGN_IN_BYTES_MAX,
    TEXT_BYTES_MAX,
};
use crate::may::Act::*;
use crate::routes::{Described, Routes};
use crate::state::Control;
use crate::versions::{deployment, draft, lifecycle, revisions};
use crate::{
    access_tokens, apis, applications, basic_users, catalogue, clients, document, frame, health,
    keys, plans, portal, signing_keys, subscriptions,
};
use crate::{session, status, try_it, usage, users, versions};

/// Returns the control plane's HTTP API, with the routes of others beside it.
pub(crate) fn router(control: Control, more: Router<Control>) -> Router {
    frame::around(registered().merge(more), control)
}

/// Returns every route, with the document that knows its parameters.
pub(crate) fn registered() -> Router<Control> {
    let described = Extension(Described(openapi));
    routes().into_router().layer(described)
}

/// Returns the routes of reserve connections: the process's health, and 503 for everything else.
pub(crate) fn reserve(control: Control) -> Router {
    let routes = health_routes().into_router();
    let routes = routes
        .route("/", any(no_room))
        .route("/{*path}", any(no_room));
    frame::around(routes, control)
}

async fn no_room() -> Problem {
    let detail = "too many requests are in progress; only health checks are answered now";
    let status = StatusCode::SERVICE_UNAVAILABLE;
    Problem::new(status, "connections.full", detail).with(header::RETRY_AFTER, 1)
}

/// Returns the OpenAPI document of the whole API.
#[must_use]
pub fn openapi() -> &'static OpenApi {
    static DOCUMENT: LazyLock<OpenApi> = LazyLock::new(|| document::of(&routes()));
    &DOCUMENT
}

/// Returns every route.
pub(crate) fn routes() -> Routes {
    let routes = health_routes()
        .get("/api/v1/openapi.json", Visit, |headers| {
            document::show(openapi(), headers)
        })
        .get("/api/v1/portal", Visit, portal::show);
    publishing(consuming(administering(signing_in(routes))))
}

fn health_routes() -> Routes {
    Routes::default()
        .get("/healthz", Visit, health::alive)
        .get("/readyz", Visit, health::ready)
}

/// Adds sessions and personal access tokens.
#[rustfmt::skip] // One route, one line.
fn signing_in(routes: Routes) -> Routes {
    routes
        .post("/api/v1/session", Visit.with_body(SIGN_IN_BYTES_MAX), session::sign_in)
        .get("/api/v1/session", KeepSession, session::show)
        .delete("/api/v1/session", KeepSession, session::sign_out)
        .put("/api/v1/session/password", KeepSession, session::password::change)
        .get("/api/v1/access-tokens", KeepAccessTokens, access_tokens::list)
        .post("/api/v1/access-tokens", KeepAccessTokens, access_tokens::create)
        .get("/api/v1/access-tokens/{token}", KeepAccessTokens, access_tokens::show)
        .delete("/api/v1/access-tokens/{token}", KeepAccessTokens, access_tokens::delete)
}

/// Adds users, plans, the keys that sign access tokens, and the status of the process.
#[rustfmt::skip] // One route, one line.
fn administering(routes: Routes) -> Routes {
    routes
        .get("/api/v1/users", ManageUsers, users::list)
        .post("/api/v1/users", ManageUsers, users::create)
        .get("/api/v1/users/{user}", ManageUsers, users::show)
        .patch("/api/v1/users/{user}", ManageUsers, users::update)
        .delete("/api/v1/users/{user}", ManageUsers, users::delete)
        .get("/api/v1/plans", SeePlans, plans::list)
        .post("/api/v1/plans", ManagePlans.with_body(TEXT_BYTES_MAX), plans::create)
        .get("/api/v1/plans/{plan}", SeePlans, plans::show)
        .put("/api/v1/plans/{plan}", ManagePlans.with_body(TEXT_BYTES_MAX), plans::update)
        .delete("/api/v1/plans/{plan}", ManagePlans, plans::delete)
        .get("/api/v1/signing-keys", ManageSigningKeys, signing_keys::list)
        .post("/api/v1/signing-keys", ManageSigningKeys, signing_keys::create)
        .delete("/api/v1/signing-keys/{signing_key}", ManageSigningKeys, signing_keys::revoke)
        .get("/api/v1/status", SeeStatus, status::show)
}

/// Adds applications, their credentials and subscriptions.
#[rustfmt::skip] // One route, one line, but for some that are too long.
fn consuming(routes: Routes) -> Routes {
    routes
        .get("/api/v1/applications", SeeApplications, applications::list)
        .post("/api/v1/applications", ManageApplications.with_body(TEXT_BYTES_MAX),
            applications::create)
        .get("/api/v1/applications/{application}", SeeApplications, applications::show)
        .patch("/api/v1/applications/{application}", ManageApplications.with_body(TEXT_BYTES_MAX),
            applications::update)
        .delete("/api/v1/applications/{application}", ManageApplications, applications::delete)
        .delete("/api/v1/applications/{application}/tokens", ManageApplications,
            applications::void_tokens)
        .get("/api/v1/applications/{application}/retired-versions", SeeApplications,
            applications::retired::list)
        .get("/api/v1/applications/{application}/keys", SeeApplications, keys::list)
        .post("/api/v1/applications/{application}/keys", ManageApplications, keys::create)
        .get("/api/v1/keys/{key}", SeeApplications, keys::show)
        .patch("/api/v1/keys/{key}", ManageApplications, keys::update)
        .delete("/api/v1/keys/{key}", ManageApplications, keys::revoke)
        .post("/api/v1/keys/{key}/rotation", ManageApplications, keys::rotate)
        .get("/api/v1/applications/{application}/clients", SeeApplications, clients::list)
        .post("/api/v1/applications/{application}/clients",
            ManageApplications.with_body(TEXT_BYTES_MAX), clients::create)
        .get("/api/v1/clients/{client}", SeeApplications, clients::show)
        .patch("/api/v1/clients/{client}", ManageApplications.with_body(TEXT_BYTES_MAX),
            clients::update)
        .delete("/api/v1/clients/{client}", ManageApplications, clients::revoke)
        .post("/api/v1/clients/{client}/rotation", ManageApplications, clients::rotate)
        .delete("/api/v1/clients/{client}/tokens", ManageApplications, clients::void_tokens)
        .get("/api/v1/applications/{application}/basic-users", SeeApplications, basic_users::list)
        .post("/api/v1/applications/{application}/basic-users", ManageApplications,
            basic_users::create)
        .get("/api/v1/basic-users/{basic_user}", SeeApplications, basic_users::show)
        .patch("/api/v1/basic-users/{basic_user}", ManageApplications, basic_users::update)
        .delete("/api/v1/basic-users/{basic_user}", ManageApplications, basic_users::revoke)
        .post("/api/v1/basic-users/{basic_user}/rotation", ManageApplications, basic_users::rotate)
        .get("/api/v1/subscriptions", SeeSubscriptions, subscriptions::list)
        .post("/api/v1/subscriptions", Subscribe, subscriptions::create)
        .get("/api/v1/subscriptions/{subscription}", SeeSubscriptions, subscriptions::show)
        .patch("/api/v1/subscriptions/{subscription}", ChangeSubscriptions, subscriptions::update)
        .delete("/api/v1/subscriptions/{subscription}", Subscribe, subscriptions::delete)
        .put("/api/v1/subscriptions/{subscription}/scopes",
            DecideSubscriptions.with_body(TEXT_BYTES_MAX), subscriptions::scopes::replace)
}

/// Adds APIs, versions, the catalogue and usage.
#[rustfmt::skip] // One route, one line, but for some that are too long.
fn publishing(routes: Routes) -> Routes {
    routes
        .get("/api/v1/apis", SeeApis, apis::list)
        .post("/api/v1/apis", ManageApis.with_body(TEXT_BYTES_MAX), apis::create)
        .post("/api/v1/apis/import", ManageApis.with_body(DOCUMENT_BYTES_MAX), apis::import::import)
        .post("/api/v1/apis/import/wsdl", ManageApis.with_body(CONTRACT_BYTES_MAX),
            apis::wsdl::import)
        .get("/api/v1/apis/{api}", SeeApis, apis::show)
        .patch("/api/v1/apis/{api}", ManageApis.with_body(TEXT_BYTES_MAX), apis::update)
        .delete("/api/v1/apis/{api}", ManageApis, apis::delete)
        .get("/api/v1/apis/{api}/versions", SeeApis, versions::list)
        .post("/api/v1/apis/{api}/versions", ManageApis.with_body(DOCUMENT_BYTES_MAX),
            versions::creation::create)
        .get("/api/v1/versions", SeeApis, versions::overview::list)
        .get("/api/v1/versions/{version}", SeeApis, versions::show)
        .delete("/api/v1/versions/{version}", ManageApis, versions::delete)
        .post("/api/v1/versions/{version}/default", ManageApis, versions::make_default)
        .get("/api/v1/versions/{version}/draft", SeeApis, draft::show)
        .put("/api/v1/versions/{version}/draft", ManageApis.with_body(DRAFT_BYTES_MAX),
            draft::replace)
        .patch("/api/v1/versions/{version}/draft", ManageApis.with_body(DRAFT_BYTES_MAX),
            draft::patch)
        .post("/api/v1/versions/{version}/draft/restore", ManageApis, draft::restore)
        .get("/api/v1/versions/{version}/difference", SeeApis, versions::difference::show)
        .get("/api/v1/versions/{version}/document", SeeApis, versions::document::show)
        .put("/api/v1/versions/{version}/document", ManageApis.with_body(DOCUMENT_BYTES_MAX),
            versions::replacement::replace)
        .get("/api/v1/versions/{version}/contract", SeeApis, versions::contract::show)
        .put("/api/v1/versions/{version}/contract", ManageApis.with_body(CONTRACT_BYTES_MAX),
            versions::contract::replace)
        .get("/api/v1/versions/{version}/plans", SeeApis, versions::plans::list)
        .put("/api/v1/versions/{version}/plans", ManageApis, versions::plans::replace)
        .get("/api/v1/versions/{version}/lifecycle", SeeApis, lifecycle::history)
        .post("/api/v1/versions/{version}/lifecycle", ManageApis.with_body(TEXT_BYTES_MAX),
            lifecycle::advance)
        .patch("/api/v1/versions/{version}/deprecation", ManageApis, versions::deprecation::update)
        .get("/api/v1/versions/{version}/revisions", SeeApis, revisions::list)
        .post("/api/v1/versions/{version}/revisions", ManageApis.with_body(TEXT_BYTES_MAX),
            revisions::create)
        .get("/api/v1/versions/{version}/revisions/{number}", SeeApis, revisions::show)
        .delete("/api/v1/versions/{version}/revisions/{number}", ManageApis, revisions::delete)
        .get("/api/v1/versions/{version}/deployment", SeeApis, deployment::show)
        .put("/api/v1/versions/{version}/deployment", ManageApis.with_body(TEXT_BYTES_MAX),
            deployment::replace)
        .post("/api/v1/versions/{version}/cache/purge", ManageApis.with_body(TEXT_BYTES_MAX),
            versions::cache::purge)
        .post("/api/v1/versions/{version}/try-it", ManageApplications.with_body(TEXT_BYTES_MAX),
            try_it::create)
        .post("/api/v1/versions/{version}/mediate", SeeApis.with_body(MEDIATE_BYTES_MAX),
            versions::mediate::run)
        .get("/api/v1/catalogue", SeeCatalogue, catalogue::list)
        .get("/api/v1/catalogue/{version}", SeeCatalogue, catalogue::show)
        .get("/api/v1/catalogue/{version}/difference", SeeCatalogue, catalogue::difference::show)
        .get("/api/v1/catalogue/{version}/document", SeeCatalogue, catalogue::document::show)
        .get("/api/v1/catalogue/{version}/contract", SeeCatalogue, catalogue::document::contract)
        .get("/api/v1/catalogue/{version}/operations", SeeCatalogue, catalogue::operations::list)
        .get("/api/v1/catalogue/{version}/operations/{operation}", SeeCatalogue,
            catalogue::operations::show)
        .get("/api/v1/usage", SeeUsage, usage::show)
        .get("/api/v1/usage/calls", SeeUsage, usage::calls::list)
        .get("/api/v1/usage/calls/{id}", SeeUsage, usage::explain::show)
        .get("/api/v1/usage/health", SeeUsage, usage::health::show)
        .get("/api/v1/usage/quotas", SeeUsage, usage::quotas::show)
}

#[cfg(test)]
mod tests;
