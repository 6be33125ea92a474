//! The thread that writes the spool: blocks as they come, and in between synchronizes, begins new
//! segments, merges old ones and removes the oldest (`writer/upkeep.rs`).

mod start;
mod upkeep;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::block::{Encoder, Head};
use crate::merge::Merge;
use crate::queue::{Calls, Shared, Work};
use crate::segment::{self, Header, Named, Summary};
use crate::settings::Settings;

/// How often what was written is synchronized, and the bounds are checked.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);
/// Attempts to write a block before the calls are given up, once the spool is closing.
const LAST_TRIES: u32 = 3;

pub(crate) struct Writer {
    settings: Settings,
    shared: Arc<Shared>,
    encoder: Encoder,
    /// The segments before the open one, the oldest first.
    closed: VecDeque<Summary>,
    open: Option<Open>,
    next: Next,
    /// Sequences of segments to merge.
    merges: VecDeque<u64>,
    merge: Option<Merge>,
    upkept: Instant,
    has_warned: bool,
    failing: Failing,
}

/// What failed when it was last tried.
#[derive(Debug, Default)]
struct Failing {
    append: bool,
    sync: bool,
}

/// The segment that is being written.
struct Open {
    file: File,
    summary: Summary,
    since: Instant,
    is_synced: bool,
}

/// What the next segment begins with.
struct Next {
    sequence: u64,
    /// That of the process.
    epoch: u64,
    /// Number of the next call, or less if calls were lost since.
    number: u64,
}

impl Writer {
    /// Reads what is there.
    ///
    /// # Errors
    /// Fails if the folder cannot be created, read or written.
    pub(crate) fn open(settings: Settings, shared: Arc<Shared>) -> io::Result<Self> {
        fs::create_dir_all(&settings.folder)?;
        let named = segment::list(&settings.folder)?;
        let mut writer = Self {
            next: Next {
                sequence: named.last().map_or(0, |last| last.sequence + 1),
                epoch: getrandom::u64().map_err(io::Error::other)?,
                number: 0,
            },
            settings,
            shared,
            encoder: Encoder::new()?,
            closed: VecDeque::new(),
            open: None,
            merges: VecDeque::new(),
            merge: None,
            upkept: Instant::now(),
            has_warned: false,
            failing: Failing::default(),
        };
        writer.remove_unfinished()?;
        writer.take_over(named)?;
        // A folder that cannot be written is reported at the start, not with the first call.
        writer.begin_segment()?;
        Ok(writer)
    }

    /// The epoch of the process.
    pub(crate) fn epoch(&self) -> u64 {
        self.next.epoch
    }

    /// Writes until the spool is closed.
    pub(crate) fn run(mut self) {
        while let Some(work) = self.shared.next(self.pause()) {
            if let Work::Block(block) = work {
                self.store(&block);
            } else {
                self.go_on_merging();
            }
            if self.upkept.elapsed() >= UPKEEP_EVERY {
                self.upkept = Instant::now();
                self.keep_up();
            }
        }
        self.synchronize();
    }

    /// How long to wait for calls before other work.
    fn pause(&self) -> Duration {
        match self.merge.is_some() || !self.merges.is_empty() {
            true => Duration::ZERO,
            false => UPKEEP_EVERY.saturating_sub(self.upkept.elapsed()),
        }
    }

    /// Writes calls as a block. Retries until that succeeds, or the spool is closing.
    fn store(&mut self, block: &Calls) {
        let mut tries = 0;
        loop {
            match self.append(block) {
                Ok(()) => {
                    self.failing.append = false;
                    self.note_failing(None);
                    return self.shared.stored(block.calls.len());
                }
                Err(error) => {
                    self.failing.append = true;
                    self.note_failing(Some(&error));
                }
            }
            self.keep_up();
            tries += 1;
            if self.shared.pause(UPKEEP_EVERY) && tries >= LAST_TRIES {
                return self.shared.give_up(&block.calls);
            }
        }
    }

    /// Notes whether something fails, and logs when that begins and ends.
    fn note_failing(&self, error: Option<&io::Error>) {
        let is_failing = self.failing.append || self.failing.sync;
        let was_failing = self.shared.set_failing(is_failing);
        match error {
            Some(error) if !was_failing => {
                tracing::error!(%error, "the spool cannot be written: calls are kept");
            }
            None if was_failing && !is_failing => tracing::info!("the spool is written again"),
            _ => {}
        }
    }

    fn append(&mut self, block: &Calls) -> io::Result<()> {
        if self.open.is_none() {
            self.begin_segment()?;
        }
        let mut bytes = Vec::new();
        let head = self
            .encoder
            .encode(&block.calls, block.first, now_us(), &mut bytes)?;
        self.write(&head, &bytes)?;
        self.next.number = head.next();
        self.end_full_segment();
        Ok(())
    }

    /// Appends bytes to the open segment; leaves nothing of them if that fails.
    fn write(&mut self, head: &Head, bytes: &[u8]) -> io::Result<()> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if let Err(error) = open.file.write_all(bytes) {
            open.file.set_len(open.summary.bytes)?;
            return Err(error);
        }
        open.summary.add(head);
        open.is_synced = false;
        Ok(())
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let header = Header {
            source: 0,
            epoch: self.next.epoch,
            first: self.next.number,
            created_us: now_us(),
        };
        fs::create_dir_all(&self.settings.folder)?;
        let sequence = self.next.sequence;
        let path = self.settings.folder.join(segment::name(sequence));
        let mut options = OpenOptions::new();
        // A segment is appended to, so a failed write leaves no gap.
        let options = options.append(true).create(true).mode(0o600);
        let mut file = options.open(&path)?;
        file.set_len(0)?;
        file.write_all(&header.to_bytes())?;
        sync_folder(&self.settings.folder)?;
        let named = Named { sequence, path };
        self.open = Some(Open {
            file,
            summary: Summary::new(named, header),
            since: Instant::now(),
            is_synced: false,
        });
        self.next.sequence += 1;
        Ok(())
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Unix microseconds.
fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    })
}
