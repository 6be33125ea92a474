//! All about one cell: the full distribution, its rounds, and the resources used by the processes.

use super::axis::{Axis, Scale};
use super::html::escaped;
use super::plot::{Plot, Point, Series, values};
use super::view::{CPU, CellView, View};
use crate::figures::{GATEWAY, Measured, State};
use crate::https;
use crate::kept::{ProcessUse, Round, Sample};
use crate::numbers::{compact, short};

/// Points of a curve per factor of ten.
const POINTS_OF_DECADE: u32 = 12;
/// Maximum number of samples per round; more are averaged.
const SAMPLES_MAX: usize = 60;

/// Minimum distance of samples for a rate: the last sample of a round comes whenever the round
/// ends.
const APART_MS: u64 = 200;

/// Renders a collapsible box for each cell.
pub(super) fn cells(view: &View<'_>) -> String {
    let mut html = String::new();
    for (index, cell) in view.cells.iter().enumerate() {
        let open = if index == 0 { " open" } else { "" };
        html += &format!(
            "<details class=\"cell\"{open}><summary id=\"cell-{}\">{}</summary>\n\
             <div class=\"plots\">\n",
            cell.number,
            escaped(&cell.name())
        );
        html += &curve(view, cell).html();
        html += &rounds(view, cell).html();
        html += &over_time(view, cell, &PROCESSOR).html();
        html += &over_time(view, cell, &RESIDENT).html();
        html += "</div></details>\n";
    }
    html
}

/// Plots latency by percentile, spaced by the distance from 100 % on a log scale.
fn curve(view: &View<'_>, cell: &CellView<'_>) -> Plot {
    let of_side = |measured: &Measured<'_>| {
        let latency = &measured.latency;
        let count = latency.count() as f64;
        let steps = 0..=(count.max(1.0).log10() * f64::from(POINTS_OF_DECADE)) as u32;
        let points = steps.map(|step| {
            let x = 10_f64.powf(f64::from(step) / f64::from(POINTS_OF_DECADE));
            let y = latency.quantile_us(1.0 - 1.0 / x).max(1) as f64 / 1e3;
            plain(x, y)
        });
        let points = if count > 0.0 {
            points.collect()
        } else {
            Vec::new()
        };
        Series::new(measured.side, view.look(measured.side), points)
    };
    let series: Vec<Series> = cell.sides.iter().filter_map(of_side).collect();
    let shares = values(&series, |point| point.x);
    let latencies = values(&series, |point| point.y);
    Plot {
        title: format!("Response time by percentile: {}", cell.name()),
        x: Axis::log("percentile", &shares).named(percentile),
        y: Axis::log("ms (log scale)", &latencies),
        series,
        note: None,
    }
}

/// Formats a percentile: 1 is 0 %, 100 is 99 %, 100,000 is 99.999 %.
fn percentile(of_one_in: f64) -> String {
    format!("{} %", compact(100.0 - 100.0 / of_one_in.max(1.0)))
}

/// Plots the rounds of a cell by turn: rounds of one turn see the same state of the machine.
fn rounds(view: &View<'_>, cell: &CellView<'_>) -> Plot {
    let of_side = |measured: &Measured<'_>| {
        let point = |round: &&Round| {
            let (x, y) = (f64::from(round.turn + 1), round.cpu_us_per_request()?);
            let hint = format!("{}: {} us in turn {x}", measured.side, short(y));
            let (range, state) = (None, measured.state);
            Some(Point {
                x,
                y,
                range,
                state,
                hint,
            })
        };
        let points = measured.rounds.iter().filter_map(point).collect();
        Series::new(measured.side, view.look(measured.side), points)
    };
    let gateways = cell.sides.iter().filter(|it| !https::is_direct(it.side));
    let series: Vec<Series> = gateways.filter_map(of_side).collect();
    let turns = values(&series, |point| point.x);
    let costs = values(&series, |point| point.y);
    Plot {
        title: format!("CPU per request, round by round: {}", cell.name()),
        x: Axis::of_values("turn", Scale::Steps, &turns),
        y: Axis::of_figures(CPU.unit, &costs),
        series,
        note: None,
    }
}

/// A resource of a process over time.
struct Watched {
    title: &'static str,
    unit: &'static str,
    /// Computes the value from a sample and its predecessor.
    of: fn(&ProcessUse, Sample, Sample) -> f64,
}

const PROCESSOR: Watched = Watched {
    title: "Processor time of the gateway",
    unit: "% of its cores",
    of: |process, before, sample| {
        let passed_us = (sample.at_ms.saturating_sub(before.at_ms)).max(1) * 1_000;
        let used_us = sample.cpu_us.saturating_sub(before.cpu_us);
        used_us as f64 / (passed_us * process.cores.len().max(1) as u64) as f64 * 100.0
    },
};

const RESIDENT: Watched = Watched {
    title: "Memory of the gateway",
    unit: "MiB",
    of: |_, _, sample| sample.memory_bytes as f64 / 1_048_576.0,
};

/// Plots the gateways' use of a resource during the measurements, one round after the other.
fn over_time(view: &View<'_>, cell: &CellView<'_>, watched: &Watched) -> Plot {
    let gateways = cell.sides.iter().filter(|it| !https::is_direct(it.side));
    let of_side = |measured: &Measured<'_>| {
        let (mut lines, mut begin_s) = (Vec::new(), 0.0);
        for round in &measured.rounds {
            lines.extend(watched.of_round(round, begin_s));
            begin_s += round.outcome.measured_us as f64 / 1e6;
        }
        let (name, look) = (measured.side.to_owned(), view.look(measured.side));
        (!lines.is_empty()).then_some(Series { name, look, lines })
    };
    let series: Vec<Series> = gateways.filter_map(of_side).collect();
    let seconds = values(&series, |point| point.x);
    let heights = values(&series, |point| point.y);
    Plot {
        title: format!("{}: {}", watched.title, cell.name()),
        x: Axis::linear("measured seconds, rounds one after the other", &seconds),
        y: Axis::linear(watched.unit, &heights),
        series,
        note: None,
    }
}

impl Watched {
    fn of_round(&self, round: &Round, begin_s: f64) -> Option<Vec<Point>> {
        let process = round.processes.get(GATEWAY)?;
        let start = Sample {
            at_ms: 0,
            cpu_us: 0,
            memory_bytes: 0,
        };
        let mut pairs: Vec<(Sample, Sample)> = Vec::new();
        for sample in &process.samples {
            let before = pairs.last().map_or(start, |(_, before)| *before);
            if sample.at_ms >= before.at_ms + APART_MS {
                pairs.push((before, *sample));
            }
        }
        let together = pairs.len().div_ceil(SAMPLES_MAX).max(1);
        let points = pairs.chunks(together).filter_map(|chunk| {
            let ((before, _), (_, sample)) = (chunk.first()?, chunk.last()?);
            let y = (self.of)(process, *before, *sample);
            Some(plain(begin_s + sample.at_ms as f64 / 1e3, y))
        });
        Some(points.collect()).filter(|line: &Vec<Point>| !line.is_empty())
    }
}

/// Creates a point of a curve, without a mark of its own.
fn plain(x: f64, y: f64) -> Point {
    Point {
        x,
        y,
        range: None,
        state: State::Sound,
        hint: format!("{} at {}", short(y), short(x)),
    }
}
