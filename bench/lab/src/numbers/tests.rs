use super::*;

#[test]
fn numbers_have_three_significant_digits() {
    let cases = [
        (0.0, "0"),
        (0.000_431_26, "0.000431"),
        (0.043_126, "0.0431"),
        (0.9996, "1.00"),
        (1.0, "1.00"),
        (16.44, "16.4"),
        (99.96, "100"),
        (-123.4, "-123"),
        (22_284.4, "22,284"),
        (1_234_567.0, "1,234,567"),
        (f64::NAN, "-"),
    ];
    for (value, expected) in cases {
        assert_eq!(short(value), expected);
    }
}

#[test]
fn ticks_are_as_short_as_possible() {
    let cases = [
        (0.0, "0"),
        (0.05, "0.05"),
        (2.5, "2.5"),
        (1000.0, "1,000"),
        (20_000.0, "20k"),
        (12_500.0, "12.5k"),
        (1e6, "1M"),
        (-0.5, "-0.5"),
    ];
    for (value, expected) in cases {
        assert_eq!(compact(value), expected);
    }
}
