//! A profile: which scenarios on which sides, with how many users, how long. One TOML file in
//! `bench/profiles`; this reads it, refuses what makes no sense, and lays out the cells.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::figures::SMALL;
use crate::kept::{Cell, LeftOut, Pair, Published};
use crate::scenario::Scenario;
use crate::world::World;

/// A published test plan, or one of our own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// For people.
    pub title: String,
    /// What Tollgate must have for it and does not have yet; empty where it can run.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The sides, in the order of a turn: `direct`, `tollgate` or folders of `bench/rivals`.
    pub sides: Vec<String>,
    /// Folders of `bench/scenarios`.
    pub scenarios: Vec<String>,
    /// Concurrent users; of an open loop, connections.
    pub users: Vec<u32>,
    /// Bytes of the message that varies.
    pub message_bytes: Vec<u64>,
    /// How long the back end waits, in milliseconds.
    #[serde(default = "no_delay")]
    pub delay_ms: Vec<u64>,
    /// How large the gateway's world is.
    #[serde(default)]
    pub world: World,
    /// The world of an additional side, `tollgate-small`: the same build, measured in the same
    /// turns. The ratio of the two is the cost of the larger world.
    pub small: Option<World>,
    /// What of the world varies, one at a time while the rest stays.
    #[serde(default)]
    pub vary: Vec<Vary>,
    /// How long connections are kept.
    #[serde(default)]
    pub connections: Connections,
    /// How long each user waits between answer and next request, in milliseconds.
    #[serde(default)]
    pub think_ms: u64,
    /// Set where requests are sent at a rate, and not by users who wait for answers.
    pub open_loop: Option<OpenLoop>,
    /// Lengths, by mode.
    pub modes: BTreeMap<String, Mode>,
    /// Published figures to stand beside.
    pub published: Option<Published>,
    /// Whether cells that differ in their scenario alone are measured in turn, as their sides are.
    #[serde(default)]
    pub scenarios_in_turn: bool,
    /// Scenarios whose costs are set against each other, and what one costs as a multiple of the
    /// other.
    #[serde(default)]
    pub ratios: Vec<Pair>,
    /// The same, and what one costs more than the other.
    #[serde(default)]
    pub differences: Vec<Pair>,
    /// Whether sides that are ours start anew once all is made: a process that has just made a
    /// million keys, one after the other, has used more memory than one that has read them.
    #[serde(default)]
    pub restarts: bool,
    /// Settings of Tollgate beside those that a run needs, by their names.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Parts of the published plan that cannot be run, and why.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// Of each cell first the highest rate is found that each side bears; then all are measured at the
/// same share of the lowest of them, or else at the rate that is given.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLoop {
    /// Requests a second, where no rate is searched for.
    pub per_second: Option<u32>,
    /// A side bears a rate as long as its 99th percentile stays below this, in milliseconds, and
    /// few enough calls fail.
    pub p99_ms_max: f64,
}

/// How long callers keep their connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Connections {
    /// As long as the load lasts.
    #[default]
    Kept,
    /// For one request; with TLS each shakes hands in full.
    New,
    /// For one request; with TLS each resumes the session of an earlier one.
    Resumed,
}

/// A part of the world, or the users, and the values it takes in turn.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// `keys`, `apis`, `limits` or `connections`.
    pub name: String,
    /// Its values.
    pub values: Vec<u64>,
    /// Values above this are measured in the mode `full` only: they take long to set up.
    pub quick_max: Option<u64>,
}

/// How long a mode measures.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// Seconds before each measurement.
    pub warm_up_s: u64,
    /// Seconds of each measurement.
    pub measured_s: u64,
    /// Interleaved turns of each cell.
    pub rounds: u32,
}

impl Mode {
    /// Whether it is bounded, and measures something.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.measured_s > 0 && self.warm_up_s.max(self.measured_s) <= SECONDS_MAX,
            "seconds must lie between 1 and {SECONDS_MAX}"
        );
        ensure!(
            (1..=ROUNDS_MAX).contains(&self.rounds),
            "rounds must lie between 1 and {ROUNDS_MAX}"
        );
        Ok(())
    }
}

/// What one cell asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Which of the scenarios, by its name.
    pub scenario: String,
    /// Concurrent users.
    pub users: u32,
    /// Bytes of the message.
    pub message_bytes: u64,
    /// The back end's delay in milliseconds.
    pub delay_ms: u64,
    /// How large the world is.
    pub world: World,
    /// What varies beside users, size and delay, by its name.
    pub parameters: BTreeMap<String, u64>,
}

impl Asked {
    fn differs_in_scenario_alone(&self, other: &Self) -> bool {
        let same = Self {
            scenario: other.scenario.clone(),
            ..self.clone()
        };
        same == *other
    }

    /// Whether a cell of a run is this one.
    #[must_use]
    pub fn is(&self, cell: &Cell) -> bool {
        (
            &self.scenario,
            self.users,
            self.message_bytes,
            self.delay_ms,
        ) == (
            &cell.scenario,
            cell.users,
            cell.message_bytes,
            cell.delay_ms,
        ) && self.parameters == cell.parameters
    }
}

const USERS_MAX: u32 = 20_000;
const CELLS_MAX: usize = 2_000;
/// No measurement is longer than this.
const SECONDS_MAX: u64 = 3_600;
const ROUNDS_MAX: u32 = 100;

