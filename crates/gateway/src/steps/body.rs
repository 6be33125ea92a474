//! The steps that read bodies: the body is read whole and decoded, the rest of the steps run on it,
//! and what they made of it goes on.

use tollgate_http1::own_body::OwnBody;
use tollgate_mediation::coding::{self, Coded, Coding};
use tollgate_mediation::form;
use tollgate_mediation::run::{self, Next, Stop};
use tollgate_model::record::Owner;

use super::answer::AnswerMessage;
use super::request::{self, RequestMessage};
use super::stopped::{refused, refused_by};
use super::{Outcome, Shape, Shaped, Waiting, reply, timed};
use crate::admit::Admitted;
use crate::buffered::Held;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::policies::{Memory, Steps};
use crate::worker::Worker;

impl<'s> Waiting<'s> {
    /// Runs the steps of a request from the one that waits for its body on. The head stays until
    /// the upstream's is written.
    pub(super) async fn resume(
        mut self,
        steps: &'s Steps,
        admitted: &'s Admitted<'s>,
        exchange: &mut Exchange<'_>,
        record: &mut RecordBuilder,
    ) -> Result<Outcome<'s>, Failure> {
        let (worker, allowed) = (exchange.worker(), admitted.allowed());
        let codings = exchange.head().lines().named(b"content-encoding");
        let coding = coding::named(codings).map_err(|coded| refused(&Stop::Coded(coded), false))?;
        let bytes_max = allowed.routed().version().body_bytes_max(&worker.settings);
        exchange.keep_head();
        let read = exchange.read_body(bytes_max.min(self.wait.bytes_max));
        let Held { body, room } = read.await?;

        let mut memory = Memory::for_body(&worker.steps);
        let Memory {
            scratch,
            room: made,
            decoded,
        } = &mut *memory;
        let bytes_max = self.wait.bytes_max;
        let plain = timed(worker, record, || decode(coding, &body, bytes_max, decoded));
        let plain = plain.map_err(|coded| refused(&Stop::Coded(coded), false))?;
        let claims = request::claims(&steps.program, allowed, exchange);
        let view = claims.as_ref().map(request::Claims::view);
        let below = allowed.below(exchange.head());
        let message = RequestMessage::new(steps, allowed, exchange, view.as_ref(), &below);
        let next = timed(worker, record, || {
            let remaining = self
                .wait
                .resume(&steps.program.request, scratch, plain.len());
            made.run_remaining(remaining, &message, plain, &mut self.edits, scratch)
        });
        let stopped = |stop| refused_by(&stop, Owner::Request, scratch.step(), record);
        let next = next.map_err(stopped)?;
        if let Next::Respond(given) = next {
            return Ok(Outcome::Given(reply(given, worker)));
        }
        let own = own(made.made().unwrap_or(plain), worker);
        let kept = run::keep(&steps.program.kept, &message, &self.edits, scratch);
        let kept = kept.map_err(|stop| refused(&stop, false))?;
        let is_changed = made.made().is_some() || coding.is_some();
        drop(body);
        let own = Held::within(own, room).await.map_err(|_| Refused::busy())?;
        let shape = Shape::new(steps, self.edits, kept);
        let shape = shape.with_body(own, is_changed, coding.is_some());
        Ok(Outcome::Shaped(Shaped::new(
            admitted,
            Some(Box::new(shape)),
        )))
    }

    /// Runs the steps of a response from the one that waits for its body on.
    pub(super) async fn resume_answer(
        &mut self,
        shape: &Shape<'s>,
        reply: &mut Reply<'_>,
        exchange: &mut Exchange<'_>,
        record: &mut RecordBuilder,
    ) -> Result<(), Failure> {
        let worker = exchange.worker();
        let lines = reply.lines();
        let codings = lines.filter(|(name, _)| name.eq_ignore_ascii_case(b"content-encoding"));
        let coding = coding::named(codings.map(|(_, value)| value));
        let coding = coding.map_err(|coded| refused(&Stop::Coded(coded), true))?;
        exchange.read_whole(reply, self.wait.bytes_max).await?;

        let mut memory = Memory::for_body(&worker.steps);
        let Memory {
            scratch,
            room: made,
            decoded,
        } = &mut *memory;
        let (sent, bytes_max) = (reply.body.bytes(), self.wait.bytes_max);
        let plain = timed(worker, record, || decode(coding, sent, bytes_max, decoded));
        let plain = plain.map_err(|coded| refused(&Stop::Coded(coded), true))?;
        let message = AnswerMessage::new(shape, reply, exchange);
        let steps = shape.answer_steps(reply);
        let ran = timed(worker, record, || {
            let remaining = self.wait.resume(steps, scratch, plain.len());
            made.run_remaining(remaining, &message, plain, &mut self.edits, scratch)
        });
        shape.answer_work.set(Some(scratch.budget()));
        ran.map_err(|stop| refused_by(&stop, Owner::Response, scratch.step(), record))?;
        let new = made.made().or(coding.map(|_| plain));
        if let Some(own) = new.map(|bytes| own(bytes, worker)) {
            form::replace_body(reply, coding.is_some());
            reply.replace_body(own);
        }
        Ok(())
    }
}

fn own(bytes: &[u8], worker: &Worker) -> OwnBody {
    let mut own = OwnBody::new(&worker.buffer_pool);
    own.out().extend_from_slice(bytes);
    own
}

/// Returns the body without its coding.
fn decode<'b>(
    coding: Option<Coding>,
    body: &'b [u8],
    bytes_max: u64,
    decoded: &'b mut Vec<u8>,
) -> Result<&'b [u8], Coded> {
    let Some(coding) = coding.filter(|_| !body.is_empty()) else {
        return Ok(body);
    };
    let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    decoded.clear();
    coding::decode(coding, body, bytes_max, decoded)?;
    Ok(decoded)
}
