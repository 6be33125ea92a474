//! The cells of one world, measured on all sides in turn, A B A B, and what was sent meanwhile.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;

use crate::kept::{Cell, OpenLoop, Round, Run};
use crate::load::Pace;
use crate::measure::{self, Task};
use crate::numbers::short;
use crate::peak;
use crate::plan::Planned;
use crate::profile::Asked;
use crate::progress::Progress;
use crate::side::Stage;

/// What is measured with, and what was sent.
pub(super) struct Turns<'a> {
    pub(super) planned: &'a Planned,
    pub(super) stage: &'a Stage,
    pub(super) progress: &'a mut Progress,
    pub(super) stop: &'a AtomicBool,
    /// To the sides that are Tollgate, by side and scenario.
    pub(super) sent: BTreeMap<(String, String), Sent>,
}

/// What a generator sent to Tollgate for one scenario.
#[derive(Debug)]
pub(super) struct Sent {
    /// Of the last call.
    pub(super) message_bytes: u64,
    pub(super) count: u64,
    /// Whether every call was answered, so that the counts must agree to the last one.
    pub(super) is_exact: bool,
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            message_bytes: 0,
            count: 0,
            is_exact: true,
        }
    }
}

impl Sent {
    fn note(&mut self, asked: &Asked, round: &Round) {
        self.message_bytes = asked.message_bytes;
        self.count += round.outcome.sent_all;
        self.is_exact &= round.outcome.sent_all == round.outcome.answered_all;
    }
}

impl Turns<'_> {
    /// Measures the cells of a group.
    ///
    /// # Errors
    /// A measurement fails, a side bears no rate, or it was told to stop. What was measured before
    /// is in the run.
    pub(super) fn group(&mut self, group: &[&Asked], run: &mut Run) -> anyhow::Result<()> {
        let first = run.cells.len();
        for asked in group {
            let open_loop = self.open_loop(asked)?;
            run.cells.push(Cell {
                scenario: asked.scenario.clone(),
                users: asked.users,
                message_bytes: asked.message_bytes,
                delay_ms: asked.delay_ms,
                parameters: asked.parameters.clone(),
                open_loop,
                rounds: Vec::new(),
            });
        }
        for turn in 0..self.planned.mode.rounds {
            for (asked, cell) in group.iter().zip(&mut run.cells[first..]) {
                let pace = match &cell.open_loop {
                    Some(open_loop) => open(asked, open_loop.per_second),
                    None => closed(asked),
                };
                for side in &self.planned.sides {
                    cell.rounds.push(self.round(side, asked, pace, turn)?);
                }
            }
        }
        Ok(())
    }

    /// The rate that a cell is measured at, with what was tried to find it; `None` where users wait
    /// for answers.
    fn open_loop(&mut self, asked: &Asked) -> anyhow::Result<Option<OpenLoop>> {
        let Some(bound) = self.planned.profile.open_loop else {
            return Ok(None);
        };
        let p99_ms_max = bound.p99_ms_max;
        let mut found = OpenLoop {
            per_second: f64::INFINITY,
            p99_ms_max,
            trials: Vec::new(),
        };
        if let Some(per_second) = self.planned.wanted.per_second {
            found.per_second = per_second.into();
            return Ok(Some(found));
        }
        for side in &self.planned.sides {
            let most = self.round(side, asked, closed(asked), 0)?;
            let ceiling = most.outcome.per_second() * peak::CEILING;
            let trials = peak::search(ceiling, p99_ms_max, |per_second, trial, is_again| {
                self.progress.expect_more(is_again.into());
                self.round(side, asked, open(asked, per_second), trial)
            })?;
            found.trials.extend(trials);
            let peak = found.peak(side).with_context(|| {
                format!("{side} bears no rate with its p99 below {p99_ms_max} ms: raise p99_ms_max")
            })?;
            let peak_text = short(peak);
            self.progress
                .note(&format!("{side} bears {peak_text} requests/s"));
            found.per_second = found.per_second.min(peak * peak::SHARE);
        }
        Ok(Some(found))
    }

    /// Measures one side once.
    fn round(&mut self, side: &str, asked: &Asked, pace: Pace, turn: u32) -> anyhow::Result<Round> {
        let planned = self.planned;
        self.progress
            .say(&format!("{side}: {}", described(asked, pace)));
        let scenario = &planned.scenarios[&asked.scenario];
        let task = Task {
            stage: self.stage,
            side,
            called: self.stage.called(side, scenario, asked)?,
            pace,
            mode: planned.mode,
            cores: &planned.cores.load,
        };
        let round = measure::round(&task, turn, self.progress.done(), self.stop)?;
        if planned.binaries.contains_key(side) {
            let of = (side.to_owned(), asked.scenario.clone());
            self.sent.entry(of).or_default().note(asked, &round);
        }
        self.progress.step();
        Ok(round)
    }
}

const fn closed(asked: &Asked) -> Pace {
    Pace::Closed {
        users: asked.users,
        think_us: 0,
    }
}

const fn open(asked: &Asked, per_second: f64) -> Pace {
    Pace::Open {
        per_second,
        connections: asked.users,
    }
}

fn described(asked: &Asked, pace: Pace) -> String {
    let more = asked
        .parameters
        .iter()
        .map(|(name, value)| format!(", {name} {value}"));
    let rate = match pace {
        Pace::Open { per_second, .. } => format!(" at {} requests/s", short(per_second)),
        Pace::Closed { .. } => String::new(),
    };
    format!(
        "{}, {} users, {} bytes, {} ms{}{rate}",
        asked.scenario,
        asked.users,
        asked.message_bytes,
        asked.delay_ms,
        more.collect::<String>()
    )
}
