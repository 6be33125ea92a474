//! `upstream`: sends an admitted request over a pooled connection, and its answer back.
//!
//! A request is sent twice only where that is safe: the first connection was an idle one that the
//! upstream had closed meanwhile, nothing of an answer came, the method is idempotent and the
//! whole request is still at hand (RFC 9110, section 9.2.2).

mod connect;
mod failure;
pub(crate) mod whole;

use std::time::Duration;

use tokio::net::TcpStream;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::pool::Lease;
use tollgate_http1::relay::{self, Coding, Limits, RelayError, Sent};
use tollgate_model::api::Method;

use crate::admit::Admitted;
use crate::exchange::{Exchange, Failure};
use crate::mediate;
use crate::record::Note;
use crate::snapshot::Target;
use crate::worker::Worker;

use connect::connect;
use failure::{Attempt, unconnected, unrelayed};

/// Interim answers that an upstream may give before the final one.
const INTERIM_MAX: u32 = 16;

/// A request that is ready to go.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) coding: Coding,
    pub(crate) bytes_max: u64,
    /// The caller's method, where its request goes on and the answer comes back as they are;
    /// `None` where the gateway asks in its own words, once, with a POST.
    pub(crate) passes: Option<Method>,
    /// The body, where the gateway has written it; let go of as soon as it is sent.
    pub(crate) body: Option<OwnBody>,
}

/// An upstream connection on which the answer's head has arrived.
#[derive(Debug)]
pub(crate) struct Answer<'s> {
    pub(crate) lease: Lease<TcpStream>,
    target: &'s Target,
    sent: Sent,
    limits: Limits,
}

/// Sends a request and waits for the head of its answer.
pub(crate) async fn send<'s>(
    admitted: &Admitted<'s>,
    outgoing: Outgoing<'_>,
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    note: &mut Note,
) -> Result<Answer<'s>, Failure> {
    let target = admitted.allowed().target();
    let pool = worker.pool(target.pool);
    let connect = async || connect(target, worker).await;
    exchange
        .server
        .deadline
        .set(worker.settings.pool_wait_timeout);
    let taken = pool
        .take(
            target.served.connections_max,
            &exchange.server.deadline,
            connect,
        )
        .await;
    let mut lease = taken.map_err(|error| unconnected(target, &error))?;
    let limits = limits(target, worker, outgoing.bytes_max);
    let Outgoing {
        out,
        coding,
        passes,
        body,
        ..
    } = outgoing;
    exchange.invite_body().await?;
    let (server, client) = (&mut *exchange.server, lease.client());
    let sent = match body {
        Some(mut body) => relay::send_whole(server, client, body.behind(out), limits).await,
        None => relay::send_request(server, client, out, coding, limits).await,
    };
    note.sent(worker.clock.now_us());
    let mut attempt = match sent {
        Ok(sent) => {
            let head = head(&mut lease, exchange, target, passes);
            head.await.map(|()| sent)
        }
        Err(error) => Err(Attempt::from(error)),
    };
    let may_repeat = passes.is_some_and(Method::is_idempotent) && !out.is_empty();
    let is_unanswered = matches!(attempt, Err(Attempt::Unanswered(_)));
    if is_unanswered && lease.client().can_send_again() && may_repeat {
        // First, so that the two are never more than the pool's bound.
        drop(lease);
        lease = pool
            .fresh(connect)
            .await
            .map_err(|error| unconnected(target, &error))?;
        attempt = repeat(&mut lease, exchange, (target, passes), out).await;
    }
    note.answered(worker.clock.now_us());
    out.clear();
    match attempt {
        Ok(sent) => Ok(Answer {
            lease,
            target,
            sent,
            limits,
        }),
        Err(attempt) => {
            let bytes = lease.client().partial_head_bytes();
            Err(attempt.failure(exchange, target, bytes))
        }
    }
}

fn limits(target: &Target, worker: &Worker, bytes_max: u64) -> Limits {
    Limits {
        idle: Duration::from_millis(target.served.idle_timeout_ms.into()),
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
    note: &mut Note,
) -> Result<(), Failure> {
    let client = answer.lease.client();
    note.status(client.head.status);
    client.begin_body();
    let relayed = relay::send_answer(client, exchange.server, out, coding, answer.limits).await;
    note.bytes_out(client.body.bytes);
    relayed.map_err(|error| unrelayed(&error, answer.target, client.body.bytes))?;
    if answer.sent == Sent::Whole {
        answer.lease.keep();
    }
    Ok(())
}

/// Sends the whole request, head and body in `out`, once more.
async fn repeat(
    lease: &mut Lease<TcpStream>,
    exchange: &mut Exchange<'_>,
    (target, passes): (&Target, Option<Method>),
    out: &[u8],
) -> Result<Sent, Attempt> {
    exchange
        .server
        .deadline
        .set(Duration::from_millis(target.served.idle_timeout_ms.into()));
    let sent = lease.client().send(out, &exchange.server.deadline).await;
    sent.map_err(|broken| Attempt::from(RelayError::Upstream(broken)))?;
    head(lease, exchange, target, passes).await?;
    Ok(Sent::Whole)
}

/// Waits for the final answer's head; interim answers are passed on where the final one is, but for
/// the one that invites a body: the gateway has given that itself. The time is counted once, from
/// the request's last byte: an upstream that says again and again that it is at work has no more
/// of it.
async fn head(
    lease: &mut Lease<TcpStream>,
    exchange: &mut Exchange<'_>,
    target: &Target,
    passes: Option<Method>,
) -> Result<(), Attempt> {
    let client = lease.client();
    let first_byte = Duration::from_millis(target.served.first_byte_timeout_ms.into());
    exchange.server.deadline.set(first_byte);
    for _ in 0..=INTERIM_MAX {
        client
            .answer(passes == Some(Method::Head), exchange.server)
            .await?;
        match client.head.status {
            101 => {
                return Err(Attempt::broken(
                    "it switches to a protocol that nobody asked for",
                ));
            }
            100..=199 => {
                let mut out = Vec::new();
                if client.head.status != 100 && passes.is_some() && exchange.takes_chunks() {
                    mediate::interim(client, &mut out);
                }
                client.begin_body();
                let written = exchange.server.write_on(&out).await;
                written.map_err(|_| Attempt::Caller)?;
            }
            _ => return Ok(()),
        }
    }
    Err(Attempt::broken("it gives interim answers without end"))
}
