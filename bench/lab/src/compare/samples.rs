//! The samples for the statistics: a side's figures by turn, paired with a neighbour's, divided by
//! the yardstick's, or with the drift seen by other sides removed.

use crate::figures::Figure;
use crate::kept::{Cell, Round};
use crate::statistics::median;

/// Number of other sides' rounds before and after a round from which its drift is estimated.
const NEAREST: usize = 2;

/// Returns a figure of each round with the round's turn.
pub(super) fn figures_by_turn(rounds: &[&Round], figure: Figure) -> Vec<(u32, f64)> {
    let of_rounds = rounds
        .iter()
        .filter_map(|round| Some((round.turn, figure.value_in(round)?)));
    of_rounds.filter(|(_, value)| *value > 0.0).collect()
}

pub(super) fn values(by_turn: &[(u32, f64)]) -> Vec<f64> {
    by_turn.iter().map(|(_, value)| *value).collect()
}

pub(super) fn pairs(of: &[(u32, f64)], to: &[(u32, f64)]) -> Vec<(f64, f64)> {
    let neighbour = |turn: u32| to.iter().find(|(other, _)| *other == turn);
    let paired = of
        .iter()
        .filter_map(|(turn, value)| Some((*value, neighbour(*turn)?.1)));
    paired.collect()
}

pub(super) fn in_both<'a>(cells: [(&Cell, &str); 2], common: &[&'a str]) -> Vec<&'a str> {
    let has = |cell: &Cell, side: &str| cell.rounds.iter().any(|round| round.side == side);
    let both = common.iter().copied();
    both.filter(|side| cells.iter().all(|(cell, _)| has(cell, side)))
        .collect()
}

/// Divides each value by the yardstick's in the same turn: the geometric mean of the others'
/// values. Turns in which one of them is missing are skipped.
pub(super) fn divided(
    by_turn: &[(u32, f64)],
    cell: &Cell,
    others: &[&str],
    figure: Figure,
) -> Vec<f64> {
    let of_other = |turn: u32, side: &str| {
        let mut rounds = cell.rounds.iter();
        let round = rounds.find(|r| r.turn == turn && r.side == side && r.is_valid())?;
        figure
            .reference_value_in(round)
            .filter(|value| *value > 0.0)
    };
    let quotient = |&(turn, value): &(u32, f64)| {
        let mut product = 1.0;
        for side in others {
            product *= of_other(turn, side)?;
        }
        Some(value / product.powf(1.0 / others.len().max(1) as f64))
    };
    by_turn.iter().filter_map(quotient).collect()
}

/// Returns a side's values divided by the drift at their time, estimated from the others: how far
/// their nearest rounds are from their own medians. A cell's rounds are in chronological order. The
/// others exclude both compared sides.
pub(super) fn without_drift(
    cell: &Cell,
    side: &str,
    compared: &[&str; 2],
    figure: Figure,
) -> Vec<f64> {
    let usable = |(place, round): (usize, &Round)| {
        let value = figure
            .reference_value_in(round)
            .filter(|value| *value > 0.0)?;
        round.is_valid().then(|| (place, round.side.clone(), value))
    };
    let rounds: Vec<(usize, String, f64)> =
        cell.rounds.iter().enumerate().filter_map(usable).collect();
    let level = |of: &str| {
        let values = rounds.iter().filter(|(_, side, _)| side == of);
        median(&values.map(|(_, _, value)| *value).collect::<Vec<f64>>()).unwrap_or(1.0)
    };
    let others: Vec<(usize, f64)> = rounds
        .iter()
        .filter(|(_, side, _)| !compared.contains(&side.as_str()))
        .map(|(place, side, value)| (*place, (value / level(side)).ln()))
        .collect();
    let ours = rounds.iter().filter(|(_, of, _)| of == side);
    ours.map(|(place, _, value)| value / drift(*place, &others).exp())
        .collect()
}

/// Returns the weighted mean of the nearest rounds, nearer ones weighing more; zero if there are
/// none.
fn drift(place: usize, others: &[(usize, f64)]) -> f64 {
    let after = others.partition_point(|(other, _)| *other < place);
    let nearest = &others[after.saturating_sub(NEAREST)..others.len().min(after + NEAREST)];
    let weight = |other: usize| 1.0 / place.abs_diff(other).max(1) as f64;
    let sum: f64 = nearest
        .iter()
        .map(|(other, value)| value * weight(*other))
        .sum();
    let weights: f64 = nearest.iter().map(|(other, _)| weight(*other)).sum();
    if weights > 0.0 { sum / weights } else { 0.0 }
}
