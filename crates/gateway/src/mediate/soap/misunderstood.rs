//! What is said of an answer of the back end that is none: one sentence with its cause. It quotes
//! nothing of the answer but the beginnings of names that cannot be placed.

use tollgate_model::refusal::Refusal;
use tollgate_soap::envelope;
use tollgate_soap::message;
use tollgate_soap::to_json::Error as Of;
use tollgate_soap::xml::Problem;

use crate::refusal::Refused;
use crate::reply::Reply;

/// What is said of an answer that is no success and no fault either. `error` is why it could not
/// be read.
pub(super) fn failed(upstream: &Reply<'_>, error: Option<&message::Error>) -> Refused {
    let refused = match upstream.status() {
        403 => Refusal::UpstreamDenied.into(),
        // Whether the back end has too much to do or too much of us: the caller may come again.
        429 | 503 => Refused::wait(Refusal::UpstreamUnavailable, upstream.field(b"retry-after")),
        504 => Refusal::UpstreamTimeout.into(),
        _ => match error.and_then(wrong_envelope) {
            None => misunderstood("The back end failed without saying why in a SOAP fault."),
            Some(why) => misunderstood(format!(
                "The back end failed without a SOAP fault that can be read: {why}."
            )),
        },
    };
    match error.filter(|it| wrong_envelope(it).is_some()) {
        None => answered(refused, upstream),
        Some(why) => refused.caused_by(format!("it answers {}: {why}", upstream.status())),
    }
}

/// The refusal whose cause is the status of the upstream's answer.
pub(super) fn answered(refused: Refused, upstream: &Reply<'_>) -> Refused {
    refused.caused_by(format!("it answers {}", upstream.status()))
}

pub(super) fn misunderstood(detail: impl Into<std::borrow::Cow<'static, str>>) -> Refused {
    Refused::because(Refusal::UpstreamNotUnderstood, detail)
}

/// What is said of an answer of a good status that cannot be passed on.
pub(super) fn unreadable(error: &message::Error) -> Refused {
    let error = match error {
        message::Error::Size => return Refusal::UpstreamTooLarge.into(),
        message::Error::Coding => {
            return misunderstood("The answer's coding is not known, or is not what it says.");
        }
        message::Error::Package(_) => {
            return misunderstood("The answer's parts cannot be told apart.");
        }
        message::Error::Answer(error) => error,
    };
    match error {
        Of::Plan => Refusal::Internal.into(),
        Of::Envelope(envelope::Error::Xml(it)) if it.problem == Problem::Truncated => {
            misunderstood("The answer ends too early.")
        }
        Of::Envelope(envelope::Error::Xml(it)) => {
            misunderstood(format!("The answer cannot be read as XML: {}.", it.problem))
                .caused_by(format!("the answer cannot be read as XML: {it}"))
        }
        Of::Envelope(envelope::Error::NotAnEnvelope) => {
            misunderstood("The answer is not a SOAP envelope.")
        }
        Of::Envelope(it) => misunderstood(format!("The answer's envelope is wrong: {it}.")),
        Of::OtherElement => misunderstood("The answer is not that of the operation."),
        Of::Ambiguous(it) => {
            misunderstood(format!("The answer can be read in several ways: {it}."))
        }
        Of::Mismatch(it) => misunderstood(format!(
            "The answer does not fit its contract: {}.",
            it.what
        ))
        .caused_by(error.to_string()),
        Of::Children => misunderstood("An element of the answer has too many children."),
        Of::Part => misunderstood("The answer refers to a part that it does not have."),
    }
}

/// What is wrong with an envelope, or with what is none for its XML.
fn wrong_envelope(error: &message::Error) -> Option<String> {
    match error {
        message::Error::Answer(Of::Envelope(envelope::Error::Xml(it))) => {
            Some(it.problem.to_string())
        }
        message::Error::Answer(Of::Envelope(envelope::Error::NotAnEnvelope)) => None,
        message::Error::Answer(Of::Envelope(it)) => Some(it.to_string()),
        _ => None,
    }
}
