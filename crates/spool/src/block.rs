//! Blocks: up to 65,536 calls, as compressed columns behind a head.
//!
//! | bytes | of the head |
//! |---|---|
//! | 4 | `TGBK` |
//! | 4 | CRC-32 of the rest of the head |
//! | 4 | CRC-32 of the body |
//! | 4 | number of calls |
//! | 8 | number of the first call |
//! | 8, 8 | arrival of the first and of the last call, Unix microseconds |
//! | 8 | when it was written, Unix microseconds |
//! | 6 times 4 | number of values in each dictionary |
//! | 19 times 4 | bytes of each section; the highest bit is set if it is compressed (Zstandard) |
//!
//! Numbers are little-endian. Sections follow each other in the body. The first six are
//! dictionaries: the ids of a block answer what occurs in it.

mod decode;
mod encode;
mod numbers;

use std::ops::Range;

use tollgate_model::record::Record;

use crate::damage::Damage;

pub(crate) use encode::Encoder;
pub use numbers::OfWorker;

/// Most calls of a block.
pub const CALLS_MAX: usize = 65_536;

pub(crate) const HEAD_BYTES: usize = 48 + 4 * DICTIONARIES + 4 * SECTIONS;
const MAGIC: [u8; 4] = *b"TGBK";
const DICTIONARIES: usize = 6;
const SECTIONS: usize = 19;
const IS_COMPRESSED: u32 = 1 << 31;

/// The sections of a block, in their order. The first [`DICTIONARIES`] are dictionaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Ids, in the order of their first use.
    Ids,
    /// Places of ids: API, version, revision, operation.
    Routes,
    /// Places of ids: application, plan, credential; and the kind of the credential.
    Callers,
    /// The numbers of [`crate::call::outcome`].
    Outcomes,
    /// Numbers of workers.
    Workers,
    /// Networks of callers: the upper and the lower half.
    Addresses,
    /// Arrivals, each as the difference from the one before.
    Arrival,
    /// Places of workers, and the number in the worker, each as the difference from the one before
    /// of the same worker.
    Number,
    Route,
    Caller,
    Outcome,
    Address,
    Before,
    Upstream,
    /// The total time without the two before.
    Rest,
    Mediate,
    Sampled,
    BytesIn,
    BytesOut,
}

/// The head of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Number of calls.
    pub calls: u32,
    /// Number of the first call in its epoch.
    pub first: u64,
    /// Arrival of the first call, Unix microseconds.
    pub from_us: i64,
    /// Arrival of the last call, Unix microseconds.
    pub to_us: i64,
    /// When the block was written, Unix microseconds.
    pub written_us: i64,
    body_crc: u32,
    values: [u32; DICTIONARIES],
    sections: [u32; SECTIONS],
}

impl Head {
    /// Bytes of the body.
    #[must_use]
    pub fn body_bytes(&self) -> u64 {
        let bytes = self.sections.iter().map(|it| it & !IS_COMPRESSED);
        bytes.map(u64::from).sum()
    }

    /// Number of the call after the last one.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.first + u64::from(self.calls)
    }

    /// Where a section is in the body.
    fn range(&self, section: Section) -> Range<usize> {
        let sizes = self.sections.map(|it| (it & !IS_COMPRESSED) as usize);
        let start = sizes[..section as usize].iter().sum();
        start..start + sizes[section as usize]
    }

    pub(crate) fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.body_crc.to_le_bytes());
        bytes.extend_from_slice(&self.calls.to_le_bytes());
        bytes.extend_from_slice(&self.first.to_le_bytes());
        for time in [self.from_us, self.to_us, self.written_us] {
            bytes.extend_from_slice(&time.to_le_bytes());
        }
        for number in self.values.iter().chain(&self.sections) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let crc = crc32fast::hash(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes.try_into().expect("the fields are all of it")
    }

    /// Reads a head.
    ///
    /// # Errors
    /// [`Damage::Changed`] if it is none.
    pub(crate) fn from_bytes(bytes: &[u8; HEAD_BYTES]) -> Result<Self, Damage> {
        let mut fields = Fields(bytes);
        let (magic, crc) = (fields.take::<4>(), u32::from_le_bytes(fields.take()));
        if magic != MAGIC || crc != crc32fast::hash(&bytes[8..]) {
            return Err(Damage::Changed);
        }
        let body_crc = u32::from_le_bytes(fields.take());
        let head = Self {
            body_crc,
            calls: u32::from_le_bytes(fields.take()),
            first: u64::from_le_bytes(fields.take()),
            from_us: i64::from_le_bytes(fields.take()),
            to_us: i64::from_le_bytes(fields.take()),
            written_us: i64::from_le_bytes(fields.take()),
            values: std::array::from_fn(|_| u32::from_le_bytes(fields.take())),
            sections: std::array::from_fn(|_| u32::from_le_bytes(fields.take())),
        };
        // The checksum is no secret: a forged head must not take all memory.
        let ids_max = head.calls.saturating_mul(7);
        let fits = |values: &[u32]| values.iter().all(|it| *it <= ids_max);
        match head.calls as usize <= CALLS_MAX && fits(&head.values) {
            true => Ok(head),
            false => Err(Damage::Undecodable),
        }
    }
}

struct Fields<'b>(&'b [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_first_chunk().expect("the head has its length");
        self.0 = rest;
        *field
    }
}

/// Parts of a call that are stored apart from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The worker, and the number of the call in it.
    Number,
    /// API, version, revision and operation.
    Route,
    /// Application, plan and credential.
    Caller,
    /// How it ended: everything else but times and sizes.
    Outcome,
    /// The network of the caller.
    Address,
    /// The times that each call has.
    Times,
    /// The times of which one call in 64 has a measurement.
    Sampled,
    /// The bytes of bodies.
    Bytes,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 8] = [
        Self::Number,
        Self::Route,
        Self::Caller,
        Self::Outcome,
        Self::Address,
        Self::Times,
        Self::Sampled,
        Self::Bytes,
    ];
}

/// A part of the calls of a block.
#[derive(Debug)]
pub struct Column {
    /// Its different values: records that have only this part.
    pub values: Vec<Record>,
    /// The place of each call's value among them.
    pub places: Vec<u16>,
}

/// A block as it was read.
#[derive(Debug)]
pub struct Block {
    head: Head,
    body: Vec<u8>,
}

#[cfg(test)]
mod tests;
