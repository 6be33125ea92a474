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
    let bodies = order.map(|(stage, stepped_ms)| Body {
        stage,
        stepped: start + Duration::from_millis(stepped_ms),
        announced: Announced::default(),
        held: 1,
        leaving: None,
        asked: Arc::default(),
    });
    assert!(bodies.is_sorted_by_key(|body| body.rank(now)));
}
