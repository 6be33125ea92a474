//! What the statistics are given: a side's figures in their turns, beside a neighbour's or divided
//! by the yardstick's.

use crate::figures::Figure;
use crate::kept::{Cell, Round};

/// A figure of each round, with the round's turn.
pub(super) fn figures_by_turn(rounds: &[&Round], figure: Figure) -> Vec<(u32, f64)> {
    let of_rounds = rounds
        .iter()
        .filter_map(|round| Some((round.turn, figure.of(round)?)));
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

pub(super) fn others_of_cell<'a>(cell: &'a Cell, compared: &[&str]) -> Vec<&'a str> {
    let mut others: Vec<&str> = Vec::new();
    for round in &cell.rounds {
        if !compared.contains(&round.side.as_str()) && !others.contains(&round.side.as_str()) {
            others.push(&round.side);
        }
    }
    others
}

pub(super) fn in_both<'a>(cells: [(&Cell, &str); 2], common: &[&'a str]) -> Vec<&'a str> {
    let has = |cell: &Cell, side: &str| cell.rounds.iter().any(|round| round.side == side);
    let both = common.iter().copied();
    both.filter(|side| cells.iter().all(|(cell, _)| has(cell, side)))
        .collect()
}

/// Each value divided by the yardstick's in its turn: the geometric mean of what the others had.
/// Turns where one of them is missing are left out.
pub(super) fn divided(
    by_turn: &[(u32, f64)],
    cell: &Cell,
    others: &[&str],
    figure: Figure,
) -> Vec<f64> {
    let of_other = |turn: u32, side: &str| {
        let mut rounds = cell.rounds.iter();
        let round = rounds.find(|r| r.turn == turn && r.side == side && r.is_valid())?;
        figure.of_reference(round).filter(|value| *value > 0.0)
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
