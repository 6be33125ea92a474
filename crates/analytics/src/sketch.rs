//! Times of many calls, of which percentiles are read: numbers of calls in buckets that are at most
//! 3.2 % wide, so a percentile differs from the exact one by at most 1.6 %. Sketches merge exactly.
//! The buckets are those of HdrHistogram (Tene, 2012): linear within each power of two.

/// Powers of two are divided into two to the power of this many buckets.
const PART_BITS: u32 = 5;
const PARTS: u32 = 1 << PART_BITS;
/// Smaller times have a bucket each.
const EXACT: u32 = 2 * PARTS;
/// Number of buckets of all times.
const BUCKETS: u32 = bucket(u32::MAX) + 1;

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
pub(crate) struct Sketch {
    /// The buckets that have calls, with their numbers, in rising order: most rows have few.
    buckets: Vec<(u32, u64)>,
}

impl Sketch {
    /// Adds the time of a call.
    pub(crate) fn add(&mut self, us: u32) {
        self.count(bucket(us), 1);
    }

    /// Adds the times of other calls.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (bucket, calls) in &other.buckets {
            self.count(*bucket, *calls);
        }
    }

    /// Whether it has no calls.
    pub(crate) fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Returns the time that a share of the calls, above 0 and up to 1, do not exceed; `None`
    /// without calls.
    pub(crate) fn quantile(&self, share: f64) -> Option<u32> {
        let calls = self.buckets.iter().map(|(_, calls)| calls).sum::<u64>();
        // The nearest rank: the smallest with at least that share below or at it.
        let rank = ((calls as f64 * share).ceil() as u64).clamp(1, calls.max(1));
        let mut seen = 0;
        self.buckets.iter().find_map(|(bucket, calls)| {
            seen += calls;
            (seen >= rank).then(|| middle(*bucket))
        })
    }

    /// Returns it as bytes: pairs of the distance of a bucket from the one before, and its number
    /// of calls, encoded with postcard.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut next = 0;
        let pairs = self.buckets.iter().map(|(bucket, calls)| {
            let distance = bucket - next;
            next = bucket + 1;
            (distance, *calls)
        });
        let pairs: Vec<(u32, u64)> = pairs.collect();
        postcard::to_allocvec(&pairs).expect("integers in memory")
    }

    /// Adds the calls of one as bytes.
    ///
    /// # Errors
    /// Fails if the bytes were not made by [`Sketch::to_bytes`].
    pub(crate) fn merge_bytes(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        self.merge_all(bytes.iter().copied()).ok_or(Unreadable)
    }

    /// Adds the calls of one as bytes, each of which is two hexadecimal digits, as SQL has them.
    ///
    /// # Errors
    /// Fails if they are not those of [`Sketch::to_bytes`].
    pub(crate) fn merge_hex(&mut self, digits: &str) -> Result<(), Unreadable> {
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        // Other digits make numbers that no bucket has, or others than were written: SQL made them.
        let value = |digit: u8| match digit {
            b'0'..=b'9' => digit - b'0',
            _ => digit.wrapping_sub(b'A' - 10) & 15,
        };
        let bytes = pairs
            .iter()
            .map(|[high, low]| value(*high) << 4 | value(*low));
        let merged = self.merge_all(bytes).filter(|()| rest.is_empty());
        merged.ok_or(Unreadable)
    }

    /// Adds the calls of one as bytes, without taking memory for them: a query merges a hundred
    /// thousand.
    fn merge_all(&mut self, mut bytes: impl Iterator<Item = u8>) -> Option<()> {
        let mut next = 0_u32;
        for _ in 0..varint(&mut bytes)? {
            let distance = u32::try_from(varint(&mut bytes)?).ok()?;
            let bucket = next.checked_add(distance).filter(|it| *it < BUCKETS)?;
            self.count(bucket, varint(&mut bytes)?);
            next = bucket + 1;
        }
        bytes.next().is_none().then_some(())
    }

    fn count(&mut self, bucket: u32, calls: u64) {
        match self.buckets.binary_search_by_key(&bucket, |it| it.0) {
            Ok(at) => self.buckets[at].1 = self.buckets[at].1.saturating_add(calls),
            Err(at) => self.buckets.insert(at, (bucket, calls)),
        }
    }
}

/// Divides the sketches of several rows as SQL has them in one text, where missing ones are empty.
pub(crate) fn split(texts: &str) -> impl Iterator<Item = &str> {
    texts.split(',').filter(|it| !it.is_empty())
}

/// Reads a number as postcard writes it: seven bits in each byte, the lowest ones first.
fn varint(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// A sketch in the database that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a sketch is unreadable")]
pub(crate) struct Unreadable;

#[cfg(test)]
mod tests;
