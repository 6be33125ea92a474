//! The summary at the top: cards with one figure each.

use super::html::escaped;
use super::tables::verdict;
use super::view::{CellView, View};
use crate::compare::{Comparison, Judged};
use crate::figures::{Figure, Measured, State};
use crate::numbers::short;
use crate::statistics::{Estimate, Verdict, mean_ratio};

/// Renders our cost relative to each rival's, and the extremes of the measurements.
pub(super) fn cards(view: &View<'_>) -> String {
    let mut cards: Vec<String> = view
        .rivals
        .iter()
        .filter_map(|it| beside(view.subject(), it.0, &it.1))
        .collect();
    let side = view.subject();
    let sound = || view.cells.iter().filter(|cell| is_valid(cell, side));
    let of = |cell: &&CellView<'_>, figure: fn(&Measured<'_>) -> Option<f64>| {
        figure(cell.side(side)?).map(|value| (value, cell.name()))
    };
    let costs = sound().filter_map(|cell| of(&cell, |measured| measured.cpu_us));
    if let Some((least, name)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) {
        let text = format!("lowest CPU per request of {side}: {name}");
        cards.push(card(&format!("{} us", short(least)), &text, ""));
    }
    let rates = sound().filter_map(|cell| Some((highest(cell, side)?, cell.name())));
    if let Some((most, name)) = rates.max_by(|a, b| a.0.total_cmp(&b.0)) {
        let text = format!("highest throughput of {side}: {name}");
        cards.push(card(&format!("{} requests/s", short(most)), &text, ""));
    }
    let added = sound().filter_map(|cell| of(&cell, |measured| Some(measured.added?.mean_us)));
    let added: Vec<f64> = added.map(|(value, _)| value / 1e3).collect();
    let ends = added.iter().copied().min_by(f64::total_cmp);
    if let Some((least, most)) = ends.zip(added.iter().copied().max_by(f64::total_cmp)) {
        let figure = format!("{} to {} ms", short(least), short(most));
        let text = "added to the average response time, over all cells".to_owned();
        cards.push(card(&figure, &text, ""));
    }
    if cards.is_empty() {
        return String::new();
    }
    format!("<div class=\"cards\">{}</div>\n", cards.concat())
}

fn is_valid(cell: &CellView<'_>, side: &str) -> bool {
    cell.side(side)
        .is_some_and(|measured| measured.state != State::Invalid)
}

/// Returns the throughput; for an open loop the highest sustained rate, since its own is
/// configured.
fn highest(cell: &CellView<'_>, side: &str) -> Option<f64> {
    match &cell.cell.open_loop {
        Some(open_loop) => Some(open_loop.peak(side)?.per_second),
        None => Some(cell.side(side)?.per_second),
    }
}

/// Renders the ratio of costs, and the number of cells by verdict.
fn beside(ours: &str, rival: &str, comparison: &Comparison) -> Option<String> {
    let costs = || {
        comparison
            .rows
            .iter()
            .filter(|row| row.figure == Figure::Cpu)
    };
    let ratios: Vec<f64> = costs().map(|row| row.ratio.value).collect();
    let first = costs().next()?;
    let is = |verdict| {
        costs()
            .filter(|row| row.judged == Judged::Verdict(verdict))
            .count()
    };
    let (ratio, judged) = match ratios.len() {
        1 => (first.ratio, verdict(first.judged)),
        many => {
            let (better, worse) = (is(Verdict::Better), is(Verdict::Worse));
            let judged = format!("better in {better} of {many} cells, worse in {worse}");
            (mean_ratio(&ratios)?, judged)
        }
    };
    let Estimate { value, low, high } = ratio;
    let [value, low, high] = [value, low, high].map(|ratio| ratio * 100.0);
    Some(card(
        &format!("{value:.1} %"),
        &format!("CPU per request of {ours}, relative to {rival}"),
        &format!("{low:.1} to {high:.1} %; {judged}"),
    ))
}

/// Renders a card; `below` is HTML.
fn card(figure: &str, text: &str, below: &str) -> String {
    let (figure, text) = (escaped(figure), escaped(text));
    let below = if below.is_empty() {
        String::new()
    } else {
        format!("<p>{below}</p>")
    };
    format!("<div class=\"card\"><p class=\"big\">{figure}</p><p>{text}</p>{below}</div>")
}
