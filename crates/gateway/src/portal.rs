//! The portal's pages may read what the gateway answers to them (CORS; the Fetch standard, section
//! 3.2). Its origins are known from the start; other origins get no CORS headers.
//!
//! Pages call without credentials of the browser, so every field of an answer is exposed by `*`.
//! A call without `Origin` costs one look at whether there is one.

use std::rc::Rc;

use tollgate_http1::view::Request;

/// Seconds for which a browser remembers what a pre-flight said.
const MAX_AGE_S: &[u8] = b"600";

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

/// What a pre-flight asks for: a method, and fields.
#[derive(Debug)]
pub(crate) struct PreFlight {
    method: Vec<u8>,
    fields: Option<Vec<u8>>,
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

impl PreFlight {
    /// What a request asks for, if it is a pre-flight.
    pub(crate) fn of(head: Request<'_>) -> Option<Self> {
        if head.method() != b"OPTIONS" {
            return None;
        }
        let value = |name: &[u8]| head.lines().named(name).next().map(<[u8]>::to_vec);
        Some(Self {
            method: value(b"access-control-request-method")?,
            fields: value(b"access-control-request-headers"),
        })
    }

    /// The fields of its answer: all is allowed that is asked for.
    pub(crate) fn answer(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        let fields = self.fields.iter();
        let fields = fields.map(|it| ("access-control-allow-headers", &**it));
        let method = ("access-control-allow-methods", &*self.method);
        let age = ("access-control-max-age", MAX_AGE_S);
        [method, age].into_iter().chain(fields)
    }
}

#[cfg(test)]
mod tests;
