//! `upstream`: sends an admitted request over a pooled connection and waits for the response.
//!
//! A request is sent again only if that is safe: the first connection was an idle one that the
//! upstream had closed meanwhile, nothing of a response arrived, the method is idempotent and the
//! whole request is still available (RFC 9110, section 9.2.2).

mod connect;
mod failure;

use std::time::Duration;

use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::{RelayError, Sent};
use tollgate_model::api::Method;

use crate::buffered::Held;
use crate::choose::Chosen;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::reply::Passed;
use crate::wire::connection::{UpstreamConnection, UpstreamPool};

use connect::connect;
use failure::{Attempt, unconnected};

/// Maximum interim responses before the final one.
const INTERIM_MAX: u32 = 16;

/// A request ready to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    /// The head without the framing fields.
    pub(crate) head: &'a mut Vec<u8>,
    pub(crate) method: Method,
    pub(crate) body: RequestBody,
}

/// The body of a request to an upstream.
#[derive(Debug)]
pub(crate) enum RequestBody {
    /// The caller's, streamed, at most this many bytes. Interim responses are passed on.
    Passed { bytes_max: u64 },
    /// The gateway's own. Interim responses are dropped: the caller would take them for responses
    /// to another request.
    Own(Held<OwnBody>),
    /// None, and nothing of its framing. Interim responses are dropped.
    None,
}

/// How to handle the response, and a request without one.
#[derive(Debug, Clone, Copy)]
struct Manner {
    is_head: bool,
    passes_interim: bool,
    may_repeat: bool,
}

impl Outgoing<'_> {
    fn manner(&self) -> Manner {
        Manner {
            is_head: self.method == Method::Head,
            passes_interim: matches!(self.body, RequestBody::Passed { .. }),
            may_repeat: self.method.is_idempotent(),
        }
    }

    /// Sends it, with the upstream idle for at most `idle`.
    async fn send_once(
        &mut self,
        upstream: &mut UpstreamConnection,
        exchange: &mut Exchange<'_>,
        idle: Duration,
    ) -> Result<Sent, RelayError> {
        let is_kept = self.manner().may_repeat;
        let out = &mut *self.head;
        match &mut self.body {
            RequestBody::Passed { bytes_max } => {
                let sending = exchange.send_request(upstream, out, *bytes_max, is_kept, idle);
                sending.await
            }
            RequestBody::Own(own) => exchange.send_own(upstream, out, &mut own.body, idle).await,
            RequestBody::None => exchange.send_head(upstream, out, idle).await,
        }
    }
}

/// Sends a request and waits for the head of its response.
pub(crate) async fn send<'s>(
    chosen: &Chosen<'_, 's>,
    mut outgoing: Outgoing<'_>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Passed<'s>, Failure> {
    let worker = exchange.worker();
    let pool = worker.pools.find(&chosen.target().place);
    let connect = async || connect(chosen, worker).await;
    let mut upstream = match pool.take_idle() {
        Some(idle) => idle,
        None => wait_for_connection(&pool, chosen, exchange).await?,
    };
    let (manner, idle) = (outgoing.manner(), chosen.idle_timeout());
    exchange.invite_body().await?;
    let sent = outgoing.send_once(&mut upstream, exchange, idle).await;
    let Outgoing {
        head: out, body, ..
    } = outgoing;
    // Others are dropped before the upstream works.
    let kept = match body {
        RequestBody::Own(own) if manner.may_repeat && upstream.is_reused() => Some(own),
        _ => None,
    };
    record.sent(worker.clock.now_us());
    let mut attempt = match sent {
        Ok(sent) => {
            let head = head(&mut upstream, exchange, chosen, manner);
            head.await.map(|()| sent)
        }
        Err(error) => Err(Attempt::from(error)),
    };
    // Empty if the whole request is not available.
    let may_repeat = manner.may_repeat && !out.is_empty();
    let is_unanswered = matches!(attempt, Err(Attempt::Unanswered(_)));
    if is_unanswered && upstream.can_send_again() && may_repeat {
        // Dropped first, so that the two never exceed the pool's bound.
        drop(upstream);
        if let Some(own) = &kept {
            out.extend_from_slice(own.body.body());
        }
        upstream = pool
            .fresh(connect)
            .await
            .map_err(|error| unconnected(chosen, &error))?;
        attempt = repeat(&mut upstream, exchange, chosen, manner, out).await;
    }
    let status = attempt.as_ref().map_or(0, |_| upstream.head().status);
    record.answered(worker.clock.now_us(), status);
    out.clear();
    match attempt {
        Ok(sent) => Ok(Passed {
            upstream,
            authority: &chosen.target().served.authority,
            idle,
            sent,
            hides_length: false,
        }),
        Err(attempt) => {
            let bytes = upstream.partial_head_bytes();
            Err(attempt.failure(exchange, chosen.target(), bytes))
        }
    }
}

/// Takes a connection once one is made or becomes free.
async fn wait_for_connection(
    pool: &UpstreamPool,
    chosen: &Chosen<'_, '_>,
    exchange: &mut Exchange<'_>,
) -> Result<UpstreamConnection, Failure> {
    let worker = exchange.worker();
    exchange.park();
    let deadline = exchange.deadline();
    deadline.set(worker.settings.pool_wait_timeout);
    let connections_max = chosen.upstream().served.connections_max;
    let connect = async || connect(chosen, worker).await;
    let taken = pool.take(connections_max, deadline, connect).await;
    taken.map_err(|error| unconnected(chosen, &error))
}

/// Sends the whole request, head and body in `out`, once more.
async fn repeat(
    upstream: &mut UpstreamConnection,
    exchange: &mut Exchange<'_>,
    chosen: &Chosen<'_, '_>,
    manner: Manner,
    out: &[u8],
) -> Result<Sent, Attempt> {
    let deadline = exchange.deadline();
    deadline.set(chosen.idle_timeout());
    let sent = upstream.send(out, deadline).await;
    sent.map_err(|broken| Attempt::from(RelayError::Upstream(broken)))?;
    head(upstream, exchange, chosen, manner).await?;
    Ok(Sent::Whole)
}

/// Waits for the final response's head. Interim responses are passed on if the final one is, except
/// 100: the gateway has sent that itself. The timeout runs once, from the request's last byte:
/// interim responses do not extend it.
async fn head(
    upstream: &mut UpstreamConnection,
    exchange: &mut Exchange<'_>,
    chosen: &Chosen<'_, '_>,
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
                return Err(Attempt::broken("it switched protocols without being asked"));
            }
            status @ 100..=199 => {
                if status != 100 && manner.passes_interim {
                    let passed = exchange.pass_interim(upstream.head()).await;
                    passed.map_err(|_| Attempt::Caller)?;
                }
                upstream.begin_body();
            }
            _ => return Ok(()),
        }
    }
    Err(Attempt::broken("it sends too many interim responses"))
}
