//! A small HTTP/1.1 client: one request, one response, nothing hidden.
//!
//! It follows no redirects, retries nothing and trusts the response's own framing (RFC 9112).

use std::fmt::Debug;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::secrets::{self, Seen};

/// Time limit of any response: longer than every timeout in the product's tests.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// A complete response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header fields in order; names in lower case.
    pub fields: Vec<(String, String)>,
    /// The body without chunk framing.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first field with this name (lower case), if any.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|(field, _)| field == name);
        field.map(|(_, value)| value.as_str())
    }

    pub(crate) fn seen(&self) -> Seen<'_> {
        Seen {
            status: self.status,
            fields: &self.fields,
            body: &self.body,
        }
    }

    /// The body as text; invalid UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; `Null` if it is not.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The code of a problem document (RFC 9457); empty for other responses.
    #[must_use]
    pub fn code(&self) -> String {
        let is_problem = self.field("content-type") == Some("application/problem+json");
        let code = self.json()["code"].as_str().unwrap_or_default().to_owned();
        if is_problem { code } else { String::new() }
    }

    /// Whether the connection ends with this response.
    #[must_use]
    pub fn closes(&self) -> bool {
        self.field("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Builds a request; `Host` and, with a body, `Content-Length` are added.
#[must_use]
pub fn request(method: &str, target: &str, fields: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for (name, value) in fields {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() || matches!(method, "POST" | "PUT" | "PATCH") {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A stream that a connection can use: TCP, or TLS over it.
pub trait Stream: AsyncRead + AsyncWrite + Debug + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Debug + Unpin + Send> Stream for S {}

/// A connection; its requests are answered in order.
#[derive(Debug)]
pub struct Connection {
    stream: Box<dyn Stream>,
    /// Bytes received after the last response.
    rest: Vec<u8>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// Fails if nothing listens there.
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream))
    }

    /// Uses an open stream.
    pub fn over(stream: impl Stream + 'static) -> Self {
        Self {
            stream: Box::new(stream),
            rest: Vec::new(),
        }
    }

    /// Sends bytes unchanged.
    ///
    /// # Errors
    /// Fails if the connection is broken.
    pub async fn send(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.stream.write_all(bytes).await?;
        // A TLS stream may have accepted bytes that it has not sent.
        Ok(self.stream.flush().await?)
    }

    /// Ends the sending direction; over TLS with an alert.
    ///
    /// # Errors
    /// Fails if the connection is broken.
    pub async fn finish(&mut self) -> anyhow::Result<()> {
        Ok(self.stream.shutdown().await?)
    }

    /// Sends a request and reads its response.
    ///
    /// # Errors
    /// Fails if the connection breaks, or the response is not HTTP or takes longer than 30 s.
    pub async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer> {
        self.send(request).await.context("sending")?;
        let is_bodiless = request.starts_with(b"HEAD ");
        let answer = tokio::time::timeout(ANSWER_TIME, self.answer(is_bodiless));
        answer.await.context("no answer in 30 s")?
    }

    /// Reads one response; `is_bodiless` for a response to HEAD. Interim responses (1xx) are
    /// skipped.
    ///
    /// # Errors
    /// Fails if the connection ends early or the response is not HTTP.
    pub async fn answer(&mut self, is_bodiless: bool) -> anyhow::Result<Answer> {
        loop {
            let end = self.head_end().await?;
            let head: Vec<u8> = self.rest.drain(..end).collect();
            let mut answer = parse_head(&head)?;
            if (100..200).contains(&answer.status) {
                continue;
            }
            if !(is_bodiless || matches!(answer.status, 204 | 304)) {
                answer.body = self.body(&answer).await?;
            }
            return Ok(answer);
        }
    }

    async fn head_end(&mut self) -> anyhow::Result<usize> {
        let mut searched = 0;
        loop {
            let from = &self.rest[searched..];
            if let Some(at) = from.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                return Ok(searched + at + 4);
            }
            searched = self.rest.len().saturating_sub(3);
            if !self.more().await? {
                bail!("closed after {} bytes of a head", self.rest.len());
            }
        }
    }

    async fn body(&mut self, answer: &Answer) -> anyhow::Result<Vec<u8>> {
        if let Some(length) = answer.field("content-length") {
            let length = length.parse().context("content-length")?;
            return self.take(length).await.context("body");
        }
        if answer.field("transfer-encoding").is_some() {
            return self.chunks().await.context("chunked body");
        }
        while self.more().await? {}
        Ok(std::mem::take(&mut self.rest))
    }

    async fn chunks(&mut self) -> anyhow::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line().await?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).context("chunk size")?;
            if size == 0 {
                while !self.line().await?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.take(size).await?);
            if self.take(2).await? != b"\r\n" {
                bail!("a chunk's data is longer than its size");
            }
        }
    }

    async fn line(&mut self) -> anyhow::Result<String> {
        loop {
            if let Some(at) = self.rest.windows(2).position(|bytes| bytes == b"\r\n") {
                let line = self.take(at + 2).await?;
                return Ok(String::from_utf8(line[..at].to_vec())?);
            }
            if !self.more().await? {
                bail!("closed within a line");
            }
        }
    }

    async fn take(&mut self, length: usize) -> anyhow::Result<Vec<u8>> {
        while self.rest.len() < length {
            if !self.more().await? {
                bail!("closed after {} of {length} bytes", self.rest.len());
            }
        }
        Ok(self.rest.drain(..length).collect())
    }

    /// Reads once; false at the end of the stream.
    async fn more(&mut self) -> anyhow::Result<bool> {
        Ok(self.stream.read_buf(&mut self.rest).await? > 0)
    }

    /// Reads up to the end of these bytes; what follows is kept for the next read.
    ///
    /// # Errors
    /// Fails if the other side closes before they arrive.
    pub async fn until(&mut self, end: &[u8]) -> anyhow::Result<Vec<u8>> {
        loop {
            let found = self.rest.windows(end.len()).position(|bytes| bytes == end);
            if let Some(at) = found {
                return self.take(at + end.len()).await;
            }
            if !self.more().await? {
                let seen = String::from_utf8_lossy(&self.rest);
                bail!("closed after {seen:?}");
            }
        }
    }

    /// Reads until the other side closes or is silent for `quiet`; returns whether it closed.
    pub async fn until_quiet(&mut self, quiet: Duration) -> (Vec<u8>, bool) {
        loop {
            match tokio::time::timeout(quiet, self.more()).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false) | Err(_)) => return (std::mem::take(&mut self.rest), true),
                Err(_) => return (std::mem::take(&mut self.rest), false),
            }
        }
    }
}

/// Sends one request on its own connection.
///
/// # Errors
/// Fails like [`Connection::open`] and [`Connection::exchange`].
pub async fn call(address: SocketAddr, request: &[u8]) -> anyhow::Result<Answer> {
    let answer = Connection::open(address).await?.exchange(request).await?;
    if let Some(secret) = secrets::shown(address, answer.seen()) {
        bail!("a refusal shows {secret:?}: {}", answer.text());
    }
    Ok(answer)
}

fn parse_head(head: &[u8]) -> anyhow::Result<Answer> {
    let text = std::str::from_utf8(head).context("the head is not text")?;
    let mut lines = text.trim_end().split("\r\n");
    let status_line = lines.next().unwrap_or_default();
    let status = status_line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .ok_or_else(|| anyhow!("not a status line: {status_line:?}"))?;
    let fields = lines.map(|line| {
        let (name, value) = line.split_once(':').context("a field without a colon")?;
        Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    Ok(Answer {
        status,
        fields: fields.collect::<anyhow::Result<_>>()?,
        body: Vec::new(),
    })
}
