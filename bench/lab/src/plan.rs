//! The plan of a run: the requested profile and options, read and checked before anything is
//! started, and the estimated duration.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::{self, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::control::credentials::TOKEN_LIFETIME;
use crate::credential::Credential;
use crate::figures::{BEFORE, PLAIN, SMALL, UNLIMITED};
use crate::https;
use crate::kept::{LeftOut, OpenLoop};
use crate::load::PER_SECOND_MAX;
use crate::measure;
use crate::peak;
use crate::profile::{Connections, Mode, PlannedCell, Profile};
use crate::progress::length;
use crate::rival::{self, Rival};
use crate::scenario::Scenario;
use crate::tollgate;
use crate::topology::Topology;
use crate::world::World;

/// The requested run.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Path of the folder `bench`.
    pub bench: PathBuf,
    /// Name of the profile.
    pub profile: String,
    /// Name of the profile's mode.
    pub mode: String,
    /// Overrides the mode's rounds.
    pub rounds: Option<u32>,
    /// Overrides the mode's measured seconds.
    pub measured_s: Option<u64>,
    /// Folder for the result; by default a folder in `bench/runs`.
    pub out: Option<PathBuf>,
    /// Tollgate's binary; by default this tree's release build.
    pub tollgate: Option<PathBuf>,
    /// Whether to check first that the sides do the measured work.
    pub check: bool,
    /// Rate of an open loop; by default a share of the slowest side's peak.
    pub per_second: Option<u32>,
    /// A binary from before a change, measured as one more side.
    pub before: Option<PathBuf>,
    /// File that assigns parts to machines; by default all run on this machine.
    pub topology: Option<PathBuf>,
    /// Addresses other than this machine's that may be loaded.
    pub owned: Vec<IpAddr>,
}

/// A run that was planned and checked.
#[derive(Debug)]
pub struct Planned {
    pub(crate) profile: Profile,
    pub(crate) mode: Mode,
    pub(crate) scenarios: BTreeMap<String, Scenario>,
    pub(crate) rivals: Vec<Rival>,
    pub(crate) sides: Vec<String>,
    pub(crate) cells: Vec<PlannedCell>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) topology: Topology,
    pub(crate) binaries: BTreeMap<String, PathBuf>,
    pub(crate) wanted: Wanted,
}

/// Approximate time of a round in addition to warm-up and measurement.
const BESIDE_ROUND: Duration = Duration::from_millis(1_500);
/// Approximate time to start a world's sides, and credentials created per second.
const BESIDE_WORLD: Duration = Duration::from_secs(5);
const CREDENTIALS_PER_SECOND: u64 = 800;
/// Tokens issued and revoked per second.
const REVOCATIONS_PER_SECOND: u64 = 1_000;
/// APIs created per second: the average for ten thousand, since the time per API grows with their
/// number.
const APIS_PER_SECOND: u64 = 100;
/// Maximum connections to an upstream per worker of Tollgate, unless its API sets another limit.
const UPSTREAM_MAX: u32 = 1_024;
/// Approximate time to check a side.
const BESIDE_CHECK: Duration = Duration::from_secs(2);

impl Planned {
    /// Reads all files that the run needs and checks that this machine can run it.
    ///
    /// # Errors
    /// Fails if it cannot, with a message about what to change.
    pub fn new(wanted: Wanted) -> anyhow::Result<Self> {
        let profile = Profile::read(&wanted.bench, &wanted.profile)?;
        let mut mode = profile.mode(&wanted.mode)?;
        mode.rounds = wanted.rounds.unwrap_or(mode.rounds);
        mode.measured_s = wanted.measured_s.unwrap_or(mode.measured_s);
        mode.check()?;
        if let Some(per_second) = wanted.per_second {
            ensure!(
                profile.open_loop.is_some(),
                "profile {:?} has users that wait for responses: it does not accept a rate",
                profile.name
            );
            ensure!(
                (1..=PER_SECOND_MAX).contains(&per_second),
                "a rate must be between 1 and {PER_SECOND_MAX} requests per second"
            );
        }
        let mut scenarios = BTreeMap::new();
        for name in &profile.scenarios {
            scenarios.insert(name.clone(), Scenario::read(&wanted.bench, name)?);
        }
        let (cells, mut left_out) = profile.cells(&scenarios, &wanted.mode)?;
        ensure!(
            !cells.is_empty(),
            "profile {:?} has no scenario that can run yet",
            profile.name
        );
        scenarios.retain(|_, scenario| scenario.not_yet().is_none());
        let all = rival::all(&wanted.bench)?;
        let (mut sides, rivals) = sides(&profile, &all, &mut left_out)?;
        let most = cells
            .iter()
            .map(|cell| cell.users)
            .max()
            .unwrap_or_default();
        let topology = topology(&wanted, most, &rivals)?;
        let is_revoked = cells.iter().any(|cell| cell.world.revoked_tokens > 0);
        if is_revoked || scenarios.values().any(Scenario::needs_tokens) {
            check_tokens(&topology, mode)?;
        }
        ensure!(
            profile.connections == Connections::Kept || topology.machines() == 1,
            "profile {:?} opens more connections than another machine has ports for",
            profile.name
        );
        let binaries = binaries(&wanted, &profile, &mut sides)?;
        let planned = Self {
            mode,
            scenarios,
            rivals,
            sides,
            cells,
            left_out,
            topology,
            binaries,
            profile,
            wanted,
        };
        // Gateways forget a revoked token when it would have expired.
        ensure!(
            !is_revoked || planned.estimate() < TOKEN_LIFETIME,
            "the run takes about {}, longer than the lifetime of its revoked tokens, {}",
            length(planned.estimate()),
            length(TOKEN_LIFETIME)
        );
        Ok(planned)
    }

