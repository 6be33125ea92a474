use jiff::tz::TimeZone;

use super::*;

/// Minutes reach back to day 98, hours to day 90, as of noon of day 100.
const MARKS: Marks = Marks {
    minutes_from: 98 * DAY,
    hours_from: 90 * DAY,
    hours_to: 100 * DAY + 12 * HOUR,
    days_to: 100 * DAY,
};

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn plan(range: std::ops::Range<i64>, step: Option<Step>) -> Vec<(Level, i64, i64)> {
    let segments = segments(range, step, &TimeZone::UTC, &MARKS);
    segments
        .iter()
        .map(|it| (it.level, it.from, it.to))
        .collect()
}

#[test]
fn a_range_is_days_with_hours_and_minutes_at_its_edges() {
    let from = 95 * DAY + 22 * HOUR;
    let to = 100 * DAY + 12 * HOUR + 30;
    let expected = [
        (Level::Hour, from, 96 * DAY),
        (Level::Day, 96 * DAY, 100 * DAY),
        (Level::Hour, 100 * DAY, 100 * DAY + 12 * HOUR),
        (Level::Minute, 100 * DAY + 12 * HOUR, to),
    ];
    assert_eq!(plan(from..to, None), expected);
    let expected = [
        (Level::Hour, from, 100 * DAY + 12 * HOUR),
        (Level::Minute, 100 * DAY + 12 * HOUR, to),
    ];
    assert_eq!(plan(from..to, Some(Step::Hour)), expected);
    let expected = [(Level::Hour, from, 98 * DAY), (Level::Minute, 98 * DAY, to)];
    assert_eq!(plan(from..to, Some(Step::Minute)), expected);
    assert_eq!(plan(to..to, None), []);
}

#[test]
fn edges_are_whole_rows_where_there_are_no_finer_ones() {
    let from = 80 * DAY + 7;
    let to = 97 * DAY + 7;
    let expected = [
        (Level::Day, 80 * DAY, 97 * DAY),
        (Level::Hour, 97 * DAY, 97 * DAY + HOUR),
    ];
    assert_eq!(plan(from..to, None), expected);
    let expected = [
        (Level::Day, 80 * DAY, 90 * DAY),
        (Level::Hour, 90 * DAY, 97 * DAY + HOUR),
    ];
    assert_eq!(plan(from..to, Some(Step::Hour)), expected);
    let expected = [(Level::Day, 80 * DAY, 81 * DAY)];
    assert_eq!(plan(from..from + 1, None), expected);
    let within = 99 * DAY + 7;
    assert_eq!(
        plan(within..within + 5, None),
        [(Level::Minute, within, within + 5)]
    );
}

/// The steps of a range by minutes, as times of the zone.
fn starts(range: [&str; 2], step: Step, zone: &TimeZone) -> Vec<String> {
    let [from, to] = range.map(|it| minute_of(it.parse().unwrap()));
    let marks = Marks {
        minutes_from: i64::MIN,
        hours_from: i64::MIN,
        hours_to: i64::MIN,
        days_to: i64::MIN,
    };
    let segments = segments(from..to, Some(step), zone, &marks);
    let minutes = segments
        .iter()
        .flat_map(|it| (it.from..it.to).map(|minute| it.grid.step(minute).unwrap()));
    let mut starts: Vec<_> = minutes.collect();
    assert_eq!(starts.len() as i64, to - from, "each minute once");
    starts.dedup();
    let shown = starts.into_iter().map(|minute| {
        timestamp(minute)
            .to_zoned(zone.clone())
            .strftime("%FT%H:%M%:z")
            .to_string()
    });
    shown.collect()
}

