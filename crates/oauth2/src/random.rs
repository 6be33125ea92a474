//! Random bytes from the system, for secrets and ids; no other module draws them.

use std::sync::atomic::{AtomicI64, Ordering};

use tollgate_model::id::{Id, Kind};

/// Random bits of an id. The highest of its 22 is left out, so that many ids of one millisecond can
/// be consecutive without reaching the next one.
const RANDOM_MASK: u32 = (1 << 21) - 1;

/// The machine provides no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the machine provides no random bytes")]
pub struct NoRandom(#[from] getrandom::Error);

/// Returns random bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// A generator of distinct ids. Their time is never ahead of the clock, even if that was set back:
/// tokens are invalidated by the time in their ids, and one from the future would survive that.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    last: AtomicI64,
}

impl Ids {
    /// Returns an id of `now_us`, Unix microseconds.
    pub(crate) fn next<K: Kind>(&self, now_us: i64) -> Result<Id<K>, NoRandom> {
        let now_ms = u64::try_from(now_us / 1_000).unwrap_or_default();
        let random = u32::from_be_bytes(bytes()?) & RANDOM_MASK;
        let new = Id::<K>::new(now_ms, random);
        let is_of_now = |last: i64| Id::<K>::from_raw(last).made_us() == new.made_us();
        let next = |last: i64| match is_of_now(last) {
            true => last + 1,
            false => new.raw(),
        };
        let update = |last| Some(next(last));
        let before = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        Ok(Id::from_raw(next(before.unwrap_or_default())))
    }
}

#[cfg(test)]
mod tests;
