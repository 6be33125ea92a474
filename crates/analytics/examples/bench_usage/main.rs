//! Measures usage at 50 million calls in seven days: `bench_usage FOLDER [CALLS]`.
//!
//! The first run fills FOLDER, which is kept, with a spool of calls of 300 versions, 2,000
//! operations and 2,000 applications, and counts them into `usage.db`. Each run then asks what
//! pages ask, with other versions and applications each time, and prints how long the answers took.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

mod questions;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use tollgate_analytics::{Query, Usage, UsageError};
use tollgate_model::agent::Agent;
use tollgate_model::credential::CredentialKind;
use tollgate_model::id::{ApiId, OperationId, PlanId, UserId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Record};
use tollgate_model::refusal::Refusal;
use tollgate_spool::{Settings, Spool};

use questions::{APPLICATIONS, QUESTIONS, RANGE_US, VERSIONS, application, version};

const CALLS: u64 = 50_000_000;
/// How often each question is asked.
const TIMES: usize = 20;
/// Calls that are handed to the spool before it is waited for.
const BATCH: u64 = 200_000;

/// A call at a time. Few versions and applications have most of the calls.
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
        number: chance.0,
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

fn open_spool(folder: &Path) -> Result<Arc<Spool>, Box<dyn Error>> {
    let spool = Spool::open(Settings {
        folder: folder.join("spool"),
        bytes_max: 1 << 40,
        kept: Duration::from_secs(400 * 86_400),
        free_bytes_min: 0,
        segment_bytes: 64 << 20,
    })?;
    Ok(Arc::new(spool))
}

/// Writes calls up to now to a spool.
fn fill(folder: &Path, calls: u64) -> Result<(), Box<dyn Error>> {
    let spool = open_spool(folder)?;
    let (first_us, mut chance) = (now_us()? - RANGE_US, Chance(1));
    let step_us = RANGE_US as f64 / calls as f64;
    for batch in (0..calls).step_by(BATCH as usize) {
        let mut recording = spool.recording(1);
        for number in batch..(batch + BATCH).min(calls) {
            let at_us = first_us + (number as f64 * step_us) as i64;
            recording.push(&call(at_us, &mut chance));
        }
        drop(recording);
        spool.settle();
    }
    spool.close();
    Ok(())
}

fn now_us() -> Result<i64, Box<dyn Error>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(i64::try_from(now.as_micros())?)
}

/// CPU seconds of this process so far, of all threads.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().ok_or("stat")?.split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS_A_SECOND)
}

/// Returns the peak memory of this process since the last call, MiB, and resets it.
fn take_peak_mib() -> Result<f64, Box<dyn Error>> {
    /// Resets the peak (proc(5), `clear_refs`).
    const RESET: &str = "5";
    let status = fs::read_to_string("/proc/self/status")?;
    fs::write("/proc/self/clear_refs", RESET)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line
        .and_then(|line| line.split_whitespace().next())
        .ok_or("VmHWM")?;
    Ok(kib.parse::<f64>()? / 1024.0)
}

fn bytes_in(folder: &Path) -> Result<u64, Box<dyn Error>> {
    let mut bytes = 0;
    for file in fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}

/// Counts the spool into a new `usage.db`; prints what that takes.
async fn count(folder: &Path, calls: u64) -> Result<(), Box<dyn Error>> {
    let spool = open_spool(folder)?;
    take_peak_mib()?;
    let (begun, cpu) = (Instant::now(), cpu_seconds()?);
    let usage = Usage::open(&folder.join("usage.db"), Arc::clone(&spool)).await?;
    println!(
        "start with {calls} calls to count: {:.3} s",
        begun.elapsed().as_secs_f64()
    );
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = usage
        .clone()
        .run(Vec::new(), Box::new(|_| Vec::new()), async {
            let _ = stopped.await;
        });
    let running = tokio::spawn(running);
    while usage.complete_until_us() < now_us()? - 60_000_000 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let cpu = cpu_seconds()? - cpu;
    println!(
        "counted in {:.0} s, {:.2} million calls a CPU second; at most {:.0} MiB",
        begun.elapsed().as_secs_f64(),
        calls as f64 / cpu / 1e6,
        take_peak_mib()?
    );
    drop(stop);
    running.await?;
    spool.close();
    Ok(())
}

