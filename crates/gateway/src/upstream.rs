//! `upstream`: sends an admitted request over a pooled connection, and its answer back.
//!
//! A request is sent twice only where that is safe: the first connection was an idle one that the
//! upstream had closed meanwhile, nothing of an answer came, the method is idempotent and the
//! whole request is still at hand (RFC 9110, section 9.2.2).

mod choose;
mod connect;
mod failure;
pub(crate) mod whole;

use std::time::Duration;

use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::{Coding, Limits, RelayError, Sent};
use tollgate_http1::view::Response;
use tollgate_model::api::Method;

use crate::answer_head::AnswerHead;
use crate::connection::{UpstreamConnection, UpstreamLease};
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::worker::Worker;

pub(crate) use choose::{Chosen, choose};
use connect::connect;
use failure::{Attempt, unconnected, unrelayed};

/// Interim answers that an upstream may give before the final one.
const INTERIM_MAX: u32 = 16;

/// A request that is ready to go; its head, or as much as that of the whole, is in `out`.
#[derive(Debug)]
pub(crate) enum Outgoing<'a> {
    /// The caller's. It goes again where that is safe, and interim answers are passed on.
    Passed {
        out: &'a mut Vec<u8>,
        /// How its body is framed.
        coding: Coding,
        /// Bytes of its body at most.
        bytes_max: u64,
        method: Method,
    },
    /// The gateway's own. It goes once, since what it does is not known, and interim answers, which
    /// the caller would take for answers to another request, are dropped.
    Own {
        out: &'a mut Vec<u8>,
        /// Let go of as soon as it is sent.
        body: OwnBody,
    },
}

/// What becomes of an answer and of a request that had none.
#[derive(Debug, Clone, Copy)]
struct Manner {
    is_head: bool,
    passes_interim: bool,
    may_repeat: bool,
}

impl Outgoing<'_> {
    fn manner(&self) -> Manner {
        match self {
            Self::Passed { method, .. } => Manner {
                is_head: *method == Method::Head,
                passes_interim: true,
                may_repeat: method.is_idempotent(),
            },
            Self::Own { .. } => Manner {
                is_head: false,
                passes_interim: false,
                may_repeat: false,
            },
        }
    }

    fn bytes_max(&self) -> u64 {
        match self {
            Self::Passed { bytes_max, .. } => *bytes_max,
            Self::Own { body, .. } => body.body().len() as u64,
        }
    }
}

/// An upstream connection on which the answer's head has arrived.
#[derive(Debug)]
pub(crate) struct Answer<'s> {
    lease: UpstreamLease,
    chosen: Chosen<'s>,
    sent: Sent,
    limits: Limits,
}

impl Answer<'_> {
    /// The answer's head.
    pub(crate) fn head(&self) -> Response<'_> {
        self.lease.response()
    }
}

/// Sends a request and waits for the head of its answer.
pub(crate) async fn send<'s>(
    chosen: Chosen<'s>,
    outgoing: Outgoing<'_>,
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Answer<'s>, Failure> {
    let pool = worker.pools.find(&chosen.target().place);
    let connect = async || connect(chosen, worker).await;
    let mut lease = if let Some(lease) = pool.take_idle() {
        lease
    } else {
        exchange.park();
        let deadline = exchange.deadline();
        deadline.set(worker.settings.pool_wait_timeout);
        let connections_max = chosen.upstream().served.connections_max;
        let taken = pool.take(connections_max, deadline, connect).await;
        taken.map_err(|error| unconnected(chosen, &error))?
    };
    let limits = limits(chosen, worker, outgoing.bytes_max());
    let manner = outgoing.manner();
    exchange.invite_body().await?;
    let (sent, out) = match outgoing {
        Outgoing::Passed { out, coding, .. } => {
            let sent = exchange.send_request(&mut lease, out, coding, limits);
            (sent.await, out)
        }
        Outgoing::Own { out, mut body } => {
            let request = body.behind(out);
            (exchange.send_own(&mut lease, request, limits).await, out)
        }
    };
    record.sent(worker.clock.now_us());
    let mut attempt = match sent {
        Ok(sent) => {
            let head = head(&mut lease, exchange, chosen, manner);
            head.await.map(|()| sent)
        }
        Err(error) => Err(Attempt::from(error)),
    };
    // Empty, where the whole request is not at hand.
    let may_repeat = manner.may_repeat && !out.is_empty();
    let is_unanswered = matches!(attempt, Err(Attempt::Unanswered(_)));
    if is_unanswered && lease.can_send_again() && may_repeat {
        // First, so that the two are never more than the pool's bound.
        drop(lease);
        lease = pool
            .fresh(connect)
            .await
            .map_err(|error| unconnected(chosen, &error))?;
        attempt = repeat(&mut lease, exchange, (chosen, manner), out).await;
    }
    record.answered(worker.clock.now_us());
    out.clear();
    match attempt {
        Ok(sent) => Ok(Answer {
            lease,
            chosen,
            sent,
            limits,
        }),
        Err(attempt) => {
            let bytes = lease.partial_head_bytes();
            Err(attempt.failure(exchange, chosen.target(), bytes))
        }
    }
}

