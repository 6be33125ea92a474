//! A small disk for the data of one process: a tmpfs in its own mount namespace. It can be filled
//! without harm to the machine, and disappears with the process.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use anyhow::bail;

/// Mounts a disk of `$2` bytes at `$1`, and then runs the rest of the arguments.
const MOUNTED: &str = "mkdir -p \"$1\" && mount -t tmpfs -o size=\"$2\",mode=0700 tollgate \"$1\" \
    && shift 2 && exec \"$@\"";
/// The file that fills it up.
const FILLER: &str = "filler";

/// The configuration of a disk.
#[derive(Debug, Clone, Copy)]
pub struct Disk {
    bytes: u64,
    /// Options of unshare(1): as root, or as any user in a user namespace.
    namespaces: &'static str,
}

impl Disk {
    /// Configures a disk of this size.
    ///
    /// # Errors
    /// Returns why no disk can be mounted on this machine.
    pub fn of(bytes: u64) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut refused = String::new();
        for namespaces in ["-m", "-rm"] {
            let disk = Self { bytes, namespaces };
            let attempt = disk.mounted_at(folder.path(), "true").output();
            match attempt {
                Ok(attempt) if attempt.status.success() => return Ok(disk),
                attempt => refused = failure_of(attempt),
            }
        }
        Err(refused)
    }

    /// Prepares a program that finds the disk mounted at `path`; the caller adds its arguments.
    pub(crate) fn mounted_at(&self, path: &Path, program: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args([self.namespaces, "sh", "-c", MOUNTED, "sh"])
            .arg(path)
            .arg(self.bytes.to_string())
            .arg(program);
        command
    }

    /// Writes a file until there is no room left for a byte.
    pub(crate) fn fill(&self, path: &Path) -> anyhow::Result<()> {
        let mut filler = File::create(path.join(FILLER))?;
        let mut written = 0;
        for piece in [&[0; 65_536][..], &[0; 1]] {
            loop {
                match filler.write(piece) {
                    Ok(count) => written += count as u64,
                    Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                    Err(error) => return Err(error.into()),
                }
                if written > self.bytes {
                    bail!("{} is not the disk of {} bytes", path.display(), self.bytes);
                }
            }
        }
        Ok(())
    }

    /// Removes that file.
    pub(crate) fn make_room(path: &Path) -> anyhow::Result<()> {
        Ok(fs::remove_file(path.join(FILLER))?)
    }
}

fn failure_of(attempt: io::Result<Output>) -> String {
    match attempt {
        Ok(attempt) => {
            let stderr = String::from_utf8_lossy(&attempt.stderr);
            stderr.lines().collect::<Vec<_>>().join(" ")
        }
        Err(error) => format!("unshare: {error}"),
    }
}
