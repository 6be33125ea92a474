//! The plan of a run: what is asked for, read and checked before anything is started, and how long
//! it will take.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::{self, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::control::credentials::TOKEN_LIFETIME;
use crate::credential::Credential;
use crate::figures::{BEFORE, SMALL};
use crate::https;
use crate::kept::{LeftOut, OpenLoop};
use crate::load::PER_SECOND_MAX;
use crate::measure;
use crate::peak;
use crate::profile::{Asked, Connections, Mode, Profile};
use crate::progress::length;
use crate::rival::{self, Rival};
use crate::scenario::Scenario;
use crate::tollgate;
use crate::topology::Topology;
use crate::world::World;

/// What is run.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The folder `bench`.
    pub bench: PathBuf,
    /// The profile's name.
    pub profile: String,
    /// The profile's mode.
    pub mode: String,
    /// Other lengths than the mode's.
    pub rounds: Option<u32>,
    /// The same, for the measured seconds.
    pub measured_s: Option<u64>,
    /// Where the result goes; else a folder of `bench/runs`.
    pub out: Option<PathBuf>,
    /// Tollgate's binary; else the release build of this tree.
    pub tollgate: Option<PathBuf>,
    /// Whether the sides are first held to the work that is measured.
    pub check: bool,
    /// The rate of an open loop; else a share of what the slowest side bears.
    pub per_second: Option<u32>,
    /// A binary of before a change, to be measured as one more side.
    pub before: Option<PathBuf>,
    /// A file that says which part stands where; else all stand on this machine.
    pub topology: Option<PathBuf>,
    /// Addresses that are not this machine's and may be loaded.
    pub owned: Vec<IpAddr>,
}

/// A run that is planned and was checked.
#[derive(Debug)]
pub struct Planned {
    pub(crate) profile: Profile,
    pub(crate) mode: Mode,
    pub(crate) scenarios: BTreeMap<String, Scenario>,
    pub(crate) rivals: Vec<Rival>,
    pub(crate) sides: Vec<String>,
    pub(crate) cells: Vec<Asked>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) topology: Topology,
    pub(crate) binaries: BTreeMap<String, PathBuf>,
    pub(crate) wanted: Wanted,
}

/// What a round takes beside warm-up and measurement, about.
const BESIDE_ROUND: Duration = Duration::from_millis(1_500);
/// What it takes to start a world's sides, about, and how many credentials are made in a second.
const BESIDE_WORLD: Duration = Duration::from_secs(5);
const CREDENTIALS_PER_SECOND: u64 = 800;
/// The same of tokens that are issued and revoked.
const REVOCATIONS_PER_SECOND: u64 = 1_000;
/// The same of APIs: of ten thousand, since the more there are, the longer one takes.
const APIS_PER_SECOND: u64 = 100;
/// The connections to an upstream that a worker of ours has at most, where its API does not say
/// otherwise.
const UPSTREAM_MAX: u32 = 1_024;
/// What it takes to check a side, about.
const BESIDE_CHECK: Duration = Duration::from_secs(2);

impl Planned {
    /// Reads all files that the run needs and looks whether this machine can do it.
    ///
    /// # Errors
    /// It cannot; says what to change.
    pub fn new(wanted: Wanted) -> anyhow::Result<Self> {
        let profile = Profile::read(&wanted.bench, &wanted.profile)?;
        let mut mode = profile.mode(&wanted.mode)?;
        mode.rounds = wanted.rounds.unwrap_or(mode.rounds);
        mode.measured_s = wanted.measured_s.unwrap_or(mode.measured_s);
        mode.check()?;
        if let Some(per_second) = wanted.per_second {
            ensure!(
                profile.open_loop.is_some(),
                "profile {:?} has users who wait for answers: it takes no rate",
                profile.name
            );
            ensure!(
                (1..=PER_SECOND_MAX).contains(&per_second),
                "a rate must lie between 1 and {PER_SECOND_MAX} requests a second"
            );
        }
        let mut scenarios = BTreeMap::new();
        for name in &profile.scenarios {
            scenarios.insert(name.clone(), Scenario::read(&wanted.bench, name)?);
        }
        let (cells, mut left_out) = profile.cells(&scenarios, &wanted.mode)?;
        ensure!(
            !cells.is_empty(),
            "profile {:?} has nothing that can be run yet",
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
            "profile {:?} opens more connections than ports of another machine can be had for",
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
        // A revoked token is forgotten when it would have ended.
        ensure!(
            !is_revoked || planned.estimate() < TOKEN_LIFETIME,
            "a run of about {} outlives the tokens that it revokes, which last {}",
            length(planned.estimate()),
            length(TOKEN_LIFETIME)
        );
        Ok(planned)
    }

    /// About how long it will take.
    #[must_use]
    pub fn estimate(&self) -> Duration {
        let round = Duration::from_secs(self.mode.warm_up_s + self.mode.measured_s) + BESIDE_ROUND;
        let worlds = self.worlds();
        let count = u32::try_from(worlds.len()).unwrap_or(u32::MAX);
        let checked = u32::try_from(self.checked().count()).unwrap_or(u32::MAX);
        let cells = u32::try_from(self.cells.len() * self.sides.len()).unwrap_or(u32::MAX);
        // About half of the rates are not borne.
        let again = cells.saturating_mul(self.searches() * peak::RATES / 2);
        round * (self.measurements() + again)
            + BESIDE_WORLD * count
            + BESIDE_CHECK * checked
            + self.filling()
    }

    /// About how long it takes to make credentials and APIs of all worlds and to revoke tokens, on
    /// each side that is ours.
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

    /// How many kinds of credentials are made.
    fn kinds(&self) -> u64 {
        let scenarios = self.scenarios.values();
        let kinds = scenarios.flat_map(|it| it.background.keys().chain([&it.carries]));
        let made = kinds.map(|kind| kind.made_of());
        made.collect::<BTreeSet<Credential>>().len() as u64
    }

    /// How long a round takes at most, about.
    pub(crate) const fn round_at_most(&self) -> Duration {
        round_at_most(self.mode)
    }

    /// The sides that are checked before they are measured: one of ours, since all are one binary,
    /// and rivals that do its work.
    pub(crate) fn checked(&self) -> impl Iterator<Item = &str> {
        let secured = |side: &&str| {
            let mut rivals = self.rivals.iter();
            *side == self.ours() || rivals.any(|rival| rival.name == **side && rival.is_secured)
        };
        let sides = self.sides.iter().map(String::as_str);
        sides.filter(secured).filter(|_| self.wanted.check)
    }

    /// The side that the run is about.
    pub(crate) fn ours(&self) -> &'static str {
        https::ours(|side| self.sides.iter().any(|it| it == side))
    }

