use super::*;
use crate::sample::{Sample, matrix};

#[test]
fn what_was_issued_is_told_and_where_it_was_less_than_asked_for() {
    let sample = Sample {
        seed: 3,
        turns: 3,
        sides: vec![("tollgate", 13.0)],
        cells: matrix(&["get"], &[100], &[102]),
        noise: 0.0,
    };
    let mut cell = sample.run().cells.remove(0);
    assert_eq!((told(&cell, "tollgate"), missed(&cell)), (None, Vec::new()));
    for (round, jwt) in cell.rounds.iter_mut().zip([2_000, 1_900, 1_950]) {
        let issued = |per_second: u32, successes: u32| {
            let mut outcome = round.outcome.clone();
            (outcome.measured_us, outcome.successes) = (1_000_000, successes.into());
            Issued {
                per_second,
                outcome,
            }
        };
        let issued = [
            (Credential::Opaque, issued(200, 199)),
            (Credential::Jwt, issued(2_000, jwt)),
        ];
        round.issued = issued.into();
    }
    assert_eq!(
        told(&cell, "tollgate").as_deref(),
        Some(
            "Beside tollgate, 199 of 200 opaque and 1,950 of 2,000 jwt tokens a second were issued."
        )
    );
    let missed = missed(&cell);
    let sentence = "tollgate issued fewer jwt tokens than asked for in 2 rounds of get.";
    assert_eq!(missed, [sentence]);
}
