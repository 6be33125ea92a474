//! What judging a call needs and results in: the call, a counter's word, and the judgement.

/// One call, as limits count it.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// When it arrived, Unix microseconds.
    pub now_us: i64,
    /// What it costs in units: the weight of its operation.
    pub weight: u16,
}

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

impl Word {
    /// A digest of the value: it changes with each call.
    pub(crate) fn digest(self) -> u64 {
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
