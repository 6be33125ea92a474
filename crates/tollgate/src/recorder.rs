//! Moves data between the planes: the gateway's records to analytics, the counters to `usage.db`
//! and back, the last uses of credentials (`credential_uses`) to the store. Neither
//! plane depends on the other.

pub mod credential_uses;

use std::sync::Arc;

use tollgate_analytics::{Checkpoints, Source, Usage};
use tollgate_control::Clock;
use tollgate_counters::{Counters, FORMAT, Saved};
use tollgate_gateway::record::Records;
use tollgate_model::record::{Overflow, Record};
use tollgate_watch::Calls;
use tollgate_watch::access_log::WorkerLines;

use credential_uses::CredentialUses;

/// A source of usage: the records of one worker.
pub struct WorkerRecords {
    /// The reading end of the worker's ring.
    pub records: Records,
    /// Collects the last uses of credentials.
    pub uses: Arc<CredentialUses>,
    /// Adds up metrics, if they are served.
    pub calls: Option<Arc<Calls>>,
    /// Writes lines of the access log, if there is one.
    pub lines: Option<WorkerLines>,
}

impl Source for WorkerRecords {
    fn worker(&self) -> u64 {
        self.records.worker()
    }

    fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        let Self {
            records,
            uses,
            calls,
            lines,
        } = self;
        let now_us = Clock::System.now_us();
        let mut adding = calls.as_ref().map(|it| it.adding(now_us));
        if let Some(lines) = lines {
            lines.begin(now_us);
            records.drain_texts(&mut |texts| lines.add_texts(texts));
        }
        let mut each = |record: &Record| {
            if let Some(adding) = &mut adding {
                adding.record(record);
            }
            if let Some(lines) = lines {
                lines.add(record);
            }
            each(record);
        };
        uses.noting(&mut each, |each| records.drain(each));
        drop(adding);
        if let Some(lines) = lines {
            if lines.is_waiting() {
                records.drain_texts(&mut |texts| lines.add_texts(texts));
            }
            lines.flush();
        }
    }

    fn overflow(&mut self) -> Vec<Overflow> {
        let overflow = self.records.overflow();
        if let Some(calls) = self.calls.as_ref().filter(|_| !overflow.is_empty()) {
            let mut adding = calls.adding(Clock::System.now_us());
            overflow.iter().for_each(|it| adding.overflow(it));
        }
        overflow
    }
}

/// Restores the counters from their last checkpoint.
///
/// # Errors
/// Fails if the database read fails.
pub async fn load_quotas(usage: &Usage, counters: &Counters) -> anyhow::Result<()> {
    let saved = usage.load_quotas().await?.into_iter();
    let saved = saved.map(|(id, low, high, end_us, format)| Saved {
        id: id.cast_unsigned(),
        high: high.cast_unsigned(),
        low: low.cast_unsigned(),
        end_us,
        format: u8::try_from(format).unwrap_or(FORMAT),
    });
    counters.import(saved.collect());
    Ok(())
}

/// Returns the source of counter checkpoints: the changed counters with windows of an hour and
/// longer, to be written together with the records of the same moment; when the process stops,
/// those with shorter windows too.
#[must_use]
pub fn checkpoints(counters: Arc<Counters>) -> Checkpoints {
    Box::new(move |is_running| {
        let mut saved = counters.export();
        if !is_running {
            saved.extend(counters.export_short(Clock::System.now_us()));
        }
        let quota = |saved: Saved| {
            let [id, low, high] = [saved.id, saved.low, saved.high].map(u64::cast_signed);
            (id, low, high, saved.end_us, saved.format.into())
        };
        saved.into_iter().map(quota).collect()
    })
}
