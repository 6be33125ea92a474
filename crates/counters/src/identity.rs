//! What identifies a counter: what is counted, how, in which window, and of whom. Neither the
//! amount nor the plan is part of it, so a changed plan keeps what was used.

use std::fmt;
use std::hash::Hasher;
use std::sync::OnceLock;

use siphasher::sip::SipHasher24;
use tollgate_model::limit::{Applies, Counting, ServedLimit};
use tollgate_model::plan::Window;

/// The lowest bits of an id have no part of the digest. Releases without numbered windows read the
/// kind of a saved word from them. Rolling windows have one of their own, so that the id of none is
/// that of a word.
const KIND_BITS: u64 = 0b111;
const GCRA: u64 = 0;
const SECOND: u64 = 1;
const MINUTE: u64 = 2;
/// Anything else below an hour.
const OTHER: u64 = 3;
const LONG: u64 = 4;
const ROLLING: u64 = 5;

/// What the counters of a limit have in common.
pub(crate) struct Identity {
    /// The lowest bits of the ids.
    kind: u64,
    /// The first bytes of the digest; the values of the dimensions follow.
    words: Vec<u8>,
    /// The digest after these words, with the key of the registry that used it first.
    begun: OnceLock<([u8; 16], SipHasher24)>,
}

/// Two limits with the same identity and dimensions share a counter.
impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

/// Without the key.
impl fmt::Debug for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = String::from_utf8_lossy(&self.words);
        out.debug_tuple("Identity").field(&words).finish()
    }
}

impl Identity {
    pub(crate) fn new(limit: &ServedLimit) -> Self {
        let is_long = limit.is_long();
        let (algorithm, kind) = match (&limit.counting, limit.window) {
            (Counting::Rolling { .. }, _) => ("rolling", ROLLING),
            (Counting::Places, _) => ("places", OTHER),
            (Counting::Gcra { .. }, _) => ("gcra", if is_long { LONG } else { GCRA }),
            _ if is_long => ("fixed", LONG),
            (_, Some(Window::SECOND)) => ("fixed", SECOND),
            (_, Some(Window::MINUTE)) => ("fixed", MINUTE),
            _ => ("fixed", OTHER),
        };
        let window = limit.window.map_or_else(Default::default, Window::text);
        let zone = limit.zone.as_deref().unwrap_or("UTC");
        let mut words = Vec::new();
        let mut push = |word: &str| {
            words.extend_from_slice(word.as_bytes());
            words.push(0);
        };
        push(limit.metric.word());
        push(&limit.per.text());
        push(algorithm);
        push(&window);
        push(zone);
        // What follows is absent in plain limits, so that the ids of earlier releases stay. Each
        // part has its word before it: a plan may be named like a date, or `otherwise`.
        if let Some(anchor) = &limit.anchor {
            push("anchor");
            push(anchor);
        }
        match &limit.applies {
            Applies::Always => {}
            Applies::If(condition) => {
                push("if");
                push(&condition.text());
            }
            Applies::Otherwise => push("otherwise"),
        }
        for plan in limit.plans.iter().flatten() {
            push("plan");
            push(plan);
        }
        Self {
            kind,
            words,
            begun: OnceLock::new(),
        }
    }

    /// Returns the id of the counter of these dimensions in the registry with this key.
    pub(crate) fn id(&self, key: &[u8; 16], dimensions: &[i64]) -> u64 {
        let (begun_with, begun) = self.begun.get_or_init(|| (*key, self.begin(key)));
        let mut hasher = match begun_with == key {
            true => *begun,
            false => self.begin(key),
        };
        for dimension in dimensions {
            hasher.write(&dimension.to_le_bytes());
        }
        (hasher.finish() & !KIND_BITS) | self.kind
    }

    fn begin(&self, key: &[u8; 16]) -> SipHasher24 {
        let mut hasher = SipHasher24::new_with_key(key);
        hasher.write(&self.words);
        hasher
    }
}

/// The id under which a part of a rolling window is saved; its place is below 17.
pub(crate) fn part(id: u64, place: usize) -> u64 {
    const PLACE_BITS: u32 = KIND_BITS.count_ones();
    let place = u64::try_from(place).unwrap_or_default();
    id ^ ((place + 1) << PLACE_BITS)
}

#[cfg(test)]
mod tests;
