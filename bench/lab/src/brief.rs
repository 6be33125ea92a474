//! A run's output in a terminal: a table of all sides, and lines for scripts.

use std::fmt::Write as _;

use crate::background;
use crate::between;
use crate::figures::{Figure, Measured, State, cell_name};
use crate::footprint;
use crate::https;
use crate::kept::{Cell, Pair, Run, Trial};
use crate::numbers::short;
use crate::split;
use crate::statistics::{Estimate, median, ratio_of_neighbours};

const HEAD: [&str; 9] = [
    "side",
    "CPU us/request",
    "ratio (95 %)",
    "requests/s",
    "mean ms",
    "p50 ms",
    "p99 ms",
    "memory MiB",
    "",
];
const MIB: f64 = 1_048_576.0;

/// Returns a table of every cell, and a list of what was left out.
#[must_use]
pub fn table(run: &Run) -> String {
    let mut text = String::new();
    for cell in &run.cells {
        let mut rows = vec![HEAD.map(str::to_owned)];
        rows.extend(sides(cell).filter_map(|side| row(cell, side)));
        let _ = writeln!(text, "\n{}", cell_name(cell));
        text += &aligned(&rows);
        for line in sides(cell).filter_map(|side| background::describe(cell, side)) {
            let _ = writeln!(text, "{line}");
        }
        text += &split_table(run, cell);
        for peak in peaks(cell) {
            let (side, rate) = (&peak.round.side, short(peak.per_second));
            let (bound, p99) = (peak.bound(), short(peak.round.p99_ms()));
            let _ = writeln!(
                text,
                "{side} sustains {bound}{rate} requests/s, with a p99 of {p99} ms"
            );
        }
    }
    let ours = https::ours_of(run);
    let _ = writeln!(
        text,
        "\nThe ratio is {ours}'s CPU time per request to the side's, in neighbouring rounds."
    );
    for it in footprint::all(run) {
        let (few, many) = it.between;
        let kib = short(it.bytes / 1024.0);
        let _ = writeln!(
            text,
            "{}, {}: {kib} KiB of memory for each connection, of {few} to {many}",
            it.side, it.scenario
        );
    }
    let between = between::all(run);
    if !between.is_empty() {
        text += "\nTollgate's CPU time per request in one scenario compared with another:\n";
    }
    for it in &between {
        let _ = writeln!(text, "{}, {}: {}", it.what(), it.place(), it.value());
    }
    for left_out in &run.left_out {
        let _ = writeln!(text, "left out: {}: {}", left_out.what, left_out.why);
    }
    for warning in &run.warnings {
        let _ = writeln!(text, "{warning}");
    }
    text
}

/// Returns one line for each figure of the first cell, such as `cpu_ratio_nginx_plain=0.93`, for
/// each ratio of the same calls with other numbers of users, such as
/// `cpu_ratio_nginx_plain_1000=0.66`, and for each pair of scenarios that the run compares.
#[must_use]
pub fn lines(run: &Run) -> String {
    let mut text = String::new();
    let Some(cell) = run.cells.first() else {
        return text;
    };
    if let Some(ours) = Measured::from_cell(cell, https::ours_in(cell)) {
        if let Some(cpu_us) = ours.cpu_us {
            let _ = writeln!(text, "cpu_us_per_request={cpu_us:.2}");
        }
        let _ = writeln!(text, "requests_per_second={:.0}", ours.per_second);
    }
    for peak in peaks(cell) {
        let name = peak.round.side.replace('-', "_");
        let _ = writeln!(text, "peak_per_second_{name}={:.0}", peak.per_second);
    }
    for (side, over_ms) in over_delay(cell) {
        let name = side.replace('-', "_");
        let _ = writeln!(text, "p99_over_delay_ms_{name}={over_ms:.1}");
    }
    push_ratios(&mut text, cell, "");
    let is_alike = |other: &&Cell| {
        (&other.scenario, other.message_bytes) == (&cell.scenario, cell.message_bytes)
    };
    for other in run.cells.iter().skip(1).filter(is_alike) {
        push_ratios(&mut text, other, &format!("_{}", other.users));
    }
    for it in footprint::all(run) {
        let name = it.side.replace('-', "_");
        let _ = writeln!(text, "connection_bytes_{name}={:.0}", it.bytes);
    }
    for it in split::all(run) {
        let (name, place) = (it.side.replace('-', "_"), it.place());
        if let Some(ratios) = &it.ratios {
            let [user, both] = [&ratios.user, &ratios.both].map(split::with_interval);
            let _ = writeln!(text, "thread_user_ratio_{name}={user} at {place}");
            let _ = writeln!(text, "thread_ratio_{name}={both} at {place}");
        }
    }
    for it in between::all(run) {
        let Pair {
            name,
            message_bytes,
            ..
        } = it.pair;
        if it.cell.message_bytes == *message_bytes {
            let _ = writeln!(text, "{name}={} at {}", it.value(), it.place());
        }
    }
    text
}

