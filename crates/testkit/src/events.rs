//! Streams of events of the control plane (HTML, section 9.2).

use anyhow::Context as _;
use serde_json::Value;

use crate::control::Control;
use crate::http::{self, Connection};

/// A stream of events.
pub struct Events {
    connection: Connection,
    /// The head of the response.
    pub head: String,
}

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: Value,
}

impl Control {
    /// Begins a stream.
    ///
    /// # Errors
    /// Fails if the connection does.
    pub async fn watch(&self, path: &str) -> anyhow::Result<Events> {
        let mut fields = self.fields();
        fields.push(("Accept", "text/event-stream"));
        fields.push(("Connection", "close"));
        let mut connection = Connection::open(self.address).await?;
        connection
            .send(&http::request("GET", path, &fields, b""))
            .await?;
        let head = connection.until(b"\r\n\r\n").await?;
        let head = String::from_utf8(head)?;
        Ok(Events { connection, head })
    }
}

impl Events {
    /// Waits for the next event; comments are left out. `None` once the stream has ended.
    ///
    /// # Errors
    /// Fails if an event has no name or no JSON.
    pub async fn next(&mut self) -> anyhow::Result<Option<Event>> {
        // Each event is a chunk of its own.
        while let Ok(bytes) = self.connection.until(b"\n\n").await {
            let text = String::from_utf8(bytes)?;
            let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
            if let Some(name) = line("event: ") {
                let data = line("data: ").context("data")?;
                return Ok(Some(Event {
                    name: name.to_owned(),
                    data: serde_json::from_str(data)?,
                }));
            }
        }
        Ok(None)
    }
}
