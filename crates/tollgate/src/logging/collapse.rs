//! Collapses repeated log lines into one line with a count: [`Collapsed`] wraps the line format.
//!
//! Two lines are the same if level, target, message and fields are equal; only the time may differ.
//! The first one is written and repetitions within the next seconds are counted. At the end of
//! that window the line is written once more with the count, when the next line is logged or by a
//! thread that checks once a second. Lines of the audit trail are always written. Order is kept.

use std::collections::VecDeque;
use std::fmt;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

/// The target of the audit trail.
const AUDIT: &str = "audit";
/// Time for which repetitions are counted before the count is written.
const WINDOW: Duration = Duration::from_secs(5);
/// Interval at which the thread writes pending counts.
const TICK: Duration = Duration::from_secs(1);
/// Maximum number of lines remembered; beyond it, the oldest is dropped and its count written.
const LINES_MAX: usize = 64;
/// Longer lines are always written, which bounds the memory for remembered lines.
const LINE_BYTES_MAX: usize = 4 << 10;

/// The format of a line, which determines where its time and count are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Json,
}

impl Shape {
    /// Writes a line that was formatted without time and line feed, and adds both.
    fn write(self, out: &mut impl fmt::Write, line: &str, count: Option<u64>) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        match self {
            Self::Text => write!(out, "{time} {line}")?,
            Self::Json => {
                let members = line.strip_prefix('{').unwrap_or(line);
                let members = members.strip_suffix('}').unwrap_or(members);
                write!(out, "{{\"timestamp\":\"{time}\",{members}")?;
            }
        }
        let seconds = WINDOW.as_secs();
        match (self, count) {
            (Self::Text, None) => writeln!(out),
            (Self::Text, Some(count)) => {
                writeln!(out, " (repeated {count} times within {seconds} s)")
            }
            (Self::Json, None) => writeln!(out, "}}"),
            (Self::Json, Some(count)) => {
                writeln!(out, ",\"repeated\":{count},\"within_s\":{seconds}}}")
            }
        }
    }
}

/// A line format, `F` without the time, that counts repetitions.
pub(super) struct Collapsed<F> {
    inner: F,
    lines: Arc<Lines>,
}

/// The lines of the last seconds.
pub(super) struct Lines {
    shape: Shape,
    recent: Mutex<VecDeque<Recent>>,
}

struct Recent {
    line: String,
    since: Instant,
    /// Repetitions not written yet.
    count: u64,
}

impl<F> Collapsed<F> {
    pub(super) fn new(inner: F, lines: Arc<Lines>) -> Self {
        Self { inner, lines }
    }
}

impl<S, N, F> FormatEvent<S, N> for Collapsed<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.inner
            .format_event(context, Writer::new(&mut line), event)?;
        let line = line.trim_end();
        let is_audit = event.metadata().target() == AUDIT;
        self.lines.write_due(&mut out, Instant::now())?;
        if is_audit || self.lines.is_new(line, Instant::now(), &mut out)? {
            self.lines.shape.write(&mut out, line, None)?;
        }
        Ok(())
    }
}

impl Lines {
    pub(super) fn new(shape: Shape) -> Arc<Self> {
        Arc::new(Self {
            shape,
            recent: Mutex::default(),
        })
    }

    /// Returns whether a line is to be written; counts it otherwise.
    fn is_new(
        &self,
        line: &str,
        now: Instant,
        out: &mut impl fmt::Write,
    ) -> Result<bool, fmt::Error> {
        if line.len() > LINE_BYTES_MAX {
            return Ok(true);
        }
        let mut recent = self.recent();
        if let Some(same) = recent.iter_mut().find(|it| it.line == line) {
            same.count += 1;
            return Ok(false);
        }
        if recent.len() >= LINES_MAX
            && let Some(oldest) = recent.pop_front()
        {
            self.write_count(&oldest, out)?;
        }
        recent.push_back(Recent {
            line: line.to_owned(),
            since: now,
            count: 0,
        });
        Ok(true)
    }

    /// Writes the counts of the lines with a window that ends by `now`. A repeated line starts a
    /// new window.
    fn write_due(&self, out: &mut impl fmt::Write, now: Instant) -> fmt::Result {
        let mut recent = self.recent();
        while let Some(first) = recent.front() {
            if now.saturating_duration_since(first.since) < WINDOW {
                break;
            }
            let Some(due) = recent.pop_front() else { break };
            self.write_count(&due, out)?;
            if due.count > 0 {
                recent.push_back(Recent {
                    since: now,
                    count: 0,
                    ..due
                });
            }
        }
        Ok(())
    }

    /// Writes every count at once, at the end of the process.
    fn write_all_counts(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut recent = std::mem::take(&mut *self.recent());
        recent
            .drain(..)
            .try_for_each(|it| self.write_count(&it, out))
    }

    fn write_count(&self, recent: &Recent, out: &mut impl fmt::Write) -> fmt::Result {
        match recent.count {
            0 => Ok(()),
            count => self.shape.write(out, &recent.line, Some(count)),
        }
    }

    fn recent(&self) -> MutexGuard<'_, VecDeque<Recent>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes counts while nothing else is logged; when dropped, the pending ones.
pub struct Collapsing {
    lines: Arc<Lines>,
}

impl Collapsing {
    /// Starts the thread that writes pending counts, for as long as `lines` is in use.
    pub(super) fn begin<W>(lines: &Arc<Lines>, to: W) -> Self
    where
        W: for<'a> MakeWriter<'a> + Send + 'static,
    {
        let watched = Arc::downgrade(lines);
        let watch = move || {
            while let Some(lines) = watched.upgrade() {
                let mut due = String::new();
                // Writing to a `String` cannot fail.
                let _ = lines.write_due(&mut due, Instant::now());
                drop(lines);
                let _ = to.make_writer().write_all(due.as_bytes());
                thread::sleep(TICK);
            }
        };
        // Without the thread, counts are written when the next line is logged.
        let _ = thread::Builder::new().name("log".to_owned()).spawn(watch);
        Self {
            lines: Arc::clone(lines),
        }
    }
}

impl Drop for Collapsing {
    fn drop(&mut self) {
        let mut left = String::new();
        let _ = self.lines.write_all_counts(&mut left);
        let _ = std::io::stderr().write_all(left.as_bytes());
    }
}

#[cfg(test)]
mod tests;
