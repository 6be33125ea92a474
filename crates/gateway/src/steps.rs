//! The steps of policies (crate `mediation`) on the messages of a call: those of requests run
//! before an upstream is chosen, those of responses once the head has arrived, and those of
//! refusals once the response is built.
//!
//! - `request.rs`: what steps of requests read; `answer.rs`: what those of responses and refusals
//!   read; `apply.rs`: writes their edits
//! - `body.rs`: the steps that read bodies

mod answer;
mod apply;
mod body;
mod request;
mod stopped;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use tollgate_http1::own_body::OwnBody;
use tollgate_http1::view::Lines;
use tollgate_mediation::edits::Edits;
use tollgate_mediation::message::KeptNames;
use tollgate_mediation::program::{Program, Step};
use tollgate_mediation::run::{self, Given, Next, Wait};
use tollgate_mediation::scope::Budget;
use tollgate_model::api::Method;
use tollgate_model::feed::ServedTarget;
use tollgate_model::record::{AnsweredBy, Owner};

use crate::admit::Admitted;
use crate::authorize::Allowed;
use crate::buffered::Held;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::{Body, Reply};
use crate::snapshot::policies::{Memory, Steps};
use crate::worker::Worker;
use answer::AnswerMessage;
use request::RequestMessage;
use stopped::{refused, refused_by};

use apply::Location;

/// What the steps of a request make of it, for the rest of the call.
#[derive(Debug)]
pub(crate) struct Shape<'s> {
    steps: &'s Steps,
    pub(crate) edits: Edits<'s>,
    kept: KeptNames,
    /// The body that goes up in place of the caller's, until it is taken.
    own: RefCell<Option<Held<OwnBody>>>,
    /// Whether that body has other bytes than the caller's, and whether it had a content coding.
    is_changed: bool,
    is_decoded: bool,
    /// The work of the steps that ran on the response before it was stored; `None` if it was found
    /// in the cache.
    answer_work: Cell<Option<Budget>>,
}

impl<'s> Shape<'s> {
    fn new(steps: &'s Steps, edits: Edits<'s>, kept: KeptNames) -> Self {
        Self {
            steps,
            edits,
            kept,
            own: RefCell::new(None),
            is_changed: false,
            is_decoded: false,
            answer_work: Cell::new(None),
        }
    }

    fn with_body(self, own: Held<OwnBody>, is_changed: bool, is_decoded: bool) -> Self {
        let own = RefCell::new(Some(own));
        Self {
            own,
            is_changed,
            is_decoded,
            ..self
        }
    }

    /// The method that steps set.
    pub(crate) fn method(&self) -> Option<Method> {
        self.edits.method()
    }

    /// Whether steps change responses before they are stored.
    pub(crate) fn has_stored_steps(&self) -> bool {
        self.steps.program.stored > 0
    }

    /// Writes what those steps read of the request.
    pub(crate) fn write_keyed(&self, out: &mut Vec<u8>) {
        let program = &self.steps.program;
        self.kept.write(&program.kept, &program.keyed, out);
    }

    /// The steps that run on a response before it is stored, if it is for several callers.
    fn answer_steps(&self, reply: &Reply<'_>) -> &'s [Step] {
        let Program {
            response, stored, ..
        } = &*self.steps.program;
        match reply.is_shared {
            true => &response[..*stored],
            false => response,
        }
    }

    /// Whether a body goes up in place of the caller's.
    pub(crate) fn has_body(&self) -> bool {
        self.own.borrow().is_some()
    }

    /// The media type of the body after the steps.
    pub(crate) fn media_type<'m>(&'m self, lines: Lines<'m>) -> Option<&'m [u8]> {
        const NAME: &str = "content-type";
        let mut set = self.edits.fields().filter(|(name, _)| *name == NAME);
        let sent = !self.edits.hides_field(NAME.as_bytes());
        let mut sent = lines.named(NAME.as_bytes()).filter(|_| sent);
        let media_type = sent.next().or_else(|| Some(set.next()?.1));
        media_type.filter(|_| sent.next().is_none() && set.next().is_none())
    }

    /// Takes the body that goes up in place of the caller's, if there is one.
    pub(crate) fn take_body(&self) -> Option<Held<OwnBody>> {
        self.own.take()
    }
}

/// The ticket of this room: an admitted call with what the steps of its request make of it.
#[derive(Debug)]
pub(crate) struct Shaped<'s> {
    admitted: &'s Admitted<'s>,
    /// `None` without steps. Boxed: few calls have some.
    shape: Option<Box<Shape<'s>>>,
}

