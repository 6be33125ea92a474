//! The queue between the recorder, which formats lines, and the thread that writes them.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Condition;

/// Maximum bytes of waiting lines.
const BYTES_MAX: usize = 8 << 20;

/// Whole lines that are written together.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    pub(super) lines: u64,
}

/// What the thread has to do next.
#[derive(Debug)]
pub(super) enum Work {
    /// Write these lines.
    Lines(Chunk),
    /// Open the file again.
    Reopen,
    /// Nothing came within the time.
    Nothing,
    /// The log was closed, and everything is written.
    End,
}

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Notified for each change that the thread or [`Queue::close`] waits for.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    chunks: VecDeque<(Instant, Chunk)>,
    bytes: usize,
    /// When the chunk that the thread is writing was queued, and its lines.
    writing: Option<(Instant, u64)>,
    /// Whether lines were dropped for lack of room, until half of it is free.
    is_full: bool,
    dropped_lines: u64,
    lost_texts: u64,
    problem: Option<String>,
    wants_reopening: bool,
    /// When the thread must have ended, once the log is closed.
    ends: Option<Instant>,
    has_ended: bool,
}

impl Queue {
    /// Queues lines, or drops them if there is no room.
    pub(super) fn push(&self, chunk: Chunk) {
        let mut state = self.lock();
        if state.ends.is_some() || state.bytes + chunk.bytes.len() > BYTES_MAX {
            state.dropped_lines += chunk.lines;
            if !std::mem::replace(&mut state.is_full, true) {
                tracing::warn!("access log: the file is too slow, lines are dropped");
            }
            return;
        }
        state.bytes += chunk.bytes.len();
        state.chunks.push_back((Instant::now(), chunk));
        self.changed.notify_all();
    }

    /// Counts a line without texts.
    pub(super) fn count_lost_text(&self) {
        self.lock().lost_texts += 1;
    }

    /// Counts lines that could not be written.
    pub(super) fn count_dropped(&self, lines: u64) {
        self.lock().dropped_lines += lines;
    }

    /// Sets why lines cannot be written; `None` if they can.
    pub(super) fn set_problem(&self, problem: Option<String>) {
        self.lock().problem = problem;
    }

    /// Requests that the file is opened again.
    pub(super) fn reopen(&self) {
        self.lock().wants_reopening = true;
        self.changed.notify_all();
    }

    /// Waits for work, at most `patience`. What it returned before is done.
    pub(super) fn next(&self, patience: Duration) -> Work {
        let mut state = self.lock();
        state.writing = None;
        let is_idle = |state: &mut State| {
            state.chunks.is_empty() && !state.wants_reopening && state.ends.is_none()
        };
        if is_idle(&mut state) {
            let waited = self.changed.wait_timeout_while(state, patience, is_idle);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if std::mem::take(&mut state.wants_reopening) {
            return Work::Reopen;
        }
        match state.chunks.pop_front() {
            Some((since, chunk)) => {
                state.bytes -= chunk.bytes.len();
                state.writing = Some((since, chunk.lines));
                state.is_full &= state.bytes > BYTES_MAX / 2;
                Work::Lines(chunk)
            }
            None if state.ends.is_some() => Work::End,
            None => Work::Nothing,
        }
    }

    /// Whether the thread has no more time.
    pub(super) fn is_over(&self) -> bool {
        self.lock().ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// Takes the request to open the file again, if there is one.
    pub(super) fn take_reopening(&self) -> bool {
        std::mem::take(&mut self.lock().wants_reopening)
    }

    /// Reports the end of the thread.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        (state.has_ended, state.writing) = (true, None);
        drop(state);
        self.changed.notify_all();
    }

    /// Takes no more lines, and waits at most `patience` until the waiting ones are written.
    /// Returns the number of those that are not.
    pub(super) fn close(&self, patience: Duration) -> u64 {
        let mut state = self.lock();
        let dropped_before = state.dropped_lines;
        state.ends = Some(Instant::now() + patience);
        self.changed.notify_all();
        let waited = self
            .changed
            .wait_timeout_while(state, patience, |state| !state.has_ended);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let waiting: u64 = state.chunks.iter().map(|(_, chunk)| chunk.lines).sum();
        let writing = state.writing.map_or(0, |(_, lines)| lines);
        waiting + writing + (state.dropped_lines - dropped_before)
    }

    /// Returns the condition of the log at this path.
    pub(super) fn condition(&self, path: PathBuf) -> Condition {
        let state = self.lock();
        let oldest = state.chunks.front().map(|(since, _)| *since);
        let oldest = state.writing.map(|(since, _)| since).or(oldest);
        let too_slow = || state.is_full.then(|| "the file is too slow".to_owned());
        Condition {
            path,
            dropped_lines: state.dropped_lines,
            lost_texts: state.lost_texts,
            waiting_bytes: state.bytes,
            lag: oldest.map_or(Duration::ZERO, |since| since.elapsed()),
            problem: state.problem.clone().or_else(too_slow),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
