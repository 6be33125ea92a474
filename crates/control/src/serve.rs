//! The control plane's listener: HTTP/1.1 on a socket, until it is told to stop. Bounded are the
//! connections (`places.rs`), the time of a head, and how long bytes may stand still
//! (`bounded.rs`).
//!
//! `axum::serve` has none of these bounds, which is why it is not used.

use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

mod bounded;
mod places;

use bounded::Bounded;
use places::{Place, Places};

/// Connections at a time; more wait in the listener's backlog.
const CONNECTIONS_MAX: usize = 1_024;
/// Connections of one client address at a time; more are closed at once. Portals and command
/// lines on one machine share its loopback address, callers behind a proxy share the proxy's.
const CONNECTIONS_PER_ADDRESS_MAX: usize = 256;
/// How long a head may take to arrive; an idle connection is closed after it, too.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a caller may take no byte of an answer that waits.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// How long nothing may move either way; longer than any request takes.
const IDLE_TIME: Duration = Duration::from_secs(90);
/// How long requests under way may take once told to stop.
const DRAIN_TIME: Duration = Duration::from_secs(10);
/// After a failed accept, such as for want of descriptors, this long is waited.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The address at the other end of the connection, an extension of each request. Behind a proxy it
/// is the proxy's: what a header claims about it proves nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// Whom the address counts for: a whole IPv4 address, 64 bits of an IPv6 address, whose other
    /// half each machine may choose (RFC 4291, section 2.5.4).
    pub(crate) fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

/// The bounds that tests set lower.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    per_address: usize,
    head: Duration,
    write: Duration,
    idle: Duration,
}

const BOUNDS: Bounds = Bounds {
    per_address: CONNECTIONS_PER_ADDRESS_MAX,
    head: HEAD_TIME,
    write: WRITE_TIME,
    idle: IDLE_TIME,
};

/// Serves until `stop` is ready, then lets requests under way end, for ten seconds at most.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    serve_within(BOUNDS, listener, router, stop).await;
}

async fn serve_within(
    bounds: Bounds,
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    let places = Places::new(CONNECTIONS_MAX, bounds.per_address);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok(Some(accepted)) => converse(accepted, bounds, router.clone(), &graceful),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the control plane could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
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
    peer: Peer,
    place: Place,
}

/// The next connection; none if its caller has too many, in which case it is closed.
async fn accept(listener: &TcpListener, places: &Places) -> io::Result<Option<Accepted>> {
    let room = places.room().await;
    let (stream, address) = listener.accept().await?;
    let peer = Peer(address.ip());
    let Some(place) = places.take(room, peer) else {
        tracing::debug!(peer = %peer.0, "a caller has too many connections to the control plane");
        return Ok(None);
    };
    stream.set_nodelay(true)?;
    Ok(Some(Accepted {
        stream,
        peer,
        place,
    }))
}

fn converse(accepted: Accepted, bounds: Bounds, router: Router, graceful: &GracefulShutdown) {
    let Accepted {
        stream,
        peer,
        place,
    } = accepted;
    let stream = Bounded::new(stream, bounds.write, bounds.idle);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the control plane ended early");
        }
        drop(place);
    });
}

#[cfg(test)]
mod tests;
