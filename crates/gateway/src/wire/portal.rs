//! The portal's pages may read what the gateway answers to them (CORS; the Fetch standard, section
//! 3.2). Its origins are known from the start; other origins get no CORS headers.
//!
//! Pages call without credentials of the browser, so every field of an answer is exposed by `*`.
//! A call without `Origin` costs one look at whether there is one. Pre-flights are answered by
//! `pre_flight.rs`.

use std::rc::Rc;

use tollgate_http1::view::Request;

/// The origins of the portal.
#[derive(Debug, Default)]
pub(crate) struct Origins(Vec<Rc<Origin>>);

/// One of them.
#[derive(Debug)]
pub(crate) struct Origin {
    /// As browsers write it (RFC 6454, section 6.2).
    text: Box<str>,
    /// The field lines that open an answer to its pages.
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

    /// The portal's origin that a request comes from, if it does.
    pub(crate) fn of(&self, head: Request<'_>) -> Option<Rc<Origin>> {
        let origin = head.origin()?;
        let mut origins = self.0.iter();
        let own = origins.find(|own| own.text.as_bytes() == origin);
        own.cloned()
    }
}

impl Origin {
    /// The field lines that open an answer to its pages.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.lines
    }
}

#[cfg(test)]
pub(crate) mod tests;