impl<'s> Shaped<'s> {
    fn new(admitted: &'s Admitted<'s>, shape: Option<Box<Shape<'s>>>) -> Self {
        Self { admitted, shape }
    }

    pub(crate) fn admitted(&self) -> &'s Admitted<'s> {
        self.admitted
    }

    /// What steps make of the request, if there are any.
    pub(crate) fn shape(&self) -> Option<&Shape<'s>> {
        self.shape.as_deref()
    }

    /// The targets of the call's upstream.
    fn targets(&self) -> &'s [ServedTarget] {
        let upstream = self.admitted.allowed().upstream();
        upstream.map_or(&[], |upstream| &upstream.served.targets)
    }
}

/// The outcome of the steps of a request.
pub(crate) enum Outcome<'s> {
    /// The request goes on.
    Shaped(Shaped<'s>),
    /// A step has responded.
    Given(Reply<'static>),
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Outcome<'_>>() <= 128);

/// Runs the steps of a request. Its body is read whole if one of them needs it, which depends on
/// the head.
pub(crate) async fn shape<'s>(
    admitted: &'s Admitted<'s>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Outcome<'s>, Failure> {
    let Some(steps) = &admitted.mediation().steps else {
        return Ok(Outcome::Shaped(Shaped::new(admitted, None)));
    };
    match run_request(steps, admitted, exchange, record)? {
        Ran::Ended(outcome) => Ok(outcome),
        // Boxed: few calls get here, and every connection would pay for the space.
        Ran::Waits(waiting) => Box::pin(waiting.resume(steps, admitted, exchange, record)).await,
    }
}

/// The outcome of the steps that run before the body is whole.
enum Ran<'s> {
    Ended(Outcome<'s>),
    Waits(Box<Waiting<'s>>),
}

/// Steps of which the next one waits for the body.
struct Waiting<'s> {
    wait: Wait,
    /// Those of the steps before.
    edits: Edits<'s>,
}

fn run_request<'s>(
    steps: &'s Steps,
    admitted: &'s Admitted<'s>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Ran<'s>, Refused> {
    let worker = exchange.worker();
    let Memory { scratch, .. } = &mut *worker.steps.borrow_mut();
    scratch.reset();
    let claims = request::claims(&steps.program, admitted.allowed(), exchange);
    let view = claims.as_ref().map(request::Claims::view);
    let below = admitted.allowed().below(exchange.head());
    let message = RequestMessage::new(steps, admitted.allowed(), exchange, view.as_ref(), &below);
    let mut edits = Edits::default();
    let program = &steps.program.request;
    let next = match program.is_empty() {
        true => Ok(Next::Go),
        false => timed(worker, record, || {
            run::run(program, &message, &mut edits, scratch)
        }),
    };
    let stopped = |stop| refused_by(&stop, Owner::Request, scratch.step(), record);
    Ok(match next.map_err(stopped)? {
        Next::Respond(given) => Ran::Ended(Outcome::Given(reply(given, worker))),
        Next::Go => {
            let kept = run::keep(&steps.program.kept, &message, &edits, scratch);
            let kept = kept.map_err(|stop| refused(&stop, false))?;
            let shape = Box::new(Shape::new(steps, edits, kept));
            Ran::Ended(Outcome::Shaped(Shaped::new(admitted, Some(shape))))
        }
        Next::Wait(wait) => Ran::Waits(Box::new(Waiting { wait, edits })),
    })
}

/// Keeps what the steps of refusals read, since the head is gone by the time of some. If that is
/// too much work, they do not run.
pub(crate) fn keep(allowed: &Allowed<'_>, exchange: &Exchange<'_>) {
    let routed = allowed.routed();
    let steps = match routed.operation() {
        Some(operation) => &operation.mediation.steps,
        None => &routed.version().steps,
    };
    let Some(steps) = steps.as_ref().filter(|it| !it.program.error.is_empty()) else {
        return;
    };
    let Memory { scratch, .. } = &mut *exchange.worker().steps.borrow_mut();
    let claims = request::claims(&steps.program, allowed, exchange);
    let view = claims.as_ref().map(request::Claims::view);
    let below = allowed.below(exchange.head());
    let message = RequestMessage::new(steps, allowed, exchange, view.as_ref(), &below);
    if let Ok(kept) = run::keep(&steps.program.kept, &message, &Edits::default(), scratch) {
        exchange.shape_refusals(steps, kept);
    }
}

