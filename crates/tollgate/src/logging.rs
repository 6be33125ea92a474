//! Where log lines go: standard error, as text or as one JSON object a line.
//!
//! What happened to one request is not logged: it goes to its record.

use tracing_subscriber::filter::LevelFilter;

use crate::settings::Log;
use crate::settings::value::{Format, Level};

/// Begins logging, for the rest of the process; panics are logged from here on.
pub fn begin(log: &Log) {
    let level = match log.level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr);
    // A logger that is already there (a test's) stays.
    let _ = match log.format {
        Format::Text => lines.with_ansi(false).try_init(),
        Format::Json => lines.json().try_init(),
    };
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
