//! Fetches one document: resolve, check, connect, request, follow redirects, read; each step
//! bounded.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderMap};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use crate::address::{HostList, is_public};
use crate::tls;

/// Maximum addresses of one host that are tried.
const ADDRESSES_MAX: usize = 3;
/// Maximum bytes of a URL.
const URL_BYTES_MAX: usize = 2_048;
const HEAD_BYTES_MAX: usize = 32 * 1024;
const HEADERS_MAX: usize = 100;

/// Limits for one document.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the document.
    pub bytes_max: usize,
    /// Redirects.
    pub redirects_max: u32,
    /// Time for everything together.
    pub time: Duration,
}

impl Default for Limits {
    /// 16 MiB, 5 redirects, 30 seconds.
    fn default() -> Self {
        Self {
            bytes_max: 16 * 1024 * 1024,
            redirects_max: 5,
            time: Duration::from_secs(30),
        }
    }
}

/// A fetched document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its final URL, the base of relative references in it.
    pub url: String,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// The document.
    pub bytes: Bytes,
}

/// Why there is no document. The messages reveal nothing about forbidden networks.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Not an `http` or `https` URL, or one with credentials.
    #[error("{0:?} is not an http or https URL, or has a user name in it")]
    Url(String),
    /// The host has no allowed address.
    #[error("{0:?} has no address that may be connected to")]
    Refused(String),
    /// The host is unknown.
    #[error("{0:?} is not a known host")]
    Unknown(String),
    /// The connection failed.
    #[error("cannot connect to {host:?}")]
    Connect {
        /// The host.
        host: String,
        /// Why.
        source: std::io::Error,
    },
    /// Its certificate is not valid for it, or it does not support TLS.
    #[error("{host:?} cannot be trusted")]
    Tls {
        /// The host.
        host: String,
        /// Why.
        source: std::io::Error,
    },
    /// The response is not HTTP, or incomplete.
    #[error("{host:?} did not send a valid HTTP response")]
    Http {
        /// The host.
        host: String,
        /// Why.
        source: hyper::Error,
    },
    /// The response is not a document.
    #[error("{url} answered with status {status}")]
    Status {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
    },
    /// A redirect without a valid target, or from `https` to `http`.
    #[error("{0} redirects to a URL that is not allowed")]
    Redirect(String),
    /// More redirects than allowed.
    #[error("{0} redirects too many times")]
    Redirects(String),
    /// The document has an unrequested content coding.
    #[error("{0} has a content coding that was not requested")]
    Coding(String),
    /// The document is too large.
    #[error("{url} has more than {bytes_max} bytes")]
    TooLarge {
        /// The URL.
        url: String,
        /// The maximum.
        bytes_max: usize,
    },
    /// The time limit was exceeded.
    #[error("{url} took longer than {} s", .time.as_secs_f64())]
    TooSlow {
        /// The requested URL.
        url: String,
        /// The time limit.
        time: Duration,
    },
    /// The body is incomplete.
    #[error("{0} ended early")]
    Broken(String),
    /// The caller has no room for more of it.
    #[error("there is currently no room for {0}")]
    NoRoom(String),
}

/// A client that fetches documents.
#[derive(Debug, Clone)]
pub struct Fetcher {
    allowed: Arc<HostList>,
    tls: Arc<ClientConfig>,
}

impl Fetcher {
    /// Creates a fetcher that trusts the system's certificate authorities.
    #[must_use]
    pub fn new(allowed: HostList) -> Self {
        Self::trusting(allowed, tls::system_roots())
    }

    /// Creates a fetcher that trusts these certificate authorities.
    #[must_use]
    pub fn trusting(allowed: HostList, roots: Arc<RootCertStore>) -> Self {
        Self {
            allowed: Arc::new(allowed),
            tls: Arc::new(tls::client(roots)),
        }
    }

