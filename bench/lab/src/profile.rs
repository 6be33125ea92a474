//! A profile: which scenarios on which sides, with how many users, for how long. One TOML file in
//! `bench/profiles`; this module reads it, rejects invalid ones, and lays out the cells.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::figures::{PLAIN, SMALL, UNLIMITED};
use crate::kept::{Cell, LeftOut, Pair, Published, Split};
use crate::scenario::Scenario;
use crate::world::World;

/// A published test plan, or one of our own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The file's name without its extension.
    #[serde(skip)]
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Features that Tollgate lacks for it; empty if it can run.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The sides in the order of a turn: `direct`, `tollgate` or folders of `bench/rivals`.
    pub sides: Vec<String>,
    /// Folders of `bench/scenarios`.
    pub scenarios: Vec<String>,
    /// Concurrent users; connections of an open loop.
    pub users: Vec<u32>,
    /// Sizes of the message that varies, in bytes.
    pub message_bytes: Vec<u64>,
    /// Delays of the back end, in milliseconds.
    #[serde(default = "no_delay")]
    pub delay_ms: Vec<u64>,
    /// Size of the gateway's world.
    #[serde(default)]
    pub world: World,
    /// The world of an additional side, `tollgate-small`: the same build, measured in the same
    /// turns. The ratio of the two is the cost of the larger world.
    pub small: Option<World>,
    /// Whether there is an additional side, `tollgate-unlimited`: the same build in the same world,
    /// but with a plan without limits.
    #[serde(default)]
    pub unlimited: bool,
    /// Whether there is an additional side, `tollgate-plain`: the same build in the same world, but
    /// without `settings`. The ratio of the two is the cost of what they switch on.
    #[serde(default)]
    pub plain: bool,
    /// Whether each turn begins with another side, so that a steady drift of the machine affects
    /// all sides equally.
    #[serde(default)]
    pub rotates: bool,
    /// Parameters that vary, one at a time.
    #[serde(default)]
    pub vary: Vec<Vary>,
    /// Lifetime of connections.
    #[serde(default)]
    pub connections: Connections,
    /// Time that each user waits between response and next request, in milliseconds.
    #[serde(default)]
    pub think_ms: u64,
    /// Present if requests are sent at a rate instead of by users that wait for responses.
    pub open_loop: Option<OpenLoop>,
    /// Durations and rounds by mode.
    pub modes: BTreeMap<String, Mode>,
    /// Published figures to compare with.
    pub published: Option<Published>,
    /// Whether cells that differ only in their scenario are measured in turn, as their sides are.
    #[serde(default)]
    pub scenarios_in_turn: bool,
    /// Pairs of scenarios compared by the ratio of their costs.
    #[serde(default)]
    pub ratios: Vec<Pair>,
    /// Pairs of scenarios compared by the difference of their costs.
    #[serde(default)]
    pub differences: Vec<Pair>,
    /// Threads compared by their user and system time.
    pub split: Option<Split>,
    /// Whether Tollgate's sides are restarted after setup: a process that has just created a
    /// million keys one by one uses more memory than one that has loaded them.
    #[serde(default)]
    pub restarts: bool,
    /// Settings of Tollgate by name, in addition to those of every run. In the values,
    /// `{directory}` is the directory of the side, which ends with the run.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Parts of the published plan that cannot run, and why.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// Parameters of an open loop. First the highest rate that each side sustains is searched for in
/// each cell; then all are measured at the same share of the lowest peak, or at the configured
/// rate.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLoop {
    /// Requests per second; if set, no rate is searched for.
    pub per_second: Option<u32>,
    /// A side sustains a rate if its 99th percentile stays below this, in milliseconds, and few
    /// enough calls fail.
    pub p99_ms_max: f64,
}

/// Lifetime of the callers' connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Connections {
    /// For the whole load.
    #[default]
    Kept,
    /// For one request; with TLS each performs a full handshake.
    New,
    /// For one request; with TLS each resumes an earlier session.
    Resumed,
}

/// A varying parameter of the world or the number of connections, and its values.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// `keys`, `apis`, `limits` or `connections`.
    pub name: String,
    /// Its values.
    pub values: Vec<u64>,
    /// Values above this are measured only in the mode `full`, because their setup takes long.
    pub quick_max: Option<u64>,
}

/// Durations and rounds of a mode.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// Duration of the warm-up before each measurement, in seconds.
    pub warm_up_s: u64,
    /// Duration of each measurement, in seconds.
    pub measured_s: u64,
    /// Interleaved rounds of each cell.
    pub rounds: u32,
}

impl Mode {
    /// Checks the bounds of durations and rounds.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.measured_s > 0 && self.warm_up_s.max(self.measured_s) <= SECONDS_MAX,
            "seconds must be between 1 and {SECONDS_MAX}"
        );
        ensure!(
            (1..=ROUNDS_MAX).contains(&self.rounds),
            "rounds must be between 1 and {ROUNDS_MAX}"
        );
        Ok(())
    }
}

