//! [`Scraper`]: reads a side's metrics each second, as Prometheus does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

const INTERVAL: Duration = Duration::from_secs(1);
const TIME: Duration = Duration::from_secs(10);
/// Interval at which it looks whether it has to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Reads metrics until it is dropped.
#[derive(Debug)]
pub(crate) struct Scraper {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Scraper {
    /// Reads once, then each second.
    ///
    /// # Errors
    /// Fails if there are no metrics.
    pub(crate) fn start(address: &str) -> anyhow::Result<Self> {
        let url = format!("http://{address}/metrics");
        let agent = ureq::Agent::config_builder().timeout_global(Some(TIME));
        let agent = ureq::Agent::from(agent.build());
        let read = move || agent.get(&url).call()?.body_mut().read_to_string();
        let first = read().with_context(|| format!("reading the metrics of {address}"))?;
        ensure!(first.contains("tollgate_requests_total"), "{first:?}");
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let begun = Instant::now();
                // It fails once the side has ended.
                let _ = read();
                while begun.elapsed() < INTERVAL && !stopped.load(Ordering::Relaxed) {
                    thread::sleep(LOOK);
                }
            }
        });
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Scraper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
