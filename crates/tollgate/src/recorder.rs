//! Between the planes: the gateway's records go to analytics, the counters to `usage.db` and back,
//! the last uses of credentials (`credential_uses`) to the store. Neither side knows the other.

pub mod credential_uses;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tollgate_analytics::{Checkpoints, Source, Usage};
use tollgate_control::Clock;
use tollgate_counters::{Counters, Saved};
use tollgate_gateway::record::Records;
use tollgate_model::record::{Overflow, Record};

use credential_uses::CredentialUses;

/// How often counters that nobody uses are dropped.
const SWEEP_TIME: Duration = Duration::from_secs(60);

/// One worker's records as a source of usage.
pub struct WorkerRecords {
    /// The reading end of the worker's ring.
    pub records: Records,
    /// Where the uses of credentials are noted.
    pub uses: Arc<CredentialUses>,
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

/// Gives the counters what was written down of them before.
///
/// # Errors
/// The database cannot be read.
pub async fn load_quotas(usage: &Usage, counters: &Counters) -> anyhow::Result<()> {
    let saved = usage.load_quotas().await?.into_iter();
    let saved = saved.map(|(id, used, era, end_us)| Saved {
        id: id.cast_unsigned(),
        used: used.cast_unsigned(),
        era: era.cast_unsigned(),
        end_us,
    });
    counters.import(saved.collect());
    Ok(())
}

/// What has changed of the counters of an hour and longer, to be written with the records of the
/// same moment; at the stop of the process, the shorter ones too.
#[must_use]
pub fn checkpoints(counters: Arc<Counters>) -> Checkpoints {
    Box::new(move |is_running| {
        let mut saved = counters.export();
        if !is_running {
            saved.extend(counters.export_short(Clock::System.now_us()));
        }
        let quota = |saved: Saved| {
            let [id, used, era] = [saved.id, saved.used, saved.era].map(u64::cast_signed);
            (id, used, era, saved.end_us)
        };
        saved.into_iter().map(quota).collect()
    })
}

/// Drops counters that nobody uses, once a minute, for ever.
pub async fn sweep(counters: Arc<Counters>) {
    let mut ticks = interval(SWEEP_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        counters.sweep(Clock::System.now_us());
    }
}