/// Runs the steps of a response once its head has arrived: of one for several callers, only those
/// that run before it is stored. Its body is read whole if one of them needs it, which depends on
/// the head.
pub(crate) async fn answer(
    shaped: &Shaped<'_>,
    reply: &mut Reply<'_>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let Some(shape) = shaped.shape() else {
        return Ok(());
    };
    let program = shape.answer_steps(reply);
    if program.is_empty() {
        return Ok(());
    }
    let worker = exchange.worker();
    let mut edits = Edits::default();
    let next = {
        let Memory { scratch, .. } = &mut *worker.steps.borrow_mut();
        scratch.reset();
        let message = AnswerMessage::new(shape, reply, exchange);
        let ran = timed(worker, record, || {
            run::run(program, &message, &mut edits, scratch)
        });
        shape.answer_work.set(Some(scratch.budget()));
        ran.map_err(|stop| refused_by(&stop, Owner::Response, scratch.step(), record))?
    };
    if let Next::Wait(wait) = next {
        let mut waiting = Waiting { wait, edits };
        Box::pin(waiting.resume_answer(shape, reply, exchange, record)).await?;
        edits = waiting.edits;
    }
    if shape.steps.reads_answers() {
        apply::revise(&edits, shape.steps, reply, exchange.is_head());
    }
    apply(&edits, shaped, shape.steps, reply, record);
    Ok(())
}

/// Runs the steps that run on each response for several callers, stored or not. Their work adds to
/// that of the steps of this call that ran before the response was stored.
pub(crate) fn finish(
    shaped: &Shaped<'_>,
    reply: &mut Reply<'_>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<(), Refused> {
    let Some(shape) = shaped.shape().filter(|_| reply.is_shared) else {
        return Ok(());
    };
    let program = &shape.steps.program;
    let live = &program.response[program.stored..];
    if live.is_empty() {
        return Ok(());
    }
    let worker = exchange.worker();
    let Memory { scratch, .. } = &mut *worker.steps.borrow_mut();
    match shape.answer_work.take() {
        Some(work) => scratch.resume(work),
        None => scratch.reset(),
    }
    let mut edits = Edits::default();
    let message = AnswerMessage::new(shape, reply, exchange);
    let ran = timed(worker, record, || {
        run::run(live, &message, &mut edits, scratch)
    });
    let place = || program.stored + scratch.step();
    ran.map_err(|stop| refused_by(&stop, Owner::Response, place(), record))?;
    apply(&edits, shaped, shape.steps, reply, record);
    Ok(())
}

/// Applies edits to the head of a response.
fn apply(
    edits: &Edits<'_>,
    shaped: &Shaped<'_>,
    steps: &Steps,
    reply: &mut Reply<'_>,
    record: &mut RecordBuilder,
) {
    apply::to_reply(edits, reply);
    let at = Location {
        public: steps.public(),
        targets: shaped.targets(),
        reading: steps.reading(),
    };
    for name in edits.locations() {
        if apply::rewrite_location(reply, name, at) {
            record.mismatched();
        }
    }
}

/// Runs the steps of a refusal on its response. If a step fails, the response stays as it is.
pub(crate) fn refusal(
    refused: &Refused,
    reply: &mut Reply<'static>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) {
    let Some(error_steps) = exchange.take_error_steps() else {
        return;
    };
    let worker = exchange.worker();
    let program = &error_steps.steps.program.error;
    let Memory { scratch, .. } = &mut *worker.steps.borrow_mut();
    scratch.reset();
    let mut edits = Edits::default();
    let message = AnswerMessage::of_error(&error_steps, reply, exchange, refused);
    match timed(worker, record, || {
        run::run(program, &message, &mut edits, scratch)
    }) {
        Ok(Next::Go | Next::Wait(_)) => apply::to_reply(&edits, reply),
        Ok(Next::Respond(given)) => apply::replace(reply, given),
        Err(_) => {}
    }
}

/// Runs steps and adds their time to the record.
fn timed<T>(worker: &Worker, record: &mut RecordBuilder, run: impl FnOnce() -> T) -> T {
    let began_us = worker.clock.now_us();
    let ran = run();
    record.mediated(worker.clock.now_us() - began_us);
    ran
}

/// Builds the response that a step gave.
fn reply(given: Given, worker: &Worker) -> Reply<'static> {
    let reply = Reply::own(given.status, worker.buffer_pool.scratch());
    let mut reply = reply.with_source(match given.is_mock {
        true => AnsweredBy::Mock,
        false => AnsweredBy::Policy,
    });
    for (name, value) in &given.fields {
        reply.push_field(name, value);
    }
    if given.body.is_empty() {
        return reply;
    }
    reply.with_body(Body::Bytes(Cow::Owned(given.body)))
}
