//! Refusals for responses of the back end that cannot be used: one sentence with the cause. They
//! quote nothing of the response but the beginnings of unknown names.

use tollgate_model::refusal::Refusal;
use tollgate_soap::envelope;
use tollgate_soap::message;
use tollgate_soap::to_json::Error as Of;
use tollgate_xml::{self as xml, DecodeError, Problem};

use crate::refusal::Refused;
use crate::reply::Reply;

/// The refusal for a response that is neither a success nor a fault; `error` is why it could not be
/// read.
pub(super) fn failed(upstream: &Reply<'_>, error: Option<&message::Error>) -> Refused {
    let refused = match upstream.status() {
        403 => Refusal::UpstreamDenied.into(),
        // The back end is overloaded or limits us; either way the caller may retry.
        429 | 503 => Refused::wait(Refusal::UpstreamUnavailable, upstream.field(b"retry-after")),
        504 => Refusal::UpstreamTimeout.into(),
        _ => match error.and_then(wrong_envelope) {
            None => misunderstood("The back end failed without a SOAP fault."),
            Some(why) => misunderstood(format!(
                "The back end failed without a readable SOAP fault: {why}."
            )),
        },
    };
    match error.filter(|it| wrong_envelope(it).is_some()) {
        None => answered(refused, upstream),
        Some(why) => refused.caused_by(format!("it returned {}: {why}", upstream.status())),
    }
}

/// The refusal with the status of the upstream's response as its cause.
pub(super) fn answered(refused: Refused, upstream: &Reply<'_>) -> Refused {
    refused.caused_by(format!("it returned {}", upstream.status()))
}

pub(super) fn misunderstood(detail: impl Into<std::borrow::Cow<'static, str>>) -> Refused {
    Refused::because(Refusal::UpstreamNotUnderstood, detail)
}

/// The refusal for a successful response that cannot be passed on.
pub(super) fn unreadable(error: &message::Error) -> Refused {
    let error = match error {
        message::Error::Size => return Refusal::UpstreamTooLarge.into(),
        message::Error::Text(DecodeError::Xml(it)) => return not_xml(*it),
        message::Error::Coding
        | message::Error::UnknownCoding(_)
        | message::Error::Package(_)
        | message::Error::Text(_) => {
            return misunderstood(format!("The response cannot be read: {error}."));
        }
        message::Error::Answer(error) => error,
    };
    unreadable_envelope(error)
}

fn unreadable_envelope(error: &Of) -> Refused {
    match error {
        Of::Fault(error) => unreadable_envelope(error),
        Of::Plan => Refusal::Internal.into(),
        Of::Envelope(envelope::Error::Xml(it)) if it.problem == Problem::Truncated => {
            misunderstood("The response is truncated.")
        }
        Of::Envelope(envelope::Error::Xml(it)) => not_xml(*it),
        Of::Envelope(envelope::Error::NotAnEnvelope) => {
            misunderstood("The response is not a SOAP envelope.")
        }
        Of::Envelope(it) => misunderstood(format!("The response's envelope is invalid: {it}.")),
        Of::NoElement | Of::OtherElement(_) => misunderstood(format!(
            "The response is not that of the operation: {error}."
        )),
        Of::Ambiguous(it) => misunderstood(format!("The response is ambiguous: {it}.")),
        Of::Mismatch(it) => misunderstood(format!(
            "The response does not match its contract: {}.",
            it.what
        ))
        .caused_by(error.to_string()),
        Of::Children => misunderstood("An element of the response has too many children."),
        Of::Part => misunderstood("The response refers to a part that it does not have."),
    }
}

fn not_xml(error: xml::Error) -> Refused {
    let detail = format!("The response is not valid XML: {}.", error.problem);
    misunderstood(detail).caused_by(format!("the response is not valid XML: {error}"))
}

/// What is wrong with an envelope, or with the XML of one.
fn wrong_envelope(error: &message::Error) -> Option<String> {
    match error {
        message::Error::Text(it) => Some(it.reason()),
        message::Error::Answer(Of::Fault(it)) => {
            Some(envelope_fault(it).unwrap_or_else(|| it.to_string()))
        }
        message::Error::Answer(Of::Mismatch(it)) => Some(it.to_string()),
        message::Error::Answer(it) => envelope_fault(it),
        message::Error::Size => None,
        it => Some(it.to_string()),
    }
}

fn envelope_fault(error: &Of) -> Option<String> {
    match error {
        Of::Envelope(envelope::Error::Xml(it)) => Some(it.problem.to_string()),
        Of::Envelope(envelope::Error::NotAnEnvelope) => None,
        Of::Envelope(it) => Some(it.to_string()),
        _ => None,
    }
}
