//! Compares two runs, or two sides of one run: which is better, cell by cell and figure by figure,
//! and with what confidence. Verdicts depend on the rounds of the kept runs alone.
//!
//! The machines that this lab runs on drift: within minutes everything may become 1.6 times slower
//! or faster. Two sides of one run are neighbours in time, so the ratio of their figures in a turn
//! is free of drift. Two *runs* have nothing in common but the sides measured in both: `direct`,
//! and rivals with the same binary. These are the yardstick. Each round's figure is divided by the
//! yardstick's figure in the same turn, and the quotients of A and of B are compared. Without a
//! common side, figures are compared as measured and a difference within the drift is no change.
//!
//! Within one run the drift is estimated from the sides that are not compared, and the rank test
//! runs on rounds from which it has been removed. Dividing the two by each other would not work:
//! the samples would become mirror images, and the test, which assumes that they are independent,
//! would take chance for a difference. Without a third side the test uses the rounds as measured,
//! and the drift hides differences.
//!
//! The first figure is processor time. Throughput and p99 have a verdict only if neither side is
//! load-bound: otherwise they measure the generator. The rank tests of a figure are corrected for
//! the number of its cells.

mod samples;
mod text;

use self::samples::{divided, figures_by_turn, in_both, pairs, values, without_drift};
use crate::figures::{self, Figure, OURS, State, cell_name};
use crate::https;
use crate::kept::{Cell, ENDED_EARLY, Round, Run};
use crate::statistics::{
    Estimate, ROUNDS_MIN, THRESHOLD, Verdict, holm, mann_whitney, mean_ratio, median,
    ratio_of_medians, ratio_of_neighbours, rounds_needed,
};

/// The factor by which the machine's speed may change between two runs.
pub const DRIFT: f64 = 1.6;
/// Minimum number of cells for a verdict over all cells.
const TOGETHER_MIN: usize = 5;

/// The comparison of two runs, or of two sides of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The baseline: a line about the run and its side.
    pub a: String,
    /// What is compared with the baseline.
    pub b: String,
    /// Each figure of each cell measured in both, figure by figure.
    pub rows: Vec<Row>,
    /// Each figure over all cells.
    pub together: Vec<Together>,
    /// Caveats that qualify the verdicts.
    pub notes: Vec<String>,
}

/// A figure of a cell, measured in both.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the cell.
    pub cell: String,
    /// Which figure.
    pub figure: Figure,
    /// The median of A's rounds, as measured.
    pub a: f64,
    /// The median of B's rounds, as measured.
    pub b: f64,
    /// B relative to A, with the drift removed if possible.
    pub ratio: Estimate,
    /// The probability of a difference at least as large by chance, corrected.
    pub p: f64,
    /// Rounds of A and of B.
    pub rounds: (usize, usize),
    /// The verdict.
    pub judged: Judged,
}

/// A figure over all cells, except those that lack a verdict for another reason than too few
/// rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Together {
    /// Which figure.
    pub figure: Figure,
    /// Number of cells.
    pub cells: usize,
    /// The geometric mean of their ratios; the interval is from resampling cells.
    pub ratio: Estimate,
    /// The verdict.
    pub verdict: Verdict,
}

/// A verdict, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// Better, worse or no change.
    Verdict(Verdict),
    /// Fewer than [`ROUNDS_MIN`] rounds.
    TooFewRounds,
    /// The generator or the back end limited a side.
    LoadBound,
    /// An open loop: its rate is an input, not a result.
    OpenLoop,
    /// Two open loops ran at different rates.
    OtherRate,
}

/// How the rounds of A and B are related in time.
enum Time<'a> {
    /// From one run: rounds with the same turn are neighbours.
    Shared,
    /// From two runs that both measured these sides, if any.
    Apart(&'a [&'a str]),
}

/// Compares run B with run A: Tollgate in both, or the gateway measured in its place.
#[must_use]
pub fn compare(a: &Run, b: &Run) -> Comparison {
    let (side_a, side_b) = (subject(a), subject(b));
    let common = yardstick(a, b, &[side_a, side_b]);
    let mut rows = Vec::new();
    let mut notes = notes_of_runs(a, b, &common);
    for cell_b in &b.cells {
        let Some(cell_a) = a.cells.iter().find(|cell| is_same(cell, cell_b)) else {
            notes.push(format!("only in B: {}", cell_name(cell_b)));
            continue;
        };
        let sides = [(cell_a, side_a), (cell_b, side_b)];
        rows.extend(rows_of(sides, &Time::Apart(&common), &mut notes));
    }
    if rows.iter().any(|row| row.judged == Judged::OtherRate) {
        let note =
            "open loops at different rates cannot be compared: set one rate with --per-second";
        notes.push(note.to_owned());
    }
    let is_in_b = |cell: &&Cell| b.cells.iter().any(|other| is_same(other, cell));
    let only_in_a = a.cells.iter().filter(|cell| !is_in_b(cell));
    notes.extend(only_in_a.map(|cell| format!("only in A: {}", cell_name(cell))));
    let may_be_drift = common.is_empty();
    finished(
        [about(a, side_a), about(b, side_b)],
        &rows,
        notes,
        may_be_drift,
    )
}

