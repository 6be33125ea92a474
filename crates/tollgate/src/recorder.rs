//! Between the planes: the gateway's records go to analytics, the counters' quotas to `usage.db`
//! and back, the last uses of keys (`key_uses`) to the store. Neither side knows the other.

pub mod key_uses;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tollgate_analytics::{Source, Usage};
use tollgate_control::Clock;
use tollgate_counters::{Counters, Saved};
use tollgate_gateway::record::Records;
use tollgate_model::record::{Overflow, Record};

use key_uses::KeyUses;

/// How often quotas are written down. A kill -9 may cost five seconds of them at most: this and
/// the time that writing takes.
const CHECKPOINT_TIME: Duration = Duration::from_secs(4);
/// Checkpoints between two sweeps of the counters: a minute.
const SWEEP_CHECKPOINTS: u32 = 15;

/// One worker's records as a source of usage.
pub struct WorkerRecords {
    /// The reading end of the worker's ring.
    pub records: Records,
    /// Where the uses of keys are noted.
    pub uses: Arc<KeyUses>,
}

impl Source for WorkerRecords {
    fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        let records = &mut self.records;
        self.uses.noting(each, |each| records.drain(each));
    }

    fn overflow(&mut self) -> Vec<Overflow> {
        self.records.overflow()
    }
}

/// Gives the counters what was written down of quotas before.
///
/// # Errors
/// The database cannot be read.
pub async fn load_quotas(usage: &Usage, counters: &Counters) -> anyhow::Result<()> {
    let saved = usage.load_quotas().await?.into_iter();
    let saved = saved.map(|(id, word, end_us)| Saved {
        id: id.cast_unsigned(),
        word: word.cast_unsigned(),
        end_us,
    });
    counters.import(saved.collect());
    Ok(())
}

/// Writes down what changed of the quotas.
///
/// # Errors
/// The database cannot be written.
pub async fn save_quotas(usage: &Usage, counters: &Counters) -> anyhow::Result<()> {
    let saved = counters.export().into_iter();
    let saved = saved.map(|saved| {
        let (id, word) = (saved.id.cast_signed(), saved.word.cast_signed());
        (id, word, saved.end_us)
    });
    Ok(usage.save_quotas(saved.collect()).await?)
}

/// Writes the quotas down every four seconds and drops counters that nobody uses, for ever.
pub async fn checkpoint(usage: Usage, counters: Arc<Counters>) {
    let mut ticks = interval(CHECKPOINT_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for count in 0_u32.. {
        ticks.tick().await;
        if let Err(error) = save_quotas(&usage, &counters).await {
            tracing::error!("the quotas could not be written down: {error:#}");
        }
        if count % SWEEP_CHECKPOINTS == 0 {
            counters.sweep(Clock::System.now_us());
        }
    }
}
