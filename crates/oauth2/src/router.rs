//! Every route of the key manager on one page.

use axum::Router;
use axum::routing::{MethodRouter, get, post};

use crate::discovery::{INTROSPECT, JWKS, METADATA, REVOKE};
use crate::server::{AuthorizationServer, TOKEN};
use crate::{discovery, grants, introspect, revoke};

/// The routes, to be merged into those of the control plane.
pub fn router<S>(server: AuthorizationServer) -> Router<S> {
    let mut router = Router::new();
    for (_, path, handler) in routes() {
        router = router.route(path, handler);
    }
    router.with_state(server)
}

/// Method, path, handler. Other methods are answered with 405 and `Allow`.
fn routes() -> [(
    &'static str,
    &'static str,
    MethodRouter<AuthorizationServer>,
); 5] {
    [
        ("post", TOKEN, post(grants::token)),
        ("post", REVOKE, post(revoke::revoke)),
        ("post", INTROSPECT, post(introspect::introspect)),
        ("get", JWKS, get(discovery::jwks)),
        ("get", METADATA, get(discovery::metadata)),
    ]
}

#[cfg(test)]
mod tests;
