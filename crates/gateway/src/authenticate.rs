//! `authenticate`: finds the caller by the API key in the header that the version names, or in
//! `Authorization: ApiKey …`.

use tollgate_http1::head::Known;
use tollgate_http1::view::Lines;
use tollgate_model::credential::Environment;
use tollgate_model::feed::ServedKey;
use tollgate_model::id::ApplicationId;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::api_key;

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
    credential: usize,
}

impl Caller {
    pub(crate) fn application(&self) -> ApplicationId {
        self.application
    }

    pub(crate) fn environment(&self) -> Environment {
        self.environment
    }

    /// Which field line held the credential: it is not passed on.
    pub(crate) fn credential(&self) -> usize {
        self.credential
    }
}

/// Finds the caller of a routed request.
pub(crate) fn identify(
    snapshot: &Snapshot,
    routed: &Routed<'_>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Caller, Refused> {
    let header = routed.version().served.key_header.as_bytes();
    let (credential, text) = credential(exchange.head().lines(), header)?;
    let digest = api_key::digest(text).ok_or(Refusal::Invalid)?;
    let key = snapshot.keys.find(&digest).ok_or(Refusal::Invalid)?;
    if !is_current(key, exchange.began_us()) {
        return Err(Refusal::Invalid.into());
    }
    record.caller(key);
    Ok(Caller {
        application: key.application,
        environment: key.environment,
        credential,
    })
}

/// The one credential of a request and the index of its field line. Two are refused: which of
/// them counts would be a guess.
fn credential<'a>(lines: Lines<'a>, key_header: &[u8]) -> Result<(usize, &'a [u8]), Refused> {
    let mut found = None;
    for (index, line) in lines.iter().enumerate() {
        if line.known != Known::Other {
            continue;
        }
        let value = line.value();
        let text = if line.is(key_header) {
            scheme(value).unwrap_or(value)
        } else if line.is(b"authorization")
            && let Some(text) = scheme(value)
        {
            text
        } else {
            continue;
        };
        if found.replace((index, text)).is_some() {
            let detail = "The call carries two credentials.";
            return Err(Refused::because(Refusal::Invalid, detail));
        }
    }
    found.ok_or_else(|| Refusal::Missing.into())
}

/// What follows the scheme `ApiKey` (RFC 9110, section 11.4), in any case.
fn scheme(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme
        .eq_ignore_ascii_case(b"apikey ")
        .then(|| rest.trim_ascii_start())
}

fn is_current(key: &ServedKey, now_us: i64) -> bool {
    key.not_before_us.is_none_or(|from| from <= now_us)
        && key.expires_us.is_none_or(|until| now_us < until)
}
