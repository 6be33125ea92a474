//! A back end that responds, hangs or breaks off, and keeps everything it received, byte for byte.
//!
//! It runs on its own thread until it is dropped.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Bytes kept of one connection; further bytes are dropped.
const KEPT_BYTES_MAX: usize = 1 << 20;
/// Connections of which bytes are kept.
const KEPT_CONNECTIONS_MAX: usize = 1_000;

/// How the back end handles a request.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Sends these bytes for each request and keeps the connection.
    Answer(Arc<[u8]>),
    /// Responds with 200, the request's body, and its request line in `X-Echo`.
    Echo,
    /// Responds with 200 and the request's head as the body.
    Mirror,
    /// Waits this long before it responds with these bytes.
    Late(Duration, Arc<[u8]>),
    /// Reads the request and never responds.
    Hang,
    /// Sends these bytes repeatedly, at this interval, and nothing else.
    Repeat(Duration, Arc<[u8]>),
    /// Sends these bytes in pieces of this size, at this interval, and keeps the connection.
    Pieces(Duration, usize, Arc<[u8]>),
    /// Sends these bytes and closes, whatever they announced.
    BreakOff(Arc<[u8]>),
    /// Reads the request and resets the connection.
    Reset,
}

impl Behaviour {
    /// A 200 with this text.
    #[must_use]
    pub fn text(body: &str) -> Self {
        Self::Answer(answer(body.as_bytes(), "Content-Type: text/plain\r\n"))
    }
}

/// Builds a 200 with this body and these header lines (each with its CRLF).
#[must_use]
pub fn answer(body: &[u8], fields: &str) -> Arc<[u8]> {
    let head = format!(
        "HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat().into()
}

/// The running back end.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    /// Dropping it ends the thread.
    _stop: oneshot::Sender<()>,
}

#[derive(Debug)]
struct Shared {
    behaviour: Behaviour,
    /// The bytes received on each connection.
    received: Vec<Vec<u8>>,
    requests: u64,
}

impl Upstream {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// Fails if no port or thread is free.
    pub fn start(behaviour: Behaviour) -> anyhow::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Mutex::new(Shared {
            behaviour,
            received: Vec::new(),
            requests: 0,
        }));
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("upstream".into());
        thread.spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = serve(listener, served) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self {
            address,
            shared,
            _stop: stop,
        })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as an upstream's URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes the behaviour from the next request on.
    pub fn behave(&self, behaviour: Behaviour) {
        self.shared().behaviour = behaviour;
    }

    /// The number of complete requests so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared().requests
    }

    /// Every received byte, one entry for each connection.
    #[must_use]
    pub fn received(&self) -> Vec<Vec<u8>> {
        self.shared().received.clone()
    }

    /// Forgets the bytes and requests so far.
    pub fn forget(&self) {
        let mut shared = self.shared();
        shared.received.iter_mut().for_each(Vec::clear);
        shared.requests = 0;
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }
}

/// An address of this machine on which nothing listens.
///
/// # Errors
/// Fails if no port is free.
pub fn refusing() -> anyhow::Result<SocketAddr> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: std::net::TcpListener, shared: Arc<Mutex<Shared>>) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            // A caller that leaves is not an error of the back end.
            let _ = connection(stream, &shared).await;
        });
    }
}

async fn connection(mut stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let place = {
        let mut shared = lock(shared);
        let is_kept = shared.received.len() < KEPT_CONNECTIONS_MAX;
        is_kept.then(|| {
            shared.received.push(Vec::new());
            shared.received.len() - 1
        })
    };
    let mut rest = Vec::new();
    loop {
        let Some(length) = message_length(&rest) else {
            let before = rest.len();
            if stream.read_buf(&mut rest).await? == 0 {
                return Ok(());
            }
            keep(shared, place, &rest[before..]);
            continue;
        };
        let request: Vec<u8> = rest.drain(..length).collect();
        let behaviour = {
            let mut shared = lock(shared);
            shared.requests += 1;
            shared.behaviour.clone()
        };
        match behaviour {
            Behaviour::Answer(bytes) => stream.write_all(&bytes).await?,
            Behaviour::Echo => stream.write_all(&echo(&request)).await?,
            Behaviour::Mirror => stream.write_all(&answer(head(&request), "")).await?,
            Behaviour::Late(time, bytes) => {
                tokio::time::sleep(time).await;
                stream.write_all(&bytes).await?;
            }
            Behaviour::Hang => std::future::pending().await,
            Behaviour::Repeat(time, bytes) => loop {
                stream.write_all(&bytes).await?;
                tokio::time::sleep(time).await;
            },
            Behaviour::Pieces(time, size, bytes) => {
                for piece in bytes.chunks(size) {
                    stream.write_all(piece).await?;
                    tokio::time::sleep(time).await;
                }
            }
            Behaviour::BreakOff(bytes) => {
                stream.write_all(&bytes).await?;
                return stream.shutdown().await;
            }
            Behaviour::Reset => return stream.set_zero_linger(),
        }
    }
}

fn keep(shared: &Mutex<Shared>, place: Option<usize>, bytes: &[u8]) {
    let mut shared = lock(shared);
    let Some(kept) = place.and_then(|place| shared.received.get_mut(place)) else {
        return;
    };
    let room = KEPT_BYTES_MAX.saturating_sub(kept.len());
    kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// The request line and the field lines of a request.
fn head(request: &[u8]) -> &[u8] {
    let end = find(request, b"\r\n\r\n").map_or(request.len(), |at| at + 2);
    &request[..end]
}

fn echo(request: &[u8]) -> Vec<u8> {
    let head_end = find(request, b"\r\n\r\n").unwrap_or(request.len());
    let line_end = find(request, b"\r\n").unwrap_or(0);
    let line = String::from_utf8_lossy(&request[..line_end]).into_owned();
    let body = &request[(head_end + 4).min(request.len())..];
    answer(body, &format!("X-Echo: {line}\r\n")).to_vec()
}

/// The length of the first request in `bytes`, once it is complete.
fn message_length(bytes: &[u8]) -> Option<usize> {
    let head_end = find(bytes, b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..head_end]).to_ascii_lowercase();
    if head.contains("\r\ntransfer-encoding:") {
        return Some(head_end + chunked_length(&bytes[head_end..])?);
    }
    let length = head.split("\r\ncontent-length:").nth(1);
    let length = length.and_then(|rest| rest.split("\r\n").next()?.trim().parse().ok());
    let whole = head_end + length.unwrap_or(0);
    (bytes.len() >= whole).then_some(whole)
}

/// The length of a chunked body with its trailers, once it is complete.
fn chunked_length(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let line_end = at + find(&body[at..], b"\r\n")?;
        let line = String::from_utf8_lossy(&body[at..line_end]);
        let size = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(line_end + find(&body[line_end..], b"\r\n\r\n")? + 4);
        }
        at = line_end + 2 + size + 2;
        if at > body.len() {
            return None;
        }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|it| it == needle)
}
