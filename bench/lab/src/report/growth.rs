//! Cost against the size of what the gateway knows: keys, APIs, limits, connections. What is
//! prepared when it is saved should cost the same however much of it there is.

use super::page::escaped;
use super::plot::{Look, Plot, Series};
use super::view::{Across, CPU, CellView, Kind, MEMORY, P99, THROUGHPUT, View, distinct, groups};
use crate::kept::{Cell, ProcessUse};
use crate::numbers::short;
use crate::statistics::{Line, line, median};

/// Cost against the size of what the gateway knows, with each line's slope.
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

/// The gateway's cost, and beside it that of generator and back end. Those do the same whatever the
/// size, so where they rise too it was the machine that became slower.
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
    let side = view.subject();
    let points = cells
        .iter()
        .filter_map(|cell| cell.point(side, across, &others))
        .collect();
    series.extend(Series::of("generator and back end", Look::Direct, points));
    let slopes: Vec<String> = series.iter().filter_map(slope).collect();
    let mut plot = CPU.plot(name, across, series);
    plot.note = Some(format!("For ten times the size: {}.", slopes.join("; ")));
    plot
}

/// How a line rises for ten times the size.
fn slope(series: &Series) -> Option<String> {
    let points: Vec<(f64, f64)> = series
        .lines
        .iter()
        .flatten()
        .map(|point| (point.x.log10(), point.y))
        .collect();
    let Line { slope, .. } = line(&points)?;
    let mean = points.iter().map(|(_, y)| y).sum::<f64>() / points.len() as f64;
    let (sign, size) = (if slope < 0.0 { "-" } else { "+" }, short(slope.abs()));
    let share = slope / mean * 100.0;
    Some(format!("{} {sign}{size} us ({share:+.1} %)", series.name))
}
