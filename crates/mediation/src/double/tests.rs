use super::*;

/// Numbers of 20 digits next to the middle between two doubles.
const BETWEEN: [&str; 4] = [
    "4.6759319687447763822e-298",
    "7.8057710105581732085e-299",
    "4.6759319687447766686e297",
    "-9007199254740993.0000",
];

/// Doubles that the standard library writes with long arithmetic.
const SLOW: [f64; 3] = [
    3.913463331784245e-299,
    5.9056932219182046e-301,
    1.1136681501654574e-301,
];

fn doubles() -> impl Iterator<Item = f64> {
    let mut state = 7_u64;
    let any = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    });
    let any = any.take(20_000).flat_map(|bits| {
        let few_digits = (bits % 1_000_000) as f64 / 1_000.0;
        [f64::from_bits(bits), few_digits, (bits >> 8) as f64]
    });
    let powers = (-330..310).filter_map(|power| format!("1e{power}").parse().ok());
    let edges = [0.0, -0.0, 0.1, -1.5, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    let others = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    any.chain(powers).chain(edges).chain(others).chain(SLOW)
}

/// Doubles that are in the middle between two numbers with one digit less.
fn middles() -> impl Iterator<Item = f64> {
    (1..=26).flat_map(|power| {
        let five = 5_f64.powi(power);
        let least = (4e16 / five) as u64;
        let odd = (0..300).map(move |index| (least + (index * least) / 90) | 1);
        odd.map(move |odd| odd as f64 / 2_f64.powi(power))
    })
}

#[test]
fn doubles_are_written_like_the_standard_library_writes_them() {
    let negative = middles().map(|double| -double);
    for double in doubles().chain(middles()).chain(negative) {
        assert_eq!(Shortest(double).to_string(), double.to_string());
    }
}

#[test]
fn doubles_are_parsed_like_the_standard_library_parses_them() {
    let work = Work::default();
    let texts = doubles().flat_map(|double| [format!("{double:e}"), format!("{double:.40e}")]);
    for text in texts {
        work.reset();
        let parsed = parse(&text, &work).map(f64::to_bits);
        assert_eq!(parsed, text.parse().ok().map(f64::to_bits), "{text}");
    }
    let malformed = [
        "",
        "1.2.3456789012345678901",
        "e1234567890123456789012",
        "1e",
    ];
    for text in malformed {
        assert_eq!(parse(text, &work), None, "{text}");
    }
}

fn units(text: &str) -> usize {
    let work = Work::default();
    assert_eq!(parse(text, &work), text.parse().ok(), "{text}");
    work.spent()
}

#[test]
fn only_numbers_between_two_doubles_count_as_slow() {
    for text in BETWEEN {
        assert_eq!(units(text), BETWEEN_UNITS, "{text}");
    }
    for text in [
        "1.00000000000000000000",
        "9999999999999999999999999",
        "3.14159265358979323846264338327950288",
        "-73.985130000000000000001e-10",
        "0.00000000000000000000000012345678901234567890",
    ] {
        assert_eq!(units(text), AROUND_UNITS, "{text}");
    }
    for text in [
        "1.5",
        "1234567890123456789",
        "0.00000000000000000000005",
        "inf",
    ] {
        assert_eq!(units(text), 0, "{text}");
    }
}

#[test]
fn once_the_work_is_exceeded_nothing_is_parsed() {
    let work = Work::default();
    work.spend(usize::MAX);
    assert_eq!(parse(BETWEEN[0], &work), None);
}
