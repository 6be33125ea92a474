//! The highest rate that each side sustains, and the trials that led to it.

use super::axis::Axis;
use super::html::{escaped, table};
use super::plot::{Plot, Point, Series, values};
use super::view::View;
use crate::figures::{State, bytes_name, state_of};
use crate::kept::{OpenLoop, Trial};
use crate::numbers::short;

/// Renders, for each cell of an open loop, response times by rate, and the highest sustained rate.
pub(super) fn cells(view: &View<'_>) -> String {
    let mut html = String::new();
    for cell in &view.cells {
        let Some(open_loop) = cell.cell.open_loop.as_ref() else {
            continue;
        };
        if open_loop.trials.is_empty() {
            continue;
        }
        let call = format!(
            "{}, {}",
            cell.cell.scenario,
            bytes_name(cell.cell.message_bytes)
        );
        html += &format!(
            "<h3>{}</h3>\n<div class=\"plots\">\n",
            escaped(&cell.name())
        );
        html += &trials(view, open_loop, &call).html();
        html += "</div>\n";
        html += &borne(view, open_loop);
    }
    if html.is_empty() {
        return html;
    }
    format!(
        "<p>Requests are sent at a fixed rate, regardless of response times, and latency counts \
         from the moment at which a request was due. A side sustains a rate if its 99th percentile \
         stays below the bound and at most 0.1 % of the calls fail; other rates are tried \
         twice. All sides are then measured in turn at a share of the lowest of these \
         rates.</p>\n{html}"
    )
}

/// Plots the 99th percentile of each trial by its rate.
fn trials(view: &View<'_>, open_loop: &OpenLoop, call: &str) -> Plot {
    let of_side = |side: &&str| {
        let trials = open_loop.trials.iter().filter(|it| it.round.side == *side);
        let mut points: Vec<Point> = trials.map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series::new(side, view.look(side), points)
    };
    let series: Vec<Series> = view.sides.iter().filter_map(of_side).collect();
    Plot {
        title: format!("99th percentile by rate: {call}"),
        x: Axis::linear("requests/s", &values(&series, |point| point.x)),
        y: Axis::log("ms (log scale)", &values(&series, |point| point.y)),
        series,
        note: Some(format!("The bound is {} ms.", short(open_loop.p99_ms_max))),
    }
}

fn point(trial: &Trial) -> Point {
    let Trial { per_second, round } = trial;
    let p99_ms = round.p99_ms();
    let (side, rate, p99) = (&round.side, short(*per_second), short(p99_ms));
    Point {
        x: *per_second,
        y: p99_ms,
        range: None,
        // The rate is an input, so a load-bound round does not affect it.
        state: match state_of(&[round]) {
            State::Invalid => State::Invalid,
            State::LoadBound | State::Sound => State::Sound,
        },
        hint: format!("{side}: p99 {p99} ms at {rate} requests/s"),
    }
}

fn borne(view: &View<'_>, open_loop: &OpenLoop) -> String {
    let row = |side: &&str| {
        let peak = open_loop.peak(side)?;
        let cpu_us = peak.round.cpu_us_per_request();
        Some(vec![
            escaped(side),
            format!("{}{}", peak.bound(), short(peak.per_second)),
            short(peak.round.p99_ms()),
            cpu_us.map(short).unwrap_or_default(),
        ])
    };
    let head = ["Side", "Requests/s sustained", "p99 ms", "CPU us/request"];
    table(&head, view.sides.iter().filter_map(row))
}