/// Compares two sides of a run: B is `side`, A is `to`.
#[must_use]
pub fn sides(run: &Run, side: &str, to: &str) -> Comparison {
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    if figures::sides(run).len() == 2 {
        notes.push(format!(
            "no third side was measured to estimate the drift, \
             which may hide a difference between {side} and {to}"
        ));
    }
    for cell in &run.cells {
        rows.extend(rows_of(
            [(cell, to), (cell, side)],
            &Time::Shared,
            &mut notes,
        ));
    }
    finished([to.to_owned(), side.to_owned()], &rows, notes, false)
}

/// Returns the main side of a run.
fn subject(run: &Run) -> &str {
    let sides = figures::sides(run);
    sides.first().copied().unwrap_or(OURS)
}

/// Returns the sides that both runs measured with the same binary, except those compared.
fn yardstick<'a>(a: &'a Run, b: &Run, compared: &[&str]) -> Vec<&'a str> {
    let in_b = figures::sides(b);
    let is_same = |side: &&str| {
        in_b.contains(side) && !compared.contains(side) && binaries(a, side) == binaries(b, side)
    };
    figures::sides(a).into_iter().filter(is_same).collect()
}

/// Returns the digests of a side's binaries; empty for `direct`, and for rivals in the oldest runs.
fn binaries<'a>(run: &'a Run, side: &str) -> Vec<(&'a str, &'a str)> {
    let is_its = |name: &str| name.split('/').next() == Some(side);
    let all = run.binaries.iter().filter(|(name, _)| is_its(name));
    all.map(|(name, digest)| (name.as_str(), digest.as_str()))
        .collect()
}

fn is_same(a: &Cell, b: &Cell) -> bool {
    let circumstances = |cell: &Cell| (cell.users, cell.message_bytes, cell.delay_ms);
    a.scenario == b.scenario
        && circumstances(a) == circumstances(b)
        && a.parameters == b.parameters
        && a.open_loop.is_some() == b.open_loop.is_some()
}

/// Whether the rates of two cells differ, so neither cost nor latency can be compared.
fn have_other_rates(a: &Cell, b: &Cell) -> bool {
    let rate = |cell: &Cell| cell.open_loop.as_ref().and_then(|it| it.per_second);
    let near = 1.0 - THRESHOLD..=1.0 + THRESHOLD;
    rate(a) != rate(b)
        && !rate(a)
            .zip(rate(b))
            .is_some_and(|(a, b)| near.contains(&(b / a)))
}

fn rows_of(sides: [(&Cell, &str); 2], time: &Time<'_>, notes: &mut Vec<String>) -> Vec<Row> {
    let all = sides.map(|(cell, side)| figures::rounds_of(cell, side));
    if all.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let states = [0, 1].map(|at| figures::state_of(&all[at]));
    for at in (0..2).filter(|&at| states[at] == State::Invalid) {
        let (cell, side) = sides[at];
        notes.push(format!(
            "invalid, too many errors: {side} in {}",
            cell_name(cell)
        ));
    }
    if states.contains(&State::Invalid) {
        return Vec::new();
    }
    let rounds = [0, 1].map(|at| figures::usable(&all[at]));
    let may = |row: &Row| match have_other_rates(sides[0].0, sides[1].0) {
        true => Judged::OtherRate,
        false => may_be_judged(row, &rounds, states),
    };
    let each = Figure::ALL.into_iter();
    each.filter_map(|figure| row(sides, &rounds, figure, time))
        .map(|row| Row {
            judged: may(&row),
            ..row
        })
        .collect()
}

fn row(
    sides: [(&Cell, &str); 2],
    rounds: &[Vec<&Round>; 2],
    figure: Figure,
    time: &Time<'_>,
) -> Option<Row> {
    let raw = [0, 1].map(|at| figures_by_turn(&rounds[at], figure));
    let [a, b] = [values(&raw[0]), values(&raw[1])];
    let (ratio, [even_a, even_b]) = match time {
        Time::Shared => {
            let compared = sides.map(|(_, side)| side);
            let even = sides.map(|(cell, side)| without_drift(cell, side, &compared, figure));
            (ratio_of_neighbours(&pairs(&raw[1], &raw[0])), even)
        }
        Time::Apart(common) => {
            let common = in_both(sides, common);
            let even = [0, 1].map(|at| divided(&raw[at], sides[at].0, &common, figure));
            (ratio_of_medians(&even[1], &even[0]), even)
        }
    };
    Some(Row {
        cell: cell_name(sides[0].0),
        figure,
        a: median(&a)?,
        b: median(&b)?,
        ratio: ratio?,
        p: mann_whitney(&even_a, &even_b),
        rounds: (even_a.len(), even_b.len()),
        judged: Judged::Verdict(Verdict::NoChange),
    })
}

