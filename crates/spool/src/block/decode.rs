//! Reads blocks.

use std::borrow::Cow;

use hashbrown::HashMap;
use tollgate_model::record::Record;

use super::{Block, DICTIONARIES, Head, IS_COMPRESSED, SECTIONS, Section};
use crate::call::{self, Call, Caller, OUTCOME};
use crate::columns::{self, Reader, unfolded};
use crate::damage::Damage;

/// Columns of the section with the most.
const COLUMNS_MAX: usize = OUTCOME;

impl Block {
    /// # Errors
    /// [`Damage::Changed`] if the body is not that of the head.
    pub(crate) fn new(head: Head, body: Vec<u8>) -> Result<Self, Damage> {
        match crc32fast::hash(&body) == head.body_crc {
            true => Ok(Self { head, body }),
            false => Err(Damage::Changed),
        }
    }

    /// Its head.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Appends its calls.
    ///
    /// # Errors
    /// [`Damage::Undecodable`] if it does not have them; `out` may have some then.
    pub fn read(&self, out: &mut Vec<Call>) -> Result<(), Damage> {
        self.try_read(out).ok_or(Damage::Undecodable)
    }

    fn try_read(&self, out: &mut Vec<Call>) -> Option<()> {
        let begin = out.len();
        let count = self.head.calls as usize;
        let [ids] = self.columns(Section::Ids)?;
        let id = |place: u64| Some(ids.get(usize::try_from(place).ok()?)?.cast_signed());
        let workers = self.columns::<1>(Section::Workers)?;
        let [of_worker, numbers] = self.columns(Section::Number)?;
        let [arrivals] = self.columns(Section::Arrival)?;
        let mut at_us = self.head.from_us;
        let mut last: HashMap<u64, u64> = HashMap::new();
        out.reserve(count);
        for at in 0..count {
            at_us = at_us.wrapping_add(unfolded(arrivals[at]));
            let [worker] = value(&workers, of_worker[at])?;
            let before = last.get(&worker).copied().unwrap_or_default();
            let number = before.wrapping_add(unfolded(numbers[at]).cast_unsigned());
            last.insert(worker, number);
            let record = Record {
                at_us,
                number,
                ..Record::default()
            };
            out.push(Call { worker, record });
        }
        let calls = &mut out[begin..];
        let routes = self.columns::<4>(Section::Routes)?;
        self.each(calls, Section::Route, |record, [place]| {
            let [api, version, revision, operation] = value(&routes, place)?.map(id);
            call::set_route(record, [api?, version?, revision?, operation?]);
            Some(())
        })?;
        let callers = self.columns::<4>(Section::Callers)?;
        self.each(calls, Section::Caller, |record, [place]| {
            let [application, plan, credential, kind] = value(&callers, place)?;
            let caller = Caller {
                ids: [id(application)?, id(plan)?, id(credential)?],
                kind: kind.try_into().ok()?,
            };
            caller.set(record)
        })?;
        let outcomes = self.columns::<OUTCOME>(Section::Outcomes)?;
        self.each(calls, Section::Outcome, |record, [place]| {
            let outcome = value(&outcomes, place)?.map(|it| u16::try_from(it).ok());
            let mut numbers = [0; OUTCOME];
            for (number, part) in numbers.iter_mut().zip(outcome) {
                *number = part?;
            }
            call::set_outcome(record, numbers)
        })?;
        let addresses = self.columns::<2>(Section::Addresses)?;
        self.each(calls, Section::Address, |record, [place]| {
            let [upper, lower] = value(&addresses, place)?;
            record.address = (u128::from(upper) << 64 | u128::from(lower)).to_be_bytes();
            Some(())
        })?;
        self.read_plain(calls)
    }

    /// Reads what is stored without a dictionary.
    fn read_plain(&self, calls: &mut [Call]) -> Option<()> {
        self.each(calls, Section::Before, |record, [us]| {
            record.before_us = us.try_into().ok()?;
            Some(())
        })?;
        self.each(calls, Section::Upstream, |record, [us]| {
            record.upstream_us = us.try_into().ok()?;
            Some(())
        })?;
        self.each(calls, Section::Rest, |record, [us]| {
            call::set_rest_us(record, us.try_into().ok()?);
            Some(())
        })?;
        self.each(calls, Section::Mediate, |record, [us]| {
            record.mediate_us = us.try_into().ok()?;
            Some(())
        })?;
        self.each(calls, Section::Sampled, |record, [sampled]| {
            call::set_sampled(record, sampled)
        })?;
        self.each(calls, Section::BytesIn, |record, [bytes]| {
            record.bytes_in = bytes;
            Some(())
        })?;
        self.each(calls, Section::BytesOut, |record, [bytes]| {
            record.bytes_out = bytes;
            Some(())
        })
    }

    /// Reads a section with a number for each call.
    fn each(
        &self,
        calls: &mut [Call],
        section: Section,
        mut set: impl FnMut(&mut Record, [u64; 1]) -> Option<()>,
    ) -> Option<()> {
        let [numbers] = self.columns(section)?;
        for (call, number) in calls.iter_mut().zip(numbers) {
            set(&mut call.record, [number])?;
        }
        Some(())
    }

    /// The columns of a section.
    fn columns<const N: usize>(&self, section: Section) -> Option<[Vec<u64>; N]> {
        let count = match self.head.values.get(section as usize) {
            Some(values) => *values,
            None => self.head.calls,
        };
        let bytes = self.section(section, count as usize)?;
        let mut reader = Reader::new(&bytes);
        let mut columns = [const { Vec::new() }; N];
        for column in &mut columns {
            *column = reader.column(count as usize)?;
        }
        reader.is_at_end().then_some(columns)
    }

    fn section(&self, section: Section, count: usize) -> Option<Cow<'_, [u8]>> {
        let sizes = self.head.sections.map(|it| (it & !IS_COMPRESSED) as usize);
        let start: usize = sizes[..section as usize].iter().sum();
        let bytes = self.body.get(start..start + sizes[section as usize])?;
        if self.head.sections[section as usize] & IS_COMPRESSED == 0 {
            return Some(Cow::Borrowed(bytes));
        }
        let bytes_max = COLUMNS_MAX * columns::bytes_max(count);
        zstd::bulk::decompress(bytes, bytes_max)
            .ok()
            .map(Cow::Owned)
    }
}

/// The value of a dictionary at a place.
fn value<const N: usize>(columns: &[Vec<u64>; N], place: u64) -> Option<[u64; N]> {
    let place = usize::try_from(place).ok()?;
    let mut value = [0; N];
    for (part, column) in value.iter_mut().zip(columns) {
        *part = *column.get(place)?;
    }
    Some(value)
}

const _: () = assert!(Section::BytesOut as usize + 1 == SECTIONS);
const _: () = assert!(Section::Addresses as usize + 1 == DICTIONARIES);
