use tollgate_model::id::{ApiId, OperationId, VersionId};
use tollgate_model::record::Answered;

use super::*;

/// A call of operation `operation` in hour `hour`.
fn call(hour: i64, operation: i64, status: u16) -> Record {
    Record {
        at_us: hour * 60 * MINUTE_US + 5,
        api: Some(ApiId::from_raw(1)),
        operation: Some(OperationId::from_raw(operation)),
        status,
        answered: Answered::new(AnsweredBy::Upstream, CacheUse::Miss),
        total_us: 7,
        upstream_us: 3,
        mediate_us: 1,
        bytes_in: 1,
        bytes_out: 2,
        ..Record::default()
    }
}

fn calls(rollup: &Rollup) -> u64 {
    rollup.rows.values().map(|row| row.calls).sum()
}

#[test]
fn calls_with_equal_dimensions_share_a_row() {
    let mut rollup = Rollup::default();
    for status in [200, 200, 404] {
        rollup.add(&call(1, 9, status));
    }
    assert_eq!(rollup.rows.len(), 2);
    assert_eq!(calls(&rollup), 3);
    assert!(rollup.losses.is_empty());
}

#[test]
fn without_room_detail_is_dropped_but_no_calls_and_the_loss_is_counted() {
    const CALLS: i64 = 1_000_000;
    let mut rollup = Rollup::default();
    for number in 1..=CALLS {
        // Enough versions that in the end even rows without operations have no room.
        let version = Some(VersionId::from_raw(number));
        rollup.add(&Record {
            version,
            ..call(number % 100, number, 200 + u16::from(number % 2 == 0))
        });
    }
    assert_eq!(calls(&rollup), u64::try_from(CALLS).unwrap());
    let hours_and_statuses = 100;
    assert_eq!(rollup.rows.len(), ROWS_MAX + hours_and_statuses);
    let lost: u64 = rollup.losses.values().filter_map(|(_, calls)| *calls).sum();
    assert_eq!(
        lost,
        u64::try_from(CALLS).unwrap() - DETAILED_ROWS_MAX as u64
    );
    assert!(
        rollup
            .losses
            .keys()
            .all(|loss| loss.reason == Reason::BacklogFull)
    );
}
