//! What is left to do at the end of a call: places are given back, bytes are charged, and failures
//! give back what they were charged.

use smallvec::SmallVec;
use tollgate_model::plan::Metric;

use crate::judgement::Word;
use crate::rule::BoundLimit;

/// A bound that a call must settle.
#[derive(Debug)]
pub(crate) struct Debt {
    pub(crate) bound: BoundLimit,
    /// The word that the charge left.
    pub(crate) taken: Word,
    /// The units that were charged.
    pub(crate) units: u64,
}

/// What a call owes when it ends. The holder must [settle](Self::settle) it whatever happens.
#[derive(Debug, Default)]
pub struct Owed(SmallVec<[Debt; 2]>);

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// When, Unix microseconds.
    pub now_us: i64,
    /// Body bytes from the caller.
    pub bytes_in: u64,
    /// Body bytes to the caller.
    pub bytes_out: u64,
    /// Whether it failed, so that plans that do not count failures give back.
    pub has_failed: bool,
}

impl Owed {
    pub(crate) fn push(&mut self, debt: Debt) {
        self.0.push(debt);
    }

    /// Forgets everything, after the charges themselves were put back.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Settles everything.
    pub fn settle(&mut self, end: End) {
        for debt in self.0.drain(..) {
            debt.settle(end);
        }
    }
}

impl Debt {
    fn settle(self, end: End) {
        let bytes = match self.bound.rule().limit().metric {
            Metric::Concurrent => return self.bound.put_back(self.taken, self.units),
            Metric::Requests | Metric::Units => {
                if end.has_failed && self.bound.rule().gives_back() {
                    self.bound.put_back(self.taken, self.units);
                }
                return;
            }
            Metric::BytesIn => end.bytes_in,
            Metric::BytesOut => end.bytes_out,
            Metric::Bytes => end.bytes_in.saturating_add(end.bytes_out),
        };
        self.bound.charge(bytes, end.now_us);
    }
}