async fn ask(folder: &Path) -> Result<(), Box<dyn Error>> {
    let spool = open_spool(folder)?;
    let begun = Instant::now();
    let usage = Usage::open(&folder.join("usage.db"), Arc::clone(&spool)).await?;
    println!("start: {:.3} s", begun.elapsed().as_secs_f64());
    println!("usage.db {} MB", usage.bytes().await? / 1_000_000);
    println!(
        "{:<46} {:>9} {:>9} {:>8} {:>6} {:>8}",
        "7 days", "p50 ms", "p99 ms", "rows", "MiB", "before s"
    );
    let mut peak_mib = take_peak_mib()?;
    let (mut worst, to_us) = (0.0_f64, now_us()?);
    for question in &QUESTIONS {
        let mut times = Vec::new();
        let mut rows = 0;
        for time in 0..TIMES {
            // Every other question ends within an hour and a minute, as a page's does.
            let to_us = to_us - (time as i64 % 2) * 1_234_567_890;
            let query = (question.query)(to_us, time as i64 * 131);
            let begun = Instant::now();
            rows = match usage.query(&query).await {
                Ok(answer) => answer.rows.len(),
                // Its time is that after which it is given up.
                Err(UsageError::TooLong) => 0,
                Err(error) => return Err(error.into()),
            };
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            if !question.is_covered && time == 4 {
                break;
            }
        }
        times.sort_by(f64::total_cmp);
        let (p50, p99) = (times[times.len() / 2], times[times.len() - 1]);
        if question.is_covered {
            worst = worst.max(p50);
        }
        let before = question
            .before
            .map_or_else(|| "-".to_owned(), |it| format!("{it:.1}"));
        let mib = take_peak_mib()?;
        peak_mib = peak_mib.max(mib);
        println!(
            "{:<46} {p50:>9.1} {p99:>9.1} {rows:>8} {mib:>6.0} {before:>8}",
            question.name
        );
    }
    beside_heavy(&usage, to_us).await?;
    println!("at most {:.0} MiB", take_peak_mib()?.max(peak_mib));
    // Closes the file, so that the next start does not check it.
    let run = usage.run(Vec::new(), Box::new(|_| Vec::new()), std::future::ready(()));
    run.await;
    spool.close();
    println!("usage_worst_p50_ms={worst:.1}");
    Ok(())
}

/// A user who asks.
fn user(number: i64) -> Option<UserId> {
    Some(UserId::from_raw(1 + number))
}

/// Asks light questions while three users ask the heaviest one again and again;
/// prints how long the answers to light ones take.
async fn beside_heavy(usage: &Usage, to_us: i64) -> Result<(), Box<dyn Error>> {
    const HEAVIEST: &str = "versions by application and plan";
    let covered = || QUESTIONS.iter().filter(|it| it.is_covered);
    let heaviest = covered().find(|it| it.name == HEAVIEST).ok_or(HEAVIEST)?;
    let askers: Vec<_> = (0..3)
        .map(|asker| {
            let (usage, query) = (usage.clone(), heaviest.query);
            tokio::spawn(async move {
                for time in 0.. {
                    let query = Query {
                        by: user(asker),
                        ..query(to_us, asker * 977 + time)
                    };
                    let _ = usage.query(&query).await;
                }
            })
        })
        .collect();
    let light = [
        "all by hour, p95",
        "refusals",
        "a version by hour and status",
        "programs",
    ];
    let mut times = Vec::new();
    for time in 0..25 {
        for question in covered().filter(|it| light.contains(&it.name)) {
            let begun = Instant::now();
            let query = Query {
                by: user(3),
                ..(question.query)(to_us, time * 131)
            };
            usage.query(&query).await?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    askers.iter().for_each(tokio::task::JoinHandle::abort);
    times.sort_by(f64::total_cmp);
    println!(
        "beside three users with the heaviest question: p50 {:.0} ms, p99 {:.0} ms",
        times[times.len() / 2],
        times[times.len() - 1]
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments
        .next()
        .ok_or("usage: bench_usage FOLDER [CALLS]")?;
    let folder = PathBuf::from(folder);
    let calls = arguments.next().map_or(Ok(CALLS), |calls| calls.parse())?;
    let is_whole = folder.join("is_whole");
    if !is_whole.exists() {
        fs::create_dir_all(&folder)?;
        let cpu = cpu_seconds()?;
        fill(&folder, calls)?;
        let bytes = bytes_in(&folder.join("spool"))?;
        println!(
            "spool: {:.1} bytes a call, {:.1} million calls a CPU second with making them",
            bytes as f64 / calls as f64,
            calls as f64 / (cpu_seconds()? - cpu) / 1e6
        );
        count(&folder, calls).await?;
        fs::write(is_whole, "")?;
    }
    ask(&folder).await
}