    /// Returns the approximate duration.
    #[must_use]
    pub fn estimate(&self) -> Duration {
        let round = Duration::from_secs(self.mode.warm_up_s + self.mode.measured_s) + BESIDE_ROUND;
        let worlds = self.worlds();
        let count = u32::try_from(worlds.len()).unwrap_or(u32::MAX);
        let checked = u32::try_from(self.checked().count()).unwrap_or(u32::MAX);
        let cells = u32::try_from(self.cells.len() * self.sides.len()).unwrap_or(u32::MAX);
        // About half of the rates are not sustained.
        let again = cells.saturating_mul(self.searches() * peak::RATES / 2);
        round * (self.measurements() + again)
            + BESIDE_WORLD * count
            + BESIDE_CHECK * checked
            + self.filling()
    }

    /// Returns the approximate time to create the credentials and APIs of all worlds and to revoke
    /// tokens, on each side that is Tollgate.
    fn filling(&self) -> Duration {
        let seconds = |world: World| {
            let credentials = world.keys * self.kinds();
            credentials / CREDENTIALS_PER_SECOND
                + world.revoked_tokens / REVOCATIONS_PER_SECOND
                + world.apis / APIS_PER_SECOND
        };
        let of_sides = |(world, _)| {
            let ours = self.binaries.keys();
            ours.map(move |side| seconds(self.profile.world_of(side, world)))
        };
        Duration::from_secs(self.worlds().into_iter().flat_map(of_sides).sum())
    }

    /// Returns the number of kinds of credentials to create.
    fn kinds(&self) -> u64 {
        let scenarios = self.scenarios.values();
        let kinds = scenarios.flat_map(|it| it.background.keys().chain([&it.carries]));
        let made = kinds.map(|kind| kind.made_of());
        made.collect::<BTreeSet<Credential>>().len() as u64
    }

    /// Returns the approximate maximum duration of a round.
    pub(crate) const fn round_at_most(&self) -> Duration {
        round_at_most(self.mode)
    }

    /// Returns the sides that are checked before they are measured: one of ours, since all are the
    /// same binary, and the secured rivals.
    pub(crate) fn checked(&self) -> impl Iterator<Item = &str> {
        let secured = |side: &&str| {
            let mut rivals = self.rivals.iter();
            *side == self.ours() || rivals.any(|rival| rival.name == **side && rival.is_secured)
        };
        let sides = self.sides.iter().map(String::as_str);
        sides.filter(secured).filter(|_| self.wanted.check)
    }

    /// Returns the main side of the run.
    pub(crate) fn ours(&self) -> &'static str {
        https::ours(|side| self.sides.iter().any(|it| it == side))
    }

    /// Describes the run in a sentence.
    #[must_use]
    pub fn describe(&self) -> String {
        format!(
            "profile {}, mode {}: {} cells x {} rounds x {} sides ({}){}, about {}, of which {} \
             to create credentials and APIs",
            self.profile.name,
            self.wanted.mode,
            self.cells.len(),
            self.mode.rounds,
            self.sides.len(),
            self.sides.join(", "),
            match self.searches() {
                0 => "",
                _ => " after the search for the rate of each cell",
            },
            length(self.estimate()),
            length(self.filling()),
        )
    }

    /// Returns the cells grouped by world, in order.
    pub(crate) fn worlds(&self) -> Vec<(World, Vec<&PlannedCell>)> {
        let mut worlds: BTreeMap<_, Vec<&PlannedCell>> = BTreeMap::new();
        for cell in &self.cells {
            worlds.entry(cell.world).or_default().push(cell);
        }
        worlds.into_iter().collect()
    }

    /// Returns the number of measurements, without retries of rates.
    pub(crate) fn measurements(&self) -> u32 {
        let cells = u32::try_from(self.cells.len()).unwrap_or(u32::MAX);
        let sides = u32::try_from(self.sides.len()).unwrap_or(u32::MAX);
        let each = self.mode.rounds + self.searches() * (1 + peak::RATES);
        cells.saturating_mul(sides).saturating_mul(each)
    }

    /// Returns the open loop's parameters before it is measured; `None` for a closed loop.
    pub(crate) fn open_loop(&self) -> Option<OpenLoop> {
        let bound = self.profile.open_loop?;
        Some(OpenLoop {
            per_second: self.wanted.per_second.or(bound.per_second).map(f64::from),
            p99_ms_max: bound.p99_ms_max,
            trials: Vec::new(),
        })
    }

    /// Returns the number of searches for the rate of a cell: one or none.
    fn searches(&self) -> u32 {
        let is_unknown = |it: OpenLoop| it.per_second.is_none();
        self.open_loop().is_some_and(is_unknown).into()
    }
}

