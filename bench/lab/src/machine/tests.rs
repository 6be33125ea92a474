use super::*;

#[test]
fn the_stolen_share_is_that_between_two_readings() {
    let read = |line| Time::parse(line).expect("a line of the kernel's");
    // Guest time, the last two fields, is already included in user and nice.
    let then = read("cpu  100 0 50 800 10 0 5 35 7 7");
    let now = read("cpu  150 0 100 850 10 0 5 85 9 9");
    assert!((now.stolen_since(then) - 50.0 / 200.0).abs() < 1e-9);
    assert_eq!(then.stolen_since(then).to_bits(), 0.0_f64.to_bits());
    for line in [
        "",
        "cpu  1 2 3",
        "cpu0 1 2 3 4 5 6 7 8",
        "cpu  1 2 3 4 5 6 7 x",
    ] {
        assert_eq!(Time::parse(line), None, "{line:?}");
    }
    assert!(time().is_ok());
}
