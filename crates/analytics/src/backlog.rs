//! What a start finds in the spool that is not in the cubes, and what of the last process is in
//! neither.

use std::path::Path;

use tollgate_spool::{Depth, Named, Segment, Spool, Summary, list, summarize};

use crate::MINUTE_US;
use crate::losses::{Loss, Reason};
use crate::reached::Reached;
use crate::replay::Replay;

/// How long after it ended a call is in the file of the spool.
const SPOOLED_US: i64 = 1_000_000;
/// How long a process can have run after the last block of its calls, if there were more of them.
const UNSPOOLED_US: i64 = 2 * SPOOLED_US;
/// Numbers of an epoch that is counted in the tables of earlier releases.
const EVERYTHING: u64 = i64::MAX.cast_unsigned();

/// What a start finds.
pub(crate) struct Backlog {
    /// Reads the calls that are not in the cubes.
    pub(crate) replay: Replay,
    /// Number of these calls, or more.
    pub(crate) calls: u64,
    /// Epochs that are new to the file, and must not be read.
    pub(crate) reached: Vec<Reached>,
    /// Epochs that are counted in the tables of earlier releases.
    pub(crate) counted_before: Vec<u64>,
    /// The arrival of the first call of the spool, Unix microseconds.
    first_us: Option<i64>,
    /// The last segment with calls.
    last: Option<Summary>,
}

impl Backlog {
    /// Looks at the segments that earlier processes have left. `reached` is how far their epochs
    /// are in the cubes; `None` if no release with cubes used the file. In a file that is new,
    /// nothing is counted yet.
    pub(crate) fn find(spool: &Spool, reached: Option<Vec<Reached>>, is_new: bool) -> Self {
        let mut found = Found::of(spool);
        let known = match reached {
            Some(reached) => reached,
            None if is_new => Vec::new(),
            None => {
                let mut epochs: Vec<_> = found.segments.iter().map(|it| it.epoch).collect();
                epochs.dedup();
                let whole = |epoch| Reached::whole(epoch, EVERYTHING);
                epochs.into_iter().map(whole).collect()
            }
        };
        let counted = known.iter().filter(|it| it.next == EVERYTHING);
        let counted_before = counted.map(|it| it.epoch).collect();
        let last = found.last_with_calls();
        let first_us = first_us(spool.folder());
        found.segments.retain(|it| {
            let reached = known.iter().find(|known| known.epoch == it.epoch);
            reached.is_none_or(|reached| it.next.is_none_or(|next| reached.first < next))
        });
        let calls = found.segments.iter().map(|it| it.calls(&known)).sum();
        let segments = found.segments.into_iter().map(|it| it.named).collect();
        Self {
            replay: Replay::new(segments, known.clone()),
            calls,
            reached: known,
            counted_before,
            first_us,
            last,
        }
    }

    /// Corrects a loss by what the spool has of its time.
    pub(crate) fn correct(&self, loss: &mut Loss) {
        match loss.reason {
            Reason::UncleanStop => self.correct_stop(loss),
            // The calls of the spool are counted again.
            Reason::Damaged | Reason::Missing => {
                let first_us = self.first_us.unwrap_or(loss.to_us);
                loss.to_us = first_us.clamp(loss.from_us, loss.to_us);
            }
            Reason::RingFull | Reason::BacklogFull | Reason::SpoolBehind | Reason::SpoolDamaged => {
            }
        }
    }

    /// Corrects what a kill has lost: what the last process had not handed to the spool.
    fn correct_stop(&self, loss: &mut Loss) {
        let Some(last) = &self.last else {
            return;
        };
        let reached = self.reached.iter();
        let mut reached = reached.filter(|it| it.epoch == last.header.epoch);
        let is_whole = reached.all(|it| it.first < last.next || it.first == it.next);
        if is_whole {
            let known_us = last.written_us.max(loss.from_us) - SPOOLED_US;
            loss.to_us = loss.to_us.max(last.written_us + UNSPOOLED_US);
            loss.from_us = known_us.min(loss.to_us);
        } else if let Some(open) = self.reached.iter().map(|it| it.open).max() {
            // Its minutes are in neither.
            loss.from_us = (open.saturating_mul(MINUTE_US)).min(loss.from_us).max(0);
        }
    }
}

/// A segment that an earlier process has left.
struct Left {
    named: Named,
    epoch: u64,
    first: u64,
    /// Number of the call after its last one; `None` if the next segment does not show it.
    next: Option<u64>,
}

impl Left {
    /// The most calls that are not in the cubes.
    fn calls(&self, known: &[Reached]) -> u64 {
        let next = self
            .next
            .unwrap_or_else(|| match summarize(&self.named, Depth::Heads) {
                Ok((summary, _)) => summary.next,
                Err(_) => self.first,
            });
        let reached = known.iter().find(|it| it.epoch == self.epoch);
        let first = reached.map_or(self.first, |it| it.first.max(self.first));
        next.saturating_sub(first)
    }
}

/// The segments that earlier processes have left, the oldest first.
struct Found {
    segments: Vec<Left>,
}

impl Found {
    fn of(spool: &Spool) -> Self {
        let mut segments = Vec::<Left>::new();
        for named in named(spool.folder()) {
            let Ok(segment) = Segment::open(&named.path) else {
                continue;
            };
            let header = segment.header();
            if header.epoch == spool.epoch() {
                continue;
            }
            if let Some(before) = segments.last_mut().filter(|it| it.epoch == header.epoch) {
                before.next = Some(header.first);
            }
            segments.push(Left {
                named,
                epoch: header.epoch,
                first: header.first,
                next: None,
            });
        }
        Self { segments }
    }

    fn last_with_calls(&self) -> Option<Summary> {
        let mut segments = self.segments.iter().rev();
        segments.find_map(|it| {
            let (summary, _) = summarize(&it.named, Depth::Heads).ok()?;
            (summary.calls > 0).then_some(summary)
        })
    }
}

/// Returns the arrival of the first call of a spool, Unix microseconds; `None` if it has none.
pub(crate) fn first_us(folder: &Path) -> Option<i64> {
    named(folder).iter().find_map(|named| {
        let head = Segment::open(&named.path).ok()?.next_head().ok()?;
        head.map(|head| head.from_us)
    })
}

/// Returns the epochs of which a spool has segments.
pub(crate) fn epochs(folder: &Path) -> Vec<u64> {
    let named = named(folder);
    let segments = named.iter().filter_map(|it| Segment::open(&it.path).ok());
    segments.map(|it| it.header().epoch).collect()
}

/// The segments of a folder; none if it cannot be read, which the spool reports.
fn named(folder: &Path) -> Vec<Named> {
    list(folder).unwrap_or_default()
}
