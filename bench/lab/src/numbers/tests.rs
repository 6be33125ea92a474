use super::*;

#[test]
fn a_number_has_as_many_digits_as_a_measurement_is_worth() {
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
