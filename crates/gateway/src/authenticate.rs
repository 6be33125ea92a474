//! `authenticate`: finds the caller by the credential that the request carries, in one of the
//! schemes that the version takes.

mod api_key;

use tollgate_http1::head::{Known, Span};
use tollgate_http1::view::Lines;
use tollgate_model::credential::Environment;
use tollgate_model::id::ApplicationId;
use tollgate_model::refusal::Refusal;
use tollgate_model::security::Scheme;

use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::route::Routed;
use crate::snapshot::Snapshot;

/// The ticket of this room: who calls.
#[derive(Debug)]
pub(crate) struct Caller {
    application: ApplicationId,
    environment: Environment,
    carried: Carried,
}

/// Where a request carries its credential, which is not passed on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Carried {
    /// In the field line of this index.
    Field(usize),
}

impl Carried {
    /// Where the field line of the credential is in the head.
    pub(crate) fn line(self, lines: Lines<'_>) -> Span {
        match self {
            Self::Field(index) => lines.get(index).line,
        }
    }
}

impl Caller {
    pub(crate) fn application(&self) -> ApplicationId {
        self.application
    }

    pub(crate) fn environment(&self) -> Environment {
        self.environment
    }

    pub(crate) fn carried(&self) -> Carried {
        self.carried
    }
}

/// Finds the caller of a routed request. A refusal says what would have been taken.
pub(crate) fn identify(
    snapshot: &Snapshot,
    routed: &Routed<'_>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Caller, Refused> {
    let security = &routed.version().security;
    let challenged = |refused: Refused| refused.challenged(&security.challenge);
    let presented = present(exchange.head().lines(), &security.schemes).map_err(challenged)?;
    let found = match presented.scheme {
        Scheme::ApiKey(_) => api_key::find(snapshot, presented.text, exchange.began_us()),
    };
    let key = found.map_err(challenged)?;
    record.caller(key);
    Ok(Caller {
        application: key.application,
        environment: key.environment,
        carried: presented.carried,
    })
}

/// What a request presents as proof of who calls.
struct Presented<'a> {
    scheme: &'a Scheme,
    text: &'a [u8],
    carried: Carried,
}

/// The one credential of a request. Two are refused: which of them counts would be a guess.
fn present<'a>(lines: Lines<'a>, schemes: &'a [Scheme]) -> Result<Presented<'a>, Refused> {
    let mut found = None;
    for (index, line) in lines.iter().enumerate() {
        if line.known != Known::Other {
            continue;
        }
        let mut read = schemes.iter().filter_map(|scheme| {
            let text = match scheme {
                Scheme::ApiKey(key) => api_key::read(line, key.header.as_bytes()),
            };
            Some((scheme, text?))
        });
        let Some((scheme, text)) = read.next() else {
            continue;
        };
        let carried = Carried::Field(index);
        let presented = Presented {
            scheme,
            text,
            carried,
        };
        if found.replace(presented).is_some() {
            let detail = "The call carries two credentials.";
            return Err(Refused::because(Refusal::Invalid, detail));
        }
    }
    found.ok_or_else(|| Refusal::Missing.into())
}
