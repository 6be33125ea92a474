//! The OpenAPI 3.1 document: collected from the handlers' own types, completed with what all of
//! them have in common.

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, Ref, ResponseBuilder};
use utoipa::{Modify, OpenApi};

use crate::error::ErrorBody;
use crate::{discovery, grants, introspect, revoke};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tollgate key manager",
        description = "Tokens for OAuth 2.0 clients (RFC 6749): client credentials, revocation \
                       (RFC 7009), introspection (RFC 7662), keys (RFC 7517) and metadata \
                       (RFC 8414).",
    ),
    paths(
        grants::token, revoke::revoke, introspect::introspect,
        discovery::jwks, discovery::metadata,
    ),
    components(schemas(ErrorBody)),
    modifiers(&Completion),
)]
struct Document;

/// Returns the OpenAPI document of the key manager.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// Adds common responses and the security to each operation.
struct Completion;

/// Name of the security scheme.
const BASIC: &str = "basic";

/// Responses of every operation: status, whether the body is an OAuth2 error, description.
const ALL: [(&str, bool, &str); 3] = [
    (
        "421",
        false,
        "The request's host name is not one of this server",
    ),
    ("500", true, "An internal error occurred"),
    (
        "503",
        true,
        "Temporarily unavailable: retry after the seconds in Retry-After; or tokens are not issued",
    ),
];
/// Further responses of operations that authenticate clients.
const OF_CLIENTS: [(&str, bool, &str); 3] = [
    (
        "401",
        true,
        "The client is unknown, or its authentication failed",
    ),
    (
        "403",
        false,
        "The request came from a page of another origin",
    ),
    (
        "429",
        true,
        "The client failed too often from this address; Retry-After has the seconds to wait",
    ),
];

impl Modify for Completion {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let basic = HttpBuilder::new()
            .scheme(HttpAuthScheme::Basic)
            .description(Some("The id and the secret of a client"))
            .build();
        let components = document.components.get_or_insert_with(Components::new);
        components.add_security_scheme(BASIC, SecurityScheme::Http(basic));
        for item in document.paths.paths.values_mut() {
            if let Some(operation) = &mut item.post {
                const NO_SCOPES: [String; 0] = [];
                let in_head = SecurityRequirement::new(BASIC, NO_SCOPES);
                // Secrets and assertions may also be in the body.
                operation.security = Some(vec![in_head, SecurityRequirement::default()]);
                complete(operation, &OF_CLIENTS);
            }
            let both = item.post.iter_mut().chain(&mut item.get);
            both.for_each(|operation| complete(operation, &ALL));
        }
    }
}

fn complete(operation: &mut Operation, answers: &[(&str, bool, &str)]) {
    for &(status, is_error, description) in answers {
        let mut response = ResponseBuilder::new().description(description);
        if is_error {
            let content = Content::new(Some(Ref::from_schema_name("Error")));
            response = response.content("application/json", content);
        }
        let responses = &mut operation.responses.responses;
        let response = response.build().into();
        responses.entry(status.to_owned()).or_insert(response);
    }
}
