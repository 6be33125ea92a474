//! The life of a worker's thread: it takes connections until the stop, then lets the exchanges
//! under way end. Beside them beats what the worker has to do again and again.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::LocalSet;
use tollgate_http1::deadline::TICK;

use crate::listener::{self, Listener};
use crate::worker::Worker;

const TICKS_PER_SWEEP: u32 = 10;

/// Serves until `stop` says so, then until the exchanges under way have ended or the grace time is
/// over.
pub(crate) async fn run(
    worker: Worker,
    listeners: Vec<Listener>,
    mut stop: watch::Receiver<Option<Duration>>,
) {
    let worker = Rc::new(worker);
    let local = LocalSet::new();
    local.spawn_local(beat(Rc::clone(&worker)));
    let listeners = listeners.into_iter().map(|listener| {
        let listener = Rc::new(listener);
        let accept = listener::accept(Rc::clone(&listener), Rc::clone(&worker));
        (listener, local.spawn_local(accept))
    });
    let listeners: Vec<_> = listeners.collect();
    let serving = local.run_until(async {
        let grace = stop
            .wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|stop| *stop);
        worker.begin_to_drain();
        for (listener, accepting) in listeners {
            accepting.abort();
            // Once the task is gone, the listener is no longer shared with it.
            drop(accepting.await);
            if let Some(listener) = Rc::into_inner(listener)
                && let Err(error) = listener::accept_last(listener, &worker)
            {
                tracing::warn!(%error, "connections that waited to be accepted were cut off");
            }
        }
        let drained = async {
            // First a moment in which requests that are on their way become exchanges.
            loop {
                tokio::time::sleep(TICK / 2).await;
                if !worker.is_busy() {
                    return;
                }
            }
        };
        tokio::time::timeout(grace.unwrap_or_default(), drained).await
    });
    if serving.await.is_err() {
        tracing::warn!("exchanges were cut off: the drain grace time is over");
    }
}

/// Time-outs with each tick, and once a second the worker's pools, warnings and clock.
async fn beat(worker: Rc<Worker>) {
    let mut beat = tokio::time::interval(TICK);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    for count in 1_u32.. {
        beat.tick().await;
        worker.timer.tick();
        worker.places.tick();
        if count.is_multiple_of(TICKS_PER_SWEEP) {
            worker.sweep();
        }
    }
}
