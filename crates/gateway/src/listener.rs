//! `listener`: accepts connections, with TLS on HTTPS listeners, and reads request heads. It knows
//! nothing of APIs.

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
use crate::request::walkers::{Visit, Walkers};
use crate::wire::connection::CallerConnection;
use crate::wire::peer::{Arrival, Peer};
use crate::wire::stream::{CallerStream, bound_unsent};
use crate::worker::warnings::chain;
use crate::worker::{Present, Worker};

const BACKLOG: i32 = 4_096;
/// How long accepting pauses when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Checks that an address is free; returns it, with a free port in place of port 0.
///
/// Workers share their port (`SO_REUSEPORT`), so a second process of the same user could bind it
/// too; the probing socket does not share, so its bind fails. It never listens, since a connection
/// that it accepted would not be served.
///
/// # Errors
/// The address is in use or not local.
pub fn probe(address: SocketAddr) -> io::Result<SocketAddr> {
    let probe = socket(address)?;
    // Lingering connections of an earlier process do not count; listening sockets do.
    probe.set_reuse_address(true)?;
    probe.bind(&address.into())?;
    Ok(probe.local_addr()?.as_socket().unwrap_or(address))
}

/// Binds one socket per worker to an address. Until [`listen`] is called, the system refuses
/// connections to it.
pub(crate) fn reserve(address: SocketAddr, workers: usize) -> io::Result<Vec<Socket>> {
    let chosen = probe(address)?;
    let bind = |_| {
        let socket = socket(chosen)?;
        // Not SO_REUSEADDR yet, or the probe of another process would find the port free.
        socket.set_reuse_port(true)?;
        socket.bind(&chosen.into())?;
        Ok(socket)
    };
    (0..workers).map(bind).collect()
}

