//! `mediate` for REST callers of a SOAP back end: turns JSON and parameters into an envelope, and
//! the response's envelope into JSON.
//!
//! The contract defines what the back end learns of the caller; the configuration has our
//! credentials for the back end.
//!
//! - `accept.rs`: whether the caller accepts JSON; `parameters.rs`: values of path, query and head
//! - `misunderstood.rs`: refusals for responses that cannot be used

mod accept;
mod misunderstood;
mod parameters;

use tollgate_http1::head::Known;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::view::Line;
use tollgate_json::tape;
use tollgate_model::media_type::{MediaType, is_utf8};
use tollgate_model::refusal::Refusal;
use tollgate_soap::message::Message;
use tollgate_soap::to_json::Outcome;
use tollgate_soap::to_xml::{self, Moment, VIOLATIONS_MAX, Violation};

use super::Shape;
use crate::choose::Chosen;
use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::{Invalid, Refused};
use crate::reply::Reply;
use crate::snapshot::soap_to_rest::{Resource, SoapToRest};
use crate::wire::connection::BodyLength;
use crate::worker::Worker;

use misunderstood::{answered, failed, misunderstood, unreadable};

use parameters::ParameterValues;

/// Bytes around the text of most messages, by which an envelope is longer than its JSON.
const ENVELOPE_BYTES: usize = 1024;

/// Maximum size of a JSON body, whatever else is allowed.
pub(super) fn json_bytes_max() -> u64 {
    tape::Bounds::default().bytes_max as u64
}

/// A request with an accepted head.
pub(super) struct Request<'t> {
    service: &'t SoapToRest,
    resource: &'t Resource,
    values: ParameterValues,
}

/// Checks the head of a request.
pub(super) fn judge<'t>(
    service: &'t SoapToRest,
    resource: &'t Resource,
    chosen: &Chosen<'_, '_>,
    exchange: &Exchange<'_>,
    bytes_max: u64,
) -> Result<Request<'t>, Refused> {
    let (allowed, head) = (chosen.admitted().allowed(), exchange.head());
    let lines = head.lines();
    if !accept::takes_json(lines.named(b"accept")) {
        return Err(Refusal::NotAcceptable.into());
    }
    match exchange.body_length() {
        BodyLength::Known(bytes) if bytes > bytes_max => return Err(Refusal::BodyTooLarge.into()),
        BodyLength::Known(_) | BodyLength::Unknown
            if chosen.shape().is_some_and(Shape::has_body) =>
        {
            let media_type = chosen.shape().and_then(|shape| shape.media_type(lines));
            judge_body(resource, media_type.into_iter(), std::iter::empty())?;
        }
        BodyLength::Known(_) | BodyLength::Unknown => {
            let (types, codings) = (
                lines.named(b"content-type"),
                lines.named(b"content-encoding"),
            );
            judge_body(resource, types, codings)?;
        }
        BodyLength::None => {}
    }
    let carried = allowed.caller().carried();
    let credentials = carried.lines(lines);
    let is_free = |line: &Line<'_>| {
        matches!(
            line.known,
            Known::Other | Known::Origin | Known::MethodOverride
        )
    };
    let fields = lines.iter().filter(is_free);
    let fields = fields.filter(|line| !credentials.contains(&line.line));
    let fields = fields.map(|line| (line.name(), line.value()));
    let target = carried.cut_from(allowed.routed().resource(head), head.target());
    let values = parameters::read_values(resource, &target, fields);
    Ok(Request {
        service,
        resource,
        values,
    })
}

/// Checks by the head that the resource accepts the body.
fn judge_body<'a>(
    resource: &Resource,
    mut types: impl Iterator<Item = &'a [u8]>,
    mut codings: impl Iterator<Item = &'a [u8]>,
) -> Result<(), Refused> {
    if !resource.takes_body {
        let detail = "must be left out: a request with this method has no body";
        return Err(Refused::invalid(vec![Invalid::at("", detail)]));
    }
    let is_json = types.next().is_some_and(|value| {
        value == b"application/json"
            || MediaType::parse(value).is_some_and(|media| {
                let charset = media.charset();
                media.is_json() && charset.is_none_or(|it| is_utf8(&it))
            })
    });
    if !is_json || types.next().is_some() {
        let detail = "Send JSON in UTF-8: application/json.";
        return Err(Refused::because(Refusal::WrongType, detail));
    }
    if codings.any(|coding| !coding.eq_ignore_ascii_case(b"identity")) {
        let detail = "Send the body as it is, without Content-Encoding.";
        return Err(Refused::because(Refusal::WrongType, detail));
    }
    Ok(())
}

