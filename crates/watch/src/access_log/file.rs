//! The file of the log: opened for appending, rotated by size and day, opened again when its path
//! has become another file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// Path that means standard output.
const STANDARD_OUTPUT: &str = "-";
/// Readable by the owner and its group.
const MODE: u32 = 0o640;
/// Interval between two attempts to rotate.
const PATIENCE: Duration = Duration::from_secs(60);
const DAY_S: u64 = 86_400;

/// The log cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be opened.
    #[error("access_log.file: cannot open {path}")]
    File {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There can be no thread.
    #[error("access_log.file: cannot start its thread")]
    Thread(#[source] io::Error),
}

/// Where lines are written to.
#[derive(Debug)]
pub(super) enum Destination {
    /// Standard output.
    Output(File),
    /// A file, or a FIFO.
    File(LogFile),
}

/// A file with a path.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    rotate_bytes: u64,
    keep: u32,
    /// When rotating failed last, while it fails.
    tried: Option<Instant>,
    /// `None` while it cannot be opened.
    open: Option<OpenFile>,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    /// Its size; 0 for a FIFO.
    bytes: u64,
    /// The day of its last line, in days of UTC since 1970.
    day: u64,
    is_regular: bool,
    device_and_inode: (u64, u64),
}

impl Destination {
    /// Opens a path, or standard output.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub(super) fn open(path: &Path, rotate_bytes: u64, keep: u32) -> Result<Self, OpenError> {
        let failed = |source| OpenError::File {
            path: path.to_owned(),
            source,
        };
        if is_standard_output(path) {
            let output = io::stdout().as_fd().try_clone_to_owned();
            return Ok(Self::Output(output.map_err(failed)?.into()));
        }
        let open = OpenFile::open(path).map_err(failed)?;
        Ok(Self::File(LogFile {
            path: path.to_owned(),
            rotate_bytes,
            keep,
            tried: None,
            open: Some(open),
        }))
    }

    /// Prepares to write `bytes`: rotates the file if it is full or of an earlier day, and opens it
    /// if it is not open. A file that cannot be rotated is used further. Returns whether lines go
    /// to a new file now.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub(super) fn prepare(&mut self, bytes: usize) -> io::Result<bool> {
        match self {
            Self::Output(_) => Ok(false),
            Self::File(file) => file.prepare(bytes as u64),
        }
    }

    /// Writes some bytes, and returns their number.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::WouldBlock`] if a FIFO is full.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Output(output) => output.write(bytes),
            Self::File(LogFile {
                open: Some(open), ..
            }) => open.write(bytes),
            Self::File(_) => Err(ErrorKind::NotFound.into()),
        }
    }

    /// Opens the file again. Keeps the open one if that fails.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        match self {
            Self::Output(_) => Ok(()),
            Self::File(file) => {
                file.open = Some(OpenFile::open(&file.path)?);
                Ok(())
            }
        }
    }

    /// Waits until a full FIFO has room, at most `patience`.
    pub(super) fn wait_for_room(&self, patience: Duration) {
        let file = match self {
            Self::Output(file) => Some(file),
            Self::File(file) => file.open.as_ref().map(|it| &it.file),
        };
        let Some(file) = file else { return };
        let patience = Timespec::try_from(patience).ok();
        // An error of the file is found by the next write.
        let _ = poll(&mut [PollFd::new(file, PollFlags::OUT)], patience.as_ref());
    }

    /// Closes a FIFO that nobody reads any more, to open it again.
    pub(super) fn close(&mut self) {
        if let Self::File(file) = self {
            file.open = None;
        }
    }

    /// Follows changes from outside: a path that is missing, or another file, is opened again, as
    /// is one that could not be opened, and the size of a file that was truncated is read. Returns
    /// whether lines go to a new or truncated file now.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub(super) fn follow(&mut self) -> io::Result<bool> {
        let Self::File(file) = self else {
            return Ok(false);
        };
        let Some(open) = &mut file.open else {
            file.open = Some(OpenFile::open(&file.path)?);
            return Ok(true);
        };
        let found = fs::metadata(&file.path).ok();
        if found.as_ref().map(device_and_inode) == Some(open.device_and_inode) {
            let bytes = found.filter(|_| open.is_regular).map(|it| it.len());
            let was_cut = bytes.is_some_and(|bytes| bytes < open.bytes);
            open.bytes = bytes.unwrap_or_default();
            return Ok(was_cut);
        }
        match OpenFile::open(&file.path) {
            Ok(open) => file.open = Some(open),
            // It was renamed.
            Err(_) if open.has_name() => return Ok(false),
            Err(error) => {
                file.open = None;
                return Err(error);
            }
        }
        Ok(true)
    }
}

