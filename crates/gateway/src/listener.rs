//! `listener`: takes connections, TLS where it is spoken, and reads the heads of their requests; it
//! knows nothing of APIs.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use rustls::ServerConfig;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tollgate_http1::deadline::Deadline;
use tollgate_http1::parse::Bounds;
use tollgate_http1::server::NoRequest;
use tollgate_model::refusal::Refusal;
use tollgate_model::scheme::UriScheme;

use crate::exchange::Next;
use crate::exchange::answer::last_answer;
use crate::places::{Full, Place};
use crate::refusal::Refused;
use crate::request;
use crate::wire::connection::CallerConnection;
use crate::wire::peer::{Arrival, Peer};
use crate::wire::stream::{CallerStream, bound_unsent};
use crate::worker::warnings::chain;
use crate::worker::{Present, Worker};

const BACKLOG: i32 = 4_096;
/// How long accepting pauses when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Tells whether an address is free: the address, with a free port in place of port 0.
///
/// Workers share their port (`SO_REUSEPORT`), so a second process of the same user could slip in
/// beside the first; the socket that probes does not share, and cannot. It never listens, since a
/// connection that it would take is one that nobody serves.
///
/// # Errors
/// The address is taken or is not this machine's.
pub fn probe(address: SocketAddr) -> io::Result<SocketAddr> {
    let probe = socket(address)?;
    // Connections of an earlier process that linger do not count, sockets that listen do.
    probe.set_reuse_address(true)?;
    probe.bind(&address.into())?;
    Ok(probe.local_addr()?.as_socket().unwrap_or(address))
}

/// One socket for each worker, bound to one address. Until they [`listen`] the system refuses
/// connections to it.
pub(crate) fn reserve(address: SocketAddr, workers: usize) -> io::Result<Vec<Socket>> {
    let chosen = probe(address)?;
    let bind = |_| {
        let socket = socket(chosen)?;
        // Not SO_REUSEADDR yet: the probe of another process would find the port free.
        socket.set_reuse_port(true)?;
        socket.bind(&chosen.into())?;
        Ok(socket)
    };
    (0..workers).map(bind).collect()
}

/// Begins to take connections; they wait until [`accept`].
pub(crate) fn listen(socket: Socket) -> io::Result<std::net::TcpListener> {
    // Connections inherit both. Those that linger when this process is gone must not look taken.
    socket.set_reuse_address(true)?;
    bound_unsent(&SockRef::from(&socket));
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let domain = Domain::for_address(address);
    Socket::new(domain, Type::STREAM, Some(Protocol::TCP))
}

/// One listener of a worker.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) tcp: TcpListener,
    /// Where it is.
    pub(crate) address: SocketAddr,
    /// How TLS is spoken, where it is.
    pub(crate) tls: Option<Arc<ServerConfig>>,
}

