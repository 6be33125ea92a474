//! The output of a started process: kept whole, and forwarded line by line while it starts.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum unread lines of a start.
const LINES_MAX: usize = 1_000;

/// The output of a process on both streams.
#[derive(Debug, Clone, Default)]
pub(crate) struct CapturedOutput(Arc<Mutex<String>>);

impl CapturedOutput {
    pub(crate) fn text(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Keeps the output and forwards its lines until the receiver is dropped.
    pub(crate) fn listen(&self, output: impl Read + Send + 'static) -> Receiver<String> {
        let (sender, lines) = sync_channel(LINES_MAX);
        let captured = self.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let mut text = captured.0.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = writeln!(text, "{line}");
                drop(text);
                let _ = sender.try_send(line);
            }
        });
        lines
    }

    /// Prints the end of the output for a failing test; captured by the harness like other output.
    #[expect(clippy::print_stderr, reason = "the test's own output is not enough")]
    pub(crate) fn show(&self) {
        let output = self.text();
        let last: Vec<_> = output.lines().rev().take(60).collect();
        for line in last.iter().rev() {
            eprintln!("| {line}");
        }
    }
}
