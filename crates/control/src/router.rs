//! Every route of the control plane on one page: method, path, who may, handler.
//!
//! Who may is said by [`Act`] and looked up in `may`; what surrounds each request is in `frame`.

use axum::Router;

use crate::may::Act::{ManagePlans, SeePlans, Visit};
use crate::routes::Routes;
use crate::state::Control;
use crate::{document, frame, health, plans};

/// The control plane's HTTP API.
pub fn router(control: Control) -> Router {
    frame::around(routes().into_router(), control)
}

/// Every route.
pub(crate) fn routes() -> Routes {
    let routes = Routes::default()
        .get("/healthz", Visit, health::alive)
        .get("/readyz", Visit, health::ready)
        .get("/api/v1/openapi.json", Visit, document::show)
        .get("/api/v1/plans", SeePlans, plans::list)
        .post("/api/v1/plans", ManagePlans, plans::create)
        .get("/api/v1/plans/{plan}", SeePlans, plans::show)
        .put("/api/v1/plans/{plan}", ManagePlans, plans::update)
        .delete("/api/v1/plans/{plan}", ManagePlans, plans::delete);
    publishing(routes)
}

/// APIs, versions, the catalogue, usage.
fn publishing(routes: Routes) -> Routes {
    routes
}
