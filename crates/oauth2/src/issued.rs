//! Counts of issued tokens.

use std::sync::atomic::{AtomicU64, Ordering};

/// The grant of RFC 6749, section 4.4.
pub(crate) const CLIENT_CREDENTIALS: &str = "client_credentials";
/// The grants, as named in the metadata (RFC 8414, section 2).
pub(crate) const GRANTS: [&str; 1] = [CLIENT_CREDENTIALS];

/// Numbers of tokens issued at the token endpoint, by [`GRANTS`].
#[derive(Debug, Default)]
pub(crate) struct Issued([AtomicU64; GRANTS.len()]);

impl Issued {
    /// Counts a token.
    pub(crate) fn count(&self, grant: &str) {
        for (name, count) in GRANTS.into_iter().zip(&self.0) {
            if name == grant {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Each grant with the number of its tokens.
    pub(crate) fn by_grant(&self) -> Vec<(&'static str, u64)> {
        let counts = self.0.iter().map(|it| it.load(Ordering::Relaxed));
        GRANTS.into_iter().zip(counts).collect()
    }
}
