//! How far a run is and how long it will still take, on standard error: a bar that is drawn over
//! where that is a terminal, a line for each step elsewhere.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

const WIDTH: u32 = 24;

/// The bar of a run.
#[derive(Debug)]
pub struct Progress {
    began: Instant,
    estimate: Duration,
    steps: u32,
    done: u32,
    is_terminal: bool,
}

impl Progress {
    /// A run of so many steps that should take so long.
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

    /// Steps that are done.
    #[must_use]
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// One more step is done.
    pub fn step(&mut self) {
        self.done += 1;
    }

    /// There are so many steps more than was thought.
    pub const fn expect_more(&mut self, steps: u32) {
        self.steps += steps;
    }

    /// Says what is done now.
    pub fn say(&self, what: &str) {
        let filled = WIDTH * self.done / self.steps;
        let bar: String = (0..WIDTH)
            .map(|at| if at < filled { '#' } else { '.' })
            .collect();
        let (done, steps, left) = (self.done, self.steps, length(self.left()));
        let line = format!("[{bar}] {done}/{steps}, {left} left: {what}");
        // Where nobody can read it, the run goes on.
        let _ = if self.is_terminal {
            write!(stderr(), "\r\x1b[2K{line}")
        } else {
            writeln!(stderr(), "{line}")
        };
        let _ = stderr().flush();
    }

    /// Says something that stays.
    pub fn note(&self, what: &str) {
        self.end();
        let _ = writeln!(stderr(), "{what}");
    }

    /// Ends the bar's line.
    pub fn end(&self) {
        if self.is_terminal {
            let _ = writeln!(stderr());
        }
    }

    /// By the pace so far, once there is one; by the estimate before.
    fn left(&self) -> Duration {
        let passed = self.began.elapsed();
        if self.done == 0 {
            return self.estimate.saturating_sub(passed);
        }
        passed * (self.steps - self.done) / self.done
    }
}

/// A length of time for people, such as `2 min 5 s`.
#[must_use]
pub fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}
