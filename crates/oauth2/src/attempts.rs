//! What the binary hands in: how often clients have failed. The control plane counts that, beside
//! failed sign-ins, since both come to one listener.

use axum::http::Extensions;

/// Failures of clients by client and address. `client` is what the client claims to be, and `from`
/// are the extensions of its request.
pub trait Attempts: Send + Sync {
    /// Seconds until the client may authenticate from there; `None` where it may now.
    fn wait_s(&self, client: &str, from: &Extensions) -> Option<i64>;

    /// The client did not prove that it is itself.
    fn failed(&self, client: &str, from: &Extensions);

    /// The client has proven that it is itself.
    fn succeeded(&self, client: &str, from: &Extensions);
}
