//! Fills a new `usage.db`, and the spool beside it, with traffic of the last days, for pages and
//! screenshots that need figures: `seed_usage DATA_DIR/usage.db < TRAFFIC`.
//!
//! TRAFFIC is JSON: `{"days": 30, "traffic": [{"api": "api_…", "version": "ver_…", "application":
//! "app_…", "calls_a_day": 900, "refused": {"admit.subscription": 0.02}, "hits": 0.7}]}`;
//! `application`, `refused` and `hits`, the share of calls that the cache answers, are optional.
//! Calls follow the hours of a working week, the same in every run. The program that owns the file
//! must not be running.

use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, io};

use serde_json::Value;
use tollgate_analytics::{Source, Usage};
use tollgate_model::id::{Id, Kind};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Overflow, Record};
use tollgate_model::refusal::{REFUSALS, Refusal};
use tollgate_spool::{Settings, Spool};

const HOUR_US: i64 = 3_600_000_000;

/// The daily calls of one caller to one version.
struct Traffic {
    like: Record,
    calls_a_day: f64,
    /// The refusals and their shares.
    refused: Vec<(Refusal, f64)>,
    /// The share of calls that the cache answers; `None` without a cache.
    hits: Option<f64>,
}

/// A source that returns the records of one hour at a time.
struct Hours {
    traffic: Vec<Traffic>,
    /// Unix microseconds of the next hour.
    next_us: i64,
    end_us: i64,
    chance: Chance,
}

impl Source for Hours {
    fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        if self.next_us >= self.end_us {
            return;
        }
        for traffic in &self.traffic {
            let busy = busyness(self.next_us) * (0.85 + 0.3 * self.chance.next());
            let calls = (traffic.calls_a_day / 24.0 * busy).round();
            for _ in 0..calls as u32 {
                each(&call(traffic, self.next_us, self.end_us, &mut self.chance));
            }
        }
        self.next_us += HOUR_US;
    }

    fn overflow(&mut self) -> Vec<Overflow> {
        Vec::new()
    }

    fn worker(&self) -> u64 {
        1
    }
}

/// The relative traffic of an hour, about 1 on average: low at night and at the weekend.
fn busyness(at_us: i64) -> f64 {
    let hours = at_us / HOUR_US;
    let weekday = (hours / 24 + 3) % 7;
    let of_day = 1.0 - 0.8 * (TAU * (hours % 24 - 2) as f64 / 24.0).cos();
    if weekday >= 5 {
        of_day * 0.35
    } else {
        of_day * 1.25
    }
}

fn call(traffic: &Traffic, hour_us: i64, end_us: i64, chance: &mut Chance) -> Record {
    // Every tenth minute: a row for each minute would make the file as large as a real one.
    let minute = (chance.next() * 6.0).floor() as i64 * 10;
    let mut record = Record {
        at_us: (hour_us + minute * 60_000_000).min(end_us - 1),
        status: 200,
        total_us: (9_000.0 + 40_000.0 * chance.next().powi(4)) as u32,
        bytes_in: 180,
        bytes_out: (400.0 + 6_000.0 * chance.next()) as u64,
        ..traffic.like
    };
    record.upstream_us = record.total_us - 600;
    let mut left = chance.next();
    for &(refusal, share) in &traffic.refused {
        if left < share {
            record.refusal = Some(refusal);
            record.status = refusal.facts().status;
            (record.total_us, record.upstream_us, record.bytes_out) = (300, 0, 240);
            return record;
        }
        left -= share;
    }
    record.answered = Answered::new(AnsweredBy::Upstream, CacheUse::None);
    if left < 0.004 {
        record.status = 500;
    }
    if let Some(hits) = traffic.hits {
        use_cache(&mut record, hits, chance.next());
    }
    record
}

/// Lets the cache answer the share `hits` of calls, most of them with fresh responses.
fn use_cache(record: &mut Record, hits: f64, drawn: f64) {
    let used = match drawn / hits {
        _ if record.status != 200 => CacheUse::Miss,
        part if part < 0.93 => CacheUse::Hit,
        part if part < 0.96 => CacheUse::Stale,
        part if part < 1.0 => CacheUse::Revalidated,
        _ if drawn > 0.98 => CacheUse::Bypass,
        _ => CacheUse::Miss,
    };
    record.answered = Answered::new(AnsweredBy::Upstream, used);
    if matches!(used, CacheUse::Hit | CacheUse::Stale) {
        (record.total_us, record.upstream_us) = (400, 0);
    }
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

fn traffic(value: &Value) -> Result<Traffic, Box<dyn Error>> {
    let mut refused = Vec::new();
    for (code, share) in value["refused"].as_object().into_iter().flatten() {
        let refusal = REFUSALS.iter().find(|it| it.facts().code == code);
        let refusal = *refusal.ok_or_else(|| format!("no refusal {code}"))?;
        refused.push((refusal, share.as_f64().unwrap_or_default()));
    }
    let like = Record {
        api: id(&value["api"])?,
        version: id(&value["version"])?,
        application: id(&value["application"])?,
        ..Record::default()
    };
    let calls_a_day = value["calls_a_day"].as_f64().ok_or("calls_a_day")?;
    Ok(Traffic {
        like,
        calls_a_day,
        refused,
        hits: value["hits"].as_f64(),
    })
}

fn id<K: Kind>(value: &Value) -> Result<Option<Id<K>>, Box<dyn Error>> {
    let id = value.as_str().map(|text| text.parse::<Id<K>>());
    Ok(id.transpose().map_err(|_| format!("not an id: {value}"))?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args()
        .nth(1)
        .ok_or("usage: seed_usage USAGE_DB < TRAFFIC")?;
    let input: Value = serde_json::from_reader(io::stdin())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let end_us = i64::try_from(now.as_micros())?;
    let days = input["days"].as_i64().ok_or("days")?;
    let all = input["traffic"].as_array().ok_or("traffic")?;
    let hours = Hours {
        traffic: all.iter().map(traffic).collect::<Result<_, _>>()?,
        next_us: (end_us / HOUR_US - days * 24) * HOUR_US,
        end_us,
        chance: Chance(1),
    };
    let path = Path::new(&path);
    let spool = Arc::new(Spool::open(Settings {
        folder: path.with_file_name("spool"),
        bytes_max: 1 << 30,
        kept: Duration::from_secs(400 * 86_400),
        free_bytes_min: 0,
        segment_bytes: 64 << 20,
    })?);
    let usage = Usage::open(path, Arc::clone(&spool)).await?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let writing = usage
        .clone()
        .run(vec![Box::new(hours)], Box::new(|_| Vec::new()), async {
            let _ = stopped.await;
        });
    for _ in 0..=days * 24 {
        usage.flush().await?;
    }
    drop(stop);
    writing.await;
    spool.close();
    Ok(())
}
