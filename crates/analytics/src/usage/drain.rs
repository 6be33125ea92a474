//! Takes what the workers have recorded.

use tollgate_spool::GapReason;

use super::{Source, Usage, lock};
use crate::losses::{Loss, Reason};

impl Usage {
    /// Moves the records in the rings to memory and to the spool.
    pub(super) fn drain(&self) {
        self.drain_sources(&mut lock(&self.0.sources));
    }

    pub(super) fn drain_sources(&self, sources: &mut [Box<dyn Source>]) {
        // Watchers see the first calls of a second: of another worker each time.
        if !sources.is_empty() {
            sources.rotate_left(1);
        }
        for source in sources {
            let mut memory = lock(&self.0.memory);
            let mut spool = self.0.spool.recording(source.worker());
            self.0.watchers.show(source.worker(), |show| {
                source.drain(&mut |record| {
                    let number = spool.push(record);
                    memory.content.add(record, number);
                    show(record);
                });
            });
            for overflow in source.overflow() {
                memory.content.add_overflow(&overflow);
            }
        }
        for gap in self.0.spool.gaps() {
            lock(&self.0.memory).content.add_loss(&Loss {
                from_us: gap.from_us,
                to_us: gap.to_us,
                reason: match gap.reason {
                    GapReason::Behind => Reason::SpoolBehind,
                    GapReason::Damaged => Reason::SpoolDamaged,
                    GapReason::Full => Reason::SpoolFull,
                },
                calls: gap.calls,
            });
        }
    }
}
