use super::*;

const NEAR: f64 = 1e-6;

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(error < NEAR, "{found} is not {expected}");
}

/// Expected values computed with scipy 1.17.1: `scipy.stats.mannwhitneyu(a, b,
/// alternative='two-sided').pvalue`, which is exact for small samples without ties, and otherwise
/// asymptotic with continuity correction.
#[test]
fn p_values_agree_with_scipy() {
    let exact = mann_whitney(
        &[16.4, 17.1, 16.9, 18.2, 16.2],
        &[17.4, 18.3, 18.8, 19.1, 17.9],
    );
    assert_near(exact, 0.031_746_031_746_031_744);

    let sizes_differ = mann_whitney(
        &[1.02, 0.98, 1.10, 1.05, 0.97, 1.01],
        &[1.30, 1.22, 1.27, 1.41, 1.19, 1.25, 1.33],
    );
    assert_near(sizes_differ, 0.001_165_501_165_501_165_5);

    let ties = mann_whitney(
        &[1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 4.0, 5.0],
        &[2.0, 4.0, 5.0, 5.0, 6.0, 7.0, 7.0, 8.0],
    );
    assert_near(ties, 0.019_107_182_241_013_466);

    // a = 10 + (i * 0.37 % 5) for i < 30; b = 10.8 + (i * 0.53 % 5) for i < 28, to 2 decimals.
    let wave = |count: i32, start: f64, step: f64| -> Vec<f64> {
        let exact = (0..count).map(|i| start + (f64::from(i) * step) % 5.0);
        exact.map(|x| (x * 100.0).round() / 100.0).collect()
    };
    let large = mann_whitney(&wave(30, 10.0, 0.37), &wave(28, 10.8, 0.53));
    assert_near(large, 0.061_860_423_898_713_664);

    assert_near(mann_whitney(&[5.0; 3], &[5.0; 3]), 1.0);
}

/// Expected values computed with `statsmodels.stats.multitest.multipletests(p_values,
/// method='holm')[1]`.
#[test]
fn corrected_p_values_agree_with_statsmodels() {
    let corrected = holm(&[0.01, 0.04, 0.03, 0.005, 0.2, 0.03]);
    for (found, expected) in corrected.iter().zip([0.05, 0.12, 0.12, 0.03, 0.2, 0.12]) {
        assert_near(*found, expected);
    }
}

/// Expected values computed with `scipy.stats.linregress`.
#[test]
fn a_line_agrees_with_scipy() {
    let points = [
        (0.0, 15.1),
        (1.0, 15.3),
        (2.0, 15.2),
        (3.0, 15.6),
        (4.0, 15.9),
    ];
    let found = line(&points).unwrap();
    assert_near(found.slope, 0.19);
    assert_near(found.at_zero, 15.04);
    assert_eq!(line(&[(1.0, 2.0), (1.0, 3.0)]), None);
}

#[test]
fn a_ratio_of_neighbours_is_free_of_their_common_drift() {
    let drift = [1.0, 1.6, 1.2, 0.9, 1.45];
    let pairs: Vec<(f64, f64)> = drift.iter().map(|d| (18.0 * d, 20.0 * d)).collect();
    let ratio = ratio_of_neighbours(&pairs).unwrap();
    assert_near(ratio.value, 0.9);
    assert_near(ratio.high - ratio.low, 0.0);
}

#[test]
fn an_interval_contains_the_figure_and_grows_with_the_noise() {
    let quiet = ratio_of_medians(&[10.0, 10.1, 9.9, 10.05, 9.95], &[10.0; 5]).unwrap();
    let noisy = ratio_of_medians(&[10.0, 13.0, 8.0, 11.5, 9.0], &[10.0; 5]).unwrap();
    assert!(quiet.low < quiet.value && quiet.value < quiet.high);
    assert!(noisy.high - noisy.low > 10.0 * (quiet.high - quiet.low));
    assert_eq!(ratio_of_medians(&[], &[1.0]), None);
}

#[test]
fn a_change_is_significant_exceeds_the_threshold_and_has_an_interval_without_one() {
    let ratio = |low, value, high| Estimate { value, low, high };
    let sure = 0.01;
    let judge = Verdict::judge;
    assert_eq!(
        judge(&ratio(0.86, 0.9, 0.94), sure, Better::Lower),
        Verdict::Better
    );
    assert_eq!(
        judge(&ratio(0.86, 0.9, 0.94), sure, Better::Higher),
        Verdict::Worse
    );
    assert_eq!(
        judge(&ratio(1.06, 1.1, 1.14), sure, Better::Lower),
        Verdict::Worse
    );
    let not_sure = judge(&ratio(1.06, 1.1, 1.14), 0.06, Better::Lower);
    assert_eq!(not_sure, Verdict::NoChange);
    let small = judge(&ratio(1.01, 1.02, 1.025), sure, Better::Lower);
    assert_eq!(small, Verdict::NoChange);
    let around_one = judge(&ratio(0.99, 1.1, 1.2), sure, Better::Lower);
    assert_eq!(around_one, Verdict::NoChange);
}

#[test]
fn more_cells_need_more_rounds() {
    // Completely separate samples of five rounds per side have p = 2/252, of six p = 2/924.
    assert_eq!(rounds_needed(1), 5);
    assert_eq!(rounds_needed(6), 5);
    assert_eq!(rounds_needed(7), 6);
    assert_eq!(rounds_needed(20), 6);
    assert_eq!(rounds_needed(60), 7);
}