/// A planned cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCell {
    /// Name of the scenario.
    pub scenario: String,
    /// Concurrent users.
    pub users: u32,
    /// Bytes of the message.
    pub message_bytes: u64,
    /// The back end's delay, in milliseconds.
    pub delay_ms: u64,
    /// Size of the gateway's world.
    pub world: World,
    /// Other parameters that vary, by name.
    pub parameters: BTreeMap<String, u64>,
}

impl PlannedCell {
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
/// Maximum duration of a measurement.
const SECONDS_MAX: u64 = 3_600;
const ROUNDS_MAX: u32 = 100;

impl Profile {
    /// Reads `bench/profiles/<name>.toml`.
    ///
    /// # Errors
    /// Fails if the file does not exist or is not a valid profile.
    pub fn read(bench: &Path, name: &str) -> anyhow::Result<Self> {
        let path = bench.join("profiles").join(format!("{name}.toml"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read the profile {name:?}: {}", path.display()))?;
        let mut profile: Self =
            toml::from_str(&text).with_context(|| format!("profile {name:?}"))?;
        profile.name = name.to_owned();
        profile
            .check()
            .with_context(|| format!("profile {name:?}"))?;
        Ok(profile)
    }

    /// Returns the cells grouped for measurement: those of a group are measured in turn, the groups
    /// one after the other.
    #[must_use]
    pub fn groups<'a>(&self, cells: &[&'a PlannedCell]) -> Vec<Vec<&'a PlannedCell>> {
        let mut groups: Vec<Vec<&PlannedCell>> = Vec::new();
        for &cell in cells {
            let mut known = groups.iter_mut().filter(|_| self.scenarios_in_turn);
            match known.find(|group| group[0].differs_in_scenario_alone(cell)) {
                Some(group) => group.push(cell),
                None => groups.push(vec![cell]),
            }
        }
        groups
    }

    /// Returns the sides in the order of a turn.
    pub fn in_turn<'a>(&self, sides: &'a [String], turn: u32) -> impl Iterator<Item = &'a String> {
        let begun = if self.rotates { turn as usize } else { 0 };
        let (last, first) = sides.split_at(begun % sides.len().max(1));
        first.iter().chain(last)
    }

    /// Returns a mode's durations and rounds.
    ///
    /// # Errors
    /// Fails if the profile does not have the mode.
    pub fn mode(&self, mode: &str) -> anyhow::Result<Mode> {
        let known = self.modes.keys().cloned().collect::<Vec<_>>().join(", ");
        let found = self.modes.get(mode).copied();
        found.with_context(|| format!("profile {:?} has no mode {mode:?}, only {known}", self.name))
    }

    /// Returns all cells of a mode in order, and what is left out: scenarios that need missing
    /// features.
    ///
    /// # Errors
    /// Fails if there are too many.
    pub fn cells(
        &self,
        scenarios: &BTreeMap<String, Scenario>,
        mode: &str,
    ) -> anyhow::Result<(Vec<PlannedCell>, Vec<LeftOut>)> {
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

    /// Adds a cell for every size, delay and number of users, unless a parameter varies instead.
    fn cells_of(&self, name: &str, scenario: &Scenario, cells: &mut Vec<PlannedCell>) {
        if !self.vary.is_empty() {
            return;
        }
        for &message_bytes in &self.message_bytes {
            let delays = self.delay_ms.iter();
            for &delay_ms in delays.filter(|&&delay| scenario.allows(message_bytes, delay)) {
                for &users in &self.users {
                    cells.push(PlannedCell {
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
        cells: &mut Vec<PlannedCell>,
        left_out: &mut Vec<LeftOut>,
    ) -> anyhow::Result<()> {
        for vary in &self.vary {
            for &value in &vary.values {
                if mode != "full" && vary.quick_max.is_some_and(|most| value > most) {
                    left_out.push(LeftOut {
                        what: format!("{name} with {} = {value}", vary.name),
                        why: "it is measured only in the mode full".to_owned(),
                    });
                    continue;
                }
                let (world, users) = self.world(&vary.name, value)?;
                cells.push(PlannedCell {
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

    /// Returns the world of a side in a cell with this world.
    #[must_use]
    pub fn world_of(&self, side: &str, world: World) -> World {
        match side {
            SMALL => self.small.unwrap_or(world),
            UNLIMITED => World { limits: 0, ..world },
            _ => world,
        }
    }

    /// Returns the settings of a side.
    #[must_use]
    pub fn settings_of(&self, side: &str) -> &BTreeMap<String, String> {
        const NONE: &BTreeMap<String, String> = &BTreeMap::new();
        match side {
            PLAIN => NONE,
            _ => &self.settings,
        }
    }

    /// Returns the world and the number of users with one parameter changed.
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
            other => anyhow::bail!("{other:?} cannot vary: only keys, apis, limits, connections"),
        })
    }
}

fn no_delay() -> Vec<u64> {
    vec![0]
}

mod check;
#[cfg(test)]
mod tests;
