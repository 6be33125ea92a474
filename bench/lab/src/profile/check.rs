//! Validation of profiles.

use anyhow::{Context as _, ensure};

use super::{Connections, Profile, SECONDS_MAX, USERS_MAX};
use crate::load::PER_SECOND_MAX;

/// With more users, connections would need several source addresses, and the kernel does not reuse
/// their ports in time.
const RENEWING_USERS_MAX: u32 = 1_000;
const MESSAGE_BYTES_MAX: u64 = 1 << 20;

impl Profile {
    /// # Errors
    /// Fails if the profile is not valid.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.needs.is_empty(),
            "not yet possible: Tollgate does not have {}",
            self.needs.join(", ")
        );
        ensure!(!self.sides.is_empty(), "sides must name at least one side");
        let users_fit = self
            .users
            .iter()
            .all(|users| (1..=USERS_MAX).contains(users));
        ensure!(users_fit, "users must be between 1 and {USERS_MAX}");
        let sizes_fit = self
            .message_bytes
            .iter()
            .all(|&bytes| bytes <= MESSAGE_BYTES_MAX);
        ensure!(
            sizes_fit,
            "message_bytes must be at most {MESSAGE_BYTES_MAX}"
        );
        let users_max = self.users.iter().max().copied().unwrap_or_default();
        ensure!(
            self.connections == Connections::Kept || users_max <= RENEWING_USERS_MAX,
            "at most {RENEWING_USERS_MAX} users can open a connection for each request"
        );
        ensure!(
            self.think_ms <= SECONDS_MAX * 1000,
            "think_ms must be at most {SECONDS_MAX} seconds"
        );
        for (name, mode) in &self.modes {
            mode.check().with_context(|| format!("mode {name:?}"))?;
        }
        for vary in &self.vary {
            self.world(&vary.name, 1)?;
        }
        self.check_open_loop()?;
        if let Some(split) = &self.split {
            ensure!(
                self.sides.contains(&split.to) && !split.threads.is_empty(),
                "split must name a side of the profile and the threads that serve calls"
            );
        }
        for pair in self.ratios.iter().chain(&self.differences) {
            let is_measured = |name: &String| self.scenarios.contains(name);
            ensure!(
                [&pair.of, &pair.to]
                    .into_iter()
                    .chain(&pair.plus)
                    .all(is_measured)
                    && self.scenarios_in_turn,
                "{:?}: its scenarios must be in the profile, with scenarios_in_turn",
                pair.name
            );
        }
        Ok(())
    }

    fn check_open_loop(&self) -> anyhow::Result<()> {
        let Some(open_loop) = self.open_loop else {
            return Ok(());
        };
        // Latencies longer than the measured time are not recorded.
        let measured_s = self.modes.values().map(|mode| mode.measured_s).min();
        let most = measured_s.unwrap_or_default() as f64 * 500.0;
        ensure!(
            open_loop.p99_ms_max > 0.0 && open_loop.p99_ms_max <= most,
            "p99_ms_max must be between 0 and {most}, half of the shortest measured time"
        );
        ensure!(
            self.think_ms == 0,
            "think_ms does not apply to an open loop"
        );
        let Some(per_second) = open_loop.per_second else {
            ensure!(
                self.ratios.is_empty() && self.differences.is_empty(),
                "an open loop without per_second has a different rate for each scenario, so \
                 ratios and differences do not apply"
            );
            return Ok(());
        };
        ensure!(
            (1..=PER_SECOND_MAX).contains(&per_second),
            "per_second must be between 1 and {PER_SECOND_MAX}"
        );
        Ok(())
    }
}
