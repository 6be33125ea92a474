//! The control plane's listener: HTTP/1.1 on a socket, with a bound on connections and on the time
//! that a head may take, until it is told to stop.
//!
//! `axum::serve` has neither bound, which is why it is not used.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
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
            Ok((stream, place)) => converse(stream, place, router.clone(), &graceful),
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

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, place))
}

fn converse(
    stream: TcpStream,
    place: OwnedSemaphorePermit,
    router: Router,
    graceful: &GracefulShutdown,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
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
