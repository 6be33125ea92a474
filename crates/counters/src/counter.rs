//! A counter: what all workers of the process change together. Usually a word that is exchanged
//! without a lock; `window`, `bucket` and `places` interpret it and judge calls by it. `rolling`
//! has more than fits a word, behind a mutex.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use portable_atomic::AtomicU128;

use crate::judgement::{Judgement, Shortfall, Word};
use crate::rolling::Rolling;

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
