//! Starts tests from an installation in which the first administrator has already set a password.
//! Its data is created once per build of the program and copied for each test, which is faster than
//! another first start.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread;

use anyhow::{Context as _, anyhow, ensure};

use crate::control::Control;
use crate::process::Builder;

/// The folder beside the program.
const FOLDER: &str = "settled-data";
const LOCK: &str = "lock";

/// Like [`Builder::new`], with data in which the first administrator has set the tests' password.
///
/// # Errors
/// Fails if the program does not start, or a file cannot be copied.
pub fn builder(program: impl AsRef<Path>) -> anyhow::Result<Builder> {
    let program = program.as_ref();
    let beside = program.parent().context("a folder")?.join(FOLDER);
    fs::create_dir_all(&beside)?;
    let settled = beside.join(build_of(&fs::metadata(program)?));
    {
        let lock = File::create(beside.join(LOCK))?;
        lock.lock()?;
        if !settled.exists() {
            remove_others(&beside)?;
            make(program, &settled)?;
        }
    }
    let builder = Builder::new(program)?;
    copy(&settled, &builder.data())?;
    Ok(builder)
}

/// Returns a name for this build of the program.
fn build_of(program: &Metadata) -> String {
    let (seconds, nanos) = (program.mtime(), program.mtime_nsec());
    format!("{}-{seconds}-{nanos}", program.len())
}

/// Removes what belongs to earlier builds, or was not completed.
fn remove_others(beside: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(beside)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn make(program: &Path, settled: &Path) -> anyhow::Result<()> {
    let program = program.to_owned();
    // The test may run on a runtime, which does not nest.
    let made = thread::spawn(move || {
        let tollgate = Builder::new(program)?.start()?;
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(Control::administrator(&tollgate))?;
        let (status, builder) = tollgate.terminate()?;
        ensure!(status.success(), "{status}");
        Ok(builder)
    });
    let builder = made.join().map_err(|_| anyhow!("the start panicked"))??;
    let partial = settled.with_extension("partial");
    copy(&builder.data(), &partial)?;
    Ok(fs::rename(partial, settled)?)
}

/// Copies a folder with all in it, with their permissions.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => fs::copy(entry.path(), to).map(drop)?,
        }
    }
    Ok(())
}
