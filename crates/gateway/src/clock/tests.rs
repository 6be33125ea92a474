use super::*;

#[test]
fn a_step_of_the_wall_clock_is_seen_by_all_workers_at_once() {
    const DAY_US: i64 = 86_400_000_000;
    let clock = Clock::default();
    let is_near = |wall_us: i64| (clock.now_us() - wall_us).abs() < 60_000_000;
    assert!(is_near(wall_us()));
    for step_us in [DAY_US, -300_000_000, 0] {
        let wall_us = wall_us() + step_us;
        clock.follow_to(wall_us);
        let seen = std::thread::scope(|scope| {
            let other = scope.spawn(|| clock.now_us());
            other.join().unwrap()
        });
        assert!((seen - wall_us).abs() < 60_000_000, "{step_us}");
    }
    clock.follow();
    assert!(is_near(wall_us()));
}