/// Returns why there is no verdict, if so; the verdict itself needs all cells.
fn may_be_judged(row: &Row, rounds: &[Vec<&Round>; 2], states: [State; 2]) -> Judged {
    let mut outcomes = rounds.iter().flatten().map(|round| &round.outcome);
    let is_open = outcomes.any(|outcome| outcome.service.is_some());
    if row.figure == Figure::Throughput && is_open {
        Judged::OpenLoop
    } else if row.figure != Figure::Cpu && states != [State::Sound; 2] {
        Judged::LoadBound
    } else if row.rounds.0.min(row.rounds.1) < ROUNDS_MIN {
        Judged::TooFewRounds
    } else {
        row.judged
    }
}

/// Corrects the probabilities, figure by figure, and decides the verdicts.
fn finished(
    [a, b]: [String; 2],
    rows: &[Row],
    mut notes: Vec<String>,
    may_be_drift: bool,
) -> Comparison {
    let verdict = |ratio: &Estimate, p: f64, figure: Figure| {
        let is_within_drift = ratio.value < DRIFT && ratio.value > 1.0 / DRIFT;
        if may_be_drift && is_within_drift {
            Verdict::NoChange
        } else {
            Verdict::judge(ratio, p, figure.better())
        }
    };
    let (mut judged, mut together) = (Vec::new(), Vec::new());
    for figure in Figure::ALL {
        let (mut may_be, rest): (Vec<Row>, Vec<Row>) = rows
            .iter()
            .filter(|row| row.figure == figure)
            .cloned()
            .partition(|row| matches!(row.judged, Judged::Verdict(_)));
        let chances: Vec<f64> = may_be.iter().map(|row| row.p).collect();
        for (row, p) in may_be.iter_mut().zip(holm(&chances)) {
            row.p = p;
            row.judged = Judged::Verdict(verdict(&row.ratio, p, figure));
        }
        notes.extend(note_of_power(figure, &may_be));
        // Cells with too few rounds for a verdict of their own count towards the verdict over all.
        let few = rest.iter().filter(|row| row.judged == Judged::TooFewRounds);
        let ratios: Vec<f64> = may_be
            .iter()
            .chain(few)
            .map(|row| row.ratio.value)
            .collect();
        if let Some(ratio) = mean_ratio(&ratios).filter(|_| ratios.len() >= TOGETHER_MIN) {
            together.push(Together {
                figure,
                cells: ratios.len(),
                ratio,
                verdict: verdict(&ratio, 0.0, figure),
            });
        }
        judged.extend(may_be);
        judged.extend(rest);
    }
    Comparison {
        a,
        b,
        rows: judged,
        together,
        notes,
    }
}

/// Returns a note if the rounds are too few to show any difference with this number of cells.
fn note_of_power(figure: Figure, rows: &[Row]) -> Option<String> {
    let rounds = rows
        .iter()
        .map(|row| row.rounds.0.min(row.rounds.1))
        .min()?;
    let needed = rounds_needed(rows.len());
    let (name, cells) = (figure.name(), rows.len());
    (rounds < needed).then(|| {
        format!(
            "{name}: {rounds} rounds a side cannot show a difference in one of {cells} cells, \
             however large ({needed} can); all cells together can"
        )
    })
}

fn about(run: &Run, side: &str) -> String {
    let (profile, mode) = (&run.profile, &run.mode);
    format!(
        "{side}, {} of {}, {profile} {mode} on {}",
        run.commit, run.started, run.machine.name
    )
}

fn notes_of_runs(a: &Run, b: &Run, common: &[&str]) -> Vec<String> {
    let mut notes = Vec::new();
    if common.is_empty() {
        notes.push(format!(
            "the runs have no side in common to compare the machine's speed by: \
             figures are compared as measured, and a factor below {DRIFT} is no change"
        ));
    } else {
        let common = common.join(", ");
        let note = format!("each round is divided by the same turn of: {common}");
        notes.push(note);
    }
    let lab = |run: &Run| run.binaries.get("tollgate-lab").cloned();
    let direct = common.iter().find(|it| https::is_direct(it));
    if let Some(direct) = direct.filter(|_| lab(a) != lab(b)) {
        notes.push(format!(
            "A and B were measured by different lab binaries: a more expensive generator makes \
             Tollgate look cheaper beside {direct}"
        ));
    }
    if a.machine != b.machine {
        notes.push("the runs are from different machines".to_owned());
    } else if a.topology != b.topology {
        notes.push(format!(
            "the runs have different topologies: in A {}; in B {}",
            a.topology, b.topology
        ));
    }
    for (name, run) in [("A", a), ("B", b)] {
        if let Some(why) = run.warnings.iter().find(|it| it.starts_with(ENDED_EARLY)) {
            notes.push(format!("{name}: {why}"));
        }
    }
    if a.mode != b.mode {
        notes.push(format!("A ran in mode {} and B in mode {}", a.mode, b.mode));
    }
    notes
}

#[cfg(test)]
mod tests;
