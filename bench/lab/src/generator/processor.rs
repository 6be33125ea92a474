//! The processor time of this process: the total in nanosecond resolution, divided between user and
//! system in the proportion reported by `/proc`.

use std::fs;

use anyhow::Context as _;
use rustix::time::{ClockId, clock_gettime};

/// Processor time in microseconds.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Processor {
    pub(crate) user_us: u64,
    pub(crate) system_us: u64,
    all_us: u64,
    user_ticks: u64,
    system_ticks: u64,
}

impl Processor {
    /// Returns the time used since the process started.
    pub(crate) fn used() -> anyhow::Result<Self> {
        let all = clock_gettime(ClockId::ProcessCPUTime);
        let all_us = u64::try_from(all.tv_sec * 1_000_000 + all.tv_nsec / 1000)?;
        let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
        // The command name is in parentheses and may contain spaces; utime and stime are the 14th
        // and 15th fields (proc_pid_stat(5)).
        let fields = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_ascii_whitespace();
        let mut ticks = fields.skip(11).map(str::parse);
        let mut tick = || ticks.next().context("/proc/self/stat has too few fields");
        let (user_ticks, system_ticks) = (tick()??, tick()??);
        Ok(Self {
            all_us,
            user_ticks,
            system_ticks,
            ..Self::default()
        }
        .divided())
    }

    /// Returns the time used since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            all_us: self.all_us.saturating_sub(before.all_us),
            user_ticks: self.user_ticks.saturating_sub(before.user_ticks),
            system_ticks: self.system_ticks.saturating_sub(before.system_ticks),
            ..Self::default()
        }
        .divided()
    }

    fn divided(mut self) -> Self {
        let ticks = (self.user_ticks + self.system_ticks).max(1);
        self.system_us = self.all_us * self.system_ticks / ticks;
        self.user_us = self.all_us - self.system_us;
        self
    }
}
