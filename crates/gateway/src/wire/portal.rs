//! CORS for the portal's pages, which may read the gateway's responses (Fetch standard, section
//! 3.2). The portal's origins are fixed at startup; for other origins versions have their own rules
//! (`snapshot/cors.rs`), or none.
//!
//! Pages call without browser credentials, so `*` exposes every field of a response. A call without
//! `Origin` costs one check for it. `pre_flight.rs` responds to preflights.

use std::rc::Rc;

use tollgate_http1::view::Request;

/// The portal's origins.
#[derive(Debug, Default)]
pub(crate) struct Origins(Vec<Rc<Origin>>);

/// One of the portal's origins.
#[derive(Debug)]
pub(crate) struct Origin {
    /// As browsers serialize it (RFC 6454, section 6.2).
    text: Box<str>,
    /// The CORS field lines of responses to its pages.
    lines: Box<[u8]>,
}

impl Origins {
    pub(crate) fn new(origins: &[String]) -> Self {
        let origins = origins.iter().map(|origin| {
            let lines = format!(
                "access-control-allow-origin: {origin}\r\naccess-control-expose-headers: *\r\n\
                 vary: Origin\r\n"
            );
            Rc::new(Origin {
                text: origin.as_str().into(),
                lines: lines.into_bytes().into(),
            })
        });
        Self(origins.collect())
    }

    /// The portal's origin of a request, if it has one.
    pub(crate) fn find(&self, head: Request<'_>) -> Option<Rc<Origin>> {
        let origin = head.origin()?;
        let mut origins = self.0.iter();
        let own = origins.find(|own| own.text.as_bytes() == origin);
        own.cloned()
    }
}

impl Origin {
    /// The CORS field lines of responses to its pages.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.lines
    }
}

#[cfg(test)]
pub(crate) mod tests;
