//! Liveness and readiness of the process.

use axum::extract::State;
use axum::http::StatusCode;

use crate::error::Problem;
use crate::state::Control;

/// Check liveness.
///
/// Responds as long as the process can respond at all.
#[utoipa::path(
    get, path = "/healthz", tag = "health",
    responses((status = 200, description = "The process is alive", body = String)),
)]
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Check readiness.
///
/// Returns 200 once the store can be read and written and a gateway serves calls. Returns 503
/// `store.full` or `store.io` while writes fail; the gateway keeps serving calls. Conditions that
/// need attention, such as a certificate that expires soon, follow on lines of their own.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses((status = 200, description = "The process is ready", body = String)),
)]
pub(crate) async fn ready(State(control): State<Control>) -> Result<String, Problem> {
    check(&control).await?;
    let conditions = (control.conditions)();
    let lines = std::iter::once("ok").chain(conditions.iter().map(String::as_str));
    Ok(lines.flat_map(|line| [line, "\n"]).collect())
}

/// Checks that the store can be read and written, and that a gateway serves calls.
pub(crate) async fn check(control: &Control) -> Result<(), Problem> {
    tollgate_store::plans::list(&control.store, None, 1).await?;
    if !control.feed.is_served() {
        let detail = "no gateway serves the stored configuration yet";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "feed.not_served", detail));
    }
    control.writing.check(&control.store).await
}
