//! The sides of a comparison: the back end called directly, Tollgate in front of it, and rivals in
//! front of it. All that run at once stand on one stage.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::control::AMOUNT;
use crate::figures::{DIRECT, OURS};
use crate::host::{Folder, Host};
use crate::load::{Expect, Request};
use crate::process::Process;
use crate::profile::{Asked, World};
use crate::rival::{Place, Rival};
use crate::scenario::{Callee, Scenario};
use crate::tollgate::{Start, Tollgate};
use crate::topology::Topology;

const START: Duration = Duration::from_secs(60);

/// The file with the keys of a side, in its folder or the run's.
const KEYS: &str = "keys";

/// What a stage is built from.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The sides, in the order of a turn.
    pub sides: &'a [String],
    /// The scenarios that are called.
    pub scenarios: &'a BTreeMap<String, Scenario>,
    /// The rivals that can be started.
    pub rivals: &'a [Rival],
    /// The binaries of the sides that are Tollgate.
    pub binaries: &'a BTreeMap<String, PathBuf>,
    /// What stands where.
    pub topology: &'a Topology,
    /// Whether to give up.
    pub stop: &'a AtomicBool,
}

/// Everything that runs while cells are measured.
#[derive(Debug)]
pub struct Stage {
    /// The back end's process.
    pub back_end: Process,
    /// The sides that are Tollgate: this build, and another one where two are set side by side.
    pub tollgates: BTreeMap<String, Tollgate>,
    rivals: BTreeMap<String, (Rival, Process, SocketAddr)>,
    upstream: SocketAddr,
    load: Host,
    sent: Folder,
    // It goes when the processes that write there have ended.
    _written: Folder,
}

/// Where a side is called and how.
#[derive(Debug)]
pub struct Called {
    /// Where it listens.
    pub address: SocketAddr,
    /// What is sent.
    pub request: Request,
    /// The keys, one a line, in random order.
    pub keys: PathBuf,
    /// What makes an answer a success.
    pub expect: Expect,
}

impl Stage {
    /// Starts everything for a world of this size.
    ///
    /// # Errors
    /// Something does not start, or it was told to give up.
    pub fn build(plan: &Plan<'_>, world: World) -> anyhow::Result<Self> {
        let Topology { gateway, load, .. } = plan.topology;
        let (written, sent) = (gateway.folder()?, load.folder()?);
        let (back_end, upstream) = back_end(&plan.topology.back_end)?;
        let mut tollgates = BTreeMap::new();
        for side in plan.sides {
            let Some(binary) = plan.binaries.get(side) else {
                continue;
            };
            let start = Start {
                binary,
                host: gateway,
                directory: &written.path().join(side),
                upstream,
                amount: AMOUNT,
                stop: plan.stop,
            };
            let tollgate = Tollgate::start(start, world, plan.scenarios)?;
            load.write(sent.path().join(side).join(KEYS), listed(&tollgate.keys))?;
            tollgates.insert(side.clone(), tollgate);
        }
        let made = tollgates.get(OURS).map(|tollgate| tollgate.keys.clone());
        let keys =
            made.unwrap_or_else(|| (0..world.keys).map(|key| format!("key-{key}")).collect());
        load.write(sent.path().join(KEYS), listed(&keys))?;
        let mut rivals = BTreeMap::new();
        for rival in plan
            .rivals
            .iter()
            .filter(|rival| plan.sides.contains(&rival.name))
        {
            ensure!(!plan.stop.load(Ordering::Relaxed), "stopped");
            let listen = gateway.free_address()?;
            let place = Place {
                listen,
                upstream,
                keys: &keys,
                limit_per_minute: None,
                directory: &written.path().join(&rival.name),
            };
            let process = rival.start(&place, gateway)?;
            rivals.insert(rival.name.clone(), (rival.clone(), process, listen));
        }
        Ok(Self {
            back_end,
            tollgates,
            rivals,
            upstream,
            load: load.clone(),
            sent,
            _written: written,
        })
    }

    /// The process in front of the back end; none where a side is the back end itself.
    #[must_use]
    pub fn gateway(&self, side: &str) -> Option<&Process> {
        let rival = || self.rivals.get(side).map(|(_, process, _)| process);
        let tollgate = self.tollgates.get(side);
        tollgate.map(|it| &it.process).or_else(rival)
    }

    /// Where a side is called for a cell, and with what.
    ///
    /// # Errors
    /// There is no such side, or the body cannot be written.
    pub fn called(&self, side: &str, scenario: &Scenario, cell: &Asked) -> anyhow::Result<Called> {
        let is_ours = self.tollgates.contains_key(side);
        let (callee, form) = match is_ours {
            true => (Callee::Tollgate, "ours"),
            false => (Callee::BackEnd, "back-end"),
        };
        let call = scenario.call(callee, cell.message_bytes, cell.delay_ms);
        let (address, target, headers) = match (self.tollgates.get(side), self.rivals.get(side)) {
            _ if side == DIRECT => (self.upstream, call.target, key()),
            (Some(tollgate), _) => (tollgate.gateway, call.target, key()),
            (_, Some((rival, _, address))) => {
                let sent = rival.request(&call.target);
                (*address, sent.target, sent.headers)
            }
            _ => anyhow::bail!("there is no side {side:?}"),
        };
        let body = call.body.map(|body| {
            let (scenario, bytes) = (&cell.scenario, cell.message_bytes);
            let name = format!("{scenario}-{bytes}-{form}");
            let path = self.sent.path().join(name);
            self.load.write(path.clone(), body)?;
            anyhow::Ok(path)
        });
        Ok(Called {
            address,
            request: Request {
                method: scenario.method.clone(),
                target,
                headers: headers.into_iter().chain(call.headers).collect(),
                body: body.transpose()?,
            },
            expect: call.expect,
            keys: match is_ours {
                true => self.sent.path().join(side).join(KEYS),
                false => self.sent.path().join(KEYS),
            },
        })
    }
}

/// The key's field, as Tollgate takes it; sent to the back end too: both get the same bytes.
pub(crate) fn key() -> Vec<(String, String)> {
    vec![("apikey".to_owned(), "{value}".to_owned())]
}

/// Starts the back end; where it listens.
pub(crate) fn back_end(host: &Host) -> anyhow::Result<(Process, SocketAddr)> {
    let mut command = Command::new(std::env::current_exe().context("finding the lab itself")?);
    let any_port = SocketAddr::from((host.address, 0));
    command.args(["back-end", "--listen", &any_port.to_string()]);
    let mut process = host.start("back end", &command)?;
    let address = process.until(START, |line| line.strip_prefix("listening ")?.parse().ok())?;
    Ok((process, address))
}

/// Keys in random order, one a line.
fn listed(keys: &[String]) -> String {
    shuffled(keys.to_vec()).join("\n") + "\n"
}

/// In random order, the same each time (Fisher and Yates, over xorshift).
fn shuffled(mut keys: Vec<String>) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for at in (1..keys.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = state % (at as u64 + 1);
        keys.swap(at, usize::try_from(other).expect("less than a length"));
    }
    keys
}
