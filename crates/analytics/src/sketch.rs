//! Times of many calls, of which percentiles are read: numbers of calls in buckets that are at most
//! 3.2 % wide, so a percentile differs from the exact one by at most 1.6 %. Sketches merge exactly.
//! The buckets are those of HdrHistogram (Tene, 2012): linear within each power of two.

use crate::varint;

/// Powers of two are divided into two to the power of this many buckets.
const PART_BITS: u32 = 5;
const PARTS: u32 = 1 << PART_BITS;
/// Smaller times have a bucket each.
const EXACT: u32 = 2 * PARTS;
/// Number of buckets of all times.
const BUCKETS: u32 = bucket(u32::MAX) + 1;
/// Up to this many buckets with calls are a list, more if they are far apart.
const FEW: usize = 16;
/// A range has at most this many buckets for each that has calls: it then takes the memory of the
/// list.
const SPREAD_MAX: usize = 4;
/// By how many buckets at a time the memory of a range grows.
const GROWTH: usize = 16;

/// The bucket of a time.
const fn bucket(us: u32) -> u32 {
    if us < EXACT {
        return us;
    }
    let power = us.ilog2();
    let part = (us >> (power - PART_BITS)) - PARTS;
    EXACT + (power - PART_BITS - 1) * PARTS + part
}

/// The time in the middle of a bucket.
const fn middle(bucket: u32) -> u32 {
    if bucket < EXACT {
        return bucket;
    }
    let (octave, part) = ((bucket - EXACT) / PARTS, (bucket - EXACT) % PARTS);
    let shift = octave + 1;
    ((PARTS + part) << shift) + ((1 << shift) >> 1)
}

/// The times of calls, microseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sketch(Buckets);