/// Returns by how much the 99th percentile of each side exceeds the delay of the back end, in
/// milliseconds, as the median of its rounds; none if the back end has no delay.
fn over_delay(cell: &Cell) -> impl Iterator<Item = (&str, f64)> {
    let with_delay = (cell.delay_ms > 0).then_some(cell);
    with_delay.into_iter().flat_map(sides).filter_map(|side| {
        let measured = Measured::from_cell(cell, side)?;
        let p99_ms: Vec<f64> = measured.rounds.iter().map(|it| it.p99_ms()).collect();
        Some((side, median(&p99_ms)? - cell.delay_ms as f64))
    })
}

/// Writes one line for each other side of a cell: our cost relative to that side's.
fn push_ratios(text: &mut String, cell: &Cell, suffix: &str) {
    for side in sides(cell) {
        if let Some(ratio) = ratio(cell, side) {
            let name = side.replace('-', "_");
            let _ = writeln!(text, "cpu_ratio_{name}{suffix}={:.3}", ratio.value);
        }
    }
}

/// Returns our processor time per request relative to another side's, over the turns in which both
/// were measured.
fn ratio(cell: &Cell, side: &str) -> Option<Estimate> {
    let ours = https::ours_in(cell);
    if side == ours {
        return None;
    }
    let cost = |side: &str, turn: u32| {
        let mut rounds = cell.rounds.iter();
        let round = rounds.find(|round| round.side == side && round.turn == turn)?;
        Figure::Cpu.value_in(round).filter(|_| round.is_valid())
    };
    let turns = cell.rounds.iter().filter(|round| round.side == side);
    let pairs: Vec<(f64, f64)> = turns
        .filter_map(|it| cost(ours, it.turn).zip(cost(side, it.turn)))
        // Too few calls to register any processor time are not a measurement.
        .filter(|(_, cost)| *cost > 0.0)
        .collect();
    ratio_of_neighbours(&pairs)
}

/// Returns the highest rate that each side sustained in an open loop.
fn peaks(cell: &Cell) -> impl Iterator<Item = &Trial> {
    sides(cell).filter_map(|side| cell.open_loop.as_ref()?.peak(side))
}

/// Returns the sides of a cell in the order in which they were first measured.
fn sides(cell: &Cell) -> impl Iterator<Item = &str> {
    let first = cell.rounds.iter().filter(|round| round.turn == 0);
    first.map(|round| round.side.as_str())
}

fn row(cell: &Cell, side: &str) -> Option<[String; 9]> {
    let measured = Measured::from_cell(cell, side)?;
    let ratio = ratio(cell, side).map_or(String::new(), |ratio| {
        format!("{:.2} ({:.2} to {:.2})", ratio.value, ratio.low, ratio.high)
    });
    let state = match measured.state {
        State::Sound => "",
        State::LoadBound => "load-bound",
        State::Invalid => "INVALID",
    };
    let latency = &measured.latency;
    let memory = measured
        .memory_peak_bytes()
        .map_or(String::new(), |it| short(it as f64 / MIB));
    Some([
        side.to_owned(),
        measured.cpu_us.map_or(String::new(), short),
        ratio,
        short(measured.per_second),
        short(latency.mean_us() / 1e3),
        short(latency.quantile_us(0.5) as f64 / 1e3),
        short(latency.quantile_us(0.99) as f64 / 1e3),
        memory,
        state.to_owned(),
    ])
}

/// Returns a table of the user and system times in a cell, if the run compares them.
fn split_table(run: &Run, cell: &Cell) -> String {
    let Some(split) = &run.split else {
        return String::new();
    };
    let line = |side: String, figures: [String; 5]| {
        let [user, system, both, of_user, of_both] = figures;
        [side, user, system, both, of_user, of_both]
    };
    let mut rows = vec![line("its threads".to_owned(), split::head(split))];
    let of_cell = split::all(run).into_iter();
    let of_cell = of_cell.filter(|it| std::ptr::eq(it.cell, cell));
    rows.extend(of_cell.map(|it| line(it.side.to_owned(), it.figures())));
    let threads = split.threads.join(", ");
    format!("threads {threads}:\n{}", aligned(&rows))
}

fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].len())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text.push('\n');
    }
    text
}
