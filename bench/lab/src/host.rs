//! A machine that a part of a run stands on: this one, or another on which `tollgate-lab host` was
//! started by a command such as `ssh`, and whose standard streams are spoken over.
//!
//! `hand` does what is asked on the machine itself, `link` asks one that is elsewhere, `serve` is
//! what answers there.

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

/// A machine, as a part of a run sees it.
#[derive(Debug, Clone)]
pub struct Host {
    /// Where the other parts reach it.
    pub address: IpAddr,
    /// The cores that the part has there.
    pub cores: Vec<u32>,
    reach: Reach,
}

#[derive(Debug, Clone)]
enum Reach {
    Here(Arc<Hand>),
    There(Arc<Link>),
}

/// A folder on a host, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Folder {
    host: Host,
    path: PathBuf,
}

impl Host {
    /// This machine, with all cores that this process may use: ask before it is pinned.
    ///
    /// # Errors
    /// The kernel does not tell the cores.
    pub fn here() -> anyhow::Result<Self> {
        let reach = Reach::Here(Arc::default());
        Self::with(Ipv4Addr::LOCALHOST.into(), reach)
    }

    /// Another machine: these words, such as `ssh` and its name, and then a command run the command
    /// there. The lab must lie there where it lies here.
    ///
    /// # Errors
    /// It cannot be reached.
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

    /// The same machine, as a part sees it that is reached at this address and has these cores.
    #[must_use]
    pub fn at(&self, address: IpAddr, cores: Vec<u32>) -> Self {
        Self {
            address,
            cores,
            reach: self.reach.clone(),
        }
    }

    /// Which machine it is: an address of it; `None` where this process runs on it.
    #[must_use]
    pub fn machine(&self) -> Option<IpAddr> {
        match &self.reach {
            Reach::Here(_) => None,
            Reach::There(link) => Some(link.address()),
        }
    }

    /// From now on what watches processes there leaves these cores to them.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn keep_off(&self, cores: &[u32]) -> anyhow::Result<()> {
        self.run(Errand::KeepOff(cores.to_vec()))
    }

    /// Starts a command on its cores.
    ///
    /// # Errors
    /// It cannot be started.
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

    /// Its address with a port that was free a moment ago.
    ///
    /// # Errors
    /// There is none.
    pub fn free_address(&self) -> anyhow::Result<SocketAddr> {
        let port: u16 = self.run(Errand::FreePort(self.address))?;
        Ok(SocketAddr::from((self.address, port)))
    }

    /// A new folder.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn folder(&self) -> anyhow::Result<Folder> {
        Ok(Folder {
            path: self.run(Errand::MakeFolder)?,
            host: self.clone(),
        })
    }

    /// Writes a file, and the folders above it.
    ///
    /// # Errors
    /// It cannot be written, or is to lie in none of the run's folders.
    pub fn write(&self, path: PathBuf, text: String) -> anyhow::Result<()> {
        self.run(Errand::Write { path, text })
    }

    /// A file's text, as far as it is text; `None` if there is no such file.
    ///
    /// # Errors
    /// It cannot be read, or lies in none of the run's folders.
    pub fn read(&self, path: PathBuf) -> anyhow::Result<Option<String>> {
        self.run(Errand::Read(path))
    }

    /// SHA-256 of a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn digest(&self, path: PathBuf) -> anyhow::Result<String> {
        self.run(Errand::Digest(path))
    }

    /// What the machine is.
    ///
    /// # Errors
    /// It does not answer.
    pub fn describe(&self) -> anyhow::Result<Machine> {
        self.run(Errand::Machine)
    }

    /// Its load average over a minute.
    ///
    /// # Errors
    /// It does not answer.
    pub fn load_average(&self) -> anyhow::Result<f64> {
        self.run(Errand::LoadAverage)
    }

    /// How its time has gone by.
    ///
    /// # Errors
    /// It does not answer, or its kernel does not tell.
    pub fn time(&self) -> anyhow::Result<Time> {
        self.run(Errand::Time)
    }

    /// Whether a process there can have so many connections.
    ///
    /// # Errors
    /// It cannot; says what to change.
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
    /// Where it lies on its host.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It goes with the host's other folders else.
        let _ = self.host.run::<()>(Errand::RemoveFolder(self.path.clone()));
    }
}
