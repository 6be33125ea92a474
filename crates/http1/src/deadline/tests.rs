use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Wake;

#[derive(Default)]
struct Wakes(AtomicU32);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_deadline_is_never_early_and_at_most_two_ticks_late() {
    let (timer, wakes) = (Timer::default(), Arc::new(Wakes::default()));
    let waker = Waker::from(Arc::clone(&wakes));
    let context = Context::from_waker(&waker);
    let deadline = timer.deadline();
    deadline.set(Duration::from_millis(250));
    for _ in 0..3 {
        timer.tick();
        assert!(deadline.poll_due(&context).is_pending());
    }
    timer.tick();
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert!(deadline.poll_due(&context).is_ready());
}

#[test]
fn the_limit_of_an_exchange_applies_to_later_deadlines() {
    let timer = Timer::default();
    let deadline = timer.deadline();
    let context = Context::from_waker(Waker::noop());
    deadline.limit(TICK, Late::Exchange);
    deadline.set(Duration::from_secs(60));
    timer.tick();
    timer.tick();
    assert!(deadline.poll_due(&context).is_ready());
    deadline.unlimit();
    deadline.set(Duration::from_secs(60));
    assert!(deadline.poll_due(&context).is_pending());
}

#[test]
fn a_dropped_deadline_frees_its_slot() {
    let timer = Timer::default();
    let first = timer.deadline();
    let second = timer.deadline();
    drop(first);
    let third = timer.deadline();
    assert_eq!(timer.table.slots.borrow().len(), 2);
    drop((second, third));
    assert_eq!(timer.table.free.borrow().len(), 2);
}
