//! A counter: a word that all workers of the process change without a lock. `window` and `bucket`
//! interpret the word and judge calls by it; this file only exchanges it.

use std::sync::atomic::Ordering;

use portable_atomic::AtomicU128;

/// The value of a counter, 128 bits: see `window` and `bucket`. Zeros when new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Word {
    pub(crate) high: u64,
    pub(crate) low: u64,
}

/// The result for an admitted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admission {
    /// The word of the counter once the call is charged.
    pub(crate) word: Word,
    /// Calls that can follow at once.
    pub(crate) remaining: u64,
    /// Microseconds until the window ends or the bucket is full again.
    pub(crate) reset_us: i64,
}

/// The result for a refused call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortfall {
    /// Microseconds after which the call would be admitted; at least 1.
    pub(crate) retry_after_us: i64,
    /// The word to store instead, if the counter holds more debt than the limit allows.
    pub(crate) settled: Option<Word>,
}

pub(crate) type Judgement = Result<Admission, Shortfall>;

/// A word shared by the workers. Nothing else is published through it, so every access is relaxed.
/// Both halves change atomically: a processor without 16-byte exchanges uses a lock.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU128);

impl Counter {
    pub(crate) fn new(word: Word) -> Self {
        Self(AtomicU128::new(word.into()))
    }

    pub(crate) fn word(&self) -> Word {
        self.0.load(Ordering::Relaxed).into()
    }

    /// Charges a call if `judge` admits it by the current word.
    pub(crate) fn take(&self, judge: impl Fn(Word) -> Judgement) -> Judgement {
        let mut word = self.word();
        loop {
            let judgement = judge(word);
            let next = match judgement {
                Ok(admission) => admission.word,
                Err(Shortfall {
                    settled: Some(settled),
                    ..
                }) => settled,
                Err(_) => return judgement,
            };
            match self.exchange(word, next) {
                Ok(()) => return judgement,
                Err(present) => word = present,
            }
        }
    }

    /// Replaces the word with the result of `next`, unless that is `None`.
    pub(crate) fn update(&self, next: impl Fn(Word) -> Option<Word>) {
        let mut word = self.word();
        while let Some(changed) = next(word) {
            match self.exchange(word, changed) {
                Ok(()) => return,
                Err(present) => word = present,
            }
        }
    }

    fn exchange(&self, from: Word, to: Word) -> Result<(), Word> {
        self.0
            .compare_exchange_weak(from.into(), to.into(), Ordering::Relaxed, Ordering::Relaxed)
            .map(|_| ())
            .map_err(Word::from)
    }
}

impl From<u128> for Word {
    fn from(bits: u128) -> Self {
        const LOW: u128 = u64::MAX as u128;
        let half = |bits| u64::try_from(bits & LOW).expect("64 bits are left");
        Self {
            high: half(bits >> 64),
            low: half(bits),
        }
    }
}

impl From<Word> for u128 {
    fn from(word: Word) -> Self {
        (Self::from(word.high) << 64) | Self::from(word.low)
    }
}
