//! The steps of policies (crate `mediation`) on the messages of a call: those of requests run
//! before an upstream is chosen, those of responses once the head has arrived, and those of
//! refusals once the response is built.
//!
//! - `request.rs`: what steps of requests read; `answer.rs`: what those of responses and refusals
//!   read; `apply.rs`: writes their edits

mod answer;
mod apply;
mod request;

use std::borrow::Cow;

use tollgate_mediation::edits::Edits;
use tollgate_mediation::message::{KeptNames, Message};
use tollgate_mediation::program::Step;
use tollgate_mediation::run::{self, Given, Next, Stop};
use tollgate_mediation::scope::Scratch;
use tollgate_model::feed::ServedTarget;
use tollgate_model::record::AnsweredBy;
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::authorize::Allowed;
use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::{Body, Reply};
use crate::snapshot::policies::Steps;
use crate::worker::Worker;
use answer::{AnswerMessage, ErrorFacts};
use request::RequestMessage;

pub(super) use apply::{push_fields, push_target};

/// What the steps of a request make of it, for the rest of the call.
#[derive(Debug)]
pub(crate) struct Shape<'s> {
    steps: &'s Steps,
    pub(super) edits: Edits<'s>,
    kept: KeptNames,
}

/// The outcome of the steps of a request.
pub(crate) enum Shaped<'s> {
    /// The request goes on; `None` without steps.
    Request(Option<Box<Shape<'s>>>),
    /// A step has responded.
    Given(Reply<'static>),
}

/// Runs the steps of a request.
pub(crate) fn shape<'s>(
    admitted: &Admitted<'s>,
    exchange: &Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Shaped<'s>, Refused> {
    match &admitted.mediation().steps {
        None => Ok(Shaped::Request(None)),
        Some(steps) => run_request(steps, admitted, (exchange, worker), record),
    }
}

fn run_request<'s>(
    steps: &'s Steps,
    admitted: &Admitted<'s>,
    (exchange, worker): (&Exchange<'_>, &Worker),
    record: &mut RecordBuilder,
) -> Result<Shaped<'s>, Refused> {
    let mut scratch = worker.steps.borrow_mut();
    scratch.reset();
    let claims = request::claims(&steps.program, exchange);
    let view = claims.as_ref().map(request::Claims::view);
    let below = request::below(admitted.allowed(), exchange);
    let read = (exchange, view.as_ref());
    let message = RequestMessage::new(steps, admitted.allowed(), read, &below);
    let mut edits = Edits::default();
    let (program, timed) = (&steps.program.request, (worker, record));
    let next = run_timed(program, &message, (&mut edits, &scratch), timed);
    match next.map_err(refused)? {
        Next::Respond(given) => Ok(Shaped::Given(reply(given, admitted, worker))),
        Next::Go | Next::Wait(_) => {
            let kept = run::keep(&steps.program.kept, &message, (&edits, &scratch));
            Ok(Shaped::Request(Some(Box::new(Shape {
                steps,
                edits,
                kept,
            }))))
        }
    }
}

/// Keeps what the steps of refusals read, since the head is gone by the time of some.
pub(crate) fn keep(allowed: &Allowed<'_>, exchange: &Exchange<'_>, worker: &Worker) {
    let routed = allowed.routed();
    let steps = match routed.operation() {
        Some(operation) => &operation.mediation.steps,
        None => &routed.version().steps,
    };
    let steps = steps.as_ref().filter(|it| !it.program.error.is_empty());
    let Some(steps) = steps else {
        return;
    };
    let mut scratch = worker.steps.borrow_mut();
    scratch.reset();
    let claims = request::claims(&steps.program, exchange);
    let view = claims.as_ref().map(request::Claims::view);
    let below = request::below(allowed, exchange);
    let message = RequestMessage::new(steps, allowed, (exchange, view.as_ref()), &below);
    let kept = run::keep(&steps.program.kept, &message, (&Edits::default(), &scratch));
    exchange.shape_refusals(steps, kept);
}

/// Runs the steps of a response once its head has arrived.
pub(super) fn answer(
    (shape, targets): (&Shape<'_>, &[ServedTarget]),
    reply: &mut Reply<'_>,
    (exchange, worker): (&Exchange<'_>, &Worker),
    record: &mut RecordBuilder,
) -> Result<(), Refused> {
    let program = &shape.steps.program;
    if program.response.is_empty() {
        return Ok(());
    }
    let mut scratch = worker.steps.borrow_mut();
    scratch.reset();
    let mut edits = Edits::default();
    let kept = (&program.kept[..], &shape.kept);
    let message = AnswerMessage::new(shape.steps, kept, (reply, exchange.began_us()));
    let timed = (worker, record);
    let next = run_timed(&program.response, &message, (&mut edits, &scratch), timed);
    next.map_err(refused)?;
    apply::to_reply(&edits, reply);
    for name in edits.locations() {
        apply::rewrite_location(reply, (name, shape.steps.public()), targets);
    }
    Ok(())
}

/// Runs the steps of a refusal on its response. If a step fails, the response stays as it is.
pub(crate) fn refusal(
    refused: &Refused,
    reply: &mut Reply<'static>,
    (exchange, worker): (&Exchange<'_>, &Worker),
    record: &mut RecordBuilder,
) {
    let Some(taken) = exchange.take_error_steps() else {
        return;
    };
    let (steps, kept) = &*taken;
    let program = &steps.program;
    let mut scratch = worker.steps.borrow_mut();
    scratch.reset();
    let mut edits = Edits::default();
    let kept = (&program.kept[..], kept);
    let message = AnswerMessage::new(steps, kept, (reply, exchange.began_us()));
    let message = message.of_error(ErrorFacts::new(refused));
    let timed = (worker, record);
    match run_timed(&program.error, &message, (&mut edits, &scratch), timed) {
        Ok(Next::Go | Next::Wait(_)) => apply::to_reply(&edits, reply),
        Ok(Next::Respond(given)) => apply::replace(reply, given),
        Err(_) => {}
    }
}

/// Runs steps and adds their time to the record. The clock is read only if there are steps.
fn run_timed<'p: 'm, 'm>(
    steps: &'p [Step],
    message: &dyn Message<'m>,
    made: (&mut Edits<'p>, &'m Scratch),
    (worker, record): (&Worker, &mut RecordBuilder),
) -> Result<Next, Stop> {
    if steps.is_empty() {
        return Ok(Next::Go);
    }
    let began_us = worker.clock.now_us();
    let next = run::run(steps, message, made);
    record.mediated(worker.clock.now_us() - began_us);
    next
}

/// Builds the response that a step gave.
fn reply(given: Given, admitted: &Admitted<'_>, worker: &Worker) -> Reply<'static> {
    let reply = Reply::own(given.status, worker.buffer_pool.scratch());
    let mut reply = reply.with_source(AnsweredBy::Policy);
    for (name, value) in &given.fields {
        reply.push_field(name, value);
    }
    admitted.push_fields(&mut reply.head);
    if given.body.is_empty() {
        return reply;
    }
    reply.with_body(Body::Bytes(Cow::Owned(given.body)))
}

/// Returns the refusal of a message that a step stops.
fn refused(stop: Stop) -> Refused {
    let refusal = match stop {
        Stop::Path => Refusal::BadRequest,
        _ => Refusal::Policy,
    };
    Refused::because(refusal, stop.to_string())
}
