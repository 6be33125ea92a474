//! Columns of numbers.
//!
//! A column is a byte with its width, then a plane for each byte of that width: the lowest byte of
//! every number, the next byte of every number, and so on. A width is what the largest number
//! needs, so a column of zeros is one byte, and planes of high bytes compress to nearly nothing.

/// Bytes of a number.
const WIDTH_MAX: usize = size_of::<u64>();

/// Appends a column.
pub(crate) fn push(numbers: &[u64], out: &mut Vec<u8>) {
    let all = numbers.iter().fold(0, |all, number| all | number);
    let width = WIDTH_MAX - all.leading_zeros() as usize / 8;
    out.push(u8::try_from(width).expect("a width is below nine"));
    for plane in 0..width {
        out.extend(numbers.iter().map(|number| number.to_le_bytes()[plane]));
    }
}

/// The most bytes that a column of `count` numbers takes.
pub(crate) const fn bytes_max(count: usize) -> usize {
    1 + count * WIDTH_MAX
}

/// Reads one column after the other.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the next column of `count` numbers; `None` if there is none.
    pub(crate) fn column(&mut self, count: usize) -> Option<Planes<'b>> {
        let (&width, rest) = self.rest.split_first()?;
        let width = usize::from(width);
        if width > WIDTH_MAX {
            return None;
        }
        let (bytes, rest) = rest.split_at_checked(width.checked_mul(count)?)?;
        self.rest = rest;
        Some(Planes { bytes, count })
    }

    /// Whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

/// A column as it is stored.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Planes<'b> {
    bytes: &'b [u8],
    count: usize,
}

impl Planes<'_> {
    /// Returns every number.
    pub(crate) fn all(self) -> Vec<u64> {
        let mut numbers = vec![0; self.count];
        for (at, plane) in self.each().enumerate() {
            for (number, &byte) in numbers.iter_mut().zip(plane) {
                *number |= u64::from(byte) << (8 * at);
            }
        }
        numbers
    }

    /// Returns every number; `None` if one of them takes more than 16 bits.
    pub(crate) fn narrow(self) -> Option<Vec<u16>> {
        let mut numbers = vec![0; self.count];
        for (at, plane) in self.each().enumerate() {
            if at >= size_of::<u16>() {
                return None;
            }
            for (number, &byte) in numbers.iter_mut().zip(plane) {
                *number |= u16::from(byte) << (8 * at);
            }
        }
        Some(numbers)
    }

    /// Returns the numbers at these places; `None` if there are fewer.
    pub(crate) fn some(self, places: &[usize]) -> Option<Vec<u64>> {
        let number = |place: &usize| {
            let mut bytes = self.each().enumerate();
            bytes.try_fold(0, |number, (at, plane)| {
                Some(number | u64::from(*plane.get(*place)?) << (8 * at))
            })
        };
        places.iter().map(number).collect()
    }

    /// The planes, the lowest bytes first.
    fn each(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.count.max(1))
    }
}

/// A number with its sign in the lowest bit, so that small negative ones are small.
pub(crate) const fn folded(difference: i64) -> u64 {
    (difference.cast_unsigned() << 1) ^ (difference >> 63).cast_unsigned()
}

/// The inverse of [`folded`].
pub(crate) const fn unfolded(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[cfg(test)]
mod tests;