/// Starts listening; connections wait until [`accept`].
pub(crate) fn listen(socket: Socket) -> io::Result<std::net::TcpListener> {
    // Connections inherit both. Those that outlive this process must not make the port look taken.
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

/// A listener of one worker.
#[derive(Debug)]
pub(crate) struct Listener {
    tcp: TcpListener,
    /// The TLS configuration of an HTTPS listener.
    tls: Option<Arc<ServerConfig>>,
    entrance: Entrance,
}

/// What the connections of a listener have in common.
#[derive(Debug, Clone)]
struct Entrance {
    arrival: Arrival,
    walkers: Rc<Walkers>,
}

impl Listener {
    /// Creates the listener at an address, of HTTPS if it has a TLS configuration.
    pub(crate) fn new(
        tcp: TcpListener,
        address: SocketAddr,
        tls: Option<Arc<ServerConfig>>,
    ) -> Self {
        let scheme = match tls {
            None => UriScheme::Http,
            Some(_) => UriScheme::Https,
        };
        let entrance = Entrance {
            arrival: Arrival { scheme, address },
            walkers: Rc::default(),
        };
        Self { tcp, tls, entrance }
    }
}

/// Accepts connections until dropped.
pub(crate) async fn accept(listener: Rc<Listener>, worker: Rc<Worker>) {
    loop {
        match listener.tcp.accept().await {
            Ok((stream, peer)) => {
                let tls = listener.tls.as_ref();
                start_connection(stream, peer, tls, &listener.entrance, &worker);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Accepts the connections that are already waiting, then closes the listener, which would reset
/// them.
pub(crate) fn accept_last(listener: Listener, worker: &Rc<Worker>) -> io::Result<()> {
    let Listener { tcp, tls, entrance } = listener;
    let tcp = tcp.into_std()?;
    for _ in 0..BACKLOG {
        let Ok((stream, peer)) = tcp.accept() else {
            break;
        };
        stream.set_nonblocking(true)?;
        let stream = TcpStream::from_std(stream)?;
        start_connection(stream, peer, tls.as_ref(), &entrance, worker);
    }
    Ok(())
}

fn start_connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<&Arc<ServerConfig>>,
    entrance: &Entrance,
    worker: &Rc<Worker>,
) {
    let present = match worker.begin_connection(peer.ip()) {
        Ok(present) => present,
        Err(full) => return reject_connection(&stream, peer.ip(), tls.is_some(), full, worker),
    };
    // Otherwise small responses would wait for the caller's acknowledgements.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    match tls {
        None => {
            let peer = Peer::new(peer.ip(), entrance.arrival, &worker.settings);
            let stream = CallerStream::Plain(stream.into());
            let visit = visit(stream, peer, worker.timer.deadline(), worker);
            let walkers = Rc::clone(&entrance.walkers);
            tokio::task::spawn_local(serve_connection(visit, present, walkers));
        }
        Some(tls) => {
            let handshaken = handshake(
                stream,
                peer.ip(),
                Arc::clone(tls),
                entrance.clone(),
                present,
            );
            tokio::task::spawn_local(handshaken);
        }
    }
}

/// Boxed, since a walker takes it over for each request.
fn visit(stream: CallerStream, peer: Peer, deadline: Deadline, worker: &Rc<Worker>) -> Box<Visit> {
    let settings = &worker.settings;
    let bounds = Bounds {
        head_bytes_max: settings.head_bytes_max,
        fields_max: settings.fields_max,
        target_bytes_max: settings.target_bytes_max,
    };
    let (pool, times) = (&worker.buffer_pool, settings.times());
    Box::new(Visit {
        connection: CallerConnection::new(stream, pool, deadline, bounds, times),
        peer,
        worker: Rc::clone(worker),
    })
}

/// Performs a caller's TLS handshake within its timeout, then serves the connection.
async fn handshake(
    stream: TcpStream,
    peer: IpAddr,
    tls: Arc<ServerConfig>,
    entrance: Entrance,
    present: Present,
) {
    let worker = present.worker();
    let deadline = worker.timer.deadline();
    deadline.set(worker.settings.handshake_timeout);
    let place = &present.place;
    place.serve_by(&waker().await);
    let accepted = {
        // A shutdown waits for it, as for an exchange.
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
            let peer = Peer::new(peer, entrance.arrival, &worker.settings);
            let visit = visit(stream, peer, deadline, worker);
            let served = serve_connection(visit, present, entrance.walkers);
            tokio::task::spawn_local(served);
        }
        // It was already counted as closed for another connection.
        Err(_) if place.is_closed() => {}
        Err(error) => {
            let last = format!("{}: {}", peer.to_canonical(), chain(&error));
            worker.failed_handshakes.count(last);
            worker.count_unrecorded(|counts| counts.handshakes += 1);
        }
    }
}

/// Rejects a connection beyond the limits, without waiting.
fn reject_connection(stream: &TcpStream, peer: IpAddr, is_tls: bool, full: Full, worker: &Worker) {
    let peer = peer.to_canonical();
    let (detail, last) = match full {
        Full::Address(count) => (
            format!("The address {peer} already has {count} connections, the maximum."),
            format!("{peer}, which has {count} (gateway.connections_per_address_max)"),
        ),
        Full::All => (
            "All connections are in use.".to_owned(),
            format!("{peer}, as all connections are in use (gateway.connections_max)"),
        ),
    };
    worker.refused_connections.count(last);
    worker.count_unrecorded(|counts| counts.connections += 1);
    if is_tls {
        // Nothing can be sent without a handshake.
        return;
    }
    let refused = Refused::because(Refusal::Connections, detail);
    // If the write fails, the closed connection signals the refusal.
    drop(stream.try_write(&last_answer(&refused, worker)));
}

/// Waits for the next request's head, at most until another connection has taken the place.
async fn next_request(
    connection: &mut CallerConnection,
    place: &Place,
    idle: Duration,
    worker: &Worker,
) -> Result<(), NoRequest> {
    let head = worker.settings.header_timeout;
    let mut next = pin!(connection.next(idle, head, async || worker.turn().await));
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

/// Serves the requests of one connection in order.
async fn serve_connection(mut visit: Box<Visit>, present: Present, walkers: Rc<Walkers>) {
    let worker = present.worker();
    let (settings, place) = (&worker.settings, &present.place);
    place.serve_by(&waker().await);
    let mut idle = settings.header_timeout;
    for served in 1.. {
        let refused = match next_request(&mut visit.connection, place, idle, worker).await {
            Ok(()) => {
                let busy = worker.busy();
                let next;
                (visit, next) = walkers.serve(visit, served).await;
                drop(busy);
                idle = settings.keep_alive_timeout;
                match next {
                    Next::Request => {
                        place.end();
                        continue;
                    }
                    Next::Close => break,
                    Next::Abort => return visit.connection.abort(),
                }
            }
            Err(NoRequest::Idle) => return,
            Err(NoRequest::HeadTime) => Refusal::HeadTime.into(),
            Err(NoRequest::Malformed(malformed)) => Refused::malformed(malformed),
        };
        // A connection that is being closed keeps its place until then.
        if !place.begin() {
            return;
        }
        worker.count_unrecorded(|counts| counts.malformed += 1);
        send_refusal(&mut visit.connection, worker, &refused).await;
        break;
    }
    visit.connection.close().await;
}

/// Returns the waker of the current task.
async fn waker() -> Waker {
    poll_fn(|context| Poll::Ready(context.waker().clone())).await
}

/// Responds to input that is not a valid request.
async fn send_refusal(connection: &mut CallerConnection, worker: &Worker, refused: &Refused) {
    let out = last_answer(refused, worker);
    // The connection ends now, whether or not the caller reads the response.
    let written = connection.write(&out, worker.settings.header_timeout);
    drop(written.await);
}

#[cfg(test)]
mod tests;
