//! Measures the cells of one world on all sides in turn, A B A B, and counts the sent requests.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use crate::background;
use crate::credential::Credential;
use crate::kept::{Cell, OpenLoop, Round, Run, Trial};
use crate::load::Pace;
use crate::measure::{self, Task};
use crate::numbers::{counted, short};
use crate::peak::{self, Search};
use crate::plan::Planned;
use crate::profile::{Connections, PlannedCell};
use crate::progress::Progress;
use crate::side::Stage;

/// Share of connections opened in another way than configured above which a run warns.
const OTHERWISE_SHARE_MAX: f64 = 0.01;

/// The state of the measurements, and what was sent.
pub(super) struct Turns<'a> {
    pub(super) planned: &'a Planned,
    pub(super) stage: &'a mut Stage,
    pub(super) progress: &'a mut Progress,
    pub(super) stop: &'a AtomicBool,
    /// Sent to the sides that are Tollgate, by side and scenario.
    pub(super) sent: BTreeMap<(String, String), Sent>,
}

/// Requests that a generator sent to Tollgate for one scenario.
#[derive(Debug)]
pub(super) struct Sent {
    /// Message size of the last call.
    pub(super) message_bytes: u64,
    pub(super) count: u64,
    /// Background requests with forged tokens: recorded, but counted against no limit.
    pub(super) forged: u64,
    /// Whether every call was answered, so the counts must match exactly.
    pub(super) is_exact: bool,
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            message_bytes: 0,
            count: 0,
            forged: 0,
            is_exact: true,
        }
    }
}

impl Sent {
    fn note(&mut self, asked: &PlannedCell, round: &Round) {
        self.message_bytes = asked.message_bytes;
        self.count += round.outcome.sent_all;
        let forged = round.background.get(&Credential::Forged);
        let forged = forged.map(|background| &background.outcome);
        self.forged += forged.map_or(0, |outcome| outcome.sent_all);
        let mut outcomes = forged.into_iter().chain([&round.outcome]);
        self.is_exact &= outcomes.all(|it| it.sent_all == it.answered_all);
    }
}

