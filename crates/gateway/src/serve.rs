//! The life of a worker's thread: accepts connections until the stop, then lets current exchanges
//! finish. A periodic task runs the worker's timers and housekeeping.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_local;
use tollgate_http1::deadline::TICK;

use crate::listener::{self, Listener};
use crate::worker::Worker;

const TICKS_PER_SWEEP: u32 = 10;

/// Serves until `stop` is set, then until the current exchanges have finished or the grace period
/// is over. Needs a runtime or a set of tasks that stay on their thread; connections are tasks of
/// it, and end with it.
pub(crate) async fn run(
    worker: Worker,
    listeners: Vec<Listener>,
    mut stop: watch::Receiver<Option<Duration>>,
) {
    let worker = Rc::new(worker);
    spawn_local(beat(Rc::clone(&worker)));
    let giver = Rc::clone(&worker);
    spawn_local(async move { giver.give_turns().await });
    let listeners = listeners.into_iter().map(|listener| {
        let listener = Rc::new(listener);
        let accept = listener::accept(Rc::clone(&listener), Rc::clone(&worker));
        (listener, spawn_local(accept))
    });
    let listeners: Vec<_> = listeners.collect();
    let grace = stop
        .wait_for(Option::is_some)
        .await
        .ok()
        .and_then(|stop| *stop);
    worker.begin_to_drain();
    for (listener, accepting) in listeners {
        accepting.abort();
        // Once the task is gone, it no longer shares the listener.
        drop(accepting.await);
        if let Some(listener) = Rc::into_inner(listener)
            && let Err(error) = listener::accept_last(listener, &worker)
        {
            tracing::warn!(%error, "connections waiting to be accepted were dropped");
        }
    }
    let drained = async {
        // First wait a moment for requests that are on their way.
        loop {
            tokio::time::sleep(TICK / 2).await;
            if !worker.is_busy() {
                return;
            }
        }
    };
    let drained = tokio::time::timeout(grace.unwrap_or_default(), drained);
    if drained.await.is_err() {
        tracing::warn!("exchanges were cut off: the drain grace period is over");
    }
}

/// Runs the timers on each tick, and once a second the housekeeping of pools, warnings and clock.
async fn beat(worker: Rc<Worker>) {
    let mut beat = tokio::time::interval(TICK);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    for count in 1_u32.. {
        beat.tick().await;
        worker.timer.tick();
        worker.places.tick();
        worker.counters.sweep_next(worker.clock.now_us());
        if count.is_multiple_of(TICKS_PER_SWEEP) {
            worker.sweep();
        }
    }
}
