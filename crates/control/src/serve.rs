//! The control plane's listener: HTTP/1.1 on a socket, until it is told to stop. Bounded are the
//! connections (`places.rs`), the time of a handshake (`tls.rs`), the time and size of a head, how
//! long bytes may stand still (`bounded.rs`), and the bodies of all requests (`bodies.rs`).
//!
//! `axum::serve` has none of these bounds, which is why it is not used.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::{BoxError, Router};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tollgate_fetch::Networks;
use tollgate_model::scheme::UriScheme;

use crate::bodies::Bodies;
use crate::peer::{Peer, Via};
use crate::router;
use crate::state::Control;

mod bodies;
mod bounded;
mod places;
mod tls;

use bodies::{AnswerBody, RequestBody};
use bounded::Bounded;
use places::{Place, Places, Sizes};
use tls::Tls;

/// Connections at a time.
pub const CONNECTIONS_MAX: usize = REGULAR + RESERVE;
/// Those that get every answer.
const REGULAR: usize = 1_024;
/// Connections of one client address at a time. Portals and command lines on one machine share its
/// loopback address; `control.trusted_proxies` are exempt, since their callers share theirs.
const PER_ADDRESS: usize = 256;
/// Connections beyond, which answer for the process's health alone.
const RESERVE: usize = 64;
/// Bytes of a head, and of what a connection reads and writes at a time.
const BUFFER_BYTES_MAX: usize = 32 << 10;
/// How long the first byte of a connection may take.
const SILENT_TIME: Duration = Duration::from_secs(5);
/// How long a head may take to arrive; an idle connection is closed after it, too.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a head may take to arrive on a connection of the reserve.
const RESERVE_HEAD_TIME: Duration = Duration::from_secs(1);
/// How long a caller may take no byte of an answer that waits.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// How long nothing may move either way; longer than any request takes.
const IDLE_TIME: Duration = Duration::from_secs(90);
/// How long the rest of a request is read that was answered before its end; a sixth of it in
/// silence.
const LINGER_TIME: Duration = Duration::from_secs(30);
/// How long requests under way may take once told to stop.
const DRAIN_TIME: Duration = Duration::from_secs(10);
/// After a failed accept, such as for want of descriptors, this long is waited.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long a connection may stand still.
#[derive(Debug, Clone, Copy)]
struct Times {
    silent: Duration,
    head: Duration,
    write: Duration,
    idle: Duration,
    linger: Duration,
}

/// The bounds that tests set lower.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    sizes: Sizes,
    times: Times,
}

const BOUNDS: Bounds = Bounds {
    sizes: Sizes {
        all: REGULAR,
        per_address: PER_ADDRESS,
        reserve: RESERVE,
    },
    times: Times {
        silent: SILENT_TIME,
        head: HEAD_TIME,
        write: WRITE_TIME,
        idle: IDLE_TIME,
        linger: LINGER_TIME,
    },
};

const RESERVE_TIMES: Times = Times {
    silent: RESERVE_HEAD_TIME,
    head: RESERVE_HEAD_TIME,
    ..BOUNDS.times
};

/// One of the control plane's listeners.
pub struct Listener {
    tcp: TcpListener,
    tls: Option<Tls>,
}

impl Listener {
    /// Speaks TLS where it is told how.
    #[must_use]
    pub fn new(tcp: TcpListener, tls: Option<Arc<ServerConfig>>) -> Self {
        Self {
            tcp,
            tls: tls.map(Tls::new),
        }
    }
}

/// What is served to whom.
#[derive(Clone)]
pub(crate) struct Served {
    /// Every route.
    pub(crate) all: Router,
    /// What the reserve answers.
    pub(crate) reserve: Router,
    /// Reverse proxies whose connections are not bounded by address.
    pub(crate) trusted: Networks,
    /// The bodies of all requests.
    pub(crate) bodies: Arc<Bodies>,
}

/// Serves until `stop` is ready, then lets requests under way end, for ten seconds at most; `more`
/// are routes of others, in the same frame.
pub async fn serve(
    listeners: Vec<Listener>,
    control: Control,
    more: Router<Control>,
    stop: impl Future<Output = ()>,
) {
    let served = Served {
        all: router::router(control.clone(), more),
        reserve: router::reserve(control.clone()),
        trusted: control.trusted_proxies.clone(),
        bodies: Arc::clone(&control.bodies),
    };
    serve_these(listeners, served, stop).await;
}

/// Like [`serve`], with other routes.
pub(crate) async fn serve_these(
    listeners: Vec<Listener>,
    served: Served,
    stop: impl Future<Output = ()>,
) {
    serve_within(BOUNDS, listeners, served, stop).await;
}

