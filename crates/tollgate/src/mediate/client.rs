//! A request to the control plane's HTTP API, on a connection of its own.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use rustls::{ClientConnection, StreamOwned};
use serde_json::Value;
use tollgate_fetch::tls;

use super::print;

/// Maximum time of each step of the exchange.
const TIME: Duration = Duration::from_secs(30);
/// Maximum bytes of a response: 128 steps with 128 KiB each, and two messages of 10 MiB, which JSON
/// may make six times as long.
const ANSWER_BYTES_MAX: u64 = 256 << 20;

/// A control plane.
pub(super) struct Server<'s> {
    /// Its address, `http` or `https`.
    pub(super) url: &'s str,
    /// File with the authorities trusted for its certificate; by default those of the system.
    pub(super) ca: Option<PathBuf>,
    /// An access token.
    pub(super) token: &'s str,
}

impl Server<'_> {
    /// Sends a POST with a JSON body, and returns the body of its response.
    pub(super) fn post(&self, path: &str, body: &[u8]) -> anyhow::Result<Value> {
        let not_an_address = || format!("{} is not an http or https address", self.url);
        let (scheme, rest) = self.url.split_once("://").with_context(not_an_address)?;
        let authority = rest.trim_end_matches('/');
        let (port, is_https) = match scheme {
            "http" => (80, false),
            "https" => (443, true),
            _ => bail!(not_an_address()),
        };
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"/?#@".contains(&byte);
        let is_token = self.token.bytes().all(|byte| byte.is_ascii_graphic());
        let is_path = path.bytes().all(|byte| byte.is_ascii_graphic());
        if authority.is_empty() || !authority.bytes().all(is_plain) {
            bail!(not_an_address());
        }
        if !is_token || !is_path {
            bail!("an access token and a version have no spaces");
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| {
            !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
        });
        let address = match has_port {
            true => authority.to_owned(),
            false => format!("{authority}:{port}"),
        };
        let stream = connect(&address).with_context(|| format!("cannot reach {}", self.url))?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.token,
            body.len()
        );
        let request = [head.as_bytes(), body].concat();
        let answer = match is_https {
            true => exchange(self.secured(stream, &address)?, &request),
            false => exchange(stream, &request),
        };
        let answer = answer.with_context(|| format!("the exchange with {} failed", self.url))?;
        read_answer(&answer)
    }

    fn secured(
        &self,
        stream: TcpStream,
        address: &str,
    ) -> anyhow::Result<StreamOwned<ClientConnection, TcpStream>> {
        let roots = match &self.ca {
            None => tls::system_roots(),
            Some(file) => {
                let pem = std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                Arc::new(tls::roots_of(&pem)?)
            }
        };
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let name = tls::server_name(host.trim_matches(['[', ']']))?;
        let client = ClientConnection::new(Arc::new(tls::client(roots)), name)?;
        Ok(StreamOwned::new(client, stream))
    }
}

fn connect(address: &str) -> std::io::Result<TcpStream> {
    let mut last = std::io::ErrorKind::NotFound.into();
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, TIME) {
            Ok(stream) => {
                stream.set_read_timeout(Some(TIME))?;
                stream.set_write_timeout(Some(TIME))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn exchange(mut stream: impl Read + Write, request: &[u8]) -> std::io::Result<Vec<u8>> {
    stream.write_all(request)?;
    stream.flush()?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer)?;
    Ok(answer)
}

/// Returns the JSON of a response (RFC 9112, section 6.3); fails with the problem if it is one.
fn read_answer(answer: &[u8]) -> anyhow::Result<Value> {
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n");
    let (head, body) = answer.split_at(end.context("the server sent no complete response")?);
    let (head, body) = (String::from_utf8_lossy(head), &body[4..]);
    let status = head.split(' ').nth(1).unwrap_or_default();
    let lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = lengths
        .next()
        .and_then(|(_, value)| value.trim().parse().ok());
    if length != Some(body.len()) {
        bail!("the server sent no complete response (status {status})");
    }
    let json: Value = serde_json::from_slice(body)
        .with_context(|| format!("the server sent no JSON (status {status})"))?;
    match status {
        "200" => Ok(json),
        _ => bail!(print::problem(&json)),
    }
}