/// Takes connections until it is dropped.
pub(crate) async fn accept(listener: Rc<Listener>, worker: Rc<Worker>) {
    loop {
        match listener.tcp.accept().await {
            Ok((stream, peer)) => {
                take(
                    stream,
                    peer,
                    (listener.address, listener.tls.as_ref()),
                    &worker,
                );
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Takes the connections that wait already, then closes the listener, which would reset them.
pub(crate) fn accept_last(listener: Listener, worker: &Rc<Worker>) -> io::Result<()> {
    let Listener { tcp, address, tls } = listener;
    let tcp = tcp.into_std()?;
    for _ in 0..BACKLOG {
        let Ok((stream, peer)) = tcp.accept() else {
            break;
        };
        stream.set_nonblocking(true)?;
        let stream = TcpStream::from_std(stream)?;
        take(stream, peer, (address, tls.as_ref()), worker);
    }
    Ok(())
}

fn take(
    stream: TcpStream,
    peer: SocketAddr,
    (address, tls): (SocketAddr, Option<&Arc<ServerConfig>>),
    worker: &Rc<Worker>,
) {
    let present = match worker.begin_connection(peer.ip()) {
        Ok(present) => present,
        Err(full) => return turn_away((&stream, peer.ip()), tls.is_some(), full, worker),
    };
    // Without it small answers would wait for the caller's acknowledgements.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let worker = Rc::clone(worker);
    match tls {
        None => {
            let arrival = Arrival {
                scheme: UriScheme::Http,
                address,
            };
            let peer = Peer::new(peer.ip(), arrival, &worker.settings);
            let deadline = worker.timer.deadline();
            let stream = CallerStream::Plain(stream);
            tokio::task::spawn_local(converse(stream, peer, (deadline, present), worker));
        }
        Some(tls) => {
            let tls = (address, Arc::clone(tls));
            let handshaken = handshake(stream, peer, tls, (present, worker));
            tokio::task::spawn_local(handshaken);
        }
    }
}

/// Answers a caller's TLS handshake, within its time, and serves what comes after it.
async fn handshake(
    stream: TcpStream,
    peer: SocketAddr,
    (address, tls): (SocketAddr, Arc<ServerConfig>),
    (present, worker): (Present, Rc<Worker>),
) {
    let deadline = worker.timer.deadline();
    deadline.set(worker.settings.handshake_timeout);
    let place = &present.place;
    place.serve_by(&waker().await);
    let accepted = {
        // At a stop it is waited for, as for an exchange.
        let _busy = worker.busy();
        let mut accepting = pin!(CallerStream::accept(stream, &tls, &worker.buffer_pool));
        poll_fn(|context| match accepting.as_mut().poll(context) {
            Poll::Pending if place.is_closed() => {
                Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
            }
            Poll::Pending => {
                let due = deadline.poll_due(context);
                due.map(|_| Err(io::ErrorKind::TimedOut.into()))
            }
            ready => ready,
        })
        .await
    };
    match accepted {
        Ok(stream) => {
            let arrival = Arrival {
                scheme: UriScheme::Https,
                address,
            };
            let peer = Peer::new(peer.ip(), arrival, &worker.settings);
            tokio::task::spawn_local(converse(stream, peer, (deadline, present), worker));
        }
        // It was counted as one that gave way.
        Err(_) if place.is_closed() => {}
        Err(error) => {
            let last = format!("{}: {}", peer.ip().to_canonical(), chain(&error));
            worker.failed_handshakes.count(last);
        }
    }
}

/// Reports that there are too many connections, without waiting for anything.
fn turn_away((stream, peer): (&TcpStream, IpAddr), is_tls: bool, full: Full, worker: &Worker) {
    let peer = peer.to_canonical();
    let (detail, last) = match full {
        Full::Address(count) => (
            format!("The address {peer} has {count} connections; it may have no more."),
            format!("{peer}, which has {count} (gateway.connections_per_address_max)"),
        ),
        Full::All => (
            "All connections are busy with calls.".to_owned(),
            format!("{peer}, as calls use all that there may be (gateway.connections_max)"),
        ),
    };
    worker.refused_connections.count(last);
    if is_tls {
        // Nothing can be sent without a handshake.
        return;
    }
    let refused = Refused::because(Refusal::Connections, detail);
    // If the write fails, the closed connection signals the refusal.
    drop(stream.try_write(&last_answer(&refused, worker)));
}

/// Waits for the next request's head; at most until another connection has taken the place.
async fn next(
    connection: &mut CallerConnection,
    place: &Place,
    (idle, head): (Duration, Duration),
) -> Result<(), NoRequest> {
    let mut next = pin!(connection.next(idle, head));
    let came = poll_fn(|context| {
        if place.is_closed() {
            return Poll::Ready(Err(NoRequest::Idle));
        }
        next.as_mut().poll(context)
    });
    came.await?;
    if place.begin() {
        Ok(())
    } else {
        Err(NoRequest::Idle)
    }
}

/// Serves the requests of one connection, in their order.
async fn converse(
    stream: CallerStream,
    peer: Peer,
    (deadline, present): (Deadline, Present),
    worker: Rc<Worker>,
) {
    let (settings, place) = (&worker.settings, &present.place);
    place.serve_by(&waker().await);
    let bounds = Bounds {
        head_bytes_max: settings.head_bytes_max,
        fields_max: settings.fields_max,
        target_bytes_max: settings.target_bytes_max,
    };
    let mut connection = {
        let bounds = (bounds, settings.times());
        CallerConnection::new(stream, &worker.buffer_pool, deadline, bounds)
    };
    let mut idle = settings.header_timeout;
    for served in 1.. {
        let times = (idle, settings.header_timeout);
        let refused = match next(&mut connection, place, times).await {
            Ok(()) => {
                let busy = worker.busy();
                let next = request::serve(&mut connection, &worker, &peer, served).await;
                drop(busy);
                idle = settings.keep_alive_timeout;
                match next {
                    Next::Request => {
                        place.end();
                        continue;
                    }
                    Next::Close => break,
                    Next::Abort => return connection.abort(),
                }
            }
            Err(NoRequest::Idle) => return,
            Err(NoRequest::HeadTime) => Refusal::HeadTime.into(),
            Err(NoRequest::Malformed(malformed)) => Refused::malformed(malformed),
        };
        // A connection that is being closed keeps its place until it is.
        if !place.begin() {
            return;
        }
        refuse(&mut connection, &worker, &refused).await;
        break;
    }
    connection.close().await;
}

/// The waker of the task that calls it.
async fn waker() -> Waker {
    poll_fn(|context| Poll::Ready(context.waker().clone())).await
}

/// Answers what was not even a request.
async fn refuse(connection: &mut CallerConnection, worker: &Worker, refused: &Refused) {
    let out = last_answer(refused, worker);
    // The connection ends now, whether the caller took the answer or not.
    let written = connection.write(&out, worker.settings.header_timeout);
    drop(written.await);
}

#[cfg(test)]
mod tests;
