use super::*;
use crate::sample::Sample;

#[test]
fn memory_per_connection_is_the_difference_between_many_and_few() {
    let mut run = Sample {
        seed: 7,
        turns: 3,
        sides: vec![("direct", 0.0), ("tollgate-https", 40.0), ("nginx", 50.0)],
        cells: vec![("get", 10, 102, 0), ("get", 5000, 102, 0)],
        noise: 0.0,
    }
    .run();
    assert_eq!(all(&run), [], "nothing varies");
    for (cell, count) in run.cells.iter_mut().zip([10, 5_010]) {
        cell.parameters.insert(CONNECTIONS.to_owned(), count);
        let rounds = cell.rounds.iter_mut();
        for used in rounds.filter_map(|round| round.processes.get_mut(GATEWAY)) {
            used.memory_peak_bytes = 50_000_000 + 20_000 * count;
        }
    }
    let expected = |side| Footprint {
        scenario: "get",
        side,
        between: (10, 5_010),
        bytes: 20_000.0,
    };
    assert_eq!(all(&run), [expected("tollgate-https"), expected("nginx")]);
}
