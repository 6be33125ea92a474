//! The thread that writes the log. A full disk, a blocked pipe or a missing folder costs lines,
//! which are counted, and one line in the process's own log each time that it begins and ends.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::file::Destination;
use super::queue::{Chunk, Queue, Work};

/// Interval at which changes of the path from outside are noticed, and a failed open is tried
/// again.
const FOLLOW: Duration = Duration::from_secs(1);
/// Time to wait for room in a full FIFO, before other work is looked for.
const FULL_PAUSE: Duration = Duration::from_millis(100);

/// The thread's state.
pub(super) struct Writer {
    destination: Destination,
    queue: Arc<Queue>,
    /// The rest of a line that was written in part.
    torn: Vec<u8>,
    followed: Instant,
    /// When opening failed last, while it fails.
    failed_to_open: Option<Instant>,
    is_failing: bool,
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    /// Fails if there can be no thread.
    pub(super) fn start(destination: Destination, queue: Arc<Queue>) -> io::Result<()> {
        let writer = Self {
            destination,
            queue,
            torn: Vec::new(),
            followed: Instant::now(),
            failed_to_open: None,
            is_failing: false,
        };
        let thread = thread::Builder::new().name("access-log".to_owned());
        thread.spawn(move || writer.run()).map(drop)
    }

    fn run(mut self) {
        loop {
            match self.queue.next(FOLLOW) {
                Work::Lines(chunk) => self.write(chunk),
                Work::Reopen => drop(self.reopen()),
                Work::Nothing => self.write(Chunk::default()),
                Work::End => break,
            }
            self.follow();
        }
        self.write(Chunk::default());
        self.drop_torn();
        self.queue.end();
    }

    /// Opens the file again; if that fails, the open one is kept, and only the log reports it.
    /// Returns whether lines go to a new file now.
    fn reopen(&mut self) -> bool {
        match self.destination.reopen() {
            Ok(()) => {
                tracing::info!("access log: opened again");
                self.note_open(Ok(true))
            }
            Err(error) => {
                tracing::warn!(%error, "access log: cannot be opened again, and goes on: {error}");
                false
            }
        }
    }

    /// Follows changes of the path from outside, once a second. Returns whether lines go to a new
    /// file now.
    fn follow(&mut self) -> bool {
        if self.followed.elapsed() < FOLLOW {
            return false;
        }
        self.followed = Instant::now();
        let followed = self.destination.follow();
        let is_new = matches!(followed, Ok(true));
        self.note_open(followed);
        is_new
    }

    /// Writes lines, after the rest of the one that was written in part.
    fn write(&mut self, chunk: Chunk) {
        let is_too_early = |failed: Instant| failed.elapsed() < FOLLOW;
        if self.failed_to_open.is_some_and(is_too_early) {
            return self.queue.count_dropped(chunk.lines);
        }
        if chunk.lines > 0 {
            let prepared = self.destination.prepare(chunk.bytes.len());
            if !self.note_open(prepared) {
                return self.queue.count_dropped(chunk.lines);
            }
        }
        let torn = std::mem::take(&mut self.torn);
        let is_torn = !torn.is_empty();
        let mut unwritten = Unwritten {
            bytes: [torn, chunk.bytes].concat(),
            at: 0,
            is_torn,
        };
        match self.write_all(&mut unwritten) {
            Ok(()) if unwritten.bytes.is_empty() => {}
            Ok(()) => self.note(None),
            Err(error) => {
                self.note(Some(&error));
                let (torn, lines) = unwritten.rest();
                self.torn = torn;
                self.queue.count_dropped(lines);
                if error.kind() == ErrorKind::BrokenPipe {
                    self.destination.close();
                    self.failed_to_open = Some(Instant::now());
                }
            }
        }
    }

    /// Writes bytes, however long a FIFO stays full. If lines go to a new file meanwhile, that
    /// begins with a whole line.
    fn write_all(&mut self, unwritten: &mut Unwritten) -> io::Result<()> {
        while unwritten.at < unwritten.bytes.len() {
            match self.destination.write(&unwritten.bytes[unwritten.at..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => unwritten.at += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && !self.queue.is_over() => {
                    self.destination.wait_for_room(FULL_PAUSE);
                    let is_new = self.queue.take_reopening() && self.reopen();
                    if (is_new || self.follow()) && unwritten.skip_line() {
                        self.queue.count_dropped(1);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Gives up the line that was written in part, because lines go to another file now.
    fn drop_torn(&mut self) {
        if !self.torn.is_empty() {
            self.torn.clear();
            self.queue.count_dropped(1);
        }
    }

    /// Notes the outcome of opening: whether the file is new, or why there is none. Returns whether
    /// it is open.
    fn note_open(&mut self, opened: io::Result<bool>) -> bool {
        match opened {
            Ok(is_new) => {
                if is_new {
                    self.drop_torn();
                    self.note(None);
                }
                self.failed_to_open = None;
                true
            }
            Err(error) => {
                self.failed_to_open = Some(Instant::now());
                self.note(Some(&error));
                false
            }
        }
    }

    /// Logs the beginning and the end of a failure.
    fn note(&mut self, problem: Option<&io::Error>) {
        match problem {
            Some(error) if !self.is_failing => {
                tracing::warn!(%error, "access log: cannot be written, lines are dropped: {error}");
            }
            None if self.is_failing => tracing::info!("access log: can be written again"),
            _ => {}
        }
        if problem.is_some() || self.is_failing {
            self.queue.set_problem(problem.map(ToString::to_string));
        }
        self.is_failing = problem.is_some();
    }
}

/// Bytes that are being written: whole lines, but for the first.
struct Unwritten {
    bytes: Vec<u8>,
    /// Number of bytes that were written.
    at: usize,
    /// Whether the beginning of the first line was written before.
    is_torn: bool,
}

impl Unwritten {
    /// Whether the next byte is within a line.
    fn is_within_line(&self) -> bool {
        match self.at.checked_sub(1) {
            None => self.is_torn,
            Some(last) => self.bytes[last] != b'\n',
        }
    }

    /// Skips the rest of a line that was written in part. Returns whether there is one.
    fn skip_line(&mut self) -> bool {
        let is_within = self.is_within_line();
        if is_within {
            self.at = self.line_end();
        }
        is_within
    }

    /// The place after the current line.
    fn line_end(&self) -> usize {
        let mut rest = self.bytes[self.at..].iter();
        let end = rest.position(|byte| *byte == b'\n');
        end.map_or(self.bytes.len(), |end| self.at + end + 1)
    }

    /// Returns the rest of a line that was written in part, and the number of whole lines.
    fn rest(&self) -> (Vec<u8>, u64) {
        let whole = match self.is_within_line() {
            true => self.line_end(),
            false => self.at,
        };
        let lines = self.bytes[whole..].iter().filter(|byte| **byte == b'\n');
        (self.bytes[self.at..whole].to_vec(), lines.count() as u64)
    }
}