impl Request<'_> {
    /// Builds the envelope from the body.
    pub(super) fn envelope(self, body: &[u8], worker: &Worker) -> Result<OwnBody, Refused> {
        let Self {
            service,
            resource,
            values,
        } = self;
        let parameters = values.parameters(resource);
        let request = to_xml::Request {
            body: (!body.is_empty()).then_some(body),
            parameters: &parameters,
            moment: moment(service, worker)?,
        };
        let mut transcoding = worker.transcoding.borrow_mut();
        let scratch = &mut transcoding.to_xml;
        let mut envelope = OwnBody::new(&worker.buffer_pool);
        envelope.out().reserve(body.len() + ENVELOPE_BYTES);
        let written = service
            .to_xml
            .write(resource.operation, &request, scratch, envelope.out());
        let envelope_bytes = envelope.body().len();
        transcoding.shrink(body.len().max(envelope_bytes));
        let violations = written.err().unwrap_or_default();
        if values.faults.is_empty() && violations.is_empty() {
            return Ok(envelope);
        }
        let of_body = violations.into_iter().map(|it| invalid(it, resource));
        let all = values.faults.into_iter().chain(of_body);
        Err(Refused::invalid(all.take(VIOLATIONS_MAX).collect()))
    }
}

/// A violation by its place in the JSON and, if any, its parameter.
fn invalid(violation: Violation, resource: &Resource) -> Invalid {
    let Violation { pointer, sentence } = violation;
    let leads_there = |path: &str| {
        let below = pointer.strip_prefix(path);
        below.is_some_and(|below| below.is_empty() || (!path.is_empty() && below.starts_with('/')))
    };
    let parameter = resource
        .parameters
        .iter()
        .find(|it| leads_there(&it.pointer));
    let mut invalid = Invalid::at(&pointer, &sentence);
    if let Some(parameter) = parameter {
        invalid = invalid.in_parameter(parameter.at.word(), &parameter.name);
    }
    invalid
}

/// The current time and a nonce, if the request is signed with a digest.
fn moment(service: &SoapToRest, worker: &Worker) -> Result<Moment, Refused> {
    if !service.is_signed {
        return Ok(Moment::default());
    }
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce).map_err(|_| Refusal::Internal)?;
    let unix_seconds = u64::try_from(worker.clock.now_us() / 1_000_000).unwrap_or_default();
    Ok(Moment {
        unix_seconds,
        nonce,
    })
}

/// Turns the upstream's response into the caller's, which is JSON.
pub(super) fn answer(
    service: &SoapToRest,
    resource: &Resource,
    reply: &mut Reply<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<(), Refused> {
    let (status, json) = transcode(service, resource, reply, worker, record)?;
    reply.restart(status);
    if !json.body().is_empty() {
        let media_type: &[u8] = match status {
            400.. => b"application/problem+json",
            _ => b"application/json",
        };
        reply.push_field("content-type", media_type);
    }
    // That a GET only reads is a guess from its operation's name.
    reply.push_field("cache-control", b"no-store");
    reply.replace_body(json);
    Ok(())
}

/// Returns the status and the JSON of a response.
fn transcode(
    service: &SoapToRest,
    resource: &Resource,
    upstream: &Reply<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<(u16, OwnBody), Refused> {
    let mut json = OwnBody::new(&worker.buffer_pool);
    let (status, body) = (upstream.status(), upstream.body.bytes());
    let is_good = (200..300).contains(&status);
    // Our credentials for the back end are not the caller's concern, whatever the body is.
    if matches!(status, 401 | 407) {
        return Err(answered(Refusal::UpstreamDenied.into(), upstream));
    }
    if body.trim_ascii().is_empty() {
        return match (is_good, resource.is_one_way) {
            (true, true) => Ok((202, json)),
            (true, false) if service.to_json.succeeds_without_body(resource.operation) => {
                record.mismatched();
                Ok((204, json))
            }
            (true, false) => Err(misunderstood("The response is empty.")),
            (false, _) => Err(failed(upstream, None)),
        };
    }
    let message = Message {
        bytes: body,
        content_type: upstream.field(b"content-type"),
        content_encoding: upstream.field(b"content-encoding"),
    };
    json.out().reserve(message.bytes.len());
    let mut transcoding = worker.transcoding.borrow_mut();
    let scratch = &mut transcoding.to_json;
    let outcome = service
        .to_json
        .answer_message(resource.operation, &message, scratch, json.out());
    if outcome.is_ok() && scratch.mismatches().count > 0 {
        record.mismatched();
    }
    transcoding.shrink(message.bytes.len().max(json.body().len()));
    match outcome {
        Ok(Outcome::Fault { status }) => {
            record.soap_fault();
            Ok((status, json))
        }
        Ok(Outcome::Json) if is_good => Ok((200, json)),
        Ok(Outcome::Empty) if is_good => Ok((if resource.is_one_way { 202 } else { 204 }, json)),
        Err(error) if is_good => {
            if !service.to_json.succeeds_despite(resource.operation, &error) {
                return Err(unreadable(&error));
            }
            record.mismatched();
            Ok((202, json))
        }
        Ok(_) => Err(failed(upstream, None)),
        Err(error) => Err(failed(upstream, Some(&error))),
    }
}
