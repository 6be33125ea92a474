//! The progress of a run and its remaining time, on standard error: a bar redrawn in place on a
//! terminal, otherwise one line per step.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

const WIDTH: u32 = 24;

/// The progress bar of a run.
#[derive(Debug)]
pub struct Progress {
    began: Instant,
    estimate: Duration,
    steps: u32,
    done: u32,
    is_terminal: bool,
}

impl Progress {
    /// Creates the bar of a run with this many steps and this estimated duration.
    #[must_use]
    pub fn new(steps: u32, estimate: Duration) -> Self {
        Self {
            began: Instant::now(),
            estimate,
            steps: steps.max(1),
            done: 0,
            is_terminal: stderr().is_terminal(),
        }
    }

    /// Returns the number of completed steps.
    #[must_use]
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// Counts a completed step.
    pub fn step(&mut self) {
        self.done += 1;
    }

    /// Adds unplanned steps.
    pub const fn expect_more(&mut self, steps: u32) {
        self.steps += steps;
    }

    /// Prints the current step.
    pub fn print(&self, what: &str) {
        let filled = WIDTH * self.done / self.steps;
        let bar: String = (0..WIDTH)
            .map(|at| if at < filled { '#' } else { '.' })
            .collect();
        let (done, steps, left) = (self.done, self.steps, length(self.left()));
        let line = format!("[{bar}] {done}/{steps}, {left} left: {what}");
        // A closed standard error does not stop the run.
        let _ = if self.is_terminal {
            write!(stderr(), "\r\x1b[2K{line}")
        } else {
            writeln!(stderr(), "{line}")
        };
        let _ = stderr().flush();
    }

    /// Prints a permanent line.
    pub fn note(&self, what: &str) {
        self.end();
        let _ = writeln!(stderr(), "{what}");
    }

    /// Ends the line of the bar.
    pub fn end(&self) {
        if self.is_terminal {
            let _ = writeln!(stderr());
        }
    }

    /// Estimates the remaining time from the pace so far, or from the estimate before the first
    /// step.
    fn left(&self) -> Duration {
        let passed = self.began.elapsed();
        if self.done == 0 {
            return self.estimate.saturating_sub(passed);
        }
        passed * (self.steps - self.done) / self.done
    }
}

/// Formats a duration for people, such as `2 min 5 s`.
#[must_use]
pub fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}
