//! What is done between blocks: new segments, bounds, merges, and what is found damaged on the way.

use std::fs;
use std::time::Duration;

use super::{Open, Writer, now_us};
use crate::damage::{Damage, ReadError};
use crate::gap::{Gap, GapReason};
use crate::merge::{Merge, Progress};
use crate::queue::lock;
use crate::segment::{Header, Summary};

/// A segment ends after this time.
const SEGMENT_TIME: Duration = Duration::from_secs(3_600);
/// Percent of the bytes at which an operator is warned.
const WARN_AT: u64 = 80;

impl Writer {
    /// Does what is due each second.
    pub(super) fn keep_up(&mut self) {
        self.find_removed();
        self.set_reported_aside();
        self.synchronize();
        self.end_full_segment();
        self.remove_old();
    }

    /// Waits until the disk has what was written.
    pub(super) fn synchronize(&mut self) {
        let Some(open) = self.open.as_mut().filter(|open| !open.is_synced) else {
            return;
        };
        let synced = open.file.sync_data();
        open.is_synced = synced.is_ok();
        self.failing.sync = synced.is_err();
        self.note_failing(synced.as_ref().err());
    }

    /// Ends the open segment if it is large or old enough.
    pub(super) fn end_full_segment(&mut self) {
        let bytes_max = self.settings.segment_bytes;
        let is_full = |open: &Open| {
            let is_old = open.since.elapsed() >= SEGMENT_TIME;
            open.summary.bytes >= bytes_max || is_old && open.summary.calls > 0
        };
        if !self.open.as_ref().is_some_and(is_full) {
            return;
        }
        self.synchronize();
        let ended = self.open.take().map(|open| open.summary);
        let due = ended.iter().filter(|it| Merge::is_due(it));
        self.merges.extend(due.map(|it| it.named.sequence));
        self.closed.extend(ended);
    }

    /// Removes the oldest segments while a bound is exceeded.
    fn remove_old(&mut self) {
        let kept_us = i64::try_from(self.settings.kept.as_micros()).unwrap_or(i64::MAX);
        let since_us = now_us().saturating_sub(kept_us);
        let (mut early, mut last_us) = (0, i64::MIN);
        while let Some(oldest) = self.closed.front() {
            let is_old = oldest.to_us < since_us;
            if !is_old && !self.is_over() {
                break;
            }
            if let Err(error) = fs::remove_file(&oldest.named.path) {
                tracing::error!(%error, "a segment of the spool could not be removed");
            }
            if !is_old {
                (early, last_us) = (early + oldest.calls, oldest.to_us.max(last_us));
            }
            self.closed.pop_front();
        }
        if early > 0 {
            // One for all that were removed so.
            self.shared.note(Gap {
                reason: GapReason::Full,
                from_us: 0,
                to_us: last_us,
                calls: Some(early),
            });
            tracing::warn!(
                calls = early,
                last_us,
                "the spool is full: {early} calls were removed before their time"
            );
        }
        let (bytes, bytes_max) = (self.bytes(), self.settings.bytes_max);
        if !self.has_warned && bytes > bytes_max / 100 * WARN_AT {
            self.has_warned = true;
            tracing::warn!(
                bytes,
                bytes_max,
                "the spool has {bytes} of at most {bytes_max} bytes: the oldest calls will be \
                 removed before their time"
            );
        }
    }

    fn bytes(&self) -> u64 {
        let open = self.open.as_ref().map(|open| &open.summary);
        self.closed.iter().chain(open).map(|it| it.bytes).sum()
    }

    fn is_over(&self) -> bool {
        let free = rustix::fs::statvfs(&self.settings.folder);
        let free = free.map_or(u64::MAX, |it| it.f_bavail.saturating_mul(it.f_frsize));
        self.bytes() > self.settings.bytes_max || free < self.settings.free_bytes_min
    }

    /// Notes segments that somebody has removed; what would be appended to them is lost.
    fn find_removed(&mut self) {
        let is_gone = |it: &Summary| !it.named.path.exists();
        let mut gone: Vec<_> = Vec::new();
        if let Some(open) = self.open.take_if(|open| is_gone(&open.summary)) {
            gone.push(open.summary);
        }
        let kept = self.closed.drain(..).filter(|it| {
            let is_gone = is_gone(it);
            if is_gone {
                gone.push(it.clone());
            }
            !is_gone
        });
        self.closed = kept.collect();
        for summary in gone {
            let path = summary.named.path.display();
            tracing::error!(%path, calls = summary.calls, "a segment of the spool was removed");
            self.shared.note(gap_of(&summary));
        }
    }