    /// What is about to happen, in a sentence.
    #[must_use]
    pub fn describe(&self) -> String {
        format!(
            "profile {}, mode {}: {} cells x {} rounds x {} sides ({}){}, about {}, of which {} \
             to make credentials and APIs",
            self.profile.name,
            self.wanted.mode,
            self.cells.len(),
            self.mode.rounds,
            self.sides.len(),
            self.sides.join(", "),
            match self.searches() {
                0 => "",
                _ => " after the rate of each cell is found",
            },
            length(self.estimate()),
            length(self.filling()),
        )
    }

    /// Cells with the same world, together and in order.
    pub(crate) fn worlds(&self) -> Vec<(World, Vec<&Asked>)> {
        let mut worlds: BTreeMap<_, Vec<&Asked>> = BTreeMap::new();
        for cell in &self.cells {
            worlds.entry(cell.world).or_default().push(cell);
        }
        worlds.into_iter().collect()
    }

    /// How often a side is measured; rates that are not borne are tried again.
    pub(crate) fn measurements(&self) -> u32 {
        let cells = u32::try_from(self.cells.len()).unwrap_or(u32::MAX);
        let sides = u32::try_from(self.sides.len()).unwrap_or(u32::MAX);
        let each = self.mode.rounds + self.searches() * (1 + peak::RATES);
        cells.saturating_mul(sides).saturating_mul(each)
    }

    /// What is known of an open loop before it is measured; `None` where users wait for answers.
    pub(crate) fn open_loop(&self) -> Option<OpenLoop> {
        let bound = self.profile.open_loop?;
        Some(OpenLoop {
            per_second: self.wanted.per_second.or(bound.per_second).map(f64::from),
            p99_ms_max: bound.p99_ms_max,
            trials: Vec::new(),
        })
    }

    /// How often the rate of a cell is searched for: once, or never.
    fn searches(&self) -> u32 {
        let is_unknown = |it: OpenLoop| it.per_second.is_none();
        self.open_loop().is_some_and(is_unknown).into()
    }
}

/// Where all parts stand, so many callers among them.
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

/// Whether tokens can be had, and last for a round; they are renewed between rounds.
fn check_tokens(topology: &Topology, mode: Mode) -> anyhow::Result<()> {
    let gateway = topology.gateway.address;
    ensure!(
        gateway.is_loopback(),
        "tokens are issued over plain HTTP to the machine itself alone: leave the gateway, now at \
         {gateway}, where the run is driven"
    );
    let round = round_at_most(mode);
    ensure!(
        round < TOKEN_LIFETIME,
        "a round of about {} outlives its tokens, which last {}",
        length(round),
        length(TOKEN_LIFETIME)
    );
    Ok(())
}

/// How long a round of a mode takes at most, about.
const fn round_at_most(mode: Mode) -> Duration {
    let seconds = Duration::from_secs(mode.warm_up_s + mode.measured_s);
    seconds.saturating_add(measure::BESIDE)
}

/// The sides that can be had, with the rivals among them.
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
        let rival = rival.with_context(|| format!("there is no rival {side:?}"))?;
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

/// The binaries of the sides that are ours; adds those that a profile or a wish has beside them.
fn binaries(
    wanted: &Wanted,
    profile: &Profile,
    sides: &mut Vec<String>,
) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let built = || tollgate::binary(&wanted.bench);
    let ours = path::absolute(wanted.tollgate.clone().unwrap_or_else(built))?;
    let of_profile = sides.iter().filter(|side| https::is_ours(side));
    let mut binaries: BTreeMap<_, _> = of_profile.map(|it| (it.clone(), ours.clone())).collect();
    let small = profile.small.map(|_| (SMALL, ours));
    let before = wanted.before.as_ref().map(path::absolute).transpose()?;
    for (side, binary) in small.into_iter().chain(before.map(|it| (BEFORE, it))) {
        sides.insert(0, side.to_owned());
        binaries.insert(side.to_owned(), binary);
    }
    for binary in binaries.values() {
        measure::ensure_built(binary)?;
    }
    Ok(binaries)
}

/// How many connections a gateway may have to the back end for so many callers. Others than ours
/// have as many as calls are under way.
fn upstream_connections(users: u32, topology: &Topology, rivals: &[Rival]) -> u32 {
    if !rivals.is_empty() {
        return users;
    }
    let workers = u32::try_from(topology.gateway.cores.len()).unwrap_or(u32::MAX);
    users.min(workers.saturating_mul(UPSTREAM_MAX))
}
