use super::*;

fn starts(window: Window, zone: &str, from: &str) -> Vec<String> {
    let from: Timestamp = from.parse().unwrap();
    let starts = boundaries(window, zone, from.as_microsecond());
    let text = |us: &i64| Timestamp::from_microsecond(*us).unwrap().to_string();
    starts.iter().take(3).map(text).collect()
}

#[test]
fn days_follow_the_zone_over_both_changes_of_its_clock() {
    assert_eq!(
        starts(Window::DAY, "Europe/Rome", "2026-03-28T12:00:00Z"),
        [
            "2026-03-27T23:00:00Z",
            "2026-03-28T23:00:00Z",
            "2026-03-29T22:00:00Z"
        ]
    );
    assert_eq!(
        starts(Window::DAY, "Europe/Rome", "2026-10-24T22:30:00Z"),
        [
            "2026-10-24T22:00:00Z",
            "2026-10-25T23:00:00Z",
            "2026-10-26T23:00:00Z"
        ]
    );
}

#[test]
fn weeks_begin_on_monday_and_months_have_their_lengths() {
    assert_eq!(
        starts(Window::WEEK, "UTC", "2026-11-22T23:59:59Z"),
        [
            "2026-11-16T00:00:00Z",
            "2026-11-23T00:00:00Z",
            "2026-11-30T00:00:00Z"
        ]
    );
    assert_eq!(
        starts(Window::MONTH, "UTC", "2028-01-31T00:00:00Z"),
        [
            "2028-01-01T00:00:00Z",
            "2028-02-01T00:00:00Z",
            "2028-03-01T00:00:00Z"
        ]
    );
    assert_eq!(
        starts(Window::YEAR, "UTC", "2026-07-01T00:00:00Z")[1],
        "2027-01-01T00:00:00Z"
    );
}
