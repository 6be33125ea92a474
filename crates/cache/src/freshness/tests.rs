use super::{Dates, Exchanged, Freshness};
use crate::directives::{Directives, SECONDS_MAX};

/// Thu, 26 Nov 2026 12:00:00 GMT
const NOON: i64 = 1_795_694_400;
const AT_NOON: &str = "Thu, 26 Nov 2026 12:00:00 GMT";
const AT_ONE: &str = "Thu, 26 Nov 2026 13:00:00 GMT";

/// The freshness of a response that arrives at noon, a second after its request.
fn freshness(
    control: &str,
    [date, expires, age]: [&str; 3],
    ttl_s: Option<u32>,
) -> Option<(u32, u32)> {
    let directives = Directives::read([control.as_bytes()].into_iter());
    let [date, expires, age] = [date, expires, age].map(|text| match text {
        "" => None,
        text => Some(text.as_bytes()),
    });
    let dates = Dates { age, date, expires };
    let at = Exchanged {
        asked_s: NOON - 1,
        arrived_s: NOON,
    };
    let freshness = Freshness::new(&directives, dates, at, ttl_s)?;
    Some((freshness.age_s, freshness.lifetime_s))
}

#[test]
fn freshness_is_that_of_the_standard() {
    let rows = [
        ("", ["", "", ""], None, None),
        ("public", [AT_NOON, "", ""], None, None),
        ("max-age=60", ["", "", ""], None, Some((1, 60))),
        ("max-age=60, s-maxage=5", ["", "", ""], None, Some((1, 5))),
        ("max-age=60", [AT_NOON, AT_ONE, ""], None, Some((1, 60))),
        ("", [AT_NOON, AT_ONE, ""], None, Some((1, 3_600))),
        ("", ["", AT_ONE, ""], None, Some((1, 3_600))),
        ("", [AT_ONE, AT_NOON, ""], None, Some((1, 0))),
        ("", ["", "0", ""], None, Some((1, 0))),
        ("", ["", "never", ""], None, Some((1, 0))),
        ("max-age=60", ["", "", "30"], None, Some((31, 60))),
        ("max-age=60", ["", "", "-1"], None, Some((SECONDS_MAX, 60))),
        (
            "max-age=60",
            ["Thu, 26 Nov 2026 11:59:00 GMT", "", "9"],
            None,
            Some((60, 60)),
        ),
        ("", ["", "", ""], Some(9), Some((1, 9))),
        ("max-age=60", ["", "", ""], Some(9), Some((1, 9))),
        // Obsolete forms of dates.
        (
            "",
            ["Thursday, 26-Nov-26 12:00:00 GMT", AT_ONE, ""],
            None,
            Some((1, 3_600)),
        ),
        (
            "",
            ["Thu Nov 26 12:00:00 2026", AT_ONE, ""],
            None,
            Some((1, 3_600)),
        ),
    ];
    for (control, dates, ttl_s, expected) in rows {
        assert_eq!(
            freshness(control, dates, ttl_s),
            expected,
            "{control} {dates:?}"
        );
    }
}

#[test]
fn a_response_ages() {
    let freshness = Freshness {
        age_s: 1,
        lifetime_s: 60,
    };
    assert_eq!(freshness.after(0), (1, true));
    assert_eq!(freshness.after(58), (59, true));
    assert_eq!(freshness.after(59), (60, false));
    assert_eq!(freshness.after(u32::MAX), (SECONDS_MAX, false));
}