impl LogFile {
    fn prepare(&mut self, bytes: u64) -> io::Result<bool> {
        let Some(open) = &self.open else {
            self.open = Some(OpenFile::open(&self.path)?);
            return Ok(true);
        };
        let is_full = open.bytes + bytes > self.rotate_bytes;
        let has_lines = open.is_regular && open.bytes > 0;
        let is_due = self.rotate_bytes > 0 && has_lines && (is_full || open.day != today());
        let was_tried = self.tried.is_some_and(|it| it.elapsed() < PATIENCE);
        if !is_due || was_tried {
            return Ok(false);
        }
        self.tried = None;
        match self.rotate().and_then(|()| OpenFile::open(&self.path)) {
            Ok(open) => {
                self.open = Some(open);
                Ok(true)
            }
            Err(error) if open.has_name() => {
                tracing::warn!(%error, "access log: cannot be rotated, and grows: {error}");
                self.tried = Some(Instant::now());
                Ok(false)
            }
            Err(error) => {
                self.open = None;
                Err(error)
            }
        }
    }

    /// Renames the file to `PATH.1`, after its predecessors up to the first missing number were
    /// renamed to the next one each; the oldest is removed. Does nothing without the file: an
    /// earlier attempt renamed it.
    fn rotate(&self) -> io::Result<()> {
        if !self.path.try_exists()? {
            return Ok(());
        }
        let numbered = |number: u32| {
            let mut path = self.path.clone().into_os_string();
            path.push(format!(".{number}"));
            PathBuf::from(path)
        };
        if self.keep == 0 {
            return fs::remove_file(&self.path);
        }
        let is_there = |number: &u32| numbered(*number).symlink_metadata().is_ok();
        let kept = (1..self.keep).take_while(is_there).count();
        for number in (1..=kept as u32).rev() {
            fs::rename(numbered(number), numbered(number + 1))?;
        }
        fs::rename(&self.path, numbered(1))
    }
}

impl OpenFile {
    /// Opens a path for appending; creates a missing file. A FIFO must have a reader.
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(MODE)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path)
            .map_err(|error| match error.raw_os_error() {
                Some(code) if code == Errno::NXIO.raw_os_error() => {
                    io::Error::other("it is a FIFO that nobody reads")
                }
                _ => error,
            })?;
        let found = file.metadata()?;
        let is_regular = found.file_type().is_file();
        if !is_regular && !found.file_type().is_fifo() && !found.file_type().is_char_device() {
            return Err(io::Error::other("it is neither a file nor a FIFO"));
        }
        let mut file = file;
        if is_regular && !ends_with_line(path, found.len()) {
            // A line that was being written when the process was killed.
            let _ = file.write(b"\n");
        }
        let changed = found.modified().unwrap_or(UNIX_EPOCH);
        Ok(Self {
            bytes: if is_regular { found.len() } else { 0 },
            day: day_of(changed),
            is_regular,
            device_and_inode: device_and_inode(&found),
            file,
        })
    }

    /// Whether it still has a path.
    fn has_name(&self) -> bool {
        self.file.metadata().is_ok_and(|found| found.nlink() > 0)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        if self.is_regular {
            self.bytes += count as u64;
            self.day = today();
        }
        Ok(count)
    }
}

/// Whether a path means standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path == Path::new(STANDARD_OUTPUT)
}

/// Whether a file of so many bytes is empty, or ends with a line break; true if it cannot be read.
fn ends_with_line(path: &Path, bytes: u64) -> bool {
    let mut last = [b'\n'];
    if bytes > 0 {
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut last, bytes - 1));
        return read.is_err() || last == *b"\n";
    }
    true
}

fn device_and_inode(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

fn today() -> u64 {
    day_of(SystemTime::now())
}

fn day_of(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() / DAY_S
}
