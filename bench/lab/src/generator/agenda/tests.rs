use super::*;

#[test]
fn connections_become_due_in_chronological_order() {
    let mut agenda = Agenda::new(3);
    for (due_ns, connection) in [(30, 1), (10, 2), (20, 3)] {
        agenda.note(due_ns, connection);
    }
    assert_eq!((agenda.due_ns(), agenda.next_due(9)), (10, None));
    assert_eq!(
        (
            agenda.next_due(25),
            agenda.next_due(25),
            agenda.next_due(25)
        ),
        (Some(2), Some(3), None)
    );
    assert_eq!((agenda.next_due(30), agenda.due_ns()), (Some(1), u64::MAX));
}

#[test]
fn a_schedule_does_not_drift() {
    let pace = Pace::Open {
        per_second: 3.0,
        connections: 1,
    };
    let mut schedule = Schedule::from_pace(pace, 500).unwrap();
    for _ in 0..3_000_000 {
        schedule.advance();
    }
    assert_eq!(schedule.due_ns(), 500 + 1_000_000 * 1_000_000_000);
}

#[test]
fn pauses_grow_with_each_failure_up_to_the_maximum() {
    let pauses: Vec<u64> = [1, 2, 3, 7, 8, 1000]
        .iter()
        .map(|n| pause_ns(*n) / 1_000_000)
        .collect();
    assert_eq!(pauses, [10, 20, 40, 640, 1000, 1000]);
}
