//! What is used of a limit.

/// How much of a limit is used at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consumption {
    /// What is used, in what the metric counts: more than `amount` if the limit is soft, was
    /// lowered since, or counts bytes. One that only observes counts up to its amount.
    pub used: u64,
    /// What can be used: the limit's amount, or the burst of a token bucket.
    pub amount: u64,
    /// When nothing of it is used any more, unless calls go on, Unix microseconds: the window ends,
    /// its last part leaves a rolling one, a bucket is full. `None` for calls at the same time, and
    /// where nothing is used of a bucket or a rolling window.
    pub resets_us: Option<i64>,
}
