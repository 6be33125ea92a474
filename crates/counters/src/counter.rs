//! One counter: a word that all workers of the process change without a lock. What the word means
//! is the business of `window` and `bucket`, which judge a call by it; this file only exchanges.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a judgement admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admission {
    /// What the counter holds once the call is charged.
    pub(crate) word: u64,
    /// Calls that may follow at once.
    pub(crate) remaining: u64,
    /// Microseconds until the window ends or the bucket is full again.
    pub(crate) reset_us: i64,
}

/// What a judgement refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortfall {
    /// Microseconds after which the call would be admitted; at least 1.
    pub(crate) retry_after_us: i64,
    /// What the counter should hold instead, where it holds more debt than the limit knows.
    pub(crate) settled: Option<u64>,
}

pub(crate) type Judgement = Result<Admission, Shortfall>;

/// A word shared by the workers. Nothing else is published through it, so every access is relaxed.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn new(word: u64) -> Self {
        Self(AtomicU64::new(word))
    }

    pub(crate) fn word(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Charges a call if `judge` admits it by the present word.
    pub(crate) fn take(&self, judge: impl Fn(u64) -> Judgement) -> Judgement {
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

    /// Replaces the word by what `next` makes of it, unless that is `None`.
    pub(crate) fn update(&self, next: impl Fn(u64) -> Option<u64>) {
        let mut word = self.word();
        while let Some(changed) = next(word) {
            match self.exchange(word, changed) {
                Ok(()) => return,
                Err(present) => word = present,
            }
        }
    }

    fn exchange(&self, from: u64, to: u64) -> Result<(), u64> {
        self.0
            .compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed)
            .map(|_| ())
    }
}
