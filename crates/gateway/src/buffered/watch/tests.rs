use super::*;

#[test]
fn bodies_give_way_by_age_then_by_what_they_wait_for_then_the_stalest() {
    use Stage::{Reader, Request, UnsafeUpstream, Upstream};
    let start = Instant::now();
    let now = start + Duration::from_secs(10);
    let order = [
        (Request, 0),
        (Request, 8_000),
        (Reader, 1_000),
        (Upstream, 500),
        (UnsafeUpstream, 0),
        (Request, 9_001),
        (Request, 9_500),
        (UnsafeUpstream, 9_001),
    ];
    let bodies = order.map(|(stage, ms)| body(stage, start + Duration::from_millis(ms)));
    assert!(bodies.is_sorted_by_key(|body| body.rank(now)));
}

fn body(stage: Stage, stepped: Instant) -> Body {
    Body {
        stage,
        stepped,
        was_slow: false,
        announced: Announced::default(),
        held: 1,
        leaving: None,
        asked: Arc::default(),
    }
}

#[test]
fn a_body_that_always_takes_longer_than_a_second_for_a_step_stays_stale() {
    let start = Instant::now();
    let after = |ms| start + Duration::from_millis(ms);
    let mut body = body(Stage::Request, start);
    assert!(!body.is_stale(after(999)));
    assert!(body.is_stale(after(1_000)));
    body.step(after(2_100));
    assert!(body.is_stale(after(2_100)));
    body.step(after(4_200));
    assert!(body.is_stale(after(4_200)));
    // It has become faster.
    body.step(after(5_000));
    assert!(!body.is_stale(after(5_000)));
}
