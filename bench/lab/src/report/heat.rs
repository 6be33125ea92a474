//! The matrix as a heat map: a tile for each cell, with a stronger colour for a higher figure, the
//! figure as text, and a link to the cell's details.

use std::fmt::Write as _;

use super::html::escaped;
use super::view::{ADDED, CPU, CellView, Kind, MEMORY, P99, THROUGHPUT, View, distinct};
use crate::figures::{Measured, State, bytes_name};
use crate::kept::Cell;
use crate::numbers::{grouped, short};

/// Maximum width of a character in a row's name, and minimum width of names.
const CHARACTER_WIDTH: usize = 7;
const NAME_WIDTH_MIN: usize = 98;
const TILE_WIDTH_MIN: usize = 70;
const TILE_HEIGHT: usize = 28;
const HEAD_HEIGHT: usize = 42;

const ERRORS: Kind = Kind {
    title: "Errors",
    unit: "% of requests",
    of: |measured| Some(measured.error_share() * 100.0),
    of_round: None,
    published: None,
};

/// The meaning of the matrix's rows and columns.
struct Matrix<'v, 'a> {
    view: &'v View<'a>,
    /// Whether columns are numbers of users; otherwise they are sides.
    is_by_users: bool,
    /// Whether the names of rows include the number of users.
    has_users: bool,
    columns: Vec<String>,
}

struct Tile {
    column: usize,
    value: f64,
    state: State,
    is_lower_bound: bool,
    number: usize,
    hint: String,
}

/// Renders one heat map for each figure.
pub(super) fn maps(view: &View<'_>) -> String {
    let cells: Vec<&CellView<'_>> = view.cells.iter().collect();
    let is_plain = cells.iter().all(|cell| cell.cell.parameters.is_empty());
    let has_users = distinct(&cells, |cell| cell.users) > 1;
    let is_by_users = is_plain && has_users;
    let columns = if is_by_users {
        let mut users: Vec<u32> = cells.iter().map(|cell| cell.cell.users).collect();
        users.sort_unstable();
        users.dedup();
        users.iter().map(u32::to_string).collect()
    } else {
        view.gateways().map(str::to_owned).collect()
    };
    let matrix = Matrix {
        view,
        is_by_users,
        has_users,
        columns,
    };
    let mut html = "<div class=\"plots maps\">\n".to_owned();
    for kind in [&CPU, &THROUGHPUT, &P99, &ADDED, &MEMORY, &ERRORS] {
        html += &matrix.map(kind);
    }
    html + "</div>\n<p class=\"note\">A stronger colour is a higher figure within the \
        map. ≥: generator or back end limited the throughput, so it is a lower bound. ✕: invalid, \
        too many errors. A tile links to its cell.</p>\n"
}

impl Matrix<'_, '_> {
    fn map(&self, kind: &Kind) -> String {
        let rows = self.rows(kind);
        let tiles = || rows.iter().flat_map(|(_, tiles)| tiles);
        let count = tiles().count();
        if count == 0 {
            return String::new();
        }
        let values = || tiles().map(|tile| tile.value);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let longest = rows.iter().map(|(name, _)| name.chars().count()).max();
        let left = (longest.unwrap_or(0) * CHARACTER_WIDTH).max(NAME_WIDTH_MIN);
        let widest = self.columns.iter().map(|name| name.chars().count()).max();
        let step = (widest.unwrap_or(0) * CHARACTER_WIDTH + 6).max(TILE_WIDTH_MIN);
        let width = left + self.columns.len() * step;
        let height = HEAD_HEIGHT + rows.len() * TILE_HEIGHT;
        let (title, unit) = (escaped(kind.title), escaped(kind.unit));
        let by = if self.is_by_users {
            "concurrent users"
        } else {
            "side"
        };
        let mut html = format!(
            "<figure class=\"plot map\" style=\"--width: {}px\"><figcaption>{title}</figcaption>\
             <div class=\"scroll\" tabindex=\"0\">\
             <svg class=\"heat\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" data-points=\"{count}\">\
             <title>{title}, {unit}, by {by}</title>\
             <text class=\"label\" x=\"0\" y=\"14\">{unit}</text>\
             <text class=\"label\" x=\"{left}\" y=\"14\">{by}</text>",
            width + 28
        );
        for (index, column) in self.columns.iter().enumerate() {
            let x = left + index * step + step / 2;
            let name = if self.is_by_users {
                grouped(column)
            } else {
                escaped(column)
            };
            let _ = write!(
                html,
                "<text class=\"tick\" x=\"{x}\" y=\"32\" text-anchor=\"middle\">{name}</text>"
            );
        }
        for (index, (name, tiles)) in rows.iter().enumerate() {
            let y = HEAD_HEIGHT + index * TILE_HEIGHT;
            let name = escaped(name);
            let _ = write!(
                html,
                "<text class=\"tick\" x=\"0\" y=\"{}\">{name}</text>",
                y + 18
            );
            for tile in tiles {
                html += &tile.svg(
                    left + tile.column * step,
                    y,
                    step,
                    share(tile.value, low, high),
                );
            }
        }
        html + "</svg></div></figure>\n"
    }

