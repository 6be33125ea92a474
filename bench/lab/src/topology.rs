//! Which part of a run stands on which machine, and on which of its cores: all on this one, or as a
//! file says.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::generator::is_of_this_machine;
use crate::host::Host;

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

impl Topology {
    /// All on this machine: one core for the gateway, the others for the load.
    ///
    /// # Errors
    /// It has one core.
    pub fn here() -> anyhow::Result<Self> {
        let host = Host::here()?;
        let (gateway, load) = shared(&host)?;
        Ok(Self {
            gateway,
            back_end: load.clone(),
            load,
            source_addresses: Vec::new(),
        })
    }

    /// As a file says. Parts of one machine share its cores as they would here, where the file does
    /// not give them out.
    ///
    /// # Errors
    /// The file is wrong, an address is neither this machine's nor `owned`, or a machine cannot be
    /// reached.
    pub fn read(file: &Path, owned: &[IpAddr]) -> anyhow::Result<Self> {
        let named = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(named)?;
        let described: Described = toml::from_str(&text).with_context(named)?;
        let parts = [&described.gateway, &described.back_end, &described.load];
        for part in parts {
            is_of_this_machine(part.address, owned)?;
        }
        let mut hosts = BTreeMap::new();
        for part in parts {
            if !hosts.contains_key(&part.reach) {
                hosts.insert(part.reach.clone(), part.host()?);
            }
        }
        let [_, others @ ..] = parts;
        let is_beside = |part: &Part| part.reach == described.gateway.reach;
        let place = |part: &Part, is_gateway: bool| {
            let mut host = hosts[&part.reach].clone();
            host.address = part.address;
            if let Some(cores) = &part.cores {
                let are_there = cores.iter().all(|core| host.cores.contains(core));
                ensure!(
                    are_there && !cores.is_empty(),
                    "of {} the cores {} can be used",
                    host.address,
                    listed(&host.cores)
                );
                return Ok(host.with_cores(cores));
            }
            Ok(match is_gateway {
                true if others.into_iter().any(is_beside) => shared(&host)?.0,
                false if is_beside(part) => shared(&host)?.1,
                _ => host,
            })
        };
        Ok(Self {
            gateway: place(&described.gateway, true)?,
            back_end: place(&described.back_end, false)?,
            load: place(&described.load, false)?,
            source_addresses: described.source_addresses,
        })
    }

    /// Whether so many callers can be had, for whom a gateway has so many connections.
    ///
    /// # Errors
    /// They cannot; says what to change.
    pub fn check(&self, callers: u32, upstream: u32) -> anyhow::Result<()> {
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
        if !self.is_spread() {
            warnings.push(
                "Everything ran on one machine: the figures compare shares of it and do not claim \
                 absolute speed."
                    .to_owned(),
            );
        }
        let shared = (&self.back_end.cores, self.back_end.address);
        if shared == (&self.load.cores, self.load.address) && shared.0.len() == 1 {
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

    /// Whether there is more than one machine.
    #[must_use]
    pub const fn is_spread(&self) -> bool {
        !(self.gateway.is_here() && self.back_end.is_here() && self.load.is_here())
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
        let cores = |host: &Host| listed(&host.cores);
        let (gateway, load) = (cores(&self.gateway), cores(&self.load));
        if !self.is_spread() {
            return write!(
                f,
                "gateway or rival on core {gateway}, generator and back end on core {load}"
            );
        }
        let back_end = cores(&self.back_end);
        let addresses = [&self.gateway, &self.back_end, &self.load].map(|host| host.address);
        let [of_gateway, of_back_end, of_load] = addresses;
        write!(
            f,
            "gateway or rival on core {gateway} of {of_gateway}, back end on core {back_end} of \
             {of_back_end}, generator on core {load} of {of_load}"
        )
    }
}

/// A machine of the gateway and of what loads it: its first core, and the others.
fn shared(host: &Host) -> anyhow::Result<(Host, Host)> {
    let (first, others) = host.cores.split_at(1);
    ensure!(
        !others.is_empty(),
        "two cores are needed: one for the gateway, one for the load"
    );
    Ok((host.with_cores(first), host.with_cores(others)))
}

fn listed(cores: &[u32]) -> String {
    let numbers: Vec<String> = cores.iter().map(u32::to_string).collect();
    numbers.join(", ")
}