impl Turns<'_> {
    /// Measures the cells of a group. The run contains what was measured even after an error.
    ///
    /// # Errors
    /// Fails if a measurement fails or the run is stopped.
    pub(super) fn group(&mut self, group: &[&PlannedCell], run: &mut Run) -> anyhow::Result<()> {
        let first = run.cells.len();
        for asked in group {
            run.cells.push(Cell {
                scenario: asked.scenario.clone(),
                users: asked.users,
                message_bytes: asked.message_bytes,
                delay_ms: asked.delay_ms,
                parameters: asked.parameters.clone(),
                open_loop: self.planned.open_loop(),
                rounds: Vec::new(),
            });
        }
        for (asked, at) in group.iter().zip(first..) {
            if let Some(open_loop) = &mut run.cells[at].open_loop
                && open_loop.per_second.is_none()
            {
                let unfit = self.find_rate(asked, open_loop)?;
                run.warnings.extend(unfit);
            }
        }
        for turn in 0..self.planned.mode.rounds {
            for (asked, cell) in group.iter().zip(&mut run.cells[first..]) {
                let pace = match &cell.open_loop {
                    None => Some(self.closed(asked)),
                    Some(open_loop) => open_loop.per_second.map(|it| open(asked, it)),
                };
                let Some(pace) = pace else { continue };
                for side in self.planned.profile.in_turn(&self.planned.sides, turn) {
                    cell.rounds.push(self.round(side, asked, pace, turn)?);
                }
            }
        }
        for (asked, cell) in group.iter().zip(&run.cells[first..]) {
            run.warnings.extend(missed(asked, cell));
            run.warnings.extend(background::missed(cell));
            run.warnings
                .extend(otherwise_opened(cell, self.planned.profile.connections));
        }
        Ok(())
    }

    /// Searches for the rate at which a cell is measured: each rate is tried on all sides in turn,
    /// then the next one. Returns warnings for sides that sustain none.
    fn find_rate(
        &mut self,
        asked: &PlannedCell,
        open_loop: &mut OpenLoop,
    ) -> anyhow::Result<Vec<String>> {
        let sides = &self.planned.sides;
        let mut searches = Vec::new();
        for side in sides {
            let pace = self.closed(asked);
            let with_users = self.round(side, asked, pace, 0)?;
            searches.push(Search::below(with_users.outcome.per_second()));
        }
        for turn in 0..peak::RATES {
            let mut borne = vec![false; sides.len()];
            // A disturbance may last, so a rate is retried only after all sides had their turn.
            for tried in 0..peak::TRIES {
                for at in 0..sides.len() {
                    if !borne[at] {
                        self.progress.expect_more((tried > 0).into());
                        let rate = searches[at].rate();
                        borne[at] = self.try_rate(&sides[at], asked, rate, turn, open_loop)?;
                    }
                }
            }
            for (search, is_borne) in searches.iter_mut().zip(borne) {
                search.note(is_borne);
            }
        }
        let peaks = sides.iter().filter_map(|side| open_loop.peak(side));
        let lowest = peaks.map(|it| it.per_second).min_by(f64::total_cmp);
        open_loop.per_second = lowest.map(|it| it * peak::SHARE);
        let bound = short(open_loop.p99_ms_max);
        let unfit = sides.iter().filter(|side| open_loop.peak(side).is_none());
        let warning = |side: &String| {
            let what = described(asked, thoughtless(asked));
            format!("{side} sustains no rate of {what} with its p99 below {bound} ms.")
        };
        Ok(unfit.map(warning).collect())
    }

    /// Tries a rate on a side; returns whether it was sustained.
    fn try_rate(
        &mut self,
        side: &str,
        asked: &PlannedCell,
        per_second: f64,
        turn: u32,
        open_loop: &mut OpenLoop,
    ) -> anyhow::Result<bool> {
        let round = self.round(side, asked, open(asked, per_second), turn)?;
        let trial = Trial { per_second, round };
        let is_borne = trial.is_borne(open_loop.p99_ms_max);
        open_loop.trials.push(trial);
        Ok(is_borne)
    }

    /// Users that wait for their responses, and pause before the next request.
    fn closed(&self, asked: &PlannedCell) -> Pace {
        Pace::Closed {
            users: asked.users,
            think_us: self.planned.profile.think_ms * 1000,
        }
    }

    /// Measures one side once.
    fn round(
        &mut self,
        side: &str,
        asked: &PlannedCell,
        pace: Pace,
        turn: u32,
    ) -> anyhow::Result<Round> {
        let planned = self.planned;
        self.progress
            .print(&format!("{side}: {}", described(asked, pace)));
        let scenario = &planned.scenarios[&asked.scenario];
        let (time, scenarios) = (planned.round_at_most(), &planned.scenarios);
        self.stage.renew_tokens(time, scenarios, self.stop)?;
        let called = self.stage.called(side, scenario, asked, turn)?;
        let task = Task {
            stage: self.stage,
            side,
            background: self.stage.background(side, scenario, &called),
            called,
            pace,
            requests_max: scenario.once.then(|| asked.users.into()),
            connections: planned.profile.connections,
            mode: planned.mode,
            topology: &planned.topology,
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

/// Warns of sides that did not reach the rate of an open loop.
fn missed(asked: &PlannedCell, cell: &Cell) -> Vec<String> {
    let rate = cell.open_loop.as_ref().and_then(|it| it.per_second);
    let mut missed = BTreeMap::<&str, u64>::new();
    for round in &cell.rounds {
        if rate.is_some_and(|rate| !round.outcome.has_reached(rate)) {
            *missed.entry(&round.side).or_default() += 1;
        }
    }
    let what = described(
        asked,
        rate.map_or(thoughtless(asked), |rate| open(asked, rate)),
    );
    let warning = |(side, rounds)| {
        let rounds = counted(rounds, "round");
        format!("{side} did not reach the rate in {rounds} of {what}.")
    };
    missed.into_iter().map(warning).collect()
}

/// Warns of sides with connections opened in another way than configured.
fn otherwise_opened(cell: &Cell, asked_for: Connections) -> Vec<String> {
    let mut opened = BTreeMap::<&str, (u64, u64)>::new();
    for Round { side, outcome, .. } in &cell.rounds {
        let (full, resumed) = opened.entry(side).or_default();
        *full += outcome.handshakes_full;
        *resumed += outcome.handshakes_resumed;
    }
    let warning = |(side, (full, resumed)): (&str, (u64, u64))| {
        let (others, what) = match asked_for {
            Connections::Kept => return None,
            Connections::New => (resumed, "were resumed"),
            Connections::Resumed => (full, "were not resumed"),
        };
        let share = others as f64 / (full + resumed).max(1) as f64;
        let percent = short(share * 100.0);
        (share > OTHERWISE_SHARE_MAX)
            .then(|| format!("{percent} % of the TLS sessions with {side} {what}."))
    };
    opened.into_iter().filter_map(warning).collect()
}

const fn thoughtless(asked: &PlannedCell) -> Pace {
    Pace::Closed {
        users: asked.users,
        think_us: 0,
    }
}

const fn open(asked: &PlannedCell, per_second: f64) -> Pace {
    Pace::Open {
        per_second,
        connections: asked.users,
    }
}

fn described(asked: &PlannedCell, pace: Pace) -> String {
    let more = asked
        .parameters
        .iter()
        .map(|(name, value)| format!(", {name} {value}"));
    let (callers, rate) = match pace {
        Pace::Open { per_second, .. } => {
            let rate = format!(" at {} requests/s", short(per_second));
            ("connections", rate)
        }
        Pace::Closed { .. } => ("users", String::new()),
    };
    format!(
        "{}, {} {callers}, {} bytes, {} ms{}{rate}",
        asked.scenario,
        asked.users,
        asked.message_bytes,
        asked.delay_ms,
        more.collect::<String>()
    )
}