    /// Returns the rows with their tiles: one for each side, or for each cell.
    fn rows(&self, kind: &Kind) -> Vec<(String, Vec<Tile>)> {
        let mut rows: Vec<(String, Vec<Tile>)> = Vec::new();
        let sides: Vec<&str> = self.view.gateways().collect();
        let cells = self.view.cells.iter();
        for (cell, side) in cells.flat_map(|cell| sides.iter().map(move |side| (cell, *side))) {
            let Some(tile) = self.tile(cell, side, kind) else {
                continue;
            };
            let name = self.row_name(cell.cell, side);
            match rows.iter_mut().find(|(known, _)| *known == name) {
                Some((_, tiles)) => tiles.push(tile),
                None => rows.push((name, vec![tile])),
            }
        }
        rows
    }

    fn tile(&self, cell: &CellView<'_>, side: &str, kind: &Kind) -> Option<Tile> {
        let measured: &Measured<'_> = cell.side(side)?;
        let value = (kind.of)(measured)?;
        let column = if self.is_by_users {
            cell.cell.users.to_string()
        } else {
            side.to_owned()
        };
        let hint = format!("{side}, {}: {} {}", cell.name(), short(value), kind.unit);
        Some(Tile {
            column: self.columns.iter().position(|known| *known == column)?,
            value,
            state: measured.state,
            is_lower_bound: measured.is_lower_bound() && kind.unit == THROUGHPUT.unit,
            number: cell.number,
            hint,
        })
    }

    fn row_name(&self, cell: &Cell, side: &str) -> String {
        let mut name = cell.scenario.clone();
        if cell.parameters.is_empty() {
            name += &format!(" {}", bytes_name(cell.message_bytes));
        }
        if cell.delay_ms > 0 {
            name += &format!(", {} ms", cell.delay_ms);
        }
        for (parameter, value) in &cell.parameters {
            name += &format!(", {parameter} {}", grouped(&value.to_string()));
        }
        if self.is_by_users {
            if self.view.gateways().count() > 1 {
                name += &format!(", {side}");
            }
        } else if self.has_users {
            name += &format!(", {} users", grouped(&cell.users.to_string()));
        }
        name
    }
}

impl Tile {
    /// Returns a tile at a place in the figure, in pixels; `share` is the opacity of its colour.
    fn svg(&self, x: usize, y: usize, width: usize, share: f64) -> String {
        let (class, before) = match self.state {
            State::Invalid => ("mark tile invalid", "✕ "),
            _ if self.is_lower_bound => ("mark tile bound", "≥ "),
            _ => ("mark tile", ""),
        };
        let is_deep = share > 0.55 && self.state != State::Invalid;
        let deep = if is_deep { " deep" } else { "" };
        format!(
            "<a href=\"#cell-{}\"><rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" \
             height=\"{}\" rx=\"3\" fill-opacity=\"{share:.2}\"><title>{}</title></rect>\
             <text class=\"figure{deep}\" x=\"{}\" y=\"{}\" \
             text-anchor=\"middle\">{before}{}</text></a>",
            self.number,
            x + 1,
            y + 1,
            width - 2,
            TILE_HEIGHT - 2,
            escaped(&self.hint),
            x + width / 2,
            y + 18,
            short(self.value)
        )
    }
}

/// Returns the opacity of a tile's colour.
fn share(value: f64, low: f64, high: f64) -> f64 {
    let share = (value - low) / (high - low);
    if share.is_finite() {
        0.08 + 0.84 * share
    } else {
        0.08
    }
}
