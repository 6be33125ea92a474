use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;

use super::*;

/// Rows of an earlier release, in the order of the table's key.
fn old_rows() -> impl Strategy<Value = Rows> {
    let row = (any::<[i64; COLUMNS]>(), 0..6_i64, any::<u8>());
    let row = row.prop_map(|(mut row, cache, refusal)| {
        row[6] = cache << 8 | i64::from(refusal);
        row
    });
    vec(row, 0..20)
}

/// An entry of an earlier release, with `N` columns of a row and `Q` of a checkpoint.
fn old_entry<const N: usize, const Q: usize>(rows: &[legacy::Row], quotas: &[Quota]) -> Vec<u8>
where
    [i64; N]: Serialize,
    [i64; Q]: Serialize,
{
    let rows = rows.iter();
    let mut rows: Vec<[i64; N]> = rows.map(|row| *row.first_chunk().unwrap()).collect();
    let quotas = quotas.iter();
    let mut quotas: Vec<[i64; Q]> = quotas
        .map(|&quota| *<[i64; QUOTA_COLUMNS]>::from(quota).first_chunk().unwrap())
        .collect();
    to_differences(&mut rows);
    to_differences(&mut quotas);
    postcard::to_allocvec(&(rows, quotas)).unwrap()
}

/// The rows and checkpoints of an entry with `N` and `Q` columns: later columns are 0.
fn cut<const N: usize, const Q: usize>(
    rows: &[legacy::Row],
    quotas: &[Quota],
) -> (Rows, Vec<Quota>) {
    let rows = rows.iter().map(|row| {
        let mut row = *row;
        row[N..].fill(0);
        row
    });
    let quotas = quotas.iter().map(|&quota| {
        let mut columns = <[i64; QUOTA_COLUMNS]>::from(quota);
        columns[Q..].fill(0);
        Quota::from(columns)
    });
    (rows.collect(), quotas.collect())
}

fn assert_reads<const N: usize, const Q: usize>(rows: &[legacy::Row], quotas: &[Quota])
where
    [i64; N]: Serialize,
    [i64; Q]: Serialize,
{
    let entry = old_entry::<N, Q>(rows, quotas);
    let read = decode(N as i64, Q as i64, &entry);
    assert_eq!(read, Some(cut::<N, Q>(rows, quotas)));
}

proptest! {
    #[test]
    fn an_entry_reads_back(quotas in vec(any::<Quota>(), 0..20)) {
        let read = decode(COLUMNS as i64, QUOTA_COLUMNS as i64, &encode(&quotas));
        prop_assert_eq!(read, Some((Vec::new(), quotas)));
    }

    #[test]
    fn entries_of_earlier_releases_read(rows in old_rows(), quotas in vec(any::<Quota>(), 0..20)) {
        assert_reads::<14, 4>(&rows, &quotas);
        assert_reads::<20, 4>(&rows, &quotas);
        assert_reads::<20, 5>(&rows, &quotas);
        assert_reads::<21, 5>(&rows, &quotas);
    }

    #[test]
    fn other_bytes_are_an_entry_or_none(
        columns in 13..23_i64,
        quota_columns in 3..7_i64,
        bytes in vec(any::<u8>(), 0..60),
    ) {
        let _ = decode(columns, quota_columns, &bytes);
    }
}

#[test]
fn an_entry_with_an_unknown_use_of_the_cache_is_unreadable() {
    for (outcome, is_read) in [
        (0x05ff, true),
        (0x0600, false),
        (0x1_0000, false),
        (-1, false),
    ] {
        let mut row = [0; COLUMNS];
        row[6] = outcome;
        let entry = old_entry::<COLUMNS, QUOTA_COLUMNS>(&[row], &[]);
        let read = decode(COLUMNS as i64, QUOTA_COLUMNS as i64, &entry);
        assert_eq!(read.is_some(), is_read, "{outcome}");
    }
}

#[test]
fn a_checkpoint_like_the_one_before_takes_a_byte_a_number() {
    let bytes = |counters: std::ops::Range<i64>| {
        let quotas: Vec<Quota> = counters
            .map(|counter| (1 << 60 | counter, 1 << 61, 0, 1 << 50, 1))
            .collect();
        encode(&quotas).len()
    };
    assert_eq!(bytes(1..61) - bytes(1..60), QUOTA_COLUMNS);
}
