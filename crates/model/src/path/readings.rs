//! The possible readings of a path by a back end: decoded again, cut at semicolons, with
//! backslashes as slashes, without empty segments.

use std::mem;

use super::{EncodedSlash, Reading, Semicolon, decoded};

/// Number of times that a back end decodes a path at most.
pub const DECODINGS_MAX: usize = 3;
/// Maximum number of readings of one path; ordinary paths have up to four.
const READINGS_MAX: usize = 24;

/// Why a path is not read, or not to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// A reading has a segment `.` or `..`.
    Leaves,
    /// It can be decoded and cut in too many ways.
    TooMany,
    /// It has an encoded NUL.
    Nul,
    /// It is encoded more than [`DECODINGS_MAX`] times.
    Encoded,
}

/// The readings of a path, one decoding after the other.
#[derive(Debug)]
pub struct Readings {
    texts: Vec<Vec<u8>>,
    reading: Reading,
    keeps_last_slash: bool,
    decodings: usize,
    /// Number of texts that were returned.
    read: usize,
}

impl Readings {
    /// Begins with the path as it is.
    #[must_use]
    pub fn new(path: &[u8], reading: Reading) -> Self {
        Self {
            texts: vec![path.to_vec()],
            reading,
            keeps_last_slash: path.ends_with(b"/"),
            decodings: 0,
            read: 0,
        }
    }

    /// Like [`Self::new`], for a path that matches the rest of a template: without its last slash
    /// it may match a different template.
    #[must_use]
    pub fn of_rest(path: &[u8], reading: Reading) -> Self {
        Self {
            keeps_last_slash: false,
            ..Self::new(path, reading)
        }
    }

    /// Number of times that the path is decoded.
    #[must_use]
    pub fn decodings(&self) -> usize {
        self.decodings
    }

    /// Returns the readings with this number of decodings.
    ///
    /// # Errors
    /// There are too many.
    pub fn texts(&mut self) -> Result<Vec<Vec<u8>>, Unreadable> {
        self.add_cut();
        self.read += self.texts.len();
        if self.read > READINGS_MAX {
            return Err(Unreadable::TooMany);
        }
        let texts = self.texts.iter();
        Ok(texts
            .flat_map(|text| variants(text, self.keeps_last_slash))
            .collect())
    }

    /// Whether nothing is left to be decoded.
    #[must_use]
    pub fn is_decoded(&self) -> bool {
        self.texts.iter().all(|text| !text.contains(&b'%'))
    }

    /// Decodes the path once more; returns whether there are further readings.
    ///
    /// # Errors
    /// The path cannot be decoded further.
    pub fn decode(&mut self) -> Result<bool, Unreadable> {
        if self.texts.iter().any(|text| has_encoded_nul(text)) {
            return Err(Unreadable::Nul);
        }
        let is_last = self.decodings == DECODINGS_MAX;
        for text in mem::take(&mut self.texts) {
            let decoded = decoded_once(&text, self.reading.encoded_slash);
            if is_last && decoded != text {
                return Err(Unreadable::Encoded);
            }
            if !self.texts.contains(&decoded) {
                self.texts.push(decoded);
            }
        }
        self.decodings += 1;
        Ok(!is_last)
    }

    /// Adds the texts with segments cut at semicolons, and with slashes for backslashes, in any
    /// order.
    fn add_cut(&mut self) {
        let mut at = 0;
        while at < self.texts.len() && self.texts.len() <= READINGS_MAX {
            let text = &self.texts[at];
            let is_cut = self.reading.semicolon == Semicolon::Check && text.contains(&b';');
            let cut = is_cut.then(|| cut(text));
            let slashed = text.contains(&b'\\').then(|| slashed(text));
            for new in [cut, slashed].into_iter().flatten() {
                if !self.texts.contains(&new) {
                    self.texts.push(new);
                }
            }
            at += 1;
        }
    }
}

/// Whether a reading of a path has a segment `.` or `..`.
#[must_use]
pub fn has_dot_segment(path: &[u8]) -> bool {
    let mut segments = path.split(|&byte| byte == b'/');
    segments.any(|segment| matches!(segment, b"." | b".."))
}

/// Checks that no reading of a path has a segment `.` or `..`, or a NUL.
///
/// # Errors
/// One has, or the path cannot be read.
pub fn stays_below(path: &[u8], reading: Reading) -> Result<(), Unreadable> {
    let mut readings = Readings::new(path, reading);
    loop {
        if readings.texts()?.iter().any(|text| has_dot_segment(text)) {
            return Err(Unreadable::Leaves);
        }
        if readings.is_decoded() || !readings.decode()? {
            return Ok(());
        }
    }
}

/// Decodes a path, or a literal of a template, once. If the back end splits paths before decoding
/// them, an encoded slash becomes a NUL, which no path contains: it separates nothing.
#[must_use]
pub fn decoded_once(text: &[u8], encoded_slash: EncodedSlash) -> Vec<u8> {
    if encoded_slash != EncodedSlash::Data {
        return decoded(text).into_owned();
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"%2") {
        let (before, from) = rest.split_at(at);
        let is_slash = from.get(2).is_some_and(|it| it.eq_ignore_ascii_case(&b'f'));
        plain.extend_from_slice(&decoded(before));
        let escape = from.len().min(3);
        match is_slash {
            true => plain.push(0),
            false => plain.extend_from_slice(&decoded(&from[..escape])),
        }
        rest = &from[escape..];
    }
    plain.extend_from_slice(&decoded(rest));
    plain
}

/// The path with each segment cut at its first semicolon.
fn cut(path: &[u8]) -> Vec<u8> {
    let mut is_cut = false;
    let kept = path.iter().filter(|&&byte| {
        is_cut = byte != b'/' && (is_cut || byte == b';');
        !is_cut
    });
    kept.copied().collect()
}

fn slashed(path: &[u8]) -> Vec<u8> {
    let slash = |&byte: &u8| if byte == b'\\' { b'/' } else { byte };
    path.iter().map(slash).collect()
}

/// A text with and without its empty segments, each also without an empty last segment, unless the
/// path itself had that and keeps it.
fn variants(text: &[u8], keeps_last_slash: bool) -> Vec<Vec<u8>> {
    let mut variants = vec![text.to_vec()];
    if memchr::memmem::find(text, b"//").is_some() {
        let mut joined = text.to_vec();
        joined.dedup_by(|byte, before| *byte == b'/' && *before == b'/');
        variants.push(joined);
    }
    if !keeps_last_slash {
        let trimmed = variants.iter().filter_map(|it| it.strip_suffix(b"/"));
        let trimmed: Vec<_> = trimmed.map(<[u8]>::to_vec).collect();
        variants.extend(trimmed);
    }
    variants
}

fn has_encoded_nul(path: &[u8]) -> bool {
    memchr::memmem::find(path, b"%00").is_some()
}
