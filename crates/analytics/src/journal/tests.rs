use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use tollgate_model::record::CacheUse;

use super::*;
use crate::rollup::AnsweredCalls;

/// Decodes an entry of this release.
fn decode_present(entry: &[u8]) -> Option<(Rows, Vec<Quota>)> {
    decode(COLUMNS as i64, QUOTA_COLUMNS as i64, entry)
}

fn key() -> impl Strategy<Value = Key> {
    let uses = prop::sample::select(&CacheUse::ALL[..]);
    (any::<([i64; 5], u16, u8)>(), uses).prop_map(
        |(([minute, api, version, operation, application], status, refusal), cache)| Key {
            minute,
            api,
            version,
            operation,
            application,
            status,
            refusal,
            cache,
        },
    )
}

fn measures() -> impl Strategy<Value = Measures> {
    proptest::array::uniform14(0..=i64::MAX.cast_unsigned()).prop_map(
        |[
            calls,
            bytes_in,
            bytes_out,
            total_us_sum,
            total_us_max,
            upstream_us_sum,
            mismatched,
            mediate_us_sum,
            upstream,
            policy,
            mock,
            preflight,
            gateway,
            over,
        ]| Measures {
            calls,
            bytes_in,
            bytes_out,
            total_us_sum,
            total_us_max,
            upstream_us_sum,
            mismatched,
            mediate_us_sum,
            answered: AnsweredCalls {
                upstream,
                policy,
                mock,
                preflight,
                gateway,
            },
            over,
        },
    )
}

proptest! {
    #[test]
    fn an_entry_reads_back(
        rows in hash_map(key(), measures(), 0..20),
        quotas in vec(any::<Quota>(), 0..20),
    ) {
        let rows: HashMap<_, _> = rows.into_iter().collect();
        let (again, same_quotas) = decode_present(&encode(&rows, &quotas)).unwrap();
        prop_assert_eq!(again.into_iter().collect::<HashMap<_, _>>(), rows);
        prop_assert_eq!(same_quotas, quotas);
    }

    #[test]
    fn an_entry_of_a_release_without_policies_reads(
        rows in hash_map(key(), measures(), 0..20),
        quotas in old_quotas(),
    ) {
        let rows = rows.into_iter().map(|(key, measures)| {
            let measures = Measures {
                mediate_us_sum: 0,
                answered: AnsweredCalls::default(),
                over: 0,
                ..measures
            };
            let key = Key { cache: CacheUse::None, ..key };
            (key, measures)
        });
        let rows: HashMap<_, _> = rows.collect();
        let entry = (rows_of::<14>(&rows), without_formats(&quotas));
        let entry = postcard::to_allocvec(&entry).unwrap();
        let (again, same_quotas) = decode(14, 4, &entry).unwrap();
        prop_assert_eq!(again.into_iter().collect::<HashMap<_, _>>(), rows);
        prop_assert_eq!(same_quotas, quotas);
    }

    #[test]
    fn an_entry_of_a_release_without_formats_reads(
        rows in hash_map(key(), measures(), 0..20),
        quotas in old_quotas(),
    ) {
        let rows = without_over(rows);
        let entry = (rows_of::<20>(&rows), without_formats(&quotas));
        let entry = postcard::to_allocvec(&entry).unwrap();
        let (again, same_quotas) = decode(20, 4, &entry).unwrap();
        prop_assert_eq!(again.into_iter().collect::<HashMap<_, _>>(), rows);
        prop_assert_eq!(same_quotas, quotas);
    }

    #[test]
    fn an_entry_of_a_release_without_soft_limits_reads(
        rows in hash_map(key(), measures(), 0..20),
        quotas in vec(any::<Quota>(), 0..20),
    ) {
        let rows = without_over(rows);
        let mut differences: Vec<[i64; 5]> = quotas.iter().copied().map(Into::into).collect();
        to_differences(&mut differences);
        let entry = postcard::to_allocvec(&(rows_of::<20>(&rows), differences)).unwrap();
        let (again, same_quotas) = decode(20, 5, &entry).unwrap();
        prop_assert_eq!(again.into_iter().collect::<HashMap<_, _>>(), rows);
        prop_assert_eq!(same_quotas, quotas);
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
        let entry =
            postcard::to_allocvec(&(vec![row], Vec::<[i64; QUOTA_COLUMNS]>::new())).unwrap();
        assert_eq!(decode_present(&entry).is_some(), is_read, "{outcome}");
    }
}

/// Checkpoints without a format.
fn old_quotas() -> impl Strategy<Value = Vec<Quota>> {
    let quota = any::<[i64; 4]>().prop_map(|[id, word, era, end]| (id, word, era, end, 0));
    vec(quota, 0..20)
}

/// Rows without the calls that exceeded a limit.
fn without_over(rows: impl IntoIterator<Item = (Key, Measures)>) -> HashMap<Key, Measures> {
    let rows = rows.into_iter();
    rows.map(|(key, measures)| {
        (
            key,
            Measures {
                over: 0,
                ..measures
            },
        )
    })
    .collect()
}

/// The rows of an entry with `N` columns.
fn rows_of<const N: usize>(rows: &HashMap<Key, Measures>) -> Vec<[i64; N]> {
    let rows = sorted(rows).into_iter();
    let mut rows: Vec<[i64; N]> = rows.map(|row| *row.first_chunk().unwrap()).collect();
    to_differences(&mut rows);
    rows
}

/// The checkpoints of an entry without formats.
fn without_formats(quotas: &[Quota]) -> Vec<[i64; 4]> {
    let quotas = quotas.iter();
    let mut quotas: Vec<[i64; 4]> = quotas
        .map(|&(id, word, era, end, _)| [id, word, era, end])
        .collect();
    to_differences(&mut quotas);
    quotas
}

#[test]
fn a_row_like_the_one_before_takes_a_byte_a_number() {
    let row = |application| {
        let key = Key {
            minute: 29_000_000,
            api: 1 << 60,
            version: 1 << 61,
            application,
            ..Key::default()
        };
        (
            key,
            Measures {
                calls: 1,
                ..Measures::default()
            },
        )
    };
    let bytes =
        |applications: std::ops::Range<i64>| encode(&applications.map(row).collect(), &[]).len();
    assert_eq!(bytes(1..61) - bytes(1..60), COLUMNS);
}
