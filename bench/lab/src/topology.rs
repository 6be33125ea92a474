//! Which part of a run stands on which machine, and on which of its cores: all on this one, or as a
//! file says.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::{env, fmt, fs};

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::generator::is_of_this_machine;
use crate::host::Host;
use crate::load::Load;
use crate::machine::PORTS_PER_ADDRESS;
use crate::process::Process;

/// Ports of closed connections rest for a minute, so rounds leave from different addresses.
const USERS_PER_ADDRESS: u32 = PORTS_PER_ADDRESS / 10;

/// Where the parts of a run stand.
#[derive(Debug, Clone)]
pub struct Topology {
    /// Tollgate or the rival.
    pub gateway: Host,
    /// What it calls.
    pub back_end: Host,
    /// The generator.
    pub load: Host,
    /// Local addresses that the generator sends from in turn to machines beside its own.
    pub source_addresses: Vec<Ipv4Addr>,
}

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    gateway: Part,
    back_end: Part,
    load: Part,
    #[serde(default)]
    source_addresses: Vec<Ipv4Addr>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Where the other parts reach it.
    address: IpAddr,
    /// Words that run a command there when it comes after them; none where it is this machine.
    #[serde(default)]
    reach: Vec<String>,
    /// Which of its cores; else it has the share that it would have here.
    cores: Option<Vec<u32>>,
}

/// How many addresses the connections of so many users leave from.
#[must_use]
pub const fn source_address_count(users: u32) -> u32 {
    users.div_ceil(USERS_PER_ADDRESS)
}

impl Topology {
    /// All on this machine: one core for the gateway, the others for the load.
    ///
    /// # Errors
    /// It has one core.
    pub fn here() -> anyhow::Result<Self> {
        Described::here().reach()
    }

    /// As a file says. A gateway has its machine's first core, and other parts have what it leaves
    /// of theirs, where the file does not give the cores out.
    ///
    /// # Errors
    /// The file is wrong, an address is neither this machine's nor `owned`, or a machine cannot be
    /// reached.
    pub fn read(file: &Path, owned: &[IpAddr]) -> anyhow::Result<Self> {
        let named = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(named)?;
        let described: Described = toml::from_str(&text).with_context(named)?;
        for part in described.parts() {
            is_of_this_machine(part.address, owned)?;
        }
        described.reach()
    }

    /// Starts a generator where the load stands, and gives it one.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start_generator(&self, load: &Load) -> anyhow::Result<Process> {
        let mut command = Command::new(env::current_exe().context("finding the lab itself")?);
        command.arg("load");
        if self.load.machine().is_some() || self.machines() > 1 {
            // This was read with leave to load these; to another machine they are foreign.
            for owned in [&self.gateway, &self.back_end] {
                command.args(["--i-own-this-host", &owned.address.to_string()]);
            }
        }
        let mut generator = self.load.start("generator", &command)?;
        generator.tell(&serde_json::to_string(load).context("writing the load down")?)?;
        Ok(generator)
    }

    /// Whether so many callers can be had, for whom a gateway has so many connections.
    ///
    /// # Errors
    /// They cannot; says what to change.
    pub fn check(&self, callers: u32, upstream: u32) -> anyhow::Result<()> {
        let called = [&self.gateway, &self.back_end].map(|host| host.address);
        let (needed, given) = (source_address_count(callers), self.source_addresses.len());
        ensure!(
            needed <= 1
                || called.iter().all(IpAddr::is_loopback)
                || given >= usize::try_from(needed)?,
            "{callers} callers of another machine need {needed} `source_addresses`: ports of \
             closed connections rest for a minute"
        );
        ensure!(
            given == 0 || called.iter().all(IpAddr::is_ipv4),
            "`source_addresses` are IPv4, and what is called is not"
        );
        self.gateway.check(callers + upstream)?;
        self.back_end.check(callers.max(upstream))?;
        self.load.check(callers)
    }

    /// What a reader of a run that is made there now should know.
    ///
    /// # Errors
    /// A machine does not answer.
    pub fn warnings(&self) -> anyhow::Result<Vec<String>> {
        let mut warnings = Vec::new();
        if self.machines() == 1 {
            warnings.push(
                "Everything ran on one machine: the figures compare shares of it and do not claim \
                 absolute speed."
                    .to_owned(),
            );
        }
        let (back_end, load) = (&self.back_end, &self.load);
        if back_end.machine() == load.machine()
            && back_end.cores == load.cores
            && load.cores.len() == 1
        {
            warnings.push("Generator and back end shared one core.".to_owned());
        }
        let busy = self.gateway.load_average()?;
        if busy > 0.5 {
            warnings.push(format!(
                "The machine was not idle: load average {busy:.2} at the start."
            ));
        }
        Ok(warnings)
    }

    /// How many machines the parts stand on.
    #[must_use]
    pub fn machines(&self) -> usize {
        let parts = [&self.gateway, &self.back_end, &self.load];
        parts
            .map(Host::machine)
            .into_iter()
            .collect::<BTreeSet<_>>()
            .len()
    }
}

