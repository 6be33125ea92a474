//! Calls under a daily quota: each kill loses at most the last five seconds of usage and of the
//! quota, and the next start reports the period of the possible loss.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};
use tollgate_testkit::Load;
use tollgate_testkit::load::{Call, Running, Tally};

use super::{Life, text};
use crate::house::{House, get};

/// Maximum loss of usage and quotas by a kill.
const LOSS: Duration = Duration::from_secs(5);
const AMOUNT: u64 = 1_000_000;
const CONNECTIONS: u32 = 10;

/// Calls a day, in a day that starts about twelve hours from now: no midnight during the test.
pub(super) fn limits() -> Value {
    let hour = Timestamp::now().as_second() / 3_600 % 24;
    let zone = format!("Etc/GMT{:+}", hour - 12);
    let algorithm = json!({ "type": "fixed", "zone": zone });
    let (per, window) = ("subscription", "day");
    json!([{ "per": per, "amount": AMOUNT, "window": window, "algorithm": algorithm }])
}

pub(super) struct Counted {
    application: String,
    key: String,
    kills: usize,
    /// The usage at the last start.
    calls: u64,
    /// The quota at the last start.
    used: u64,
    /// Number of calls too old to be lost at a kill.
    old: u64,
    /// The longest period before a kill with possibly missing calls.
    lost_max: Duration,
}

impl Counted {
    pub(super) fn of(house: &House) -> Self {
        Self {
            application: house.consumer.application.clone(),
            key: house.consumer.key.clone(),
            kills: 0,
            calls: 0,
            used: 0,
            old: 0,
            lost_max: Duration::ZERO,
        }
    }

    /// 200 calls a second and 10 on connections of their own.
    pub(super) fn load(&self, life: &Life) -> Running {
        let mut load = Load::of(life.gateway, get("/pets/1.0/pets", &self.key));
        load.per_second = 200;
        load.connections = CONNECTIONS;
        load.fresh_per_second = 10;
        load.start().unwrap()
    }

    /// Compares the counts of the previous life with those of its callers.
    pub(super) async fn check(
        &mut self,
        life: &Life,
        tally: &Tally,
        (killed, killed_at): (Instant, Timestamp),
    ) {
        let path = format!("/api/v1/usage?application={}", self.application);
        let usage = life.read(&path).await;
        self.kills += 1;
        let lost = stated(&usage, self.kills, killed_at);
        self.lost_max = self.lost_max.max(lost);
        let ages = ages(tally, killed);
        let older = |age| ages.iter().filter(|it| **it > age).count() as u64;
        self.old += older(LOSS);
        // Calls in progress when the loss began may have been recorded after it.
        let complete = older(lost).saturating_sub(CONNECTIONS.into());
        // All started calls, and the call that reads the remaining quota.
        let most = tally.calls.len() as u64 + 1;
        let bounds = complete.max(older(LOSS))..=most;

        let calls = usage["rows"][0]["calls"].as_u64().unwrap_or_default();
        grow(&mut self.calls, calls, &bounds);
        // Figures come from the spool too, but counters are written each 3 s only.
        let bounds = older(LOSS)..=most;
        let used = self.used(life).await;
        grow(&mut self.used, used, &bounds);
    }

    /// Returns the used quota before this call.
    async fn used(&self, life: &Life) -> u64 {
        let answer = life.call("/pets/1.0/pets", &self.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let rest = answer
            .field("ratelimit")
            .unwrap()
            .split("r=")
            .nth(1)
            .unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        AMOUNT - digits.parse::<u64>().unwrap() - 1
    }

    /// Asserts the total counts; enough calls were too old to be lost.
    pub(super) fn sums(&self) -> String {
        let (calls, old, lost_max) = (self.calls, self.old, self.lost_max);
        assert!(old > 200, "{old} calls are older than the allowed loss");
        format!("{calls} calls were counted, {old} had to be; {lost_max:?} lost at most")
    }
}

/// Returns how long before the kill usage and quotas were last complete, by the reported losses:
/// one for each kill.
fn stated(usage: &Value, kills: usize, killed_at: Timestamp) -> Duration {
    let losses = usage["losses"].as_array().unwrap();
    assert_eq!(losses.len(), kills, "{usage}");
    let loss = losses.last().unwrap();
    assert_eq!(loss["reason"], "unclean_stop");
    let [from, to] = ["from", "to"].map(|end| text(&loss[end]).parse::<Timestamp>().unwrap());
    assert!(from <= killed_at && killed_at <= to, "{killed_at}: {loss}");
    let lost = killed_at.duration_since(from).unsigned_abs();
    assert!(lost <= LOSS, "{killed_at}: {loss}");
    lost
}

/// Returns how long before the kill each call was answered; all succeeded.
fn ages(tally: &Tally, killed: Instant) -> Vec<Duration> {
    let before = tally.calls.iter().filter(|call| call.ended < killed);
    let age = |call: &Call| {
        assert_eq!(tally.labels[call.label], "200");
        killed - call.ended
    };
    before.map(age).collect()
}

fn grow(counted: &mut u64, now: u64, bounds: &RangeInclusive<u64>) {
    let grown = now - *counted;
    assert!(bounds.contains(&grown), "{grown} of {bounds:?}");
    *counted = now;
}
