//! A machine with a part of a run: this one, or a remote one, on which a command such as `ssh`
//! starts `tollgate-lab host` and connects its standard streams.
//!
//! `hand` carries out errands on the machine itself, `link` sends them to a remote machine, `serve`
//! handles them there.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::kept::Machine;
use crate::machine::Time;
use crate::process::{Order, Process, here};

use hand::{Errand, Hand};
use link::Link;

mod hand;
mod link;
mod serve;

pub use serve::serve;

/// A machine, as seen by a part of a run.
#[derive(Debug, Clone)]
pub struct Host {
    /// The address at which other parts reach it.
    pub address: IpAddr,
    /// The cores that the part may use.
    pub cores: Vec<u32>,
    reach: Reach,
}

#[derive(Debug, Clone)]
enum Reach {
    Here(Arc<Hand>),
    There(Arc<Link>),
}

/// A folder on a host; dropping this removes it with its contents.
#[derive(Debug)]
pub struct Folder {
    host: Host,
    path: PathBuf,
}

impl Host {
    /// Returns this machine, with all cores that this process may use; must be called before
    /// pinning.
    ///
    /// # Errors
    /// Fails if the kernel does not report the cores.
    pub fn here() -> anyhow::Result<Self> {
        let reach = Reach::Here(Arc::default());
        Self::with(Ipv4Addr::LOCALHOST.into(), reach)
    }

    /// Connects to another machine: `words`, such as `ssh` and a host name, followed by a command
    /// must run the command there. The lab must have the same path there as here.
    ///
    /// # Errors
    /// Fails if the machine cannot be reached.
    pub fn there(address: IpAddr, words: &[String]) -> anyhow::Result<Self> {
        Self::with(address, Reach::There(Link::new(address, words)?))
    }

    fn with(address: IpAddr, reach: Reach) -> anyhow::Result<Self> {
        let mut host = Self {
            address,
            cores: Vec::new(),
            reach,
        };
        host.cores = host.run(Errand::Cores)?;
        Ok(host)
    }

    /// Returns the same machine for a part with another address and these cores.
    #[must_use]
    pub fn at(&self, address: IpAddr, cores: Vec<u32>) -> Self {
        Self {
            address,
            cores,
            reach: self.reach.clone(),
        }
    }

    /// Returns an address of the machine; `None` if this process runs on it.
    #[must_use]
    pub fn machine(&self) -> Option<IpAddr> {
        match &self.reach {
            Reach::Here(_) => None,
            Reach::There(link) => Some(link.address()),
        }
    }

    /// Keeps the processes that observe a run on the machine off these cores from now on.
    ///
    /// # Errors
    /// Fails if the kernel rejects it.
    pub fn keep_off(&self, cores: &[u32]) -> anyhow::Result<()> {
        self.run(Errand::KeepOff(cores.to_vec()))
    }

    /// Starts a command on its cores.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn start(&self, name: &str, command: &Command) -> anyhow::Result<Process> {
        let order = Order::new(command, &self.cores)?;
        match &self.reach {
            Reach::Here(_) => {
                let (held, lines) = here::start(&order)?;
                Ok(Process::new(name, lines, Box::new(held)))
            }
            Reach::There(link) => {
                let (held, lines) = link::start(link, order)?;
                Ok(Process::new(name, lines, Box::new(held)))
            }
        }
    }

    /// Returns its address with a port that was free a moment ago.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn free_address(&self) -> anyhow::Result<SocketAddr> {
        let port: u16 = self.run(Errand::FreePort(self.address))?;
        Ok(SocketAddr::from((self.address, port)))
    }

    /// Creates a folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn folder(&self) -> anyhow::Result<Folder> {
        Ok(Folder {
            path: self.run(Errand::MakeFolder)?,
            host: self.clone(),
        })
    }

    /// Writes a file and creates its parent folders.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or is outside the run's folders.
    pub fn write(&self, path: PathBuf, text: String) -> anyhow::Result<()> {
        self.run(Errand::Write { path, text })
    }

    /// Returns the text of a file, invalid UTF-8 replaced; `None` if the file does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is outside the run's folders.
    pub fn read(&self, path: PathBuf) -> anyhow::Result<Option<String>> {
        self.run(Errand::Read(path))
    }

    /// Returns the SHA-256 of a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn digest(&self, path: PathBuf) -> anyhow::Result<String> {
        self.run(Errand::Digest(path))
    }

    /// Describes the machine.
    ///
    /// # Errors
    /// Fails if the machine does not respond.
    pub fn describe(&self) -> anyhow::Result<Machine> {
        self.run(Errand::Machine)
    }

    /// Returns its load average over a minute.
    ///
    /// # Errors
    /// Fails if the machine does not respond.
    pub fn load_average(&self) -> anyhow::Result<f64> {
        self.run(Errand::LoadAverage)
    }

    /// Returns the accumulated time of its cores.
    ///
    /// # Errors
    /// Fails if the machine does not respond, or if its kernel does not report it.
    pub fn time(&self) -> anyhow::Result<Time> {
        self.run(Errand::Time)
    }

    /// Checks that a process there can have this many connections.
    ///
    /// # Errors
    /// Fails if it cannot, with a message about what to change.
    pub fn check(&self, connections: u32) -> anyhow::Result<()> {
        self.run(Errand::Check(connections))
    }

    fn run<T: DeserializeOwned>(&self, errand: Errand) -> anyhow::Result<T> {
        let answer = match &self.reach {
            Reach::Here(hand) => hand.run(errand)?,
            Reach::There(link) => link.run(errand)?,
        };
        Ok(serde_json::from_value(answer)?)
    }
}

impl Folder {
    /// Returns its path on the host.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Otherwise it is removed with the host's other folders.
        let _ = self.host.run::<()>(Errand::RemoveFolder(self.path.clone()));
    }
}
