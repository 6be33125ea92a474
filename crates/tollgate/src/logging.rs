//! Logging to standard error, as text or as one JSON object per line. Repeated lines are
//! collapsed (`logging/collapse.rs`).
//!
//! What happened to a single request is not logged: it is in the request's record.

use std::io::stderr;
use std::sync::Arc;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{self, Full, Json, JsonFields};

use crate::settings::Log;
use crate::settings::value::{Format, Level};

mod collapse;

pub use collapse::Collapsing;
use collapse::{Collapsed, Lines, Shape};

/// Starts logging, panics included. Dropping the returned value writes the counts of repeated
/// lines that are still pending.
#[must_use]
pub fn begin(log: &Log) -> Collapsing {
    let level = match log.level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_writer(stderr);
    let recent = Lines::new(match log.format {
        Format::Text => Shape::Text,
        Format::Json => Shape::Json,
    });
    // An existing logger (a test's) stays in place.
    let _ = match log.format {
        Format::Text => lines.event_format(text(&recent)).try_init(),
        Format::Json => {
            let lines = lines.fmt_fields(JsonFields::new());
            lines.event_format(json(&recent)).try_init()
        }
    };
    log_panics();
    Collapsing::begin(&recent, stderr)
}

fn text(lines: &Arc<Lines>) -> Collapsed<format::Format<Full, ()>> {
    let inner = format::Format::default().with_ansi(false).without_time();
    Collapsed::new(inner, Arc::clone(lines))
}

fn json(lines: &Arc<Lines>) -> Collapsed<format::Format<Json, ()>> {
    let inner = format::Format::default().json().without_time();
    Collapsed::new(inner, Arc::clone(lines))
}

fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(
            thread = thread.name().unwrap_or("unnamed"),
            place,
            "panicked: {message}"
        );
    }));
}
