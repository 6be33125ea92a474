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
use tollgate_http1::relay::{RelayError, Sent};
use tollgate_http1::view::Response;
use tollgate_model::api::Method;

use crate::connection::UpstreamConnection;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::worker::Worker;

pub(crate) use choose::{Chosen, choose};
use connect::connect;
use failure::{Attempt, unconnected, unrelayed};

/// Interim answers that an upstream may give before the final one.
const INTERIM_MAX: u32 = 16;

/// A request that is ready to go; its head is in `out`, but for what frames its body.
#[derive(Debug)]
pub(crate) enum Outgoing<'a> {
    /// The caller's. It goes again where that is safe, and interim answers are passed on.
    Passed {
        out: &'a mut Vec<u8>,
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
}

/// An upstream connection on which the answer's head has arrived.
#[derive(Debug)]
pub(crate) struct Answer<'s> {
    upstream: UpstreamConnection,
    chosen: Chosen<'s>,
    sent: Sent,
}

impl Answer<'_> {
    /// The answer's head.
    pub(crate) fn head(&self) -> Response<'_> {
        self.upstream.head()
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
    let mut upstream = if let Some(idle) = pool.take_idle() {
        idle
    } else {
        exchange.park();
        let deadline = exchange.deadline();
        deadline.set(worker.settings.pool_wait_timeout);
        let connections_max = chosen.upstream().served.connections_max;
        let taken = pool.take(connections_max, deadline, connect).await;
        taken.map_err(|error| unconnected(chosen, &error))?
    };
    let (manner, idle) = (outgoing.manner(), chosen.idle_timeout());
    exchange.invite_body().await?;
    let (sent, out) = match outgoing {
        Outgoing::Passed { out, bytes_max, .. } => {
            let body = (bytes_max, manner.may_repeat);
            let sent = exchange.send_request(&mut upstream, out, body, idle);
            (sent.await, out)
        }
        Outgoing::Own { out, body } => {
            let sent = exchange.send_own(&mut upstream, out, body, idle);
            (sent.await, out)
        }
    };
    record.sent(worker.clock.now_us());
    let mut attempt = match sent {
        Ok(sent) => {
            let head = head(&mut upstream, exchange, chosen, manner);
            head.await.map(|()| sent)
        }
        Err(error) => Err(Attempt::from(error)),
    };
    // Empty, where the whole request is not at hand.
    let may_repeat = manner.may_repeat && !out.is_empty();
    let is_unanswered = matches!(attempt, Err(Attempt::Unanswered(_)));
    if is_unanswered && upstream.can_send_again() && may_repeat {
        // First, so that the two are never more than the pool's bound.
        drop(upstream);
        upstream = pool
            .fresh(connect)
            .await
            .map_err(|error| unconnected(chosen, &error))?;
        attempt = repeat(&mut upstream, exchange, (chosen, manner), out).await;
    }
    record.answered(worker.clock.now_us());
    out.clear();
    match attempt {
        Ok(sent) => Ok(Answer {
            upstream,
            chosen,
            sent,
        }),
        Err(attempt) => {
            let bytes = upstream.partial_head_bytes();
            Err(attempt.failure(exchange, chosen.target(), bytes))
        }
    }
}

/// Passes the answer on: `out` holds its head as the caller gets it.
pub(crate) async fn relay(
    answer: Answer<'_>,
    exchange: &mut Exchange<'_>,
    out: &mut Vec<u8>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let Answer {
        mut upstream,
        chosen,
        sent,
    } = answer;
    record.status(upstream.head().status);
    upstream.begin_body();
    let idle = chosen.idle_timeout();
    let relayed = exchange.send_answer(&mut upstream, out, idle).await;
    let bytes = upstream.body_bytes();
    record.bytes_out(bytes);
    relayed.map_err(|error| unrelayed(&error, exchange, chosen.target(), bytes))?;
    if sent == Sent::Whole {
        upstream.keep();
    }
    Ok(())
}

/// Sends the whole request, head and body in `out`, once more.
async fn repeat(
    upstream: &mut UpstreamConnection,
    exchange: &mut Exchange<'_>,
    (chosen, manner): (Chosen<'_>, Manner),
    out: &[u8],
) -> Result<Sent, Attempt> {
    let deadline = exchange.deadline();
    deadline.set(chosen.idle_timeout());
    let sent = upstream.send(out, deadline).await;
    sent.map_err(|broken| Attempt::from(RelayError::Upstream(broken)))?;
    head(upstream, exchange, chosen, manner).await?;
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
        match upstream.head().status {
            101 => {
                return Err(Attempt::broken(
                    "it switches to a protocol that nobody asked for",
                ));
            }
            status @ 100..=199 => {
                if status != 100 && manner.passes_interim {
                    let given = exchange.give_interim(upstream.head()).await;
                    given.map_err(|_| Attempt::Caller)?;
                }
                upstream.begin_body();
            }
            _ => return Ok(()),
        }
    }
    Err(Attempt::broken("it gives interim answers without end"))
}
