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
fn an_alarm_is_never_early_and_at_most_two_ticks_late() {
    let (timer, wakes) = (Timer::default(), Arc::new(Wakes::default()));
    let waker = Waker::from(Arc::clone(&wakes));
    let context = Context::from_waker(&waker);
    let alarm = timer.alarm();
    alarm.set(Duration::from_millis(250));
    for _ in 0..3 {
        timer.tick();
        assert!(alarm.poll_due(&context).is_pending());
    }
    timer.tick();
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert!(alarm.poll_due(&context).is_ready());
}

#[test]
fn the_limit_of_an_exchange_holds_whatever_is_set_after_it() {
    let timer = Timer::default();
    let alarm = timer.alarm();
    let context = Context::from_waker(Waker::noop());
    alarm.limit(TICK);
    alarm.set(Duration::from_secs(60));
    timer.tick();
    timer.tick();
    assert!(alarm.poll_due(&context).is_ready());
    alarm.unlimit();
    alarm.set(Duration::from_secs(60));
    assert!(alarm.poll_due(&context).is_pending());
}

#[test]
fn a_dropped_alarm_gives_its_slot_to_the_next() {
    let timer = Timer::default();
    let first = timer.alarm();
    let second = timer.alarm();
    drop(first);
    let third = timer.alarm();
    assert_eq!(timer.table.slots.borrow().len(), 2);
    drop((second, third));
    assert_eq!(timer.table.free.borrow().len(), 2);
}