#[test]
fn days_of_a_zone_are_longer_or_shorter_where_its_clock_changes() {
    let berlin = zone("Europe/Berlin");
    let spring = ["2026-03-27T23:00:00Z", "2026-03-30T22:00:00Z"];
    let expected = [
        "2026-03-28T00:00+01:00",
        "2026-03-29T00:00+01:00",
        "2026-03-30T00:00+02:00",
    ];
    assert_eq!(starts(spring, Step::Day, &berlin), expected);
    let autumn = ["2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z"];
    let expected = [
        "2026-10-24T00:00+02:00",
        "2026-10-25T00:00+02:00",
        "2026-10-26T00:00+01:00",
    ];
    assert_eq!(starts(autumn, Step::Day, &berlin), expected);
    let both = ["2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"];
    let expected = ["2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00"];
    assert_eq!(
        starts(both, Step::Hour, &berlin),
        expected,
        "twice two o'clock"
    );
}

#[test]
fn a_day_with_two_midnights_is_one() {
    let santiago = zone("America/Santiago");
    let range = ["2026-04-03T03:00:00Z", "2026-04-07T04:00:00Z"];
    let expected = [
        "2026-04-03T00:00-03:00",
        "2026-04-04T00:00-03:00",
        "2026-04-05T00:00-04:00",
        "2026-04-06T00:00-04:00",
    ];
    assert_eq!(starts(range, Step::Day, &santiago), expected);
}

#[test]
fn weeks_begin_on_monday_and_months_on_their_first() {
    let utc = TimeZone::UTC;
    let range = ["2026-11-28T00:00:00Z", "2026-12-09T00:00:00Z"];
    let expected = [
        "2026-11-23T00:00+00:00",
        "2026-11-30T00:00+00:00",
        "2026-12-07T00:00+00:00",
    ];
    assert_eq!(starts(range, Step::Week, &utc), expected);
    let expected = ["2026-11-01T00:00+00:00", "2026-12-01T00:00+00:00"];
    assert_eq!(starts(range, Step::Month, &utc), expected);
    let berlin = zone("Europe/Berlin");
    let range = ["2026-10-20T00:00:00Z", "2026-11-03T00:00:00Z"];
    let expected = [
        "2026-10-19T00:00+02:00",
        "2026-10-26T00:00+01:00",
        "2026-11-02T00:00+01:00",
    ];
    assert_eq!(starts(range, Step::Week, &berlin), expected);
    let expected = ["2026-10-01T00:00+02:00", "2026-11-01T00:00+01:00"];
    assert_eq!(starts(range, Step::Month, &berlin), expected);
}

#[test]
fn hours_and_days_of_a_zone_of_half_hours() {
    let kolkata = zone("Asia/Kolkata");
    let range = ["2026-11-28T18:30:00Z", "2026-11-29T20:00:00Z"];
    let expected = ["2026-11-29T00:00+05:30", "2026-11-30T00:00+05:30"];
    assert_eq!(starts(range, Step::Day, &kolkata), expected);
    let range = ["2026-11-28T18:30:00Z", "2026-11-28T20:30:00Z"];
    let expected = ["2026-11-29T00:00+05:30", "2026-11-29T01:00+05:30"];
    assert_eq!(starts(range, Step::Hour, &kolkata), expected);
    // Where there are only hours, each is in the step of its beginning.
    let range = 92 * DAY..94 * DAY;
    let segments = segments(range.clone(), Some(Step::Day), &kolkata, &MARKS);
    assert_eq!(segments[0].from, range.start);
    assert_eq!(segments.last().unwrap().to, range.end);
    assert!(segments.iter().all(|it| it.level == Level::Hour));
}

#[test]
fn long_ranges_have_few_segments() {
    for name in jiff::tz::db().available() {
        let zone = zone(name.as_str());
        for step in [Step::Minute, Step::Hour, Step::Day, Step::Week, Step::Month] {
            let segments = segments(0..121_000_000, Some(step), &zone, &MARKS);
            assert!(
                segments.len() < 6_000,
                "{name} {step:?}: {}",
                segments.len()
            );
            let pairs = segments.windows(2);
            assert!(
                pairs.into_iter().all(|it| it[0].to == it[1].from),
                "{name} {step:?}"
            );
        }
    }
}
