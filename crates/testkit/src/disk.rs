//! A small disk for the data of one process: a tmpfs in a mount namespace of its own. It can be
//! filled without harm to the machine, and is gone with the process.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use anyhow::bail;

/// Mounts the disk of `$2` bytes at `$1`, and then runs what follows.
const MOUNTED: &str = "mkdir -p \"$1\" && mount -t tmpfs -o size=\"$2\",mode=0700 tollgate \"$1\" \
    && shift 2 && exec \"$@\"";
/// What fills it up.
const FILLER: &str = "filler";

/// How to make the disk.
#[derive(Debug, Clone, Copy)]
pub struct Disk {
    bytes: u64,
    /// Options of unshare(1): as root, or as anybody in a user namespace.
    namespaces: &'static str,
}

impl Disk {
    /// One of so many bytes.
    ///
    /// # Errors
    /// A sentence that says why none can be mounted on this machine.
    pub fn of(bytes: u64) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut refused = String::new();
        for namespaces in ["-m", "-rm"] {
            let disk = Self { bytes, namespaces };
            let tried = disk.mounted_at(folder.path(), "true").output();
            match tried {
                Ok(tried) if tried.status.success() => return Ok(disk),
                tried => refused = because(tried),
            }
        }
        Err(refused)
    }

    /// A program that finds the disk mounted at `path`; its arguments are to be added.
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

fn because(tried: io::Result<Output>) -> String {
    match tried {
        Ok(tried) => {
            let said = String::from_utf8_lossy(&tried.stderr);
            said.lines().collect::<Vec<_>>().join(" ")
        }
        Err(error) => format!("unshare: {error}"),
    }
}
