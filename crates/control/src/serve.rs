//! The control plane's listener: HTTP/1.1 on a socket until shutdown. It bounds the number of
//! connections (`places.rs`), the time of a TLS handshake (`tls.rs`), the time and size of a head,
//! the time without progress (`bounded.rs`), and the bodies of all requests (`bodies.rs`).
//!
//! `axum::serve` has none of these bounds, so it is not used.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::{BoxError, Router};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tollgate_fetch::Networks;
use tollgate_model::scheme::UriScheme;

use crate::bodies::Bodies;
use crate::peer::{Peer, Via};
use crate::router;
use crate::state::Control;

mod bodies;
mod bounded;
mod places;
mod shutdown;
mod tls;

use bodies::{AnswerBody, RequestBody};
use bounded::Bounded;
use places::{Activity, Place, Places, Sizes};
use shutdown::{Shutdown, ShutdownWatch};
use tls::Tls;

/// Maximum number of connections at a time.
pub const CONNECTIONS_MAX: usize = REGULAR + RESERVE;
/// Maximum number of connections that serve every route.
const REGULAR: usize = 1_024;
/// Maximum number of connections per client address. Portals and command lines on one machine share
/// its loopback address; `control.trusted_proxies` are exempt, since their clients share an
/// address.
const PER_ADDRESS: usize = 256;
/// Maximum number of further connections, which serve only the process's health.
const RESERVE: usize = 64;
/// Maximum bytes of a head, and of a connection's read and write buffer.
const BUFFER_BYTES_MAX: usize = 32 << 10;
/// Maximum time until the first byte of a connection.
const SILENT_TIME: Duration = Duration::from_secs(5);
/// Maximum time for a head to arrive; an idle connection is closed after it, too.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Maximum time for a head to arrive on a connection of the reserve.
const RESERVE_HEAD_TIME: Duration = Duration::from_secs(1);
/// Maximum time in which a client reads no byte of a pending response.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// Maximum time without a byte in either direction; longer than any request takes.
const IDLE_TIME: Duration = Duration::from_secs(90);
/// Maximum time to read the rest of a request that was answered before its end; a sixth of it
/// without a byte.
const LINGER_TIME: Duration = Duration::from_secs(30);
/// Maximum time for requests in progress at shutdown.
const DRAIN_TIME: Duration = Duration::from_secs(10);
/// Pause after a failed accept, for example when file descriptors have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Maximum times without progress on a connection.
#[derive(Debug, Clone, Copy)]
struct Times {
    silent: Duration,
    head: Duration,
    write: Duration,
    idle: Duration,
    linger: Duration,
}

/// The bounds that tests lower.
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
    /// Creates a listener; it uses TLS if it gets a configuration.
    #[must_use]
    pub fn new(tcp: TcpListener, tls: Option<Arc<ServerConfig>>) -> Self {
        Self {
            tcp,
            tls: tls.map(Tls::new),
        }
    }
}

/// The routes of a server, and the state that its connections share.
#[derive(Clone)]
pub(crate) struct Served {
    /// Every route.
    pub(crate) all: Router,
    /// The routes of reserve connections.
    pub(crate) reserve: Router,
    /// Reverse proxies, exempt from the bound per address.
    pub(crate) trusted: Networks,
    /// The bodies of all requests.
    pub(crate) bodies: Arc<Bodies>,
}

/// Serves until `stop` is ready, then waits up to ten seconds for requests in progress. `more` are
/// routes of other crates, served in the same frame.
pub async fn serve(
    listeners: Vec<Listener>,
    control: Control,
    more: Router<Control>,
    stop: impl Future<Output = ()>,
) {
    let stopping = control.stopping.clone();
    let stop = async move {
        stop.await;
        stopping.send_replace(true);
    };
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
    let shutdown = Shutdown::default();
    let places = Places::new(bounds.sizes, served.trusted.clone());
    let mut stop = pin!(stop);
    for turn in 0.. {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listeners, turn, &places) => accepted,
        };
        match accepted {
            Ok(Some(accepted)) => {
                spawn_connection(accepted, bounds.times, &served, shutdown.watch());
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the control plane could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listeners);
    if tokio::time::timeout(DRAIN_TIME, shutdown.drain())
        .await
        .is_err()
    {
        tracing::warn!("requests to the control plane were cut off at the end of the drain time");
    }
}

