//! The highest rate that a side bears: open loops at one rate after the other, each in the middle
//! between the highest that was borne and the lowest that was not.

use crate::kept::{Round, Trial};

/// How many rates are tried. What is found is then less than a thirtieth of the ceiling too low.
pub const RATES: u32 = 5;
/// How often a rate is tried before it counts as too high: what else the machine does meanwhile can
/// spoil a trial, and never helps one.
pub const TRIES: u32 = 2;
/// What does not wait for answers may get a little more out of a side than as many users who do.
pub const CEILING: f64 = 1.1;
/// Which share of the lowest peak all sides are then measured at.
pub const SHARE: f64 = 0.6;

/// Tries rates below `ceiling`, in requests a second. `at` measures one; it is told which of the
/// trials it is, and whether the same rate was tried before.
///
/// # Errors
/// Those of `at`.
pub fn search(
    ceiling: f64,
    p99_ms_max: f64,
    mut at: impl FnMut(f64, u32, bool) -> anyhow::Result<Round>,
) -> anyhow::Result<Vec<Trial>> {
    let (mut borne, mut too_high) = (0.0, ceiling);
    let mut trials = Vec::new();
    for _ in 0..RATES {
        let per_second = f64::midpoint(borne, too_high);
        let mut is_borne = false;
        for tried in 0..TRIES {
            let round = at(per_second, u32::try_from(trials.len())?, tried > 0)?;
            is_borne = round.bears(p99_ms_max);
            trials.push(Trial { per_second, round });
            if is_borne {
                break;
            }
        }
        match is_borne {
            true => borne = per_second,
            false => too_high = per_second,
        }
    }
    Ok(trials)
}

#[cfg(test)]
mod tests;