    /// Sets segments aside that somebody could not read.
    fn set_reported_aside(&mut self) {
        let damaged = std::mem::take(&mut *lock(&self.shared.damaged));
        for (sequence, damage) in damaged {
            let found = self.closed.iter().find(|it| it.named.sequence == sequence);
            if let Some(summary) = found.cloned() {
                self.set_aside(&summary, damage, Some(summary.calls));
            }
        }
    }

    /// Merges a part of a segment, if one is due.
    pub(super) fn go_on_merging(&mut self) {
        let Some(mut merge) = self.merge.take().or_else(|| self.begin_merge()) else {
            return;
        };
        match merge.step(&mut self.encoder) {
            Ok(Progress::More) => self.merge = Some(merge),
            Ok(Progress::Done) => {
                let sequence = merge.merged.named.sequence;
                let mut closed = self.closed.iter_mut();
                if let Some(summary) = closed.find(|it| it.named.sequence == sequence) {
                    *summary = merge.merged.clone();
                }
            }
            Err(ReadError::Damaged(damage)) => {
                lock(&self.shared.damaged).push((merge.merged.named.sequence, damage));
                self.set_reported_aside();
            }
            Err(ReadError::Io(error)) => {
                tracing::warn!(%error, "a segment of the spool could not be merged");
            }
        }
    }

    fn begin_merge(&mut self) -> Option<Merge> {
        let sequence = self.merges.pop_front()?;
        // Its time may have come meanwhile.
        let summary = self
            .closed
            .iter()
            .find(|it| it.named.sequence == sequence)?;
        match Merge::begin(summary) {
            Ok(merge) => Some(merge),
            Err(error) => {
                tracing::warn!(%error, "a segment of the spool could not be merged");
                None
            }
        }
    }

    /// Renames a segment, so that it is not read again. `known` is the number of its calls, if its
    /// heads have it.
    pub(super) fn set_aside(&mut self, summary: &Summary, damage: Damage, known: Option<u64>) {
        let path = &summary.named.path;
        let aside = path.with_extension("damaged");
        let gap = self.gap_of_damaged(summary, known);
        let renamed = fs::rename(path, &aside);
        tracing::error!(
            path = %path.display(), aside = %aside.display(), calls = gap.calls,
            "{} {damage}; it is set aside as {}", path.display(), aside.display()
        );
        if let Err(error) = renamed {
            tracing::error!(%error, "the damaged segment of the spool could not be renamed");
        }
        let sequence = summary.named.sequence;
        self.closed.retain(|it| it.named.sequence != sequence);
        self.shared.note(gap);
    }

    /// The calls of a damaged segment, by its neighbours if itself does not have them.
    fn gap_of_damaged(&self, summary: &Summary, known: Option<u64>) -> Gap {
        let sequence = summary.named.sequence;
        let open = self.open.as_ref().map(|open| &open.summary);
        let mut all = self.closed.iter().chain(open);
        let before = all.clone().find(|it| it.named.sequence + 1 == sequence);
        let after = all.find(|it| it.named.sequence == sequence + 1);
        let header = Some(&summary.header).filter(|it| **it != Header::unreadable());
        let begins = header.map(|header| (header.epoch, header.first));
        let begins = begins.or_else(|| before.map(|it| (it.header.epoch, it.next)));
        let calls = begins.zip(after).and_then(|((epoch, first), after)| {
            let is_one = after.header.epoch == epoch;
            after.header.first.checked_sub(first).filter(|_| is_one)
        });
        let from_us = before.map_or(0, |it| it.to_us).max(summary.from_us);
        Gap {
            reason: GapReason::Damaged,
            from_us,
            to_us: after.map_or_else(now_us, |it| it.from_us).max(from_us),
            calls: calls.or(known),
        }
    }
}

/// The calls of a segment that somebody has removed.
fn gap_of(summary: &Summary) -> Gap {
    Gap {
        reason: GapReason::Damaged,
        from_us: summary.from_us,
        to_us: summary.to_us,
        calls: Some(summary.calls),
    }
}
