//! Measures usage at 50 million calls in seven days: `bench_usage FOLDER [CALLS]`.
//!
//! The first run fills FOLDER, which is kept, with a spool of calls of 300 versions, 2,000
//! operations and 2,000 applications, and counts them into `usage.db`. Each run then asks what
//! pages ask, with other versions and applications each time, and prints how long the answers took.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

mod questions;
mod singles;
mod totals;
mod traffic;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use tollgate_analytics::{Query, Usage, UsageError};
use tollgate_model::id::UserId;
use tollgate_spool::{Settings, Spool};

use questions::{QUESTIONS, RANGE_US};
use totals::Totals;

const CALLS: u64 = 50_000_000;
/// How often each question is asked.
const TIMES: usize = 20;
/// How often the process that counts is killed, and how long it lives.
const KILLS: usize = 3;
const LIFE: Duration = Duration::from_secs(8);
/// The argument of a process that counts until it is killed.
const COUNT: &str = "--count";

/// How long answers took, ms.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn add(&mut self, begun: Instant) {
        self.0.push(begun.elapsed().as_secs_f64() * 1e3);
    }

    /// The time that this share of the answers did not exceed.
    fn of_share(&mut self, share: f64) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0[((self.0.len() - 1) as f64 * share).round() as usize]
    }

    fn print(mut self, name: &str, rows: usize) {
        let [p50, p99] = [0.5, 0.99].map(|share| self.of_share(share));
        println!("{name:<46} {p50:>9.1} {p99:>9.1} {rows:>8}");
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

/// Counts until this process is killed.
async fn count_on(folder: &Path) -> Result<(), Box<dyn Error>> {
    let spool = open_spool(folder)?;
    let usage = Usage::open(&folder.join("usage.db"), spool).await?;
    let run = usage.run(Vec::new(), Box::new(|_| Vec::new()), std::future::pending());
    run.await;
    Ok(())
}

/// Counts in processes that are killed.
fn count_and_kill(folder: &Path) -> Result<(), Box<dyn Error>> {
    for _ in 0..KILLS {
        let mut counting = Command::new(env::current_exe()?)
            .args([folder.as_os_str(), COUNT.as_ref()])
            .spawn()?;
        std::thread::sleep(LIFE);
        counting.kill()?;
        counting.wait()?;
    }
    Ok(())
}

/// Counts the rest of the spool into `usage.db`; prints what that takes, and compares the totals.
async fn count(folder: &Path, calls: u64, totals: &Totals) -> Result<(), Box<dyn Error>> {
    take_peak_mib()?;
    let begun = Instant::now();
    let spool = open_spool(folder)?;
    let (opened, cpu) = (begun.elapsed(), cpu_seconds()?);
    let usage = Usage::open(&folder.join("usage.db"), Arc::clone(&spool)).await?;
    println!(
        "start after a kill: {:.3} s, of which the spool {:.3} s",
        begun.elapsed().as_secs_f64(),
        opened.as_secs_f64()
    );
    let end_us = now_us()?;
    let remaining = (end_us - usage.complete_until_us()) as f64 / RANGE_US as f64;
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
        calls as f64 * remaining.min(1.0) / cpu / 1e6,
        take_peak_mib()?
    );
    totals.check(&usage).await?;
    println!("after {KILLS} kills, all totals are those of the calls that were made");
    drop(stop);
    running.await?;
    spool.close();
    Ok(())
}

async fn ask(folder: &Path, calls: u64) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let spool = open_spool(folder)?;
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
        let mut times = Times::default();
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
            times.add(begun);
            if !question.is_covered && time == 4 {
                break;
            }
        }
        let [p50, p99] = [0.5, 0.99].map(|share| times.of_share(share));
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
    singles::ask(&usage, calls, to_us).await?;
    println!("in all, at most {:.0} MiB", take_peak_mib()?.max(peak_mib));
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
    let mut times = Times::default();
    for time in 0..25 {
        for question in covered().filter(|it| light.contains(&it.name)) {
            let begun = Instant::now();
            let query = Query {
                by: user(3),
                ..(question.query)(to_us, time * 131)
            };
            usage.query(&query).await?;
            times.add(begun);
        }
    }
    askers.iter().for_each(tokio::task::JoinHandle::abort);
    println!(
        "beside three users with the heaviest question: p50 {:.0} ms, p99 {:.0} ms",
        times.of_share(0.5),
        times.of_share(0.99)
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
    let calls = match arguments.next() {
        Some(count) if count == COUNT => return count_on(&folder).await,
        Some(calls) => calls.parse()?,
        None => CALLS,
    };
    let is_whole = folder.join("is_whole");
    if !is_whole.exists() {
        fs::create_dir_all(&folder)?;
        let cpu = cpu_seconds()?;
        let totals = traffic::fill(&folder, calls)?;
        let bytes = bytes_in(&folder.join("spool"))?;
        println!(
            "spool: {:.1} bytes a call, {:.1} million calls a CPU second with making them",
            bytes as f64 / calls as f64,
            calls as f64 / (cpu_seconds()? - cpu) / 1e6
        );
        count_and_kill(&folder)?;
        count(&folder, calls, &totals).await?;
        fs::write(is_whole, "")?;
    }
    ask(&folder, calls).await
}
