//! The data behind a report's sections: the figures of every cell and side, the figures that are
//! drawn, and the x axes of plots.

use crate::compare::{self, Comparison};
use crate::figures::{self, DIRECT, Measured, State, bytes_name, cell_name};
use crate::https;
use crate::kept::{Cell, Round, Run};
use crate::numbers::{compact, short};
use crate::published::{Beside, Row};

use super::axis::{Axis, Scale};
use super::plot::{Look, Plot, Point, Series, values};

/// A run with its computed figures.
pub(super) struct View<'a> {
    pub(super) run: &'a Run,
    pub(super) beside: &'a Beside,
    /// Ours first, `direct` last.
    pub(super) sides: Vec<&'a str>,
    pub(super) cells: Vec<CellView<'a>>,
    /// Comparisons of ours with each other gateway.
    pub(super) rivals: Vec<(&'a str, Comparison)>,
}

/// A cell with its computed figures.
pub(super) struct CellView<'a> {
    pub(super) cell: &'a Cell,
    /// Number of the cell, used in links to its details.
    pub(super) number: usize,
    pub(super) sides: Vec<Measured<'a>>,
}

/// A figure that can be drawn.
pub(super) struct Kind {
    /// First part of its plots' titles.
    pub(super) title: &'static str,
    /// Label of its axis.
    pub(super) unit: &'static str,
    pub(super) of: fn(&Measured<'_>) -> Option<f64>,
    /// Its value in a single round, if meaningful.
    pub(super) of_round: Option<fn(&Round) -> Option<f64>>,
    /// Its value in a published table, if any.
    pub(super) published: Option<fn(&Row) -> Option<f64>>,
}

/// The x axis of a plot.
pub(super) struct Across {
    pub(super) label: String,
    pub(super) scale: Scale,
    pub(super) value: Box<dyn Fn(&Cell) -> f64>,
    pub(super) name: fn(f64) -> String,
}

pub(super) const CPU: Kind = Kind {
    title: "CPU per request",
    unit: "us/request",
    of: |measured| measured.cpu_us,
    of_round: Some(Round::cpu_us_per_request),
    published: None,
};

pub(super) const THROUGHPUT: Kind = Kind {
    title: "Throughput",
    unit: "requests/s",
    of: |measured| Some(measured.per_second),
    of_round: Some(|round| Some(round.outcome.per_second())),
    published: Some(|row| row.per_second),
};

pub(super) const AVERAGE: Kind = Kind {
    title: "Average response time",
    unit: "ms",
    of: |measured| Some(measured.latency.mean_us() / 1e3),
    of_round: Some(|round| Some(round.outcome.latency.mean_us() / 1e3)),
    published: Some(|row| row.average_ms),
};

pub(super) const P99: Kind = Kind {
    title: "99th percentile",
    unit: "ms",
    of: |measured| Some(measured.latency.quantile_us(0.99) as f64 / 1e3),
    of_round: Some(|round| Some(round.outcome.latency.quantile_us(0.99) as f64 / 1e3)),
    published: Some(|row| row.p99_ms),
};

pub(super) const ADDED: Kind = Kind {
    title: "Added to the average",
    unit: "ms",
    of: |measured| Some(measured.added?.mean_us / 1e3),
    of_round: None,
    published: Some(|row| row.added_ms),
};

pub(super) const MEMORY: Kind = Kind {
    title: "Peak memory",
    unit: "MiB",
    of: |measured| Some(measured.memory_peak_bytes()? as f64 / 1_048_576.0),
    of_round: None,
    published: None,
};

impl<'a> View<'a> {
    pub(super) fn from_run(run: &'a Run, beside: &'a Beside) -> Self {
        let sides = figures::sides(run);
        let cells = run.cells.iter().enumerate().map(|(number, cell)| CellView {
            cell,
            number,
            sides: sides
                .iter()
                .filter_map(|side| Measured::from_cell(cell, side))
                .collect(),
        });
        let ours = https::ours_of(run);
        let has_ours = sides.contains(&ours);
        let is_rival = |side: &&str| has_ours && *side != ours && !https::is_direct(side);
        let rivals = sides.iter().copied().filter(is_rival);
        let rivals = rivals.map(|side| (side, compare::sides(run, ours, side)));
        Self {
            run,
            beside,
            cells: cells.collect(),
            rivals: rivals.collect(),
            sides,
        }
    }

    /// Returns the sides with a gateway.
    pub(super) fn gateways(&self) -> impl Iterator<Item = &'a str> {
        self.sides
            .iter()
            .copied()
            .filter(|side| !https::is_direct(side))
    }