fn limits(chosen: Chosen<'_>, worker: &Worker, bytes_max: u64) -> Limits {
    Limits {
        idle: Duration::from_millis(chosen.upstream().served.idle_timeout_ms.into()),
        caller_idle: worker.settings.body_idle_timeout,
        bytes_max,
    }
}

/// Passes the answer on: `out` holds its head as the caller gets it.
pub(crate) async fn relay(
    mut answer: Answer<'_>,
    exchange: &mut Exchange<'_>,
    coding: Coding,
    out: &mut Vec<u8>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    record.status(answer.lease.head.status);
    answer.lease.begin_body();
    let (upstream, limits) = (&mut *answer.lease, answer.limits);
    let relayed = exchange.send_answer(upstream, out, coding, limits).await;
    let bytes = upstream.body.bytes;
    record.bytes_out(bytes);
    relayed.map_err(|error| unrelayed(&error, answer.chosen.target(), bytes))?;
    if answer.sent == Sent::Whole {
        answer.lease.keep();
    }
    Ok(())
}

/// Sends the whole request, head and body in `out`, once more.
async fn repeat(
    lease: &mut UpstreamLease,
    exchange: &mut Exchange<'_>,
    (chosen, manner): (Chosen<'_>, Manner),
    out: &[u8],
) -> Result<Sent, Attempt> {
    let deadline = exchange.deadline();
    deadline.set(Duration::from_millis(
        chosen.upstream().served.idle_timeout_ms.into(),
    ));
    let sent = lease.send(out, deadline).await;
    sent.map_err(|broken| Attempt::from(RelayError::Upstream(broken)))?;
    head(lease, exchange, chosen, manner).await?;
    Ok(Sent::Whole)
}

/// Waits for the final answer's head; interim answers are passed on where the final one is, but for
/// the one that invites a body: the gateway has given that itself. The time is counted once, from
/// the request's last byte: an upstream that says again and again that it is at work has no more
/// of it.
async fn head(
    upstream: &mut UpstreamConnection,
    exchange: &mut Exchange<'_>,
    chosen: Chosen<'_>,
    manner: Manner,
) -> Result<(), Attempt> {
    let first_byte_ms = chosen.upstream().served.first_byte_timeout_ms;
    exchange
        .deadline()
        .set(Duration::from_millis(first_byte_ms.into()));
    for _ in 0..=INTERIM_MAX {
        exchange.await_answer(upstream, manner.is_head).await?;
        match upstream.head.status {
            101 => {
                return Err(Attempt::broken(
                    "it switches to a protocol that nobody asked for",
                ));
            }
            status @ 100..=199 => {
                let mut out = Vec::new();
                if status != 100 && manner.passes_interim && exchange.takes_chunks() {
                    AnswerHead::passed(&mut out, upstream.response()).end_interim();
                }
                upstream.begin_body();
                let written = exchange.give_interim(&out).await;
                written.map_err(|_| Attempt::Caller)?;
            }
            _ => return Ok(()),
        }
    }
    Err(Attempt::broken("it gives interim answers without end"))
}
