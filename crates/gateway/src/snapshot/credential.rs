//! The gateway's credential for an upstream, ready to be written. A caller's field with this name
//! is not forwarded: the back end would take the caller for the gateway.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tollgate_http1::compose::push_field;
use tollgate_http1::view::Line;
use tollgate_mediation::forwarding::is_same_variable;
use tollgate_model::secret::{Basic, Credential, Secret};

/// A field line with a secret.
pub(crate) struct Presented {
    name: Box<[u8]>,
    line: Box<[u8]>,
}

impl Presented {
    pub(crate) fn new(credential: &Credential) -> Self {
        let mut line = Vec::new();
        match credential {
            Credential::Basic(basic) => push_basic(&mut line, basic),
            Credential::Header(header) => {
                push_field(&mut line, &header.name, header.value.0.as_bytes());
            }
        }
        Self {
            name: credential.header().as_bytes().into(),
            line: line.into(),
        }
    }

    /// The whole line, including its end.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The name of the field.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Whether a back end could take a caller's field for this one.
    pub(crate) fn is_named_as(&self, line: Line<'_>) -> bool {
        is_same_variable(line.name(), &self.name)
    }
}

impl fmt::Debug for Presented {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Secret::MASK)
    }
}

/// Appends the `Authorization` field for HTTP Basic (RFC 7617, section 2).
pub(crate) fn push_basic(out: &mut Vec<u8>, basic: &Basic) {
    let word = STANDARD.encode(format!("{}:{}", basic.name, basic.password.0));
    push_field(out, "authorization", format!("Basic {word}").as_bytes());
}
