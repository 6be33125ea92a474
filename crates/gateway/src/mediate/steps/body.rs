//! The steps that read bodies: the body is read whole and decoded, the rest of the steps run on it,
//! and what they made of it goes on.

use tollgate_http1::own_body::OwnBody;
use tollgate_mediation::coding::{self, Coded, Coding};
use tollgate_mediation::edits::Edits;
use tollgate_mediation::form;
use tollgate_mediation::run::{self, Next, Stop, Wait};

use super::answer::AnswerMessage;
use super::request::{self, RequestMessage};
use super::{Shape, Shaped, refused, reply, timed};
use crate::admit::Admitted;
use crate::buffered::Held;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::policies::{Memory, Steps};
use crate::worker::Worker;

/// Runs the steps of a request from the one that waits for its body on. The head stays until the
/// upstream's is written.
pub(super) async fn request<'s>(
    steps: &'s Steps,
    (wait, mut edits): (Wait, Edits<'s>),
    admitted: &Admitted<'s>,
    (exchange, worker): (&mut Exchange<'_>, &Worker),
    record: &mut RecordBuilder,
) -> Result<Shaped<'s>, Failure> {
    let codings = exchange.head().lines().named(b"content-encoding");
    let coding = coding::named(codings).map_err(|coded| refused(&Stop::Coded(coded), false))?;
    let version = admitted.allowed().routed().version();
    let bytes_max = version.body_bytes_max(&worker.settings).min(wait.bytes_max);
    exchange.keep_head();
    let Held { body, room } = exchange.read_body(bytes_max, worker).await?;

    let mut memory = Memory::for_body(&worker.steps);
    let Memory {
        scratch,
        room: made,
        decoded,
    } = &mut *memory;
    let read = (&*body, wait.bytes_max);
    let plain = timed(|| decode(coding, read, decoded), (worker, record));
    let plain = plain.map_err(|coded| refused(&Stop::Coded(coded), false))?;
    let claims = request::claims(&steps.program, admitted.allowed(), exchange);
    let view = claims.as_ref().map(request::Claims::view);
    let below = admitted.allowed().below(exchange.head());
    let read = (&*exchange, view.as_ref());
    let message = RequestMessage::new(steps, admitted.allowed(), read, &below);
    let run = || {
        let remaining = wait.resume(&steps.program.request, scratch, plain.len());
        made.run_remaining(remaining, &message, plain, &mut edits, scratch)
    };
    let next = timed(run, (worker, record));
    if let Next::Respond(given) = next.map_err(|stop| refused(&stop, false))? {
        return Ok(Shaped::Given(reply(given, worker)));
    }
    let up = made.made().unwrap_or(plain);
    let own = own(up, worker);
    let kept = run::keep(&steps.program.kept, &message, &edits, scratch);
    let kept = kept.map_err(|stop| refused(&stop, false))?;
    let is_changed = made.made().is_some() || coding.is_some();
    drop(body);
    let own = Held::within(own, room).await.map_err(|_| Refused::busy())?;
    let shape = Shape::new(steps, edits, kept).with_body(own, is_changed, coding.is_some());
    Ok(Shaped::Request(Some(Box::new(shape))))
}

/// Runs the steps of a response from the one that waits for its body on.
pub(super) async fn answer<'s>(
    shape: &Shape<'s>,
    (wait, edits): (Wait, &mut Edits<'s>),
    reply: &mut Reply<'_>,
    (exchange, worker): (&mut Exchange<'_>, &Worker),
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let lines = reply.lines();
    let codings = lines.filter(|(name, _)| name.eq_ignore_ascii_case(b"content-encoding"));
    let coding = coding::named(codings.map(|(_, value)| value));
    let coding = coding.map_err(|coded| refused(&Stop::Coded(coded), true))?;
    exchange.read_whole(reply, wait.bytes_max, worker).await?;

    let mut memory = Memory::for_body(&worker.steps);
    let Memory {
        scratch,
        room: made,
        decoded,
    } = &mut *memory;
    let read = (reply.body.bytes(), wait.bytes_max);
    let plain = timed(|| decode(coding, read, decoded), (worker, record));
    let plain = plain.map_err(|coded| refused(&Stop::Coded(coded), true))?;
    let message = AnswerMessage::new(shape, (&*reply, exchange));
    let steps = shape.answer_steps(reply);
    let run = || {
        let remaining = wait.resume(steps, scratch, plain.len());
        made.run_remaining(remaining, &message, plain, edits, scratch)
    };
    let ran = timed(run, (worker, record));
    shape.answer_work.set(Some(scratch.budget()));
    ran.map_err(|stop| refused(&stop, true))?;
    let new = made.made().or(coding.map(|_| plain));
    let new = new.map(|bytes| own(bytes, worker));
    if let Some(own) = new {
        form::replace_body(reply, coding.is_some());
        reply.replace_body(own);
    }
    Ok(())
}

fn own(bytes: &[u8], worker: &Worker) -> OwnBody {
    let mut own = OwnBody::new(&worker.buffer_pool);
    own.out().extend_from_slice(bytes);
    own
}

/// Returns the body without its coding.
fn decode<'b>(
    coding: Option<Coding>,
    (body, bytes_max): (&'b [u8], u64),
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
