//! What the control plane knows of the listener of metrics, and reports to it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// A response of the control plane, or of the routes that are served in its frame.
#[derive(Debug, Clone, Copy)]
pub struct ObservedAnswer<'a> {
    /// The request's method.
    pub method: &'a Method,
    /// The path of its route, with parameters in braces; `None` for pages and unknown paths.
    pub path: Option<&'a str>,
    /// The status; `None` if the client disconnected before there was one.
    pub status: Option<StatusCode>,
    /// Time until the response began, or the client disconnected.
    pub took: Duration,
}

/// Observes responses.
pub trait AnswerObserver: Send + Sync {
    /// Called once for each request, before its response is sent.
    fn answered(&self, answer: ObservedAnswer<'_>);
}

/// The condition of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessLogCondition {
    /// Its path, or `-` for standard output.
    pub file: String,
    /// Lines that were dropped since the start.
    pub dropped_lines: u64,
    /// Lines without the texts of their call since the start.
    pub lost_texts: u64,
    /// Bytes that wait to be written.
    pub waiting_bytes: usize,
    /// How long the oldest of them have waited.
    pub lag: Duration,
    /// Why lines cannot be written, while they cannot.
    pub problem: Option<String>,
}

/// Reads the condition of the access log.
pub type ReadAccessLog = Box<dyn Fn() -> AccessLogCondition + Send + Sync>;

/// The listener of metrics.
pub struct WatchListener {
    /// Its address.
    pub address: SocketAddr,
    /// Returns when metrics were last read, Unix microseconds; `None` if never.
    pub last_scrape_us: Box<dyn Fn() -> Option<i64> + Send + Sync>,
    /// Counts the control plane's responses.
    pub observer: Arc<dyn AnswerObserver>,
}
