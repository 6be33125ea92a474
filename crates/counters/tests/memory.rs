//! The memory of counters found at the call.

use std::fs;
use std::sync::Arc;

use tollgate_counters::{Call, Counters, Rule, debit};
use tollgate_model::limit::ServedLimit;
use tollgate_model::plan::{Limit, Per, Window};

const COUNTERS: usize = 1_000_000;
/// 2024-06-26T12:00:00Z.
const NOW_US: i64 = 1_719_403_200_000_000;

/// Memory of this process, bytes.
fn resident_bytes() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1_024)
}

/// L20 of the acceptance rows.
#[test]
fn l20_a_million_addresses_take_110_bytes_each_and_one_more_is_forgotten() {
    let limit = Limit::requests(Per::ADDRESS, 10, Window::DAY);
    let rule = Arc::new(Rule::new(ServedLimit::compile(&limit, NOW_US)).found_at_call());
    let counters = Counters::new([7; 16], COUNTERS);
    let call = |address: i64| {
        let found = counters.find(&rule, &[address], NOW_US);
        let call = Call {
            now_us: NOW_US,
            weight: 1,
        };
        assert!(debit(std::iter::once(&found), call).is_ok());
    };
    let before = resident_bytes().unwrap();
    for address in 0..i64::try_from(COUNTERS).unwrap() {
        call(address);
    }
    let each = (resident_bytes().unwrap() - before) / COUNTERS;
    assert!(each <= 110, "{each} bytes");
    for address in 1..=100 {
        call(-address);
    }
    let counted = counters.count();
    assert_eq!((counted.found, counted.forgotten), (COUNTERS, 100));
}
