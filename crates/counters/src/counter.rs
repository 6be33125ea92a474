//! A counter: what all workers of the process change together. Usually a word that is exchanged
//! without a lock; `window`, `bucket` and `places` interpret it and judge calls by it. `rolling`
//! has more than fits a word, behind a mutex.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use portable_atomic::AtomicU128;

use crate::rolling::Rolling;

/// The factor of digests, an odd number with bits in no order: 2^64 by the golden ratio.
pub(crate) const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The value of a counter, 128 bits: see `window`, `bucket` and `places`. Zeros when new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Word {
    pub(crate) high: u64,
    pub(crate) low: u64,
}

/// The result for an admitted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admission {
    /// The word of the counter once the call is charged; for `rolling` only what `put_back` needs.
    pub(crate) word: Word,
    /// What can follow at once within the amount.
    pub(crate) remaining: u64,
    /// Microseconds until the window ends or the bucket is full again.
    pub(crate) reset_us: i64,
    /// Whether the call exceeds the amount of a soft limit.
    pub(crate) is_over: bool,
}

/// When a refused call would be admitted, if no other call is made meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// After so many microseconds; at least 1.
    After(i64),
    /// Once another call ends.
    Release,
    /// Never: the call costs more than the limit ever admits.
    Never,
}

/// The result for a refused call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortfall {
    pub(crate) wait: Wait,
    /// The word to store instead, if the counter holds more debt than the limit allows.
    pub(crate) settled: Option<Word>,
}

pub(crate) type Judgement = Result<Admission, Shortfall>;

/// What the workers share. Each variant has its own digest, in bytes that would be padding beside a
/// word: so a counter takes 32 bytes.
#[derive(Debug)]
pub(crate) enum Counter {
    Word {
        exported: AtomicU64,
        /// Nothing else is published through it, so every access is relaxed. Both halves change
        /// atomically: a processor without 16-byte exchanges uses a lock.
        word: AtomicU128,
    },
    Rolling {
        exported: AtomicU64,
        window: Mutex<Box<Rolling>>,
    },
}

impl Counter {
    pub(crate) fn new(word: Word) -> Self {
        Self::Word {
            exported: AtomicU64::new(word.digest()),
            word: AtomicU128::new(word.into()),
        }
    }

    pub(crate) fn rolling(rolling: Rolling) -> Self {
        Self::Rolling {
            exported: AtomicU64::new(rolling.digest()),
            window: Mutex::new(Box::new(rolling)),
        }
    }

    /// Whether the value changed since the last call, or else since the counter was created.
    pub(crate) fn has_changed(&self) -> bool {
        let (exported, digest) = match self {
            Self::Word { exported, .. } => (exported, self.word().digest()),
            Self::Rolling { exported, window } => (exported, lock(window).digest()),
        };
        exported.swap(digest, Ordering::Relaxed) != digest
    }

    /// The word; zeros for a rolling window.
    pub(crate) fn word(&self) -> Word {
        match self {
            Self::Word { word, .. } => word.load(Ordering::Relaxed).into(),
            Self::Rolling { .. } => Word::default(),
        }
    }

    /// Replaces the word with the result of `next`, unless that is `None`.
    pub(crate) fn update(&self, next: impl Fn(Word) -> Option<Word>) {
        let Self::Word { word: shared, .. } = self else {
            return;
        };
        let mut word = self.word();
        while let Some(changed) = next(word) {
            match exchange(shared, word, changed) {
                Ok(()) => return,
                Err(present) => word = present,
            }
        }
    }
}

/// Charges a call to a word if `judge` admits it by the current one.
pub(crate) fn take(shared: &AtomicU128, judge: impl Fn(Word) -> Judgement) -> Judgement {
    let mut word = shared.load(Ordering::Relaxed).into();
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
        if next == word {
            return judgement;
        }
        match exchange(shared, word, next) {
            Ok(()) => return judgement,
            Err(present) => word = present,
        }
    }
}

fn exchange(shared: &AtomicU128, from: Word, to: Word) -> Result<(), Word> {
    shared
        .compare_exchange_weak(from.into(), to.into(), Ordering::Relaxed, Ordering::Relaxed)
        .map(|_| ())
        .map_err(Word::from)
}

/// A poisoned lock is safe to use: every change behind it is a single step.
pub(crate) fn lock(rolling: &Mutex<Box<Rolling>>) -> MutexGuard<'_, Box<Rolling>> {
    rolling.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Word {
    /// A digest of the value: it changes with each call.
    fn digest(self) -> u64 {
        self.high.wrapping_mul(ODD) ^ self.low
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
