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
    pub(crate) fn column(&mut self, count: usize) -> Option<Vec<u64>> {
        let (&width, rest) = self.rest.split_first()?;
        let width = usize::from(width);
        if width > WIDTH_MAX {
            return None;
        }
        let (planes, rest) = rest.split_at_checked(width.checked_mul(count)?)?;
        self.rest = rest;
        let mut numbers = vec![0; count];
        for at in 0..width {
            let plane = &planes[at * count..(at + 1) * count];
            for (number, &byte) in numbers.iter_mut().zip(plane) {
                *number |= u64::from(byte) << (8 * at);
            }
        }
        Some(numbers)
    }

    /// Whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
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
