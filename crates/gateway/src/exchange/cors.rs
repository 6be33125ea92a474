//! CORS of an exchange: the web pages that may read its response, by the rules of the portal
//! (`wire/portal.rs`) or of the version (`snapshot/cors.rs`). If neither has rules for the request,
//! CORS is between the caller and the upstream.

use std::sync::Arc;

use super::Exchange;
use crate::snapshot::cors::{Cors, Sharing};
use crate::wire::portal::Origin;

impl Exchange<'_> {
    /// Applies the rules of the version, unless they leave the request to the portal's.
    pub(super) fn share(&self, cors: &Cors) {
        if self.portal.is_some() && cors.leaves_portal {
            return;
        }
        let sharing = cors.sharing(self.head().origin());
        let _is_first = self.sharing.set(Arc::clone(sharing));
    }

    /// What the version allows pages of the request's origin, if its rules apply.
    pub(crate) fn sharing(&self) -> Option<&Sharing> {
        self.sharing.get().map(|it| &**it)
    }

    /// Whether the gateway decides which pages may read the response, rather than the upstream.
    pub(crate) fn decides_cors(&self) -> bool {
        self.portal.is_some() || self.sharing.get().is_some()
    }

    /// Whether the request is a preflight that the gateway answers (Fetch standard, section 3.2.2).
    pub(crate) fn is_preflight(&self) -> bool {
        self.decides_cors() && {
            let head = self.head();
            let mut method = head.lines().named(b"access-control-request-method");
            head.method() == b"OPTIONS" && head.origin().is_some() && method.next().is_some()
        }
    }

    /// The CORS field lines of the response.
    pub(super) fn cors_lines(&self) -> &[u8] {
        match (self.sharing(), &self.portal) {
            (Some(sharing), _) => &sharing.lines,
            (None, Some(portal)) => Origin::lines(portal),
            (None, None) => b"",
        }
    }
}
