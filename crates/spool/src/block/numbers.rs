//! Finds a call by the number in its worker, without reading the rest of a block.

use std::ops::Range;

use super::{Head, Section};
use crate::columns::unfolded;

/// What a block has of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfWorker {
    /// The number of its first call here. Numbers rise as calls begin; a block has them as they
    /// end, so later blocks have smaller ones too.
    pub first: u64,
    /// The place of the sought call in the block, if it is here.
    pub place: Option<usize>,
}

impl Head {
    /// Where the numbers of workers are in the body, and those of their calls.
    pub(crate) fn numbers_at(&self) -> [Range<usize>; 2] {
        [Section::Workers, Section::Number].map(|section| self.range(section))
    }

    /// Returns the place of a worker in the bytes of the first range of [`Head::numbers_at`];
    /// `None` if they are not readable, or `Some(None)` if it is not there.
    pub(crate) fn worker(&self, bytes: &[u8], worker: u64) -> Option<Option<u64>> {
        let [workers] = self.columns(Section::Workers, bytes)?;
        let place = workers.iter().position(|it| *it == worker);
        Some(place.map(|place| place as u64))
    }

    /// Looks for a number of the worker at a place in the bytes of the second range of
    /// [`Head::numbers_at`]; `None` if they are not readable.
    pub(crate) fn look_for(&self, bytes: &[u8], worker: u64, number: u64) -> Option<OfWorker> {
        let [workers, differences] = self.columns(Section::Number, bytes)?;
        let (mut first, mut last, mut place) = (None, 0_u64, None);
        for (at, (of, difference)) in workers.into_iter().zip(differences).enumerate() {
            if of != worker {
                continue;
            }
            last = last.wrapping_add(unfolded(difference).cast_unsigned());
            first.get_or_insert(last);
            if last == number {
                place = Some(at);
                break;
            }
        }
        let first = first?;
        Some(OfWorker { first, place })
    }
}
