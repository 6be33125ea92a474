//! Profiles that ask for what makes no sense, refused with the reason.

use anyhow::{Context as _, ensure};

use super::{Connections, Profile, SECONDS_MAX, USERS_MAX};
use crate::load::PER_SECOND_MAX;

/// More would leave from other addresses than one, whose ports the kernel does not hand out again
/// in time.
const RENEWING_USERS_MAX: u32 = 1_000;
const MESSAGE_BYTES_MAX: u64 = 1 << 20;

impl Profile {
    /// # Errors
    /// It asks for what makes no sense.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.needs.is_empty(),
            "not yet possible: Tollgate does not have {}",
            self.needs.join(", ")
        );
        ensure!(!self.sides.is_empty(), "sides must name at least one");
        let users_fit = self
            .users
            .iter()
            .all(|users| (1..=USERS_MAX).contains(users));
        ensure!(users_fit, "users must lie between 1 and {USERS_MAX}");
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
            "at most {RENEWING_USERS_MAX} users can renew their connections"
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
        for pair in self.ratios.iter().chain(&self.differences) {
            let is_measured = |name: &String| self.scenarios.contains(name);
            ensure!(
                [&pair.of, &pair.to]
                    .into_iter()
                    .chain(&pair.plus)
                    .all(is_measured)
                    && self.scenarios_in_turn,
                "{:?}: its scenarios must be measured, and in turn",
                pair.name
            );
        }
        Ok(())
    }

    fn check_open_loop(&self) -> anyhow::Result<()> {
        let Some(open_loop) = self.open_loop else {
            return Ok(());
        };
        // Longer latencies than are measured are not seen.
        let measured_s = self.modes.values().map(|mode| mode.measured_s).min();
        let most = measured_s.unwrap_or_default() as f64 * 500.0;
        ensure!(
            open_loop.p99_ms_max > 0.0 && open_loop.p99_ms_max <= most,
            "p99_ms_max must lie between 0 and {most}, half of what each mode measures"
        );
        ensure!(self.think_ms == 0, "an open loop has no users who think");
        let Some(per_second) = open_loop.per_second else {
            ensure!(
                self.ratios.is_empty() && self.differences.is_empty(),
                "an open loop without per_second has a rate of its own for each scenario, and so \
                 nothing to set against each other"
            );
            return Ok(());
        };
        ensure!(
            (1..=PER_SECOND_MAX).contains(&per_second),
            "per_second must lie between 1 and {PER_SECOND_MAX}"
        );
        Ok(())
    }
}
