//! `upstream`: sends an admitted request over a pooled connection, and its answer back.
//!
//! A request is sent twice only where that is safe: the first connection was an idle one that the
//! upstream had closed meanwhile, nothing of an answer came, the method is idempotent and the
//! whole request is still at hand (RFC 9110, section 9.2.2).

pub(crate) mod whole;

use std::io;
use std::time::Duration;

use tokio::net::TcpStream;
use tollgate_http1::Broken;
use tollgate_http1::client::{Client, NoAnswer};
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::pool::{Lease, NoConnection};
use tollgate_http1::relay::{self, Coding, Limits, RelayError, Sent};
use tollgate_model::api::Method;
use tollgate_model::refusal::{Blame, Refusal};

use crate::admit::Admitted;
use crate::exchange::{Exchange, Failure};
use crate::mediate;
use crate::record::Note;
use crate::refusal::Refused;
use crate::snapshot::Target;
use crate::worker::Worker;

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
pub(crate) struct Answer {
    pub(crate) lease: Lease<TcpStream>,
    sent: Sent,
    limits: Limits,
}

/// Sends a request and waits for the head of its answer.
pub(crate) async fn send(
    admitted: &Admitted<'_>,
    outgoing: Outgoing<'_>,
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    note: &mut Note,
) -> Result<Answer, Failure> {
    let target = admitted.allowed().target();
    let pool = worker.pool(target.pool);
    let connect = async || connect(target, worker).await;
    exchange.server.alarm.set(worker.settings.pool_wait_timeout);
    let taken = pool
        .take(
            target.served.connections_max,
            &exchange.server.alarm,
            connect,
        )
        .await;
    let mut lease = taken?;
    let limits = Limits {
        idle: Duration::from_millis(target.served.idle_timeout_ms.into()),
        caller_idle: worker.settings.body_idle_timeout,
        bytes_max: outgoing.bytes_max,
    };
    let Outgoing {
        out,
        coding,
        passes,
        body,
        ..
    } = outgoing;
    exchange.server.begin_body();
    exchange
        .server
        .invite_body()
        .await
        .map_err(|_| Failure::Cut)?;
    let (server, client) = (&mut *exchange.server, lease.client());
    let sent = match body {
        Some(mut body) => relay::send_whole(server, client, body.behind(out), limits).await,
        None => relay::send_request(server, client, out, coding, limits).await,
    };
    note.sent(worker.clock.now_us());
    let mut attempt = match sent {
        Ok(sent) => {
            let answer = head(&mut lease, exchange, target, passes).await;
            answer.map(|()| sent)
        }
        Err(error) => Err(Attempt::from(error)),
    };
    let may_repeat = passes.is_some_and(Method::is_idempotent) && !out.is_empty();
    let is_unanswered = matches!(attempt, Err(Attempt::Unanswered));
    if is_unanswered && lease.client().can_send_again() && may_repeat {
        // First, so that the two are never more than the pool's bound.
        drop(lease);
        lease = pool.fresh(connect).await?;
        attempt = repeat(&mut lease, exchange, (target, passes), out).await;
    }
    note.answered(worker.clock.now_us());
    out.clear();
    match attempt {
        Ok(sent) => Ok(Answer {
            lease,
            sent,
            limits,
        }),
        Err(attempt) => Err(attempt.failure(exchange)),
    }
}

/// Passes the answer on: `out` holds its head as the caller gets it.
pub(crate) async fn relay(
    mut answer: Answer,
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
    match relayed {
        Ok(()) => {}
        Err(RelayError::UpstreamBody {
            is_begun: false, ..
        }) => return Err(Refusal::UpstreamBroken.into()),
        Err(_) => return Err(Failure::Cut),
    }
    if answer.sent == Sent::Whole {
        answer.lease.keep();
    }
    Ok(())
}

/// How one attempt failed.
enum Attempt {
    /// The connection ended before the first byte of a final answer.
    Unanswered,
    Refused(Refused),
    /// The caller's side broke.
    Caller,
}

impl Attempt {
    fn failure(self, exchange: &mut Exchange<'_>) -> Failure {
        match self {
            Self::Unanswered => Refusal::UpstreamBroken.into(),
            Self::Refused(refused) => {
                if refused.refusal.facts().blame == Blame::Caller {
                    exchange.end_after();
                }
                Failure::Refused(refused)
            }
            Self::Caller => Failure::Cut,
        }
    }
}

impl From<RelayError> for Attempt {
    fn from(error: RelayError) -> Self {
        let refused = match error {
            RelayError::Caller(Broken::TimedOut) => Refusal::BodyTime.into(),
            RelayError::Caller(Broken::Io(_)) => return Self::Caller,
            RelayError::Upstream(Broken::Io(_)) => return Self::Unanswered,
            RelayError::Upstream(Broken::TimedOut) => Refusal::UpstreamTimeout.into(),
            RelayError::UpstreamBody { .. } => Refusal::UpstreamBroken.into(),
            RelayError::TooLarge => Refusal::BodyTooLarge.into(),
            RelayError::CallerBody(_) => {
                Refused::because(Refusal::BadRequest, "The body is not well-formed chunks.")
            }
        };
        Self::Refused(refused)
    }
}

impl From<NoAnswer> for Attempt {
    fn from(error: NoAnswer) -> Self {
        match error {
            NoAnswer::Closed => Self::Unanswered,
            NoAnswer::CallerLeft => Self::Caller,
            NoAnswer::Broken(Broken::TimedOut) => Self::Refused(Refusal::UpstreamTimeout.into()),
            NoAnswer::Broken(Broken::Io(_)) | NoAnswer::Malformed(_) => {
                Self::Refused(Refusal::UpstreamBroken.into())
            }
        }
    }
}

impl From<NoConnection> for Failure {
    fn from(error: NoConnection) -> Self {
        match error {
            NoConnection::Busy => Refusal::UpstreamPool.into(),
            NoConnection::Connect(_) => Refusal::UpstreamConnect.into(),
        }
    }
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
        .alarm
        .set(Duration::from_millis(target.served.idle_timeout_ms.into()));
    let sent = lease.client().send(out, &exchange.server.alarm).await;
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
    exchange.server.alarm.set(first_byte);
    for _ in 0..=INTERIM_MAX {
        client
            .answer(passes == Some(Method::Head), exchange.server)
            .await?;
        match client.head.status {
            // Nobody asked for another protocol.
            101 => return Err(Attempt::Refused(Refusal::UpstreamBroken.into())),
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
    Err(Attempt::Refused(Refusal::UpstreamBroken.into()))
}

async fn connect(target: &Target, worker: &Worker) -> io::Result<Client<TcpStream>> {
    let served = &target.served;
    let time = Duration::from_millis(served.connect_timeout_ms.into());
    let connected = tokio::time::timeout(time, async {
        match target.address {
            Some(address) => TcpStream::connect(address).await,
            None => TcpStream::connect((served.host.as_str(), served.port)).await,
        }
    });
    let stream = connected
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    stream.set_nodelay(true)?;
    Ok(Client::new(stream, &worker.blocks))
}
