//! A caller with one connection.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context as _, Result, bail, ensure};

/// Maximum bytes of a response.
const RESPONSE_BYTES_MAX: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct Caller {
    stream: TcpStream,
    response: Vec<u8>,
}

impl Caller {
    pub(crate) fn connect(gateway: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(gateway).context("the gateway accepts no connection")?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            response: vec![0; RESPONSE_BYTES_MAX],
        })
    }

    /// Sends a request and reads its response.
    ///
    /// # Errors
    /// Fails if the response has another status.
    pub(crate) fn call(&mut self, request: &[u8], status: u16) -> Result<()> {
        self.stream.write_all(request)?;
        let mut end = 0;
        let mut length = None;
        while length.is_none_or(|length| end < length) {
            let count = self.stream.read(&mut self.response[end..])?;
            ensure!(count > 0, "the connection ended within a response");
            end += count;
            if length.is_none() {
                length = message_bytes(&self.response[..end])?;
            }
        }
        let head = format!("HTTP/1.1 {status} ");
        let response = &self.response[..end];
        ensure!(
            response.starts_with(head.as_bytes()),
            "expected status {status}, received {}",
            response.escape_ascii()
        );
        Ok(())
    }
}

/// The bytes of a message with `Content-Length` or without a body; `None` before its head is whole.
///
/// # Errors
/// Fails if the length is not a number.
pub(crate) fn message_bytes(bytes: &[u8]) -> Result<Option<usize>> {
    const END: &[u8] = b"\r\n\r\n";
    let Some(end) = bytes.windows(END.len()).position(|it| it == END) else {
        return Ok(None);
    };
    let head = str::from_utf8(&bytes[..end])?.to_ascii_lowercase();
    if head.contains("\r\ntransfer-encoding:") {
        bail!("a message is chunked");
    }
    let length = head
        .lines()
        .find_map(|it| it.strip_prefix("content-length:"));
    let length = length.map_or(Ok(0), |length| length.trim().parse::<usize>())?;
    Ok(Some(end + END.len() + length))
}
