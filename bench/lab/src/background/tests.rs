use super::*;
use crate::sample::{Sample, matrix};

#[test]
fn background_loads_are_described_and_missed_rates_are_warned_about() {
    let sample = Sample {
        seed: 3,
        turns: 3,
        sides: vec![("tollgate", 13.0)],
        cells: matrix(&["get"], &[100], &[102]),
        noise: 0.0,
    };
    let mut cell = sample.run().cells.remove(0);
    assert_eq!(
        (describe(&cell, "tollgate"), missed(&cell)),
        (None, Vec::new())
    );
    for (round, jwt) in cell.rounds.iter_mut().zip([2_000, 1_900, 1_950]) {
        let background = |per_second: u32, successes: u32| {
            let mut outcome = round.outcome.clone();
            (outcome.measured_us, outcome.successes) = (1_000_000, successes.into());
            kept::Background {
                per_second,
                outcome,
            }
        };
        let loads = [
            (Credential::Jwt, background(2_000, jwt)),
            (Credential::Forged, background(200, 199)),
        ];
        round.background = loads.into();
    }
    assert_eq!(
        describe(&cell, "tollgate").as_deref(),
        Some(
            "Background load of tollgate, per second: 1,950 of 2,000 jwt tokens issued and \
             199 of 200 forged tokens refused."
        )
    );
    let missed = missed(&cell);
    let sentence = "tollgate: 2 rounds of get had fewer jwt tokens than planned.";
    assert_eq!(missed, [sentence]);
}
