use super::*;

fn written(axis: &Axis) -> Vec<String> {
    axis.ticks(|_, _| 0.05)
        .into_iter()
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn axes_of_figures_start_at_zero_with_round_ticks() {
    let axis = Axis::of_figures("ms", &[3.1, 17.4]);
    assert_eq!(written(&axis), ["0", "5", "10", "15", "20"]);
    assert!((axis.place(10.0) - 0.5).abs() < 1e-9);
}

#[test]
fn figures_that_differ_by_orders_of_magnitude_have_a_labelled_log_scale() {
    let axis = Axis::of_figures("ms", &[0.3, 40.0]);
    assert_eq!(axis.label, "ms (log scale)");
    assert_eq!(written(&axis).first().map(String::as_str), Some("0.2"));
    assert!(axis.place(0.3) < axis.place(3.0) && axis.place(3.0) < axis.place(40.0));
}

#[test]
fn values_are_ticks_unless_their_labels_would_overlap() {
    let users = [50.0, 100.0, 200.0, 300.0, 500.0, 1000.0];
    let axis = Axis::of_values("users", Scale::Log, &users);
    assert_eq!(written(&axis), ["50", "100", "200", "300", "500", "1,000"]);
    let few: Vec<String> = axis
        .ticks(|_, _| 0.6)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(few, ["50", "1,000"]);
}

#[test]
fn steps_are_equidistant_and_a_single_value_is_in_the_middle() {
    let axis = Axis::of_values("ms", Scale::Steps, &[0.0, 30.0, 500.0]);
    let [a, b, c] = [0.0, 30.0, 500.0].map(|value| axis.place(value));
    assert!((b - a - (c - b)).abs() < 1e-9 && a > 0.0 && c < 1.0);
    let alone = Axis::of_values("users", Scale::Log, &[100.0]);
    assert!((alone.place(100.0) - 0.5).abs() < 1e-9);
}
