//! Bar charts of the sides in cells in which the number of users does not vary: a bar for each
//! side's median, with a mark for each round.

use std::fmt::Write as _;

use super::html::escaped;
use super::view::{AVERAGE, CPU, CellView, Kind, MEMORY, P99, THROUGHPUT, View, distinct, groups};
use crate::figures::State;
use crate::kept::Cell;
use crate::numbers::short;

const WIDTH: f64 = 420.0;
const NAME_WIDTH: f64 = 122.0;
const VALUE_WIDTH: f64 = 62.0;
const BAR: f64 = 18.0;
const STEP: f64 = 28.0;
const TOP: f64 = 22.0;

/// Draws a row of charts for each cell that has no neighbours to connect by a line.
pub(super) fn cells(view: &View<'_>) -> String {
    let key = |cell: &Cell| (cell.scenario.clone(), cell.message_bytes, cell.delay_ms);
    let plain = view
        .cells
        .iter()
        .filter(|cell| cell.cell.parameters.is_empty());
    let mut html = String::new();
    for (_, cells) in groups(plain, key) {
        if distinct(&cells, |cell| cell.users) > 1 || view.sides.len() < 2 {
            continue;
        }
        for cell in cells {
            html += &format!(
                "<h3>{}</h3>\n<div class=\"plots\">\n",
                escaped(&cell.name())
            );
            for kind in [&CPU, &THROUGHPUT, &AVERAGE, &P99, &MEMORY] {
                html += &bars(view, cell, kind);
            }
            html += "</div>\n";
        }
    }
    html
}

fn bars(view: &View<'_>, cell: &CellView<'_>, kind: &Kind) -> String {
    let figures: Vec<(usize, f64)> = cell
        .sides
        .iter()
        .enumerate()
        .filter_map(|(index, measured)| Some((index, (kind.of)(measured)?)))
        .collect();
    let of_round = |index: usize| -> Vec<f64> {
        let rounds = cell.sides[index].rounds.iter();
        rounds.filter_map(|round| kind.of_round?(round)).collect()
    };
    let rounds = figures.iter().flat_map(|(index, _)| of_round(*index));
    let largest = figures
        .iter()
        .map(|(_, value)| *value)
        .chain(rounds)
        .fold(0.0, f64::max);
    if figures.is_empty() || largest <= 0.0 {
        return String::new();
    }
    let across = |value: f64| value / largest * (WIDTH - NAME_WIDTH - VALUE_WIDTH);
    let height = TOP + figures.len() as f64 * STEP;
    let (title, name, unit) = (kind.title, escaped(&cell.name()), kind.unit);
    let mut svg = format!(
        "<figure class=\"plot\"><figcaption>{title}</figcaption>\
         <svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" data-points=\"{}\">\
         <title>{title}: {name}, {unit}</title>\
         <text class=\"label\" x=\"{NAME_WIDTH}\" y=\"12\">{unit}</text>\
         <text class=\"label\" x=\"0\" y=\"12\">side</text>",
        figures.len()
    );
    for (place, (index, value)) in figures.iter().enumerate() {
        let measured = &cell.sides[*index];
        let y = TOP + place as f64 * STEP;
        let (class, side) = (view.look(measured.side).class(), escaped(measured.side));
        let before = match measured.state {
            State::Invalid => "✕ ",
            _ if unit == THROUGHPUT.unit && measured.is_lower_bound() => "≥ ",
            _ => "",
        };
        let _ = write!(
            svg,
            "<g class=\"{class}\"><text class=\"tick\" x=\"0\" y=\"{:.1}\">{side}</text>\
             <rect class=\"mark bar\" x=\"{NAME_WIDTH}\" y=\"{y}\" width=\"{:.1}\" \
             height=\"{BAR}\" rx=\"2\"><title>{side}: {} {unit}</title></rect>",
            y + 13.0,
            across(*value).max(1.0),
            short(*value)
        );
        for round in of_round(*index) {
            let x = NAME_WIDTH + across(round);
            let (top, foot) = (y + 3.0, y + BAR - 3.0);
            let _ = write!(
                svg,
                "<line class=\"round\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{foot}\"/>"
            );
        }
        let _ = write!(
            svg,
            "<text class=\"figure\" x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">{before}{}</text>\
             </g>",
            y + 13.0,
            short(*value)
        );
    }
    svg + "</svg></figure>\n"
}