/// Reads the topology and checks that it can handle this many callers.
fn topology(wanted: &Wanted, callers: u32, rivals: &[Rival]) -> anyhow::Result<Topology> {
    let topology = match &wanted.topology {
        Some(file) => Topology::read(file, &wanted.owned)?,
        None => Topology::here()?,
    };
    let cores = topology.gateway.cores.len();
    ensure!(
        rivals.is_empty() || cores == 1,
        "rivals are set up for one core: give the gateway of the topology one, not {cores}"
    );
    topology.check(callers, upstream_connections(callers, &topology, rivals))?;
    Ok(topology)
}

/// Checks that tokens can be issued, and last for a round; they are renewed between rounds.
fn check_tokens(topology: &Topology, mode: Mode) -> anyhow::Result<()> {
    let gateway = topology.gateway.address;
    ensure!(
        gateway.is_loopback(),
        "tokens are issued over plain HTTP only to the same machine: run the gateway, now at \
         {gateway}, on the machine that drives the run"
    );
    let round = round_at_most(mode);
    ensure!(
        round < TOKEN_LIFETIME,
        "a round takes about {}, longer than the lifetime of its tokens, {}",
        length(round),
        length(TOKEN_LIFETIME)
    );
    Ok(())
}

/// Returns the approximate maximum duration of a round of a mode.
const fn round_at_most(mode: Mode) -> Duration {
    let seconds = Duration::from_secs(mode.warm_up_s + mode.measured_s);
    seconds.saturating_add(measure::BESIDE)
}

/// Returns the available sides, and the rivals among them.
fn sides(
    profile: &Profile,
    rivals: &[Rival],
    left_out: &mut Vec<LeftOut>,
) -> anyhow::Result<(Vec<String>, Vec<Rival>)> {
    let (mut sides, mut found) = (Vec::new(), Vec::new());
    for side in &profile.sides {
        if https::is_ours(side) || https::is_direct(side) {
            sides.push(side.clone());
            continue;
        }
        let rival = rivals.iter().find(|rival| rival.name == *side);
        let rival = rival.with_context(|| format!("no rival is named {side:?}"))?;
        match &rival.missing {
            Some(why) => left_out.push(LeftOut {
                what: format!("rival {side}"),
                why: why.clone(),
            }),
            None => {
                sides.push(side.clone());
                found.push(rival.clone());
            }
        }
    }
    Ok((sides, found))
}

/// Returns the binaries of the sides that are Tollgate; adds the sides `tollgate-small`,
/// `tollgate-unlimited`, `tollgate-plain` and `before` if requested.
fn binaries(
    wanted: &Wanted,
    profile: &Profile,
    sides: &mut Vec<String>,
) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let built = || tollgate::binary(&wanted.bench);
    let ours = path::absolute(wanted.tollgate.clone().unwrap_or_else(built))?;
    let of_profile = sides.iter().filter(|side| https::is_ours(side));
    let mut binaries: BTreeMap<_, _> = of_profile.map(|it| (it.clone(), ours.clone())).collect();
    let small = profile.small.map(|_| (SMALL, ours.clone()));
    let unlimited = profile.unlimited.then_some((UNLIMITED, ours.clone()));
    let plain = profile.plain.then_some((PLAIN, ours));
    let before = wanted.before.as_ref().map(path::absolute).transpose()?;
    let before = before.map(|it| (BEFORE, it));
    for (side, binary) in [small, unlimited, plain, before].into_iter().flatten() {
        sides.insert(0, side.to_owned());
        binaries.insert(side.to_owned(), binary);
    }
    for binary in binaries.values() {
        measure::ensure_built(binary)?;
    }
    Ok(binaries)
}

/// Returns the maximum number of connections of a gateway to the back end. Rivals have as many as
/// there are requests in flight.
fn upstream_connections(users: u32, topology: &Topology, rivals: &[Rival]) -> u32 {
    if !rivals.is_empty() {
        return users;
    }
    let workers = u32::try_from(topology.gateway.cores.len()).unwrap_or(u32::MAX);
    users.min(workers.saturating_mul(UPSTREAM_MAX))
}
