//! Cost by the size of the gateway's world: keys, APIs, limits, connections. Since requests only
//! read what was prepared on save, the cost should not depend on the size.

use super::html::escaped;
use super::plot::{Look, Plot, Series};
use super::view::{Across, CPU, CellView, Kind, MEMORY, P99, THROUGHPUT, View, distinct, groups};
use crate::https;
use crate::kept::{Cell, ProcessUse, Round};
use crate::numbers::short;
use crate::statistics::{Line, line, median};

/// Plots the cost by the size of the gateway's world, with the slope of each line.
pub(super) fn sections(view: &View<'_>) -> String {
    let varied = view
        .cells
        .iter()
        .filter(|cell| !cell.cell.parameters.is_empty());
    let key = |cell: &Cell| {
        let names: Vec<String> = cell.parameters.keys().cloned().collect();
        (cell.scenario.clone(), names)
    };
    let mut html = String::new();
    for ((scenario, names), cells) in groups(varied, key) {
        for name in &names {
            let across = Across::parameter(name);
            if distinct(&cells, |cell| cell.parameters[name]) < 2 {
                continue;
            }
            html += &format!("<h3>{}, by {}</h3>\n", escaped(&scenario), escaped(name));
            html += "<div class=\"plots\">\n";
            html += &cost(view, &cells, &across, &format!("{scenario}, by {name}")).html();
            for kind in [&THROUGHPUT, &P99, &MEMORY] {
                let series = view.by_side(&cells, &across, kind);
                let name = format!("{scenario}, by {name}");
                html += &kind.plot(&name, &across, series).html();
            }
            html += "</div>\n";
        }
    }
    html
}

/// Plots the gateway's cost together with that of generator and back end, in direct calls if there
/// are any. Their work does not depend on the size, so if their cost rises, too, the machine became
/// slower.
fn cost(view: &View<'_>, cells: &[&CellView<'_>], across: &Across, name: &str) -> Plot {
    let mut series = view.by_side(cells, across, &CPU);
    let others = Kind {
        of: |measured| {
            let of_all = measured.rounds.iter().map(|round| {
                let others = round
                    .processes
                    .iter()
                    .filter(|(name, _)| *name != "gateway");
                let cpu_us: u64 = others.map(|(_, used)| ProcessUse::cpu_us(used)).sum();
                cpu_us as f64 / round.outcome.successes.max(1) as f64
            });
            median(&of_all.collect::<Vec<f64>>())
        },
        of_round: None,
        ..CPU
    };
    let mut sides = view.sides.iter().copied();
    let (side, name_of_others) = match sides.find(|side| https::is_direct(side)) {
        Some(direct) => (direct, "generator and back end, called directly"),
        None => (view.subject(), "generator and back end"),
    };
    let points = cells
        .iter()
        .filter_map(|cell| cell.point(side, across, &others))
        .collect();
    series.extend(Series::new(name_of_others, Look::Direct, points));
    let mut slopes: Vec<String> = series.iter().filter_map(slope).collect();
    slopes.extend(
        view.gateways()
            .filter_map(|side| freed(side, cells, across)),
    );
    let mut plot = CPU.plot(name, across, series);
    plot.note = Some(format!("For ten times the size: {}.", slopes.join("; ")));
    plot
}

/// Describes the rise of a line for ten times the size.
fn slope(series: &Series) -> Option<String> {
    let points = series.lines.iter().flatten();
    let points: Vec<_> = points.map(|point| (point.x, point.y)).collect();
    let (slope, share) = rise(&points)?;
    let (sign, size) = (if slope < 0.0 { "-" } else { "+" }, short(slope.abs()));
    Some(format!("{} {sign}{size} us ({share:+.1} %)", series.name))
}

/// Describes the rise of a side's cost relative to the back end's in direct calls of the same turn,
/// which does not depend on keys, APIs and limits: both contain the machine's drift. More
/// connections cost the back end more, too, so this line is omitted for them.
fn freed(side: &str, cells: &[&CellView<'_>], across: &Across) -> Option<String> {
    if cells
        .iter()
        .any(|cell| cell.cell.parameters.contains_key("connections"))
    {
        return None;
    }
    let point = |cell: &&CellView<'_>| Some(((across.value)(cell.cell), beside(cell.cell, side)?));
    let points: Vec<_> = cells.iter().filter_map(point).collect();
    let (_, share) = rise(&points)?;
    Some(format!("{side} without the machine's drift {share:+.1} %"))
}

/// Returns the median over turns of a side's cost relative to the back end's in direct calls.
fn beside(cell: &Cell, side: &str) -> Option<f64> {
    let of = |side, turn| {
        let mut rounds = cell.rounds.iter().filter(|round| round.is_valid());
        rounds.find(|round| round.side == side && round.turn == turn)
    };
    let back_end = |round: &Round| {
        let used = round.processes.get("back end")?;
        Some(used.cpu_us() as f64 / round.outcome.successes as f64)
    };
    let turns = cell.rounds.iter().map(|round| round.turn).max()?;
    let direct = https::direct_in(cell);
    let ratio = |turn| Some(of(side, turn)?.cpu_us_per_request()? / back_end(of(direct, turn)?)?);
    let ratios: Vec<f64> = (0..=turns).filter_map(ratio).collect();
    median(&ratios)
}

/// Returns the rise of points for ten times the size, absolute and as a percentage of their mean.
fn rise(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let points: Vec<_> = points.iter().map(|(x, y)| (x.log10(), *y)).collect();
    let Line { slope, .. } = line(&points)?;
    let mean = points.iter().map(|(_, y)| y).sum::<f64>() / points.len() as f64;
    Some((slope, slope / mean * 100.0))
}
