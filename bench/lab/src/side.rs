//! The sides of a comparison: the back end called directly, Tollgate in front of it, and rivals in
//! front of it. A stage is all that run at once.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::control::AMOUNT;
use crate::credential::Credential;
use crate::host::{Folder, Host};
use crate::https::{self, Https};
use crate::identity::{self, Identity};
use crate::load::{Expect, Request, Tls};
use crate::process::Process;
use crate::profile::{PlannedCell, Profile};
use crate::rival::{Place, Rival};
use crate::scenario::{Callee, Scenario};
use crate::tollgate::{Start, Tollgate};
use crate::topology::Topology;
use crate::world::World;

mod carried;

const START: Duration = Duration::from_secs(60);

/// The file with the keys that rivals accept.
const KEYS: &str = "keys";

/// The inputs of a stage.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The sides, in the order of a turn.
    pub sides: &'a [String],
    /// The scenarios to call.
    pub scenarios: &'a BTreeMap<String, Scenario>,
    /// The rivals that can be started.
    pub rivals: &'a [Rival],
    /// The binaries of the sides that are Tollgate.
    pub binaries: &'a BTreeMap<String, PathBuf>,
    /// Placement of the parts.
    pub topology: &'a Topology,
    /// Settings of Tollgate and the world of each side.
    pub profile: &'a Profile,
    /// Aborts the start when set.
    pub stop: &'a AtomicBool,
}

/// All processes that run while cells are measured.
#[derive(Debug)]
pub struct Stage {
    /// The back end.
    pub back_end: BackEnd,
    /// The sides that are Tollgate: this build, and another one if two are compared.
    pub tollgates: BTreeMap<String, Tollgate>,
    rivals: BTreeMap<String, (Rival, Process, SocketAddr)>,
    world: World,
    load: Host,
    sent: Folder,
    // Declared last, so it is removed after the processes that write there have exited.
    _written: Folder,
}

/// The back end behind all sides, with and without TLS.
#[derive(Debug)]
pub struct BackEnd {
    /// Its process.
    pub process: Process,
    /// Its listen address.
    plain: SocketAddr,
    /// Its listen address for TLS.
    secure: SocketAddr,
    _certificate: Folder,
}

/// The address of a side, and the request.
#[derive(Debug)]
pub struct Called {
    /// Listen address of the side.
    pub address: SocketAddr,
    /// TLS configuration, if the side uses TLS.
    pub tls: Option<Tls>,
    /// The request to send.
    pub request: Request,
    /// A file with the callers' credentials, one per line, in random order.
    pub values: PathBuf,
    /// The expected response.
    pub expect: Expect,
}

/// A load at a fixed rate that accompanies a measurement: token requests, or calls with forged
/// tokens.
#[derive(Debug)]
pub struct BackgroundLoad {
    /// Kind of the tokens.
    pub kind: Credential,
    /// Requests per second.
    pub per_second: u32,
    /// Address and request.
    pub called: Called,
}

