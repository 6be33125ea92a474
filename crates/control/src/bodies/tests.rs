use super::*;

const LONG: Duration = Duration::from_secs(10);

/// Registers a body and counts its bytes.
fn body(bodies: &Arc<Bodies>, bytes: usize) -> Reading {
    let reading = bodies.begin();
    reading.take(bytes).unwrap();
    reading
}

/// Moves the start of bodies into the past.
fn age(readings: &[&Reading], by: Duration) {
    for reading in readings {
        reading.change(|row| row.since -= by);
    }
}

fn is_dropped(reading: &Reading) -> bool {
    reading.watch(Waker::noop()).is_err()
}

#[test]
fn the_slowest_anonymous_body_is_dropped_before_those_of_signed_in_callers() {
    let bodies = Arc::new(Bodies::new(100));
    let slow = body(&bodies, 10);
    slow.mark_known();
    let stranger = body(&bodies, 40);
    age(&[&slow, &stranger], LONG);
    let fast_stranger = body(&bodies, 40);
    assert_eq!(bodies.holding().bytes, 90);

    let fresh = body(&bodies, 20);
    assert!(is_dropped(&stranger));
    assert_eq!(stranger.take(1), Err(NoRoom));
    assert!(!is_dropped(&slow) && !is_dropped(&fast_stranger));
    assert_eq!(bodies.holding().bytes, 70);
    assert_eq!(bodies.holding().dropped, 1);

    // Of bodies too new to have a speed, the oldest.
    age(&[&fast_stranger], Duration::from_millis(10));
    let next = body(&bodies, 40);
    assert!(is_dropped(&fast_stranger) && !is_dropped(&fresh) && !is_dropped(&next));

    // No anonymous bodies are left: now those of signed-in callers.
    next.mark_known();
    fresh.mark_known();
    age(&[&slow, &fresh, &next], LONG);
    let large = bodies.begin();
    large.mark_known();
    large.take(25).unwrap();
    assert!(is_dropped(&slow) && !is_dropped(&fresh));
    drop([slow, stranger, fast_stranger, fresh, next, large]);
    assert_eq!(bodies.holding().bytes, 0);
}

#[test]
fn callers_who_are_signed_in_leave_room_for_sign_ins() {
    let bodies = Arc::new(Bodies::new(80));
    let known: Vec<_> = (0..8).map(|_| bodies.begin()).collect();
    for reading in &known {
        reading.mark_known();
        // The last one exceeds the bound: it is dropped, or drops another one.
        let _ = reading.take(10);
        reading.complete();
    }
    assert_eq!(bodies.holding().bytes, 70);
    let sign_in = body(&bodies, 10);
    assert!(!is_dropped(&sign_in));
    drop(known);
    assert_eq!(bodies.holding().bytes, 10);
}

#[test]
fn a_complete_body_is_kept_and_the_newest_is_dropped() {
    let bodies = Arc::new(Bodies::new(100));
    let whole = body(&bodies, 90);
    whole.complete();
    age(&[&whole], LONG);
    let fresh = bodies.begin();
    fresh.mark_known();
    assert_eq!(fresh.take(20), Err(NoRoom));
    assert!(!is_dropped(&whole));
    fresh.complete();
    assert!(is_dropped(&fresh), "it remains dropped");
    drop(whole);
    body(&bodies, 100);
}

#[tokio::test]
async fn the_reader_of_a_dropped_body_is_woken() {
    let bodies = Arc::new(Bodies::new(100));
    let slow = body(&bodies, 60);
    let waiting = tokio::spawn(async move { slow.dropped().await });
    tokio::task::yield_now().await;
    let _fresh = body(&bodies, 60);
    waiting.await.unwrap();
    assert_eq!(bodies.holding().bytes, 60);
}