/// The buckets that have calls, with their numbers. The form follows from the content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Buckets {
    #[default]
    None,
    /// A single call, as most rows have.
    One(u32),
    Many(Box<Many>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Many {
    /// In rising order.
    Few(Vec<(u32, u64)>),
    /// Every bucket from the first to the last one that has calls.
    Range { first: u32, calls: Vec<u32> },
}

impl Sketch {
    /// The bucket of a time.
    pub(crate) const fn bucket(us: u32) -> u16 {
        bucket(us) as u16
    }

    /// Adds the time of a call.
    #[cfg(test)]
    pub(crate) fn add(&mut self, us: u32) {
        self.merge_bucket(bucket(us), 1);
    }

    /// Adds the times of other calls.
    pub(crate) fn merge(&mut self, other: &Self) {
        other.each(|bucket, calls| self.merge_bucket(bucket, calls));
    }

    /// Whether it has no calls.
    pub(crate) fn is_empty(&self) -> bool {
        self.0 == Buckets::None
    }

    /// Returns the time that a share of the calls, above 0 and up to 1, do not exceed; `None`
    /// without calls.
    pub(crate) fn quantile(&self, share: f64) -> Option<u32> {
        let mut calls = 0_u64;
        self.each(|_, more| calls = calls.saturating_add(more));
        // The nearest rank: the smallest with at least that share below or at it.
        let rank = ((calls as f64 * share).ceil() as u64).clamp(1, calls.max(1));
        let (mut seen, mut found) = (0, None);
        self.each(|bucket, calls| {
            seen = calls.saturating_add(seen);
            if seen >= rank {
                found.get_or_insert(bucket);
            }
        });
        found.map(middle)
    }

    /// Appends it as bytes: for each bucket its distance from the one before, doubled, and if it
    /// has several calls, one more and their number.
    pub(crate) fn push_to(&self, bytes: &mut Vec<u8>) {
        let mut next = 0;
        self.each(|bucket, calls| {
            let distance = u64::from(bucket - next) << 1;
            next = bucket + 1;
            match calls {
                1 => varint::push(bytes, distance),
                _ => {
                    varint::push(bytes, distance | 1);
                    varint::push(bytes, calls);
                }
            }
        });
    }

    /// Adds the calls of one as bytes; `None` if they were not made by [`Sketch::push_to`].
    pub(crate) fn merge_bytes(&mut self, mut bytes: &[u8]) -> Option<()> {
        let mut next = 0_u32;
        while !bytes.is_empty() {
            let distance = varint::take(&mut bytes)?;
            let calls = match distance & 1 {
                0 => 1,
                _ => varint::take(&mut bytes).filter(|it| *it > 0)?,
            };
            let distance = u32::try_from(distance >> 1).ok()?;
            let bucket = next.checked_add(distance).filter(|it| *it < BUCKETS)?;
            self.merge_bucket(bucket, calls);
            next = bucket + 1;
        }
        Some(())
    }

    /// Passes each bucket that has calls, with their number, in rising order.
    fn each(&self, mut pass: impl FnMut(u32, u64)) {
        match &self.0 {
            Buckets::None => {}
            Buckets::One(bucket) => pass(*bucket, 1),
            Buckets::Many(many) => match &**many {
                Many::Few(buckets) => buckets.iter().for_each(|it| pass(it.0, it.1)),
                Many::Range { first, calls } => {
                    let buckets = (*first..).zip(calls).filter(|(_, calls)| **calls > 0);
                    buckets.for_each(|(bucket, calls)| pass(bucket, (*calls).into()));
                }
            },
        }
    }

    /// Adds calls with a time in a bucket.
    #[inline]
    pub(crate) fn merge_bucket(&mut self, bucket: u32, calls: u64) {
        if self.merge_within(bucket, calls).is_none() {
            self.count(bucket, calls);
        }
    }

    /// Adds calls to a bucket of the range, if there is one and the number has room there: the
    /// usual case when many are merged.
    #[inline]
    fn merge_within(&mut self, bucket: u32, more: u64) -> Option<()> {
        let Buckets::Many(many) = &mut self.0 else {
            return None;
        };
        let Many::Range { first, calls } = &mut **many else {
            return None;
        };
        let calls = calls.get_mut(bucket.checked_sub(*first)? as usize)?;
        *calls = calls.checked_add(u32::try_from(more).ok()?)?;
        Some(())
    }

    fn count(&mut self, bucket: u32, more: u64) {
        match &mut self.0 {
            Buckets::None if more == 1 => self.0 = Buckets::One(bucket),
            Buckets::None => self.0 = few(bucket, more),
            Buckets::One(other) => {
                self.0 = few(*other, 1);
                self.count(bucket, more);
            }
            Buckets::Many(many) => many.count(bucket, more),
        }
    }
}

fn few(bucket: u32, calls: u64) -> Buckets {
    Buckets::Many(Box::new(Many::Few(vec![(bucket, calls)])))
}

impl Many {
    fn count(&mut self, bucket: u32, more: u64) {
        match self {
            Self::Few(buckets) => {
                match buckets.binary_search_by_key(&bucket, |it| it.0) {
                    Ok(at) => buckets[at].1 = buckets[at].1.saturating_add(more),
                    Err(at) => buckets.insert(at, (bucket, more)),
                }
                if let Some(range) = range_of(buckets) {
                    *self = range;
                }
            }
            Self::Range { first, calls } => {
                let last = *first + calls.len() as u32 - 1;
                let (from, to) = (bucket.min(*first), bucket.max(last));
                let count = calls.iter().filter(|it| **it > 0).count() + 1;
                match u32::try_from(more) {
                    Ok(more) if (from, to) != (*first, last) && is_dense(count, from, to) => {
                        widen(calls, (*first - from) as usize, (to - from) as usize + 1);
                        *first = from;
                        calls[(bucket - from) as usize] = more;
                    }
                    _ => {
                        *self = Self::Few(list_of(*first, calls));
                        self.count(bucket, more);
                    }
                }
            }
        }
    }
}

/// Whether so many buckets with calls, from the first to the last one, are kept as a range.
const fn is_dense(count: usize, first: u32, last: u32) -> bool {
    count > FEW && (last - first) as usize <= count * SPREAD_MAX
}

/// Adds empty buckets before and behind those of a range, which then has `len`.
fn widen(calls: &mut Vec<u32>, before: usize, len: usize) {
    if before > 0 || len > calls.capacity() {
        let mut wider = Vec::with_capacity(len.next_multiple_of(GROWTH));
        wider.resize(before, 0);
        wider.extend_from_slice(calls);
        *calls = wider;
    }
    calls.resize(len, 0);
}

/// The buckets of a range that have calls.
fn list_of(first: u32, calls: &[u32]) -> Vec<(u32, u64)> {
    let buckets = (first..).zip(calls.iter().copied().map(u64::from));
    buckets.filter(|(_, calls)| *calls > 0).collect()
}

/// Returns a list of buckets, in rising order, as a range; `None` if it stays a list: it is short,
/// they are far apart, or one has more calls than a range can have in a bucket.
fn range_of(buckets: &[(u32, u64)]) -> Option<Many> {
    let (first, last) = (buckets.first()?.0, buckets.last()?.0);
    let is_many = |calls: u64| calls > u32::MAX.into();
    if !is_dense(buckets.len(), first, last) || buckets.iter().any(|it| is_many(it.1)) {
        return None;
    }
    let mut calls = Vec::new();
    widen(&mut calls, 0, (last - first) as usize + 1);
    for (bucket, count) in buckets {
        calls[(bucket - first) as usize] = *count as u32;
    }
    Some(Many::Range { first, calls })
}

#[cfg(test)]
mod tests;
