//! `mediate` where messages are read whole and become others, by the operation's [`Transform`].

use tollgate_http1::own_body::OwnBody;

use super::soap::{self, Asked};
use super::{Call, push_head};
use crate::admit::Admitted;
use crate::answer_head::AnswerHead;
use crate::exchange::Exchange;
use crate::mediation::Transform;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::upstream::whole::Whole;
use crate::worker::Worker;

/// Bytes of a request's body at most, where no more than `allowed` are.
pub(crate) fn request_bytes_max(transform: &Transform, allowed: u64) -> u64 {
    match transform {
        Transform::SoapToRest(..) => allowed.min(soap::json_bytes_max()),
    }
}

/// Bytes of an answer's body at most.
pub(crate) fn answer_bytes_max(transform: &Transform) -> u64 {
    match transform {
        Transform::SoapToRest(service, _) => service.answer_bytes_max,
    }
}

/// Judges the head of a request and writes that of the upstream's to `out`, but for its length;
/// what it says besides its body.
pub(crate) fn head(
    call: Call<'_>,
    transform: &Transform,
    (exchange, worker): (&Exchange<'_>, &Worker),
    bytes_max: u64,
    out: &mut Vec<u8>,
) -> Result<Asked, Refused> {
    let (admitted, _) = call;
    let asked = match transform {
        Transform::SoapToRest(_, resource) => {
            soap::judge(resource, admitted.allowed(), (exchange, bytes_max))?
        }
    };
    push_head(call, (exchange, worker), out)?;
    Ok(asked)
}

/// Makes the body of the upstream's request.
pub(crate) fn request(
    transform: &Transform,
    asked: &Asked,
    body: &[u8],
    worker: &Worker,
) -> Result<OwnBody, Refused> {
    match transform {
        Transform::SoapToRest(service, resource) => {
            soap::request((service, resource), asked, body, worker)
        }
    }
}

/// Makes the caller's answer of the upstream's: its status, and its body in `out`.
pub(crate) fn answer(
    transform: &Transform,
    whole: &Whole,
    worker: &Worker,
    record: &mut RecordBuilder,
    out: &mut OwnBody,
) -> Result<u16, Refused> {
    match transform {
        Transform::SoapToRest(service, resource) => {
            soap::answer((service, resource), whole, worker, record, out)
        }
    }
}

/// Writes the head of the caller's answer to `out`.
pub(crate) fn response(
    admitted: &Admitted<'_>,
    exchange: &mut Exchange<'_>,
    (status, body): (u16, &[u8]),
    out: &mut Vec<u8>,
) {
    let mut head = AnswerHead::own(out, status);
    if !body.is_empty() {
        let is_fault = status >= 400;
        let media_type: &[u8] = if is_fault {
            b"application/problem+json"
        } else {
            b"application/json"
        };
        head.field("content-type", media_type);
    }
    if status != 204 {
        head.length(body.len() as u64);
    }
    // That a resource is read with GET is a guess from its operation's name.
    head.field("cache-control", b"no-store");
    admitted.push_fields(head.out());
    exchange.end_head(head);
}
