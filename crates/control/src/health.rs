//! Whether the process is alive, and whether it can do its work.

use axum::extract::State;
use axum::http::StatusCode;

use crate::error::Problem;
use crate::state::Control;

/// Is the process alive?
///
/// Answers as long as the process can answer at all.
#[utoipa::path(
    get, path = "/healthz", tag = "health",
    responses((status = 200, description = "It is alive", body = String)),
)]
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Can it do its work?
///
/// Answers 200 once the store can be read and written, and a gateway serves calls. 503
/// `store.full` or `store.io` while writes are refused; calls at the gateway go on all the same.
/// What should be looked at although it works, such as a certificate that ends soon, follows in
/// lines of their own.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses((status = 200, description = "It can work", body = String)),
)]
pub(crate) async fn ready(State(control): State<Control>) -> Result<String, Problem> {
    tollgate_store::plans::list(&control.store, None, 1).await?;
    if !control.feed.is_served() {
        let detail = "no gateway serves what is stored yet";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "feed.not_served", detail));
    }
    control.writing.check(&control.store).await?;
    let conditions = (control.conditions)();
    let lines = std::iter::once("ok").chain(conditions.iter().map(String::as_str));
    Ok(lines.flat_map(|line| [line, "\n"]).collect())
}
