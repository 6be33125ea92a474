//! The interface to counts of failed authentications. The control plane implements it, together
//! with its count of failed sign-ins, since both arrive at one listener.

use axum::http::Extensions;

/// Failures by client and address. `client` is the client's claimed id, and `from` are the
/// extensions of its request.
pub trait Attempts: Send + Sync {
    /// Returns the seconds until the client may authenticate from there; `None` if it may now.
    fn wait_s(&self, client: &str, from: &Extensions) -> Option<i64>;

    /// Records a failed authentication.
    fn failed(&self, client: &str, from: &Extensions);

    /// Records a successful authentication.
    fn succeeded(&self, client: &str, from: &Extensions);
}