    /// Returns the main side of the run.
    pub(super) fn subject(&self) -> &'a str {
        self.sides.first().copied().unwrap_or(DIRECT)
    }

    pub(super) fn look(&self, side: &str) -> Look {
        if https::is_direct(side) {
            return Look::Direct;
        }
        Look::Side(self.gateways().position(|known| known == side).unwrap_or(0))
    }

    /// Returns one series for each side, and one of the published figures under these conditions.
    pub(super) fn by_side(
        &self,
        cells: &[&CellView<'_>],
        across: &Across,
        kind: &Kind,
    ) -> Vec<Series> {
        let of_side = |side: &&str| {
            let points = cells
                .iter()
                .filter_map(|cell| cell.point(side, across, kind));
            Series::new(side, self.look(side), points.collect())
        };
        let mut series: Vec<Series> = self.sides.iter().filter_map(of_side).collect();
        let published = cells
            .iter()
            .filter_map(|cell| self.published(cell, across, kind));
        let name = format!("published: {}", self.beside.file);
        series.extend(Series::new(&name, Look::Published, published.collect()));
        series
    }

    fn published(&self, cell: &CellView<'_>, across: &Across, kind: &Kind) -> Option<Point> {
        let y = (kind.published?)(self.beside.row(cell.cell)?)?;
        let x = (across.value)(cell.cell);
        let hint = format!(
            "published: {} {} at {}",
            short(y),
            kind.unit,
            (across.name)(x)
        );
        Some(Point {
            x,
            y,
            range: None,
            state: State::Sound,
            hint,
        })
    }
}

impl CellView<'_> {
    pub(super) fn side(&self, name: &str) -> Option<&Measured<'_>> {
        self.sides.iter().find(|measured| measured.side == name)
    }

    /// Returns a figure of a side, with the range of its rounds.
    pub(super) fn point(&self, side: &str, across: &Across, kind: &Kind) -> Option<Point> {
        let measured = self.side(side)?;
        let y = (kind.of)(measured)?;
        let x = (across.value)(self.cell);
        let state = match measured.state {
            State::Invalid => "; invalid: too many errors",
            State::LoadBound => "; load-bound",
            State::Sound => "",
        };
        let (value, unit, at) = (short(y), kind.unit, (across.name)(x));
        Some(Point {
            x,
            y,
            range: kind.of_round.and_then(|of_round| range(measured, of_round)),
            state: measured.state,
            hint: format!("{side}: {value} {unit} at {at}{state}"),
        })
    }

    pub(super) fn name(&self) -> String {
        cell_name(self.cell)
    }
}

/// Returns the lowest and the highest round, if there are several.
fn range(measured: &Measured<'_>, of_round: fn(&Round) -> Option<f64>) -> Option<(f64, f64)> {
    let rounds: Vec<f64> = measured.rounds.iter().filter_map(|r| of_round(r)).collect();
    let low = rounds.iter().copied().min_by(f64::total_cmp)?;
    let high = rounds.iter().copied().max_by(f64::total_cmp)?;
    (rounds.len() > 1).then_some((low, high))
}

impl Kind {
    /// Creates a plot of this figure.
    pub(super) fn plot(&self, of: &str, across: &Across, series: Vec<Series>) -> Plot {
        let mut heights = values(&series, |point| point.y);
        heights.extend(values(&series, |point| {
            point.range.map_or(point.y, |range| range.1)
        }));
        heights.extend(values(&series, |point| {
            point.range.map_or(point.y, |range| range.0)
        }));
        let feet = values(&series, |point| point.x);
        Plot {
            title: format!("{}: {of}", self.title),
            x: Axis::of_values(&across.label, across.scale, &feet).named(across.name),
            y: Axis::of_figures(self.unit, &heights),
            series,
            note: None,
        }
    }
}

impl Across {
    pub(super) fn users() -> Self {
        Self {
            label: "concurrent users".to_owned(),
            scale: Scale::Log,
            value: Box::new(|cell| f64::from(cell.users)),
            name: compact,
        }
    }

    pub(super) fn message_size() -> Self {
        Self {
            label: "message size".to_owned(),
            scale: Scale::Log,
            value: Box::new(|cell| cell.message_bytes.max(1) as f64),
            name: |bytes| bytes_name(bytes as u64),
        }
    }

    pub(super) fn delay() -> Self {
        Self {
            label: "back-end delay, ms".to_owned(),
            scale: Scale::Steps,
            value: Box::new(|cell| cell.delay_ms as f64),
            name: compact,
        }
    }

    /// A parameter that varies.
    pub(super) fn parameter(name: &str) -> Self {
        let owned = name.to_owned();
        Self {
            label: format!("{name} (log scale)"),
            scale: Scale::Log,
            value: Box::new(move |cell| {
                cell.parameters.get(&owned).copied().unwrap_or(1).max(1) as f64
            }),
            name: compact,
        }
    }
}

/// Groups cells by a key, in the order in which they were measured.
pub(super) fn groups<'v, 'a, K: PartialEq>(
    cells: impl Iterator<Item = &'v CellView<'a>>,
    key: impl Fn(&Cell) -> K,
) -> Vec<(K, Vec<&'v CellView<'a>>)> {
    let mut groups: Vec<(K, Vec<&CellView<'_>>)> = Vec::new();
    for cell in cells {
        let key = key(cell.cell);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(cell),
            None => groups.push((key, vec![cell])),
        }
    }
    groups
}

/// Returns the number of distinct values in these cells.
pub(super) fn distinct<K: Ord>(cells: &[&CellView<'_>], value: impl Fn(&Cell) -> K) -> usize {
    let mut values: Vec<K> = cells.iter().map(|cell| value(cell.cell)).collect();
    values.sort();
    values.dedup();
    values.len()
}
