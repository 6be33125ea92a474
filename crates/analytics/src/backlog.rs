//! What a start finds in the spool that is not in the cubes, and what of the last process is in
//! neither.

use std::path::Path;
use std::sync::Arc;

use tollgate_spool::{Depth, Named, Segment, Spool, Summary, list, summarize};

use crate::MINUTE_US;
use crate::losses::{Loss, Reason};
use crate::reached::Reached;
use crate::replay::Replay;
use crate::upgrade::EVERYTHING;

/// How long after it ended a call is in the file of the spool.
const SPOOLED_US: i64 = 1_000_000;
/// How long a process can have run after the last block of its calls, if there were more of them.
const UNSPOOLED_US: i64 = 2 * SPOOLED_US;

/// What a start finds.
pub(crate) struct Backlog {
    /// Reads the calls that are not in the cubes.
    pub(crate) replay: Replay,
    /// Number of these calls, or more.
    pub(crate) calls: u64,
    /// How far epochs are in the cubes.
    reached: Vec<Reached>,
    /// Epochs that are counted in the tables of earlier releases.
    pub(crate) counted_before: Vec<u64>,
    /// The arrival of the first call of the spool, Unix microseconds.
    first_us: Option<i64>,
    /// The last segment with calls.
    last: Option<Summary>,
}

impl Backlog {
    /// Looks at the segments that earlier processes have left. `known` is how far their epochs are
    /// in the cubes.
    pub(crate) fn find(spool: &Arc<Spool>, known: Vec<Reached>) -> Self {
        let mut earlier = Segments::of(spool);
        let counted = known.iter().filter(|it| it.next == EVERYTHING);
        let counted_before = counted.map(|it| it.epoch).collect();
        let last = earlier.last_with_calls();
        let first_us = first_us(spool.folder());
        earlier.segments.retain(|it| {
            let reached = known.iter().find(|known| known.epoch == it.epoch);
            reached.is_none_or(|reached| it.next.is_none_or(|next| reached.first < next))
        });
        let calls = earlier.segments.iter().map(|it| it.calls(&known)).sum();
        let segments = earlier.segments.into_iter().map(|it| it.named).collect();
        Self {
            replay: Replay::new(Arc::clone(spool), segments, known.clone()),
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
            Reason::RingFull
            | Reason::BacklogFull
            | Reason::SpoolBehind
            | Reason::SpoolDamaged
            | Reason::SpoolFull => {}
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
            let mut reached = self.reached.iter();
            // Calls that were handed to the spool are not in its file.
            let is_behind = reached.any(|it| it.epoch == last.header.epoch && it.next > last.next);
            let flushed_us = if is_behind { i64::MIN } else { loss.from_us };
            let known_us = last.written_us.max(flushed_us) - SPOOLED_US;
            loss.to_us = loss.to_us.max(last.written_us + UNSPOOLED_US);
            loss.from_us = known_us.min(loss.to_us);
        } else if let Some(open) = self.reached.iter().map(|it| it.open).max() {
            // Its minutes are in neither.
            loss.from_us = (open.saturating_mul(MINUTE_US)).min(loss.from_us).max(0);
        }
    }
}

/// A segment that an earlier process has left.
struct Earlier {
    named: Named,
    epoch: u64,
    first: u64,
    /// Number of the call after its last one; `None` if the next segment does not show it.
    next: Option<u64>,
}

impl Earlier {
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
struct Segments {
    segments: Vec<Earlier>,
}

impl Segments {
    fn of(spool: &Spool) -> Self {
        let mut segments = Vec::<Earlier>::new();
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
            segments.push(Earlier {
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

/// Returns from when on a spool has all calls, Unix microseconds: the arrival of the first one, or,
/// once segments were removed, when the first one that is left was begun. `None` without calls.
pub(crate) fn first_us(folder: &Path) -> Option<i64> {
    named(folder).iter().find_map(|named| {
        let mut segment = Segment::open(&named.path).ok()?;
        let head = segment.next_head().ok()??;
        Some(match named.sequence {
            0 => head.from_us,
            _ => segment.header().created_us.max(head.from_us),
        })
    })
}

/// Returns the epochs that earlier processes have left in a spool.
pub(crate) fn epochs_before(spool: &Spool) -> Vec<u64> {
    let named = named(spool.folder());
    let segments = named.iter().filter_map(|it| Segment::open(&it.path).ok());
    let mut epochs: Vec<_> = segments.map(|it| it.header().epoch).collect();
    epochs.retain(|epoch| *epoch != spool.epoch());
    epochs.dedup();
    epochs
}

/// The segments of a folder; none if it cannot be read, which the spool reports.
fn named(folder: &Path) -> Vec<Named> {
    list(folder).unwrap_or_default()
}
