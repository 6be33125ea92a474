//! Plots by users, message size and delay.

use super::html::escaped;
use super::plot::{Look, Plot, Point, Series};
use super::view::{
    ADDED, AVERAGE, Across, CPU, CellView, Kind, P99, THROUGHPUT, View, distinct, groups,
};
use crate::figures::{Measured, bytes_name};
use crate::kept::Cell;
use crate::numbers::short;

/// The meaning of the marks.
const MARKS: &str = "<p class=\"note\">△ load-bound: throughput is a lower bound. ✕ invalid: too \
    many errors. Whiskers range from the lowest round to the highest.</p>\n";

/// Returns the cells in which only users, size and delay vary.
fn plain<'v, 'a>(view: &'v View<'a>) -> impl Iterator<Item = &'v CellView<'a>> {
    let cells = view.cells.iter();
    cells.filter(|cell| cell.cell.parameters.is_empty())
}

/// Plots cost, throughput and response times by users, for each scenario and message.
pub(super) fn users(view: &View<'_>) -> String {
    let key = |cell: &Cell| (cell.scenario.clone(), cell.message_bytes, cell.delay_ms);
    let across = Across::users();
    let mut html = String::new();
    for ((scenario, bytes, delay_ms), cells) in groups(plain(view), key) {
        if distinct(&cells, |cell| cell.users) < 2 {
            continue;
        }
        if html.is_empty() {
            html += MARKS;
        }
        let name = call_name(&scenario, bytes, delay_ms);
        html += &format!("<h3>{}</h3>\n<div class=\"plots\">\n", escaped(&name));
        for kind in [&CPU, &THROUGHPUT, &AVERAGE] {
            let series = view.by_side(&cells, &across, kind);
            html += &kind.plot(&name, &across, series).html();
        }
        for side in view.gateways() {
            html += &percentiles(view, &cells, side, &name).html();
        }
        html += &added(view, &cells, &name).html();
        html += "</div>\n";
    }
    html
}

/// Plots cost, throughput and response times by message size, for each scenario, with a line for
/// each number of users.
pub(super) fn sizes(view: &View<'_>) -> String {
    let key = |cell: &Cell| (cell.scenario.clone(), cell.delay_ms);
    let across = Across::message_size();
    let mut html = String::new();
    for ((scenario, delay_ms), cells) in groups(plain(view), key) {
        if distinct(&cells, |cell| cell.message_bytes) < 2 {
            continue;
        }
        let delay = if delay_ms > 0 {
            format!(", delay {delay_ms} ms")
        } else {
            String::new()
        };
        html += &lines_of_users(view, &cells, &across, &format!("{scenario}{delay}"));
    }
    html
}

/// Plots the same by the back end's delay.
pub(super) fn delays(view: &View<'_>) -> String {
    let key = |cell: &Cell| (cell.scenario.clone(), cell.message_bytes);
    let across = Across::delay();
    let mut html = String::new();
    for ((scenario, bytes), cells) in groups(plain(view), key) {
        if distinct(&cells, |cell| cell.delay_ms) < 2 {
            continue;
        }
        html += &lines_of_users(view, &cells, &across, &call_name(&scenario, bytes, 0));
    }
    html
}

fn lines_of_users(view: &View<'_>, cells: &[&CellView<'_>], across: &Across, name: &str) -> String {
    let side = view.subject();
    let by_users = groups(cells.iter().copied(), |cell| cell.users);
    let count = by_users.len();
    let mut html = format!("<h3>{}</h3>\n<div class=\"plots\">\n", escaped(name));
    for kind in [&CPU, &THROUGHPUT, &AVERAGE, &P99] {
        let of_users = |(step, (users, cells)): (usize, &(u32, Vec<&CellView<'_>>))| {
            let points = cells
                .iter()
                .filter_map(|cell| cell.point(side, across, kind));
            Series::new(
                &format!("{users} users"),
                Look::Step(step, count),
                points.collect(),
            )
        };
        let series = by_users.iter().enumerate().filter_map(of_users).collect();
        html += &kind.plot(&format!("{side}, {name}"), across, series).html();
    }
    html + "</div>\n"
}

const PERCENTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)];

fn percentiles(view: &View<'_>, cells: &[&CellView<'_>], side: &str, name: &str) -> Plot {
    let across = Across::users();
    let of_percentile = |(step, (percentile, share)): (usize, &(&str, f64))| {
        let point = |cell: &&CellView<'_>| {
            let measured = cell.side(side)?;
            let y = measured.latency.quantile_us(*share) as f64 / 1e3;
            let x = f64::from(cell.cell.users);
            let hint = format!("{side}: {percentile} {} ms at {x} users", short(y));
            let (range, state) = (None, measured.state);
            Some(Point {
                x,
                y,
                range,
                state,
                hint,
            })
        };
        let points = cells.iter().filter_map(point).collect();
        Series::new(percentile, Look::Step(step, PERCENTILES.len()), points)
    };
    let steps = PERCENTILES.iter().enumerate();
    let mut series: Vec<Series> = steps.filter_map(of_percentile).collect();
    if side == view.subject() {
        let published = view.by_side(cells, &across, &P99).into_iter();
        series.extend(
            published
                .filter(|series| series.look == Look::Published)
                .map(|series| {
                    let name = format!("p99 {}", series.name);
                    Series { name, ..series }
                }),
        );
    }
    let kind = Kind {
        title: "Percentiles of response time",
        ..P99
    };
    kind.plot(&format!("{side}, {name}"), &across, series)
}

/// A statistic of the response time, and what a gateway adds to it, in milliseconds.
type AddedAt = (&'static str, fn(&Measured<'_>) -> Option<f64>);

const ADDED_AT: [AddedAt; 3] = [
    ("at the mean", |it| Some(it.added?.mean_us / 1e3)),
    ("at the median", |it| Some(it.added?.p50_us / 1e3)),
    ("at p99", |it| Some(it.added?.p99_us / 1e3)),
];

/// Plots the added response time: for one gateway, at the mean and at percentiles; for several, at
/// the mean of each.
fn added(view: &View<'_>, cells: &[&CellView<'_>], name: &str) -> Plot {
    let across = Across::users();
    let at_mean = view.by_side(cells, &across, &ADDED);
    if view.gateways().count() > 1 {
        return ADDED.plot(name, &across, at_mean);
    }
    let side = view.subject();
    let line = |(step, (at, of)): (usize, &AddedAt)| {
        let kind = Kind { of: *of, ..ADDED };
        let points = cells
            .iter()
            .filter_map(|cell| cell.point(side, &across, &kind));
        let look = Look::Step(step, ADDED_AT.len());
        Series::new(&format!("{side}, {at}"), look, points.collect())
    };
    let lines = ADDED_AT.iter().enumerate().filter_map(line);
    let published = at_mean
        .into_iter()
        .filter(|series| series.look == Look::Published);
    let kind = Kind {
        title: "Added response time, against direct",
        ..ADDED
    };
    kind.plot(name, &across, lines.chain(published).collect())
}

fn call_name(scenario: &str, bytes: u64, delay_ms: u64) -> String {
    let delay = if delay_ms > 0 {
        format!(", delay {delay_ms} ms")
    } else {
        String::new()
    };
    format!("{scenario}, {}{delay}", bytes_name(bytes))
}
