use tollgate_model::id::{ApiId, Id, OperationId, VersionId};

use super::*;
use crate::cube::CUBES;

/// A call of operation `operation` in minute `minute`.
fn call(minute: i64, operation: i64) -> Record {
    Record {
        at_us: minute * MINUTE_US + 5,
        api: Some(ApiId::from_raw(1)),
        operation: Some(OperationId::from_raw(operation)),
        status: 200,
        total_us: 7,
        ..Record::default()
    }
}

const ALL: std::ops::Range<i64> = i64::MIN..i64::MAX;

fn calls(content: &mut Content, cube: &'static Cube) -> u64 {
    content.settle();
    let rows = content
        .recorded(cube, ALL)
        .chain(content.counted(cube, ALL));
    rows.map(|(_, rows)| rows.iter().map(|row| row.measures.calls).sum::<u64>())
        .sum()
}

#[test]
fn only_minutes_that_are_over_are_taken() {
    let mut content = Content::default();
    for (number, minute) in (0..).zip([10, 11, 10, 9]) {
        content.add(&call(minute, 1), number);
    }
    content.add_overflow(&Overflow {
        minute_us: 11 * MINUTE_US,
        api: None,
        version: None,
        status: 503,
        calls: 5,
    });
    let mut taken = content.take(|minute| minute < 11);
    assert_eq!(taken.minutes.keys().collect::<Vec<_>>(), [&9, &10]);
    assert_eq!(taken.counted.len(), 1, "it is in no spool");
    assert_eq!(content.minutes[&11].first, 1);
    assert_eq!(
        (calls(&mut taken, &CUBES[0]), calls(&mut content, &CUBES[0])),
        (8, 1)
    );
    assert_eq!((content.rows(), taken.rows()), (1, 2 + 1));
}

#[test]
fn without_room_detail_is_dropped_but_no_calls_and_the_loss_is_counted() {
    const CALLS: i64 = 450_000;
    let mut content = Content::default();
    for number in 1..=CALLS {
        // Enough operations and applications that their cubes have a row for each call.
        let record = Record {
            version: Some(VersionId::from_raw(7)),
            application: Some(Id::from_raw(number)),
            ..call(number % 10, number)
        };
        content.add(&record, number.cast_unsigned());
    }
    for cube in &CUBES {
        assert_eq!(
            calls(&mut content, cube),
            CALLS.cast_unsigned(),
            "{}",
            cube.name
        );
    }
    assert!(content.rows() <= MEMORY_ROWS_MAX + 10, "{}", content.rows());
    let lost: u64 = content
        .losses
        .values()
        .filter_map(|(_, calls)| *calls)
        .sum();
    assert!(lost > 100_000, "{lost}");
    let mut losses = content.losses.keys();
    assert!(losses.all(|loss| loss.reason == Reason::BacklogFull));
    // They are still those of their version.
    let version = CUBES.iter().find(|it| it.name == "version").unwrap();
    let mut rows = content.recorded(version, ALL);
    assert!(rows.all(|(_, rows)| rows.iter().all(|row| row.key.0[0] == 7)));
}
