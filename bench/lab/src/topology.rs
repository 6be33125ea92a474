//! The placement of a run's parts on machines and cores: all on this machine, or as described by a
//! file.

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

/// Ports of closed connections are blocked for a minute, so rounds use different source addresses.
const USERS_PER_ADDRESS: u32 = PORTS_PER_ADDRESS / 10;

/// The placement of a run's parts.
#[derive(Debug, Clone)]
pub struct Topology {
    /// Tollgate or the rival.
    pub gateway: Host,
    /// The back end.
    pub back_end: Host,
    /// The generator.
    pub load: Host,
    /// Source addresses that the generator uses in turn towards other machines.
    pub source_addresses: Vec<Ipv4Addr>,
}

/// The contents of the file.
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
    /// The address at which the other parts reach it.
    address: IpAddr,
    /// Command prefix that runs a command on its machine; empty if it is this machine.
    #[serde(default)]
    reach: Vec<String>,
    /// Its cores; by default the same share as on this machine.
    cores: Option<Vec<u32>>,
}

/// Returns the number of source addresses for this many users.
#[must_use]
pub const fn source_address_count(users: u32) -> u32 {
    users.div_ceil(USERS_PER_ADDRESS)
}

impl Topology {
    /// Places all parts on this machine: one core for the gateway, the others for the load.
    ///
    /// # Errors
    /// Fails if the machine has only one core.
    pub fn here() -> anyhow::Result<Self> {
        Described::here().reach()
    }

    /// Reads a topology file. By default a gateway has the first core of its machine, and the other
    /// parts have the remaining cores of theirs.
    ///
    /// # Errors
    /// Fails if the file is invalid, if an address is neither this machine's nor `owned`, or if a
    /// machine cannot be reached.
    pub fn read(file: &Path, owned: &[IpAddr]) -> anyhow::Result<Self> {
        let named = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(named)?;
        let described: Described = toml::from_str(&text).with_context(named)?;
        for part in described.parts() {
            is_of_this_machine(part.address, owned)?;
        }
        described.reach()
    }

    /// Starts a generator on the load's machine and sends it a load.
    ///
    /// # Errors
    /// Fails if it cannot be started.
    pub(crate) fn start_generator(&self, load: &Load) -> anyhow::Result<Process> {
        let mut command = Command::new(env::current_exe().context("finding the lab itself")?);
        command.arg("load");
        if self.load.machine().is_some() || self.machines() > 1 {
            // The topology was read with permission to load these addresses, which are foreign to
            // another machine.
            for owned in [&self.gateway, &self.back_end] {
                command.args(["--i-own-this-host", &owned.address.to_string()]);
            }
        }
        let mut generator = self.load.start("generator", &command)?;
        generator.write_input(&serde_json::to_string(load).context("encoding the load")?)?;
        Ok(generator)
    }

    /// Checks that the machines can handle this many callers and connections to the back end.
    ///
    /// # Errors
    /// Fails if they cannot, with a message about what to change.
    pub fn check(&self, callers: u32, upstream: u32) -> anyhow::Result<()> {
        let called = [&self.gateway, &self.back_end].map(|host| host.address);
        let (needed, given) = (source_address_count(callers), self.source_addresses.len());
        ensure!(
            needed <= 1
                || called.iter().all(IpAddr::is_loopback)
                || given >= usize::try_from(needed)?,
            "{callers} callers of another machine need {needed} `source_addresses`: ports of \
             closed connections are blocked for a minute"
        );
        ensure!(
            given == 0 || called.iter().all(IpAddr::is_ipv4),
            "`source_addresses` are IPv4, but the called addresses are not"
        );
        self.gateway.check(callers + upstream)?;
        self.back_end.check(callers.max(upstream))?;
        self.load.check(callers)
    }

    /// Returns caveats for a run with this topology.
    ///
    /// # Errors
    /// Fails if a machine does not respond.
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

    /// Returns the number of machines.
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
                "{address} is a different machine for each part: use one that all of them reach"
            );
            let has = machines[&part.reach].at(address, Vec::new()).free_address();
            has.with_context(|| {
                let reach = part.reach.join(" ");
                format!("the machine reached with {reach:?} does not have the address {address}")
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

    /// Returns the cores of gateway, back end and generator; `all` returns the cores of a part's
    /// machine.
    ///
    /// # Errors
    /// Fails if there are too few, or if the file assigns cores that do not exist or are in use.
    fn share_out<'a>(&self, all: impl Fn(&Part) -> &'a Vec<u32>) -> anyhow::Result<[Vec<u32>; 3]> {
        for part in self.parts() {
            let named = part.cores.as_ref().unwrap_or_else(|| all(part));
            let distinct: BTreeSet<_> = named.iter().collect();
            let are_there = named.iter().all(|core| all(part).contains(core));
            ensure!(
                are_there && distinct.len() == named.len() && !named.is_empty(),
                "{}: cores must be distinct and among {}",
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
            "the gateway on {} needs a core of its own, and the other parts another one: \
             available are {}",
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
