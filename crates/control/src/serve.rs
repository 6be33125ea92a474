//! The control plane's listener: HTTP/1.1 on a socket, with a bound on connections and on the time
//! that a head may take, until it is told to stop.
//!
//! `axum::serve` has neither bound, which is why it is not used.

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at a time; more wait in the listener's backlog.
const CONNECTIONS_MAX: usize = 1_024;
/// How long a head may take to arrive; an idle connection is closed after it, too.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long requests under way may take once told to stop.
const DRAIN_TIME: Duration = Duration::from_secs(10);
/// After a failed accept, such as for want of descriptors, this long is waited.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The address at the other end of the connection, an extension of each request. Behind a proxy it
/// is the proxy's: what a header claims about it proves nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Serves until `stop` is ready, then lets requests under way end, for ten seconds at most.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok(accepted) => converse(accepted, router.clone(), &graceful),
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
    place: OwnedSemaphorePermit,
}

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> io::Result<Accepted> {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.map_err(io::Error::other)?;
    let (stream, address) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let peer = Peer(address.ip());
    Ok(Accepted {
        stream,
        peer,
        place,
    })
}

fn converse(accepted: Accepted, router: Router, graceful: &GracefulShutdown) {
    let Accepted {
        stream,
        peer,
        place,
    } = accepted;
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
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
