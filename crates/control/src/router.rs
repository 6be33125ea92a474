//! Every route of the control plane on one page: method, path, who may, handler.
//!
//! Who may is said by [`Act`] and looked up in `may`; what surrounds each request is in `frame`.

use axum::Router;

use crate::may::Act::Visit;
use crate::routes::Routes;
use crate::state::Control;
use crate::{document, frame, health};

/// The control plane's HTTP API.
pub fn router(control: Control) -> Router {
    let routes = routes(control.clone());
    frame::around(routes.into_router(), control)
}

/// Every route.
pub(crate) fn routes(control: Control) -> Routes {
    let routes = Routes::new(control)
        .get("/healthz", Visit, health::alive)
        .get("/readyz", Visit, health::ready)
        .get("/api/v1/openapi.json", Visit, document::show);
    publishing(routes)
}

/// APIs, versions, the catalogue, usage.
fn publishing(routes: Routes) -> Routes {
    routes
}
