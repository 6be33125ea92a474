//! Sends raw bytes to a socket and returns the response bytes: for requests that no client would
//! send.

use std::net::SocketAddr;
use std::time::Duration;

use crate::http::Connection;

/// The bytes received in return.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Every byte.
    pub bytes: Vec<u8>,
    /// Whether the other side closed the connection (or reset it).
    pub closed: bool,
}

impl Reply {
    /// The status codes of every response in the reply, in order. Searches for status lines
    /// anywhere, so a status line inside a body would be found too: tests keep such text out of
    /// their bodies.
    #[must_use]
    pub fn statuses(&self) -> Vec<u16> {
        let text = String::from_utf8_lossy(&self.bytes);
        text.split("HTTP/1.1 ")
            .skip(1)
            .filter_map(|rest| rest.get(..3)?.parse().ok())
            .collect()
    }
}

/// Sends bytes and reads until the other side closes or is silent for `quiet`.
///
/// A peer that closes while bytes are still being sent is not an error here.
///
/// # Errors
/// Fails if nothing listens there.
pub async fn send(address: SocketAddr, bytes: &[u8], quiet: Duration) -> anyhow::Result<Reply> {
    let mut connection = Connection::open(address).await?;
    let _ = connection.send(bytes).await;
    let (bytes, closed) = connection.until_quiet(quiet).await;
    Ok(Reply { bytes, closed })
}
