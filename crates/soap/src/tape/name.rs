//! Names, most of which differ in their first word.

/// A name prepared for comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'a> {
    pub(crate) bytes: &'a [u8],
    /// Its first eight bytes, padded with zeros.
    pub(crate) head: u64,
}

impl<'a> Name<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::within(bytes, 0, bytes.len())
    }

    /// Returns a part of a text as a name; reads a whole word of the text if there is one.
    #[inline]
    pub(super) fn within(source: &'a [u8], start: usize, end: usize) -> Self {
        let bytes = source.get(start..end).unwrap_or_default();
        let word = source.get(start..).and_then(<[u8]>::first_chunk);
        let head = match (word, bytes.len()) {
            (Some(&word), length @ 0..8) => u64::from_le_bytes(word) & !(u64::MAX << (8 * length)),
            (Some(&word), _) => u64::from_le_bytes(word),
            (None, _) => bytes
                .iter()
                .rfold(0, |head, &byte| head << 8 | u64::from(byte)),
        };
        Self { bytes, head }
    }
}