    /// Fetches a document. `take` is called with the size of each piece in bytes before it is
    /// buffered, and returns whether there is room.
    ///
    /// # Errors
    /// [`FetchError`] if there is no document.
    pub async fn get(
        &self,
        url: &str,
        limits: Limits,
        take: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<Fetched, FetchError> {
        let getting = self.follow(url, limits, take);
        let got = tokio::time::timeout(limits.time, getting).await;
        got.unwrap_or_else(|_| {
            Err(FetchError::TooSlow {
                url: url.to_owned(),
                time: limits.time,
            })
        })
    }

    async fn follow(
        &self,
        url: &str,
        limits: Limits,
        take: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<Fetched, FetchError> {
        let mut at = parse(url)?;
        for _ in 0..=limits.redirects_max {
            let response = self.request(&at).await?;
            let status = response.status();
            if !is_redirect(status) {
                return read_document(&at, response, limits.bytes_max, take).await;
            }
            let wrong = || FetchError::Redirect(at.to_string());
            let location = text(response.headers(), header::LOCATION).ok_or_else(wrong)?;
            let next = at.join(&location).map_err(|_| wrong())?;
            let next = parse(next.as_str()).map_err(|_| wrong())?;
            if at.scheme() == "https" && next.scheme() == "http" {
                return Err(wrong());
            }
            at = next;
        }
        Err(FetchError::Redirects(url.to_owned()))
    }

    /// Sends one request, over a connection of its own.
    async fn request(&self, url: &Url) -> Result<Response<Incoming>, FetchError> {
        let host = url.host().ok_or_else(|| FetchError::Url(url.to_string()))?;
        let name = host.to_string();
        let stream = self.connect(&host, url).await?;
        if url.scheme() == "http" {
            return send(stream, url, &name).await;
        }
        let untrusted = |source| FetchError::Tls {
            host: name.clone(),
            source,
        };
        let server = match &host {
            Host::Domain(domain) => ServerName::try_from((*domain).to_owned())
                .map_err(|error| untrusted(std::io::Error::other(error)))?,
            Host::Ipv4(address) => ServerName::from(IpAddr::from(*address)),
            Host::Ipv6(address) => ServerName::from(IpAddr::from(*address)),
        };
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let stream = connector.connect(server, stream).await.map_err(untrusted)?;
        send(stream, url, &name).await
    }

    /// Connects to a checked address of the host.
    async fn connect(&self, host: &Host<&str>, url: &Url) -> Result<TcpStream, FetchError> {
        let port = url.port_or_known_default().unwrap_or(80);
        let name = host.to_string();
        let found: Vec<SocketAddr> = match host {
            Host::Domain(domain) => tokio::net::lookup_host((*domain, port))
                .await
                .map_err(|_| FetchError::Unknown(name.clone()))?
                .collect(),
            Host::Ipv4(address) => vec![(IpAddr::from(*address), port).into()],
            Host::Ipv6(address) => vec![(IpAddr::from(*address), port).into()],
        };
        let permitted = found.into_iter().filter(|address| {
            is_public(address.ip()) || self.allowed.contains(&name, address.ip())
        });
        let mut failed = None;
        for address in permitted.take(ADDRESSES_MAX) {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = Some(error),
            }
        }
        Err(match failed {
            Some(source) => FetchError::Connect { host: name, source },
            None => FetchError::Refused(name),
        })
    }
}

fn parse(text: &str) -> Result<Url, FetchError> {
    let wrong = || FetchError::Url(text.chars().take(200).collect());
    if text.len() > URL_BYTES_MAX {
        return Err(wrong());
    }
    let mut url = Url::parse(text).map_err(|_| wrong())?;
    let is_http = matches!(url.scheme(), "http" | "https");
    if !is_http || url.host().is_none() || !url.username().is_empty() || url.password().is_some() {
        return Err(wrong());
    }
    url.set_fragment(None);
    Ok(url)
}

const fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    url: &Url,
    host: &str,
) -> Result<Response<Incoming>, FetchError> {
    let broken = |source| FetchError::Http {
        host: host.to_owned(),
        source,
    };
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    // Ends with the response's body, where errors are reported.
    tokio::spawn(async move { drop(connection.await) });
    let authority = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let request = Request::get(&url[url::Position::BeforePath..url::Position::AfterQuery])
        .header(header::HOST, authority)
        .header(header::ACCEPT, "*/*")
        .header(header::ACCEPT_ENCODING, "identity")
        .header(header::USER_AGENT, "tollgate")
        .header(header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .map_err(|_| FetchError::Url(url.to_string()))?;
    sender.send_request(request).await.map_err(broken)
}

async fn read_document(
    url: &Url,
    response: Response<Incoming>,
    bytes_max: usize,
    take: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Fetched, FetchError> {
    let (head, body) = response.into_parts();
    if head.status != StatusCode::OK {
        return Err(FetchError::Status {
            url: url.to_string(),
            status: head.status.as_u16(),
        });
    }
    let coding = text(&head.headers, header::CONTENT_ENCODING);
    if coding.is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
        return Err(FetchError::Coding(url.to_string()));
    }
    let mut body = Limited::new(body, bytes_max);
    // One buffer: the other side chooses how small the pieces are.
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            if error.is::<LengthLimitError>() {
                FetchError::TooLarge {
                    url: url.to_string(),
                    bytes_max,
                }
            } else {
                FetchError::Broken(url.to_string())
            }
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if !take(data.len()) {
            return Err(FetchError::NoRoom(url.to_string()));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Fetched {
        url: url.to_string(),
        content_type: text(&head.headers, header::CONTENT_TYPE),
        bytes: bytes.into(),
    })
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests;
