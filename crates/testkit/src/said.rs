//! What a started process says: kept whole, and handed on line by line while it starts.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Lines of a start that may wait to be read.
const LINES_MAX: usize = 1_000;

/// What a process says on both its outputs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said(Arc<Mutex<String>>);

impl Said {
    pub(crate) fn text(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Keeps what comes and hands on its lines, until nobody wants them any more.
    pub(crate) fn listen(&self, output: impl Read + Send + 'static) -> Receiver<String> {
        let (sender, lines) = sync_channel(LINES_MAX);
        let said = self.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let mut text = said.0.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = writeln!(text, "{line}");
                drop(text);
                let _ = sender.try_send(line);
            }
        });
        lines
    }

    /// What a failing test shows of the process; captured by the harness like any other output.
    #[expect(
        clippy::print_stderr,
        reason = "a failing test's own words are not enough"
    )]
    pub(crate) fn show(&self) {
        let said = self.text();
        let last: Vec<_> = said.lines().rev().take(60).collect();
        for line in last.iter().rev() {
            eprintln!("| {line}");
        }
    }
}