/// An accepted connection with its place.
struct Accepted {
    stream: TcpStream,
    tls: Option<Tls>,
    peer: Peer,
    place: Place,
}

/// The requests of one connection, with the router that answers them.
struct Requests {
    router: TowerToHyperService<Router>,
    bodies: Arc<Bodies>,
    activity: Arc<Activity>,
    peer: Peer,
    via: Via,
}

/// Accepts the next connection; `None` if no place is free or the client has disconnected already.
/// Polls the listeners in turn, so that a busy one does not delay the others.
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
        tracing::debug!(peer = %peer.0, "the control plane has no room for another connection");
        return Ok(None);
    };
    Ok(Some(Accepted {
        stream,
        tls: listener.tls.clone(),
        peer,
        place,
    }))
}

fn spawn_connection(accepted: Accepted, times: Times, served: &Served, shutdown: ShutdownWatch) {
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
    let requests = Requests {
        router: TowerToHyperService::new(router.clone()),
        bodies: Arc::clone(&served.bodies),
        activity: Arc::clone(&place.activity),
        peer,
        via: Via(match tls.is_some() {
            true => UriScheme::Https,
            false => UriScheme::Http,
        }),
    };
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .max_buf_size(BUFFER_BYTES_MAX)
        .header_read_timeout(times.head)
        .keep_alive(!place.is_reserve);
    tokio::spawn(async move {
        tokio::select! {
            ended = drive(stream, tls, &http, requests, shutdown) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection to the control plane ended early");
                }
            }
            () = place.activity.closed() => {
                tracing::debug!(
                    peer = %peer.0,
                    "closed a silent connection to make room for another"
                );
            }
        }
        drop(place);
    });
}

/// Serves the requests of one connection, after the handshake if it uses TLS.
async fn drive(
    stream: Bounded<TcpStream>,
    tls: Option<Tls>,
    http: &http1::Builder,
    requests: Requests,
    mut shutdown: ShutdownWatch,
) -> Result<(), BoxError> {
    let peer = requests.peer;
    let service = service_fn(move |request| requests.answer(request));
    match tls {
        None => {
            let connection = http.serve_connection(TokioIo::new(stream), service);
            shutdown.drained(connection).await?;
        }
        Some(tls) => {
            let stream = tokio::select! {
                stream = tls.accept(stream, peer) => stream?,
                // No request is in progress that shutdown should wait for.
                () = shutdown.begun() => return Ok(()),
            };
            let connection = http.serve_connection(TokioIo::new(stream), service);
            shutdown.drained(connection).await?;
        }
    }
    Ok(())
}

impl Requests {
    /// Answers a request; never, if the connection is being closed.
    fn answer(
        &self,
        mut request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<AnswerBody>, Infallible>> + use<> {
        request.extensions_mut().insert(self.peer);
        request.extensions_mut().insert(self.via);
        let reading = Arc::new(self.bodies.begin());
        request.extensions_mut().insert(Arc::clone(&reading));
        let (router, activity) = (self.router.clone(), Arc::clone(&self.activity));
        async move {
            if !activity.begin() {
                // The connection is being closed: a request without a response must not be
                // executed.
                return std::future::pending().await;
            }
            let counted = Arc::clone(&reading);
            let request = request.map(|it| RequestBody::new(it, Arc::clone(&activity), counted));
            let answer = router.call(request).await?;
            // The handler is done with the body.
            drop(reading);
            Ok(answer.map(|body| AnswerBody::new(body, activity)))
        }
    }
}

#[cfg(test)]
mod tests;