impl Profile {
    /// Reads `bench/profiles/<name>.toml`.
    ///
    /// # Errors
    /// There is none, it is not such a file, or it asks for what makes no sense.
    pub fn read(bench: &Path, name: &str) -> anyhow::Result<Self> {
        let path = bench.join("profiles").join(format!("{name}.toml"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("there is no profile {name:?}: {}", path.display()))?;
        let mut profile: Self =
            toml::from_str(&text).with_context(|| format!("profile {name:?}"))?;
        profile.name = name.to_owned();
        profile
            .check()
            .with_context(|| format!("profile {name:?}"))?;
        Ok(profile)
    }

    /// Cells as they are measured: those of a group in turn, the groups one after the other.
    #[must_use]
    pub fn groups<'a>(&self, cells: &[&'a Asked]) -> Vec<Vec<&'a Asked>> {
        let mut groups: Vec<Vec<&Asked>> = Vec::new();
        for &cell in cells {
            let mut known = groups.iter_mut().filter(|_| self.scenarios_in_turn);
            match known.find(|group| group[0].differs_in_scenario_alone(cell)) {
                Some(group) => group.push(cell),
                None => groups.push(vec![cell]),
            }
        }
        groups
    }

    /// The lengths of a mode.
    ///
    /// # Errors
    /// The profile does not have it.
    pub fn mode(&self, mode: &str) -> anyhow::Result<Mode> {
        let known = self.modes.keys().cloned().collect::<Vec<_>>().join(", ");
        let found = self.modes.get(mode).copied();
        found.with_context(|| format!("profile {:?} has no mode {mode:?}, only {known}", self.name))
    }

    /// All cells of a mode in order, and what is left out: scenarios that need what is not built.
    ///
    /// # Errors
    /// There are too many.
    pub fn cells(
        &self,
        scenarios: &BTreeMap<String, Scenario>,
        mode: &str,
    ) -> anyhow::Result<(Vec<Asked>, Vec<LeftOut>)> {
        let mut left_out = self.left_out.clone();
        let mut cells = Vec::new();
        for name in &self.scenarios {
            let scenario = &scenarios[name];
            if let Some(why) = scenario.not_yet() {
                let what = format!("scenario {name}");
                left_out.push(LeftOut { what, why });
                continue;
            }
            self.cells_of(name, scenario, &mut cells);
            self.varied(name, mode, &mut cells, &mut left_out)?;
        }
        ensure!(cells.len() <= CELLS_MAX, "more than {CELLS_MAX} cells");
        Ok((cells, left_out))
    }

    /// Every size, delay and number of users; nothing where a part of the world varies instead.
    fn cells_of(&self, name: &str, scenario: &Scenario, cells: &mut Vec<Asked>) {
        if !self.vary.is_empty() {
            return;
        }
        for &message_bytes in &self.message_bytes {
            let delays = self.delay_ms.iter();
            for &delay_ms in delays.filter(|&&delay| scenario.allows(message_bytes, delay)) {
                for &users in &self.users {
                    cells.push(Asked {
                        scenario: name.to_owned(),
                        users,
                        message_bytes,
                        delay_ms,
                        world: self.world,
                        parameters: BTreeMap::new(),
                    });
                }
            }
        }
    }

    fn varied(
        &self,
        name: &str,
        mode: &str,
        cells: &mut Vec<Asked>,
        left_out: &mut Vec<LeftOut>,
    ) -> anyhow::Result<()> {
        for vary in &self.vary {
            for &value in &vary.values {
                if mode != "full" && vary.quick_max.is_some_and(|most| value > most) {
                    left_out.push(LeftOut {
                        what: format!("{name} with {} = {value}", vary.name),
                        why: "it is measured in the mode full only".to_owned(),
                    });
                    continue;
                }
                let (world, users) = self.world(&vary.name, value)?;
                cells.push(Asked {
                    scenario: name.to_owned(),
                    users,
                    message_bytes: self.message_bytes[0],
                    delay_ms: self.delay_ms[0],
                    world,
                    parameters: BTreeMap::from([(vary.name.clone(), value)]),
                });
            }
        }
        Ok(())
    }

    /// The world of a side, where the others have this one.
    #[must_use]
    pub fn world_of(&self, side: &str, world: World) -> World {
        let small = self.small.filter(|_| side == SMALL);
        small.unwrap_or(world)
    }

    /// The world and the users where one of them has another value.
    fn world(&self, name: &str, value: u64) -> anyhow::Result<(World, u32)> {
        let (world, users) = (self.world, self.users[0]);
        Ok(match name {
            "keys" => (
                World {
                    keys: value,
                    ..world
                },
                users,
            ),
            "apis" => (
                World {
                    apis: value,
                    ..world
                },
                users,
            ),
            "limits" => (
                World {
                    limits: value,
                    ..world
                },
                users,
            ),
            "connections" => (world, u32::try_from(value)?.clamp(1, USERS_MAX)),
            other => anyhow::bail!("{other:?} cannot vary: keys, apis, limits and connections can"),
        })
    }
}

fn no_delay() -> Vec<u64> {
    vec![0]
}

mod check;
#[cfg(test)]
mod tests;