async fn serve_within(
    bounds: Bounds,
    listeners: Vec<Listener>,
    served: Served,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    let places = Places::new(bounds.sizes, served.trusted.clone());
    let mut stop = pin!(stop);
    let stopping = watch::Sender::new(false);
    for turn in 0.. {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listeners, turn, &places) => accepted,
        };
        match accepted {
            Ok(Some(accepted)) => {
                let until = (&graceful, stopping.subscribe());
                converse(accepted, bounds.times, &served, until);
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the control plane could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listeners);
    stopping.send_replace(true);
    if tokio::time::timeout(DRAIN_TIME, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests to the control plane were cut off after its time to drain");
    }
}

/// A connection with its place among those that are allowed.
struct Accepted {
    stream: TcpStream,
    tls: Option<Tls>,
    peer: Peer,
    place: Place,
}

/// The next connection; none if there is no place for it, or its caller has left again. The
/// listeners are asked in turn, so that none waits for another's.
async fn accept(
    listeners: &[Listener],
    turn: usize,
    places: &Places,
) -> io::Result<Option<Accepted>> {
    let accepted = poll_fn(|context| {
        let count = listeners.len();
        let in_turn = listeners.iter().cycle().skip(turn % count).take(count);
        let polled = in_turn.map(|it| (it, it.tcp.poll_accept(context)));
        let mut ready = polled.filter_map(|(it, polled)| match polled {
            Poll::Ready(accepted) => Some((it, accepted)),
            Poll::Pending => None,
        });
        ready.next().map_or(Poll::Pending, Poll::Ready)
    });
    let (listener, accepted) = accepted.await;
    let (stream, address) = accepted?;
    let peer = Peer(address.ip());
    if stream.set_nodelay(true).is_err() {
        return Ok(None);
    }
    let Some(place) = places.take(peer) else {
        tracing::debug!(peer = %peer.0, "the control plane has no room for one more connection");
        return Ok(None);
    };
    Ok(Some(Accepted {
        stream,
        tls: listener.tls.clone(),
        peer,
        place,
    }))
}

fn converse(
    accepted: Accepted,
    times: Times,
    served: &Served,
    (graceful, stopping): (&GracefulShutdown, watch::Receiver<bool>),
) {
    let Accepted {
        stream,
        tls,
        peer,
        place,
    } = accepted;
    let (times, router) = match place.is_reserve {
        true => (RESERVE_TIMES, &served.reserve),
        false => (times, &served.all),
    };
    let stream = Bounded::new(stream, &times, Arc::clone(&place.activity));
    let (routes, watcher) = (
        (router.clone(), Arc::clone(&served.bodies)),
        graceful.watcher(),
    );
    tokio::spawn(async move {
        tokio::select! {
            ended = answer(stream, (tls, stopping), (peer, times, &place), (routes, watcher)) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection to the control plane ended early");
                }
            }
            () = place.activity.closed() => {
                tracing::debug!(peer = %peer.0, "a silent connection gives its place to another");
            }
        }
        drop(place);
    });
}

/// Answers the requests of one connection, after the handshake where TLS is spoken.
async fn answer(
    stream: Bounded<TcpStream>,
    (tls, mut stopping): (Option<Tls>, watch::Receiver<bool>),
    (peer, times, place): (Peer, Times, &Place),
    ((router, bodies), watcher): ((Router, Arc<Bodies>), Watcher),
) -> Result<(), BoxError> {
    let scheme = if tls.is_some() {
        UriScheme::Https
    } else {
        UriScheme::Http
    };
    let activity = Arc::clone(&place.activity);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Via(scheme));
        let reading = Arc::new(bodies.begin());
        request.extensions_mut().insert(Arc::clone(&reading));
        let (router, activity) = (router.clone(), Arc::clone(&activity));
        async move {
            if !activity.begin() {
                // The connection is about to be closed: the request must not happen unanswered.
                return std::future::pending().await;
            }
            let counted = Arc::clone(&reading);
            let request = request.map(|it| RequestBody::new(it, Arc::clone(&activity), counted));
            let answer = router.call(request).await?;
            // The handler is done with the body.
            drop(reading);
            Ok::<_, Infallible>(answer.map(|body| AnswerBody::new(body, activity)))
        }
    });
    let mut builder = http1::Builder::new();
    let builder = builder
        .timer(TokioTimer::new())
        .max_buf_size(BUFFER_BYTES_MAX)
        .header_read_timeout(times.head)
        .keep_alive(!place.is_reserve);
    match tls {
        None => {
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            watcher.watch(connection).await?;
        }
        Some(tls) => {
            let stream = tokio::select! {
                stream = tls.accept(stream, peer) => stream?,
                // Nothing is under way yet that a stop should wait for.
                _ = stopping.wait_for(|is_stopping| *is_stopping) => return Ok(()),
            };
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            watcher.watch(connection).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
