use proptest::collection::{hash_map, vec};
use proptest::prelude::*;

use super::*;

fn key() -> impl Strategy<Value = Key> {
    any::<([i64; 5], u16, u8)>().prop_map(
        |([minute, api, version, operation, application], status, refusal)| Key {
            minute,
            api,
            version,
            operation,
            application,
            status,
            refusal,
        },
    )
}

fn measures() -> impl Strategy<Value = Measures> {
    proptest::array::uniform7(0..=i64::MAX.cast_unsigned()).prop_map(
        |[
            calls,
            bytes_in,
            bytes_out,
            total_us_sum,
            total_us_max,
            upstream_us_sum,
            mismatched,
        ]| Measures {
            calls,
            bytes_in,
            bytes_out,
            total_us_sum,
            total_us_max,
            upstream_us_sum,
            mismatched,
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
        let (again, same_quotas) = decode(&encode(&rows, &quotas)).unwrap();
        prop_assert_eq!(again.into_iter().collect::<HashMap<_, _>>(), rows);
        prop_assert_eq!(same_quotas, quotas);
    }

    #[test]
    fn other_bytes_are_an_entry_or_none(bytes in vec(any::<u8>(), 0..60)) {
        let _ = decode(&bytes);
    }
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