impl Described {
    fn here() -> Self {
        let part = || Part {
            address: Ipv4Addr::LOCALHOST.into(),
            reach: Vec::new(),
            cores: None,
        };
        Self {
            gateway: part(),
            back_end: part(),
            load: part(),
            source_addresses: Vec::new(),
        }
    }

    const fn parts(&self) -> [&Part; 3] {
        [&self.gateway, &self.back_end, &self.load]
    }

    fn reach(self) -> anyhow::Result<Topology> {
        let mut machines = BTreeMap::new();
        for part in self.parts() {
            if !machines.contains_key(&part.reach) {
                machines.insert(part.reach.clone(), part.host()?);
            }
        }
        for part in self.parts() {
            let address = part.address;
            ensure!(
                machines.len() == 1 || address != IpAddr::V4(Ipv4Addr::LOCALHOST),
                "{address} is another machine to each of the others: give the one that they reach"
            );
            let has = machines[&part.reach].at(address, Vec::new()).free_address();
            has.with_context(|| {
                let reach = part.reach.join(" ");
                format!("the machine of the part at {address}, reached with {reach:?}, is another")
            })?;
        }
        let [gateway, back_end, load] = self.share_out(|part| &machines[&part.reach].cores)?;
        let place = |part: &Part, cores| machines[&part.reach].at(part.address, cores);
        Ok(Topology {
            gateway: place(&self.gateway, gateway),
            back_end: place(&self.back_end, back_end),
            load: place(&self.load, load),
            source_addresses: self.source_addresses,
        })
    }

    /// The cores of gateway, back end and generator, where `all` are those of a part's machine.
    ///
    /// # Errors
    /// There are too few, or the file gives out what is not there or not free.
    fn share_out<'a>(&self, all: impl Fn(&Part) -> &'a Vec<u32>) -> anyhow::Result<[Vec<u32>; 3]> {
        for part in self.parts() {
            let named = part.cores.as_ref().unwrap_or_else(|| all(part));
            let distinct: BTreeSet<_> = named.iter().collect();
            let are_there = named.iter().all(|core| all(part).contains(core));
            ensure!(
                are_there && distinct.len() == named.len() && !named.is_empty(),
                "{}: cores are some of {}, each once",
                part.address,
                listed(all(part))
            );
        }
        let is_beside = |part: &Part| part.reach == self.gateway.reach;
        let [_, others @ ..] = self.parts();
        let named = others.into_iter().filter(|part| is_beside(part));
        let named: Vec<u32> = named
            .flat_map(|part| part.cores.clone())
            .flatten()
            .collect();
        let first = || all(&self.gateway).iter().find(|core| !named.contains(core));
        let gateway = match &self.gateway.cores {
            Some(cores) => cores.clone(),
            None => first().into_iter().copied().collect(),
        };
        let left = |part: &Part| {
            let is_free = |core: &u32| !is_beside(part) || !gateway.contains(core);
            match &part.cores {
                Some(cores) if !cores.iter().all(is_free) => Vec::new(),
                Some(cores) => cores.clone(),
                None => all(part).iter().copied().filter(is_free).collect(),
            }
        };
        let [back_end, load] = others.map(left);
        ensure!(
            ![&gateway, &back_end, &load]
                .iter()
                .any(|cores| cores.is_empty()),
            "the gateway needs a core of {} that nothing else has, and what loads it another: \
             there are {}",
            self.gateway.address,
            listed(all(&self.gateway))
        );
        Ok([gateway, back_end, load])
    }
}

impl Part {
    fn host(&self) -> anyhow::Result<Host> {
        match self.reach.as_slice() {
            [] => Host::here(),
            words => Host::there(self.address, words),
        }
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.gateway, &self.back_end, &self.load];
        let cores = parts.map(|host| listed(&host.cores));
        let [gateway, back_end, load] = &cores;
        if self.machines() == 1 && back_end == load {
            return write!(
                f,
                "gateway or rival on core {gateway}, generator and back end on core {load}"
            );
        }
        let [of_gateway, of_back_end, of_load] = parts.map(|host| host.address);
        write!(
            f,
            "gateway or rival on core {gateway} of {of_gateway}, back end on core {back_end} of \
             {of_back_end}, generator on core {load} of {of_load}"
        )
    }
}

fn listed(cores: &[u32]) -> String {
    let numbers: Vec<String> = cores.iter().map(u32::to_string).collect();
    numbers.join(", ")
}

#[cfg(test)]
mod tests;