impl Stage {
    /// Starts everything for a world.
    ///
    /// # Errors
    /// Fails if a process does not start, or if the run is stopped.
    pub fn build(plan: &Plan<'_>, world: World) -> anyhow::Result<Self> {
        let Topology { gateway, load, .. } = plan.topology;
        let (written, sent) = (gateway.folder()?, load.folder()?);
        let identity = Identity::make(&[gateway.address, plan.topology.back_end.address])?;
        load.write(authority(&sent), identity.authority.clone())?;
        let back_end = BackEnd::start(&plan.topology.back_end, &identity)?;
        let mut tollgates = BTreeMap::new();
        for side in plan
            .sides
            .iter()
            .filter(|side| plan.binaries.contains_key(*side))
        {
            let directory = written.path().join(side);
            let its_world = plan.profile.world_of(side, world);
            let tollgate = plan.tollgate(side, &identity, &back_end, &directory, its_world)?;
            tollgates.insert(side.clone(), tollgate);
        }
        let ours = https::ours(|side| tollgates.contains_key(side));
        let made = tollgates
            .get(ours)
            .map(|it| it.credentials.of(Credential::ApiKey));
        let keys = match made {
            Some(keys) if !keys.is_empty() => keys.to_vec(),
            _ => (0..world.keys).map(|key| format!("key-{key}")).collect(),
        };
        load.write(sent.path().join(KEYS), carried::listed(&keys))?;
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
                upstream: back_end.address(rival.https().has_back_end()),
                keys: &keys,
                limit_per_minute: None,
                directory: &written.path().join(&rival.name),
                identity: Some(&identity),
            };
            let process = rival.start(&place, gateway)?;
            rivals.insert(rival.name.clone(), (rival.clone(), process, listen));
        }
        let stage = Self {
            back_end,
            tollgates,
            rivals,
            world,
            load: load.clone(),
            sent,
            _written: written,
        };
        for side in stage.tollgates.keys() {
            stage.write_credentials(side, plan.scenarios)?;
        }
        Ok(stage)
    }

    /// Returns the process in front of the back end; `None` if the side is the back end itself.
    #[must_use]
    pub fn gateway(&self, side: &str) -> Option<&Process> {
        let rival = || self.rivals.get(side).map(|(_, process, _)| process);
        let tollgate = self.tollgates.get(side);
        tollgate.map(|it| &it.process).or_else(rival)
    }

    /// Returns the address of a side and the request for a cell in a turn.
    ///
    /// # Errors
    /// Fails if there is no such side, or if the body cannot be written.
    pub fn called(
        &self,
        side: &str,
        scenario: &Scenario,
        cell: &PlannedCell,
        turn: u32,
    ) -> anyhow::Result<Called> {
        let is_ours = self.tollgates.contains_key(side);
        let (callee, form) = match is_ours {
            true => (Callee::Tollgate, "ours"),
            false => (Callee::BackEnd, "back-end"),
        };
        let call = scenario
            .call(callee, cell.message_bytes, cell.delay_ms)
            .in_turn(turn);
        let rival = self.rivals.get(side);
        let is_secure = match (self.tollgates.get(side), rival) {
            (Some(tollgate), _) => tollgate.https.is_some(),
            (_, Some((rival, ..))) => rival.https().has_callers(),
            _ => Https::of_side(side).is_some_and(Https::has_callers),
        };
        // Sent to the back end, too, so both receive the same bytes.
        let carried = vec![scenario.carries.field()];
        let (address, target, headers) = match (self.tollgates.get(side), rival) {
            _ if https::is_direct(side) => (self.back_end.address(is_secure), call.target, carried),
            (Some(tollgate), _) => {
                let address = tollgate.https.unwrap_or(tollgate.gateway);
                (address, call.target, carried)
            }
            (_, Some((rival, _, address))) => {
                let sent = rival.request(&call.target);
                (*address, sent.target, sent.headers)
            }
            _ => anyhow::bail!("no side is named {side:?}"),
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
            tls: is_secure.then(|| Tls {
                server_name: identity::NAME.to_owned(),
                trusted: authority(&self.sent),
                resumes: false,
            }),
            request: Request {
                method: scenario.method.clone(),
                target,
                headers: headers.into_iter().chain(call.headers).collect(),
                body: body.transpose()?,
            },
            expect: call.expect,
            values: self.values(side, &cell.scenario),
        })
    }
}

impl Plan<'_> {
    /// Starts a side that is Tollgate, with the certificate, the back end and a folder of its own.
    /// An older build uses TLS where the main side of the run does.
    fn tollgate(
        &self,
        side: &str,
        identity: &Identity,
        back_end: &BackEnd,
        directory: &Path,
        world: World,
    ) -> anyhow::Result<Tollgate> {
        let ours = https::ours(|side| self.sides.iter().any(|it| it == side));
        let https = Https::of_side(side)
            .or_else(|| Https::of_side(ours))
            .unwrap_or_default();
        let (host, certificates) = (&self.topology.gateway, directory.join("certificates"));
        if https.has_callers() {
            for (name, text) in identity.files() {
                let file = match name {
                    identity::AUTHORITY => directory.join(name),
                    _ => certificates.join(name),
                };
                host.write(file, text.to_owned())?;
            }
        }
        let start = Start {
            binary: &self.binaries[side],
            host,
            directory,
            upstream: back_end.address(https.has_back_end()),
            authority: https.has_back_end().then_some(identity.authority.as_str()),
            certificates: https.has_callers().then_some(certificates.as_path()),
            amount: AMOUNT,
            settings: self.profile.settings_of(side),
            restarts: self.profile.restarts,
            stop: self.stop,
        };
        Tollgate::start(start, world, self.scenarios)
    }
}

impl BackEnd {
    /// Starts the back end with this certificate.
    pub(crate) fn start(host: &Host, identity: &Identity) -> anyhow::Result<Self> {
        let folder = host.folder()?;
        let [certificate, key] =
            [identity::CERTIFICATE, identity::KEY].map(|name| folder.path().join(name));
        host.write(certificate.clone(), identity.certificate.clone())?;
        host.write(key.clone(), identity.key.clone())?;
        let lab = std::env::current_exe().context("finding the lab itself")?;
        let any_port = SocketAddr::from((host.address, 0)).to_string();
        let mut command = Command::new(lab);
        command.args([
            "back-end",
            "--listen",
            &any_port,
            "--https-listen",
            &any_port,
        ]);
        command.arg("--certificate").arg(certificate);
        command.arg("--key").arg(key);
        let mut process = host.start("back end", &command)?;
        let mut listening_on =
            |what| process.until(START, |line| line.strip_prefix(what)?.parse().ok());
        let (plain, secure) = (
            listening_on("listening ")?,
            listening_on("listening for TLS ")?,
        );
        Ok(Self {
            process,
            plain,
            secure,
            _certificate: folder,
        })
    }

    /// Returns its listen address, for TLS or without.
    pub(crate) const fn address(&self, is_secure: bool) -> SocketAddr {
        match is_secure {
            true => self.secure,
            false => self.plain,
        }
    }
}

/// Returns the file with the authority that the generator trusts.
fn authority(sent: &Folder) -> PathBuf {
    sent.path().join(identity::AUTHORITY)
}
