//! The calls: few versions and applications have most of them.

use std::error::Error;
use std::path::Path;

use tollgate_model::agent::Agent;
use tollgate_model::credential::CredentialKind;
use tollgate_model::id::{ApiId, OperationId, PlanId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Record};
use tollgate_model::refusal::Refusal;

use crate::questions::{APPLICATIONS, RANGE_US, VERSIONS, application, version};
use crate::totals::Totals;
use crate::{now_us, open_spool};

/// Calls that are handed to the spool before it is waited for.
const BATCH: u64 = 200_000;
/// The workers, which take turns.
pub(crate) const WORKERS: u64 = 2;

/// Writes calls up to now to a spool; returns how many there are of what.
pub(crate) fn fill(folder: &Path, calls: u64) -> Result<Totals, Box<dyn Error>> {
    let spool = open_spool(folder)?;
    let (first_us, mut chance) = (now_us()? - RANGE_US, Chance(1));
    let step_us = RANGE_US as f64 / calls as f64;
    let mut totals = Totals::default();
    for batch in (0..calls).step_by(BATCH as usize) {
        for worker in 0..WORKERS {
            let mut recording = spool.recording(worker);
            let numbers = batch..(batch + BATCH).min(calls);
            for number in numbers.filter(|number| number % WORKERS == worker) {
                let at_us = first_us + (number as f64 * step_us) as i64;
                let mut record = call(at_us, &mut chance);
                record.number = number / WORKERS;
                totals.add(&record);
                recording.push(&record);
            }
        }
        spool.settle();
    }
    spool.close();
    Ok(totals)
}

/// A call at a time.
fn call(at_us: i64, chance: &mut Chance) -> Record {
    let caller = (chance.next().powi(3) * APPLICATIONS as f64) as i64;
    // An application has up to eight subscriptions.
    let subscription = (chance.next() * (1 + caller % 8) as f64) as i64;
    let at = (caller * 37 + subscription * 101) % VERSIONS;
    let operation = at * 7 + (chance.next().powi(2) * (3 + at % 8) as f64) as i64;
    let before_us = (30.0 + 400.0 * chance.next().powi(8)) as u32;
    let upstream_us = (900.0 + 60_000.0 * chance.next().powi(6)) as u32;
    let mut record = Record {
        at_us,
        api: Some(ApiId::from_raw(3 << 40 | (at / 3 + 1))),
        version: Some(version(at)),
        operation: Some(OperationId::from_raw(4 << 40 | operation)),
        application: Some(application(caller)),
        plan: Some(PlanId::from_raw(5 << 40 | (subscription % 3 + 1))),
        credential: 6 << 40 | caller,
        credential_kind: Some(CredentialKind::ApiKey),
        agent: Agent::from_number((caller % 12) as u16),
        status: 200,
        upstream_status: 200,
        before_us,
        upstream_us,
        total_us: before_us + upstream_us + (200.0 * chance.next()) as u32,
        bytes_in: 180,
        bytes_out: (400.0 + 6_000.0 * chance.next()) as u64,
        answered: Answered::new(AnsweredBy::Upstream, CacheUse::None),
        ..Record::default()
    };
    match chance.next() {
        drawn if drawn < 0.01 => {
            record.status = 429;
            record.refusal = Some(Refusal::SubscriptionLimit);
            record.answered = Answered::default();
            (record.upstream_us, record.upstream_status) = (0, 0);
        }
        drawn if drawn < 0.02 => (record.status, record.upstream_status) = (404, 404),
        drawn if drawn < 0.023 => (record.status, record.upstream_status) = (503, 503),
        _ => {}
    }
    record
}

/// Numbers between 0 and 1, the same in every run (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
