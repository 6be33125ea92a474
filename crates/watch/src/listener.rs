//! The listener of operators' tools: `GET /metrics`, `/healthz` and `/readyz`, nothing else,
//! without authentication.
//!
//! It accepts a bounded number of connections at a time, and has fewer pages of metrics in memory;
//! more wait. A connection is for one request, and has little time, so that slow or silent ones
//! soon make room.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::page::{Format, Page};

/// Maximum number of connections at a time.
const CONNECTIONS_MAX: usize = 256;
/// Maximum number of connections at a time that get metrics.
const PAGES_MAX: usize = 16;
/// Maximum bytes of a request head.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// The bounds in time of the listener; tests lower them.
const TIMES: Times = Times {
    head: Duration::from_secs(3),
    connection: Duration::from_secs(15),
};
/// Pause after a failed accept, for example when file descriptors have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Maximum times of a connection.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// Until a head has arrived.
    head: Duration,
    /// Until the response is read.
    connection: Duration,
}

/// The content of the responses.
pub trait Source: Send + Sync + 'static {
    /// Writes every family.
    fn write(&self, page: &mut Page) -> impl Future<Output = ()> + Send;

    /// Checks that the process serves.
    ///
    /// # Errors
    /// Returns the reason in one sentence if it does not.
    fn ready(&self) -> impl Future<Output = Result<(), String>> + Send;
}

/// The time when metrics were last read. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Scrapes(Arc<AtomicI64>);

impl Scrapes {
    /// When they were last read, Unix microseconds; `None` if never.
    #[must_use]
    pub fn last_us(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&it| it > 0)
    }

    fn note(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_us = now.map_or(0, |it| it.as_micros());
        let now_us = i64::try_from(now_us).unwrap_or(i64::MAX);
        self.0.store(now_us, Ordering::Relaxed);
    }
}

/// What the connections share.
struct Shared<S> {
    source: S,
    scrapes: Scrapes,
    /// Locked while a page is written, so that many scrapers at once do not occupy every slow
    /// thread.
    writing: Mutex<()>,
    /// The room for pages in memory.
    pages: Arc<Semaphore>,
}

/// The room for a page that a connection has, until the connection ends.
type PageRoom = Arc<Mutex<Option<OwnedSemaphorePermit>>>;

/// Serves until the future is dropped.
pub async fn serve<S: Source>(listener: TcpListener, source: S, scrapes: Scrapes) {
    serve_within(TIMES, listener, source, scrapes).await;
}

async fn serve_within<S: Source>(times: Times, listener: TcpListener, source: S, scrapes: Scrapes) {
    let shared = Arc::new(Shared {
        source,
        scrapes,
        writing: Mutex::default(),
        pages: Arc::new(Semaphore::new(PAGES_MAX)),
    });
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    let served = serve_connection(stream, shared, times.head);
                    // A slower one is closed.
                    let _ = timeout(times.connection, served).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "watch.listen: a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection<S: Source>(
    stream: TcpStream,
    shared: Arc<Shared<S>>,
    head_time: Duration,
) {
    let room = PageRoom::default();
    let service = service_fn(move |request| {
        let (shared, room) = (Arc::clone(&shared), Arc::clone(&room));
        async move { Ok::<_, Infallible>(answer(&request, &shared, &room).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEAD_BYTES_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // Errors are the client's: it left, or sent no HTTP/1.1.
    let _ = connection.await;
}

async fn answer<S: Source>(
    request: &Request<Incoming>,
    shared: &Shared<S>,
    room: &PageRoom,
) -> Response<Full<Bytes>> {
    let path = request.uri().path();
    if !matches!(path, "/metrics" | "/healthz" | "/readyz") {
        let text = "not found: /metrics, /healthz and /readyz are\n";
        return text_answer(StatusCode::NOT_FOUND, text.to_owned());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "only GET and HEAD\n".to_owned();
        let mut answer = text_answer(StatusCode::METHOD_NOT_ALLOWED, text);
        let allowed = HeaderValue::from_static("GET, HEAD");
        answer.headers_mut().insert(ALLOW, allowed);
        return answer;
    }
    match path {
        "/metrics" => {
            *room.lock().await = Arc::clone(&shared.pages).acquire_owned().await.ok();
            metrics(request, shared).await
        }
        "/readyz" => match shared.source.ready().await {
            Ok(()) => text_answer(StatusCode::OK, "ok\n".to_owned()),
            Err(reason) => text_answer(StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
        },
        _ => text_answer(StatusCode::OK, "ok\n".to_owned()),
    }
}

async fn metrics<S: Source>(
    request: &Request<Incoming>,
    shared: &Shared<S>,
) -> Response<Full<Bytes>> {
    let accepted = request.headers().get_all(ACCEPT).iter();
    let accepted: Vec<_> = accepted.filter_map(|it| it.to_str().ok()).collect();
    let format = Format::preferred(&accepted.join(","));
    let mut page = Page::new(format);
    {
        let _writing = shared.writing.lock().await;
        shared.source.write(&mut page).await;
    }
    if *request.method() == Method::GET {
        shared.scrapes.note();
    }
    let mut answer = text_answer(StatusCode::OK, page.finish());
    let content_type = HeaderValue::from_static(format.content_type());
    answer.headers_mut().insert(CONTENT_TYPE, content_type);
    answer
}

fn text_answer(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::from(text));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, TEXT);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(HeaderName::from_static("x-content-type-options"), nosniff);
    answer
}

/// Returns the warning for an address that other networks may reach, where the names of all APIs
/// can be read.
#[must_use]
pub fn exposure_warning(address: SocketAddr) -> Option<String> {
    let ip = address.ip().to_canonical();
    let is_inside = match ip {
        std::net::IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        std::net::IpAddr::V6(ip) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
    };
    (!is_inside).then(|| {
        format!(
            "watch.listen is {address}: anyone who can connect to it can read the names of all \
             APIs, published or not, and how they are used"
        )
    })
}

#[cfg(test)]
mod tests;
