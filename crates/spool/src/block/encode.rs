//! Writes blocks.

use std::io;

use hashbrown::HashMap;
use zstd::bulk::Compressor;

use super::{CALLS_MAX, DICTIONARIES, HEAD_BYTES, Head, IS_COMPRESSED, SECTIONS};
use crate::call::{self, Call, Caller, OUTCOME, Outcome, Route};
use crate::columns::{self, folded};
use crate::dictionary::Dictionary;

const LEVEL: i32 = 1;
/// Shorter sections stay as they are: a frame has bytes of its own.
const COMPRESSED_MIN: usize = 32;

/// Encodes blocks. Its memory is used again for the next one.
pub(crate) struct Encoder {
    compressor: Compressor<'static>,
    routes: Dictionary<Route>,
    callers: Dictionary<Caller>,
    outcomes: Dictionary<Outcome>,
    workers: Dictionary<u64>,
    addresses: Dictionary<[u8; 16]>,
    ids: Dictionary<i64>,
    numbers: Vec<u64>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Encoder {
    /// # Errors
    /// Fails without memory for a compressor.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            compressor: Compressor::new(LEVEL)?,
            routes: Dictionary::default(),
            callers: Dictionary::default(),
            outcomes: Dictionary::default(),
            workers: Dictionary::default(),
            addresses: Dictionary::default(),
            ids: Dictionary::default(),
            numbers: Vec::with_capacity(CALLS_MAX),
            plain: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// Appends a block with these calls, of which the first one has the number `first`. Addresses
    /// are cut to their networks.
    ///
    /// # Errors
    /// Fails if the compressor does.
    pub(crate) fn encode(
        &mut self,
        calls: &[Call],
        first: u64,
        written_us: i64,
        out: &mut Vec<u8>,
    ) -> io::Result<Head> {
        let arrivals = || calls.iter().map(|it| it.record.at_us);
        let mut head = Head {
            calls: u32::try_from(calls.len()).expect("a block is small"),
            first,
            from_us: arrivals().min().unwrap_or(written_us),
            to_us: arrivals().max().unwrap_or(written_us),
            written_us,
            body_crc: 0,
            values: [0; DICTIONARIES],
            sections: [0; SECTIONS],
        };
        let head_at = out.len();
        out.resize(head_at + HEAD_BYTES, 0);
        let mut body = Body {
            sections: [0; SECTIONS],
            next: DICTIONARIES,
        };
        // The dictionaries are known once the columns with their places are. Those come first here,
        // and follow the dictionaries in the block.
        let mut columns = std::mem::take(&mut self.packed);
        columns.clear();
        self.push_columns(calls, head.from_us, &mut body, &mut columns)?;
        body.next = 0;
        self.push_dictionaries(&mut head, &mut body, out)?;
        out.extend_from_slice(&columns);
        self.packed = columns;
        head.sections = body.sections;
        head.body_crc = crc32fast::hash(&out[head_at + HEAD_BYTES..]);
        out[head_at..head_at + HEAD_BYTES].copy_from_slice(&head.to_bytes());
        self.clear();
        Ok(head)
    }

    fn clear(&mut self) {
        self.routes.clear();
        self.callers.clear();
        self.outcomes.clear();
        self.workers.clear();
        self.addresses.clear();
        self.ids.clear();
    }

    /// Pushes the sections from `Arrival` on, in their order.
    fn push_columns(
        &mut self,
        calls: &[Call],
        from_us: i64,
        body: &mut Body,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut before_us = from_us;
        self.column(calls, |_, it| {
            let difference = it.record.at_us.wrapping_sub(before_us);
            before_us = it.record.at_us;
            folded(difference)
        });
        self.end(body, out)?;
        self.column(calls, |encoder, it| encoder.workers.place(it.worker));
        let mut last: HashMap<u64, u64> = HashMap::new();
        self.column(calls, |_, it| {
            let before = last.insert(it.worker, it.record.number).unwrap_or_default();
            folded(it.record.number.wrapping_sub(before).cast_signed())
        });
        self.end(body, out)?;
        self.column(calls, |encoder, it| {
            encoder.routes.place(call::route(&it.record))
        });
        self.end(body, out)?;
        self.column(calls, |encoder, it| {
            encoder.callers.place(Caller::of(&it.record))
        });
        self.end(body, out)?;
        self.column(calls, |encoder, it| {
            encoder.outcomes.place(call::outcome(&it.record))
        });
        self.end(body, out)?;
        self.column(calls, |encoder, it| {
            encoder.addresses.place(call::network(it.record.address))
        });
        self.end(body, out)?;
        let plain: [fn(&Call) -> u64; 7] = [
            |it| it.record.before_us.into(),
            |it| it.record.upstream_us.into(),
            |it| call::rest_us(&it.record).into(),
            |it| it.record.mediate_us.into(),
            |it| call::sampled(&it.record),
            |it| it.record.bytes_in,
            |it| it.record.bytes_out,
        ];
        for number in plain {
            self.column(calls, |_, it| number(it));
            self.end(body, out)?;
        }
        Ok(())
    }

    fn push_dictionaries(
        &mut self,
        head: &mut Head,
        body: &mut Body,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let routes = std::mem::take(&mut self.routes);
        let callers = std::mem::take(&mut self.callers);
        let of_routes: [Vec<u64>; 4] = std::array::from_fn(|at| {
            routes
                .values()
                .iter()
                .map(|it| self.ids.place(it[at]))
                .collect()
        });
        let of_callers: [Vec<u64>; 3] = std::array::from_fn(|at| {
            callers
                .values()
                .iter()
                .map(|it| self.ids.place(it.ids[at]))
                .collect()
        });
        let kinds: Vec<u64> = callers.values().iter().map(|it| it.kind.into()).collect();
        let ids: Vec<u64> = self
            .ids
            .values()
            .iter()
            .map(|it| it.cast_unsigned())
            .collect();
        let outcomes: [Vec<u64>; OUTCOME] = std::array::from_fn(|at| {
            self.outcomes
                .values()
                .iter()
                .map(|it| it[at].into())
                .collect()
        });
        let workers = self.workers.values().to_vec();
        let half = |at: usize| {
            let halves = self.addresses.values().iter().map(move |it| {
                let half = it[8 * at..8 * (at + 1)].try_into().expect("eight bytes");
                u64::from_be_bytes(half)
            });
            halves.collect::<Vec<_>>()
        };
        let addresses = [half(0), half(1)];
        let of_callers: Vec<_> = of_callers.into_iter().chain([kinds]).collect();
        let sections: [&[Vec<u64>]; DICTIONARIES] = [
            &[ids],
            &of_routes,
            &of_callers,
            &outcomes,
            &[workers],
            &addresses,
        ];
        for (section, columns) in sections.into_iter().enumerate() {
            let values = columns.first().map_or(0, Vec::len);
            head.values[section] = u32::try_from(values).expect("a block is small");
            for column in columns {
                columns::push(column, &mut self.plain);
            }
            self.end(body, out)?;
        }
        (self.routes, self.callers) = (routes, callers);
        Ok(())
    }

    /// Pushes a column to the present section.
    fn column(&mut self, calls: &[Call], mut number: impl FnMut(&mut Self, &Call) -> u64) {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.extend(calls.iter().map(|it| number(self, it)));
        columns::push(&numbers, &mut self.plain);
        self.numbers = numbers;
    }

    /// Ends the present section: appends it, compressed if that makes it shorter.
    fn end(&mut self, body: &mut Body, out: &mut Vec<u8>) -> io::Result<()> {
        let at = out.len();
        let bytes = self.plain.len();
        let mut packed = None;
        if bytes >= COMPRESSED_MIN {
            out.resize(at + zstd::zstd_safe::compress_bound(bytes), 0);
            let size = self
                .compressor
                .compress_to_buffer(&self.plain, &mut out[at..])?;
            packed = Some(size).filter(|size| *size < bytes);
        }
        let (size, mark) = match packed {
            Some(size) => {
                out.truncate(at + size);
                (size, IS_COMPRESSED)
            }
            None => {
                out.truncate(at);
                out.extend_from_slice(&self.plain);
                (bytes, 0)
            }
        };
        body.sections[body.next] = u32::try_from(size).expect("a section is small") | mark;
        body.next += 1;
        self.plain.clear();
        Ok(())
    }
}

/// The sections of a block that is being written.
struct Body {
    sections: [u32; SECTIONS],
    next: usize,
}
