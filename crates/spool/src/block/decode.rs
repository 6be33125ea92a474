//! Reads blocks.

use std::borrow::Cow;

use hashbrown::HashMap;
use tollgate_model::record::Record;

use super::{Block, CALLS_MAX, Column, DICTIONARIES, Head, IS_COMPRESSED, Part, SECTIONS, Section};
use crate::call::{self, Call, Caller, OUTCOME, Outcome, Route};
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
        self.read_parts(&Part::ALL, out)
    }

    /// Appends its calls with their arrival and these parts; the others are 0 or absent. Fewer are
    /// faster.
    ///
    /// # Errors
    /// [`Damage::Undecodable`] if it does not have them; `out` may have some then.
    pub fn read_parts(&self, parts: &[Part], out: &mut Vec<Call>) -> Result<(), Damage> {
        self.try_read(parts, out).ok_or(Damage::Undecodable)
    }

    fn try_read(&self, parts: &[Part], out: &mut Vec<Call>) -> Option<()> {
        let begin = out.len();
        out.extend(self.arrivals().ok()?.into_iter().map(|at_us| {
            let record = Record {
                at_us,
                ..Record::default()
            };
            Call { worker: 0, record }
        }));
        let calls = &mut out[begin..];
        parts.iter().try_for_each(|part| match part {
            Part::Number => self.read_numbers(calls),
            Part::Route => self.read_routes(calls),
            Part::Caller => self.read_callers(calls),
            Part::Outcome => self.read_outcomes(calls),
            Part::Address => self.read_addresses(calls),
            Part::Times => self.read_times(calls),
            Part::Sampled => self.each(calls, Section::Sampled, |record, [sampled]| {
                call::set_sampled(record, sampled)
            }),
            Part::Bytes => self.read_bytes(calls),
        })
    }

    fn read_numbers(&self, calls: &mut [Call]) -> Option<()> {
        let workers = self.columns::<1>(Section::Workers)?;
        let [of_worker, numbers] = self.columns(Section::Number)?;
        let mut last: HashMap<u64, u64> = HashMap::new();
        for (call, (place, number)) in calls.iter_mut().zip(of_worker.into_iter().zip(numbers)) {
            let [worker] = value(&workers, place)?;
            let before = last.get(&worker).copied().unwrap_or_default();
            let number = before.wrapping_add(unfolded(number).cast_unsigned());
            last.insert(worker, number);
            call.worker = worker;
            call.record.number = number;
        }
        Some(())
    }

    fn read_routes(&self, calls: &mut [Call]) -> Option<()> {
        let routes = self.routes()?;
        self.each(calls, Section::Route, |record, [place]| {
            call::set_route(record, *at(&routes, place)?);
            Some(())
        })
    }

    fn read_callers(&self, calls: &mut [Call]) -> Option<()> {
        let callers = self.callers()?;
        self.each(calls, Section::Caller, |record, [place]| {
            at(&callers, place)?.set(record)
        })
    }

    fn read_outcomes(&self, calls: &mut [Call]) -> Option<()> {
        let outcomes = self.outcomes()?;
        self.each(calls, Section::Outcome, |record, [place]| {
            call::set_outcome(record, *at(&outcomes, place)?)
        })
    }

    /// The different routes.
    fn routes(&self) -> Option<Vec<Route>> {
        let [ids] = self.columns(Section::Ids)?;
        let id = |place: u64| at(&ids, place).map(|id| id.cast_signed());
        self.values(
            Section::Routes,
            |[api, version, revision, operation]: [u64; 4]| {
                Some([id(api)?, id(version)?, id(revision)?, id(operation)?])
            },
        )
    }

    /// The different callers.
    fn callers(&self) -> Option<Vec<Caller>> {
        let [ids] = self.columns(Section::Ids)?;
        let id = |place: u64| at(&ids, place).map(|id| id.cast_signed());
        self.values(
            Section::Callers,
            |[application, plan, credential, kind]: [u64; 4]| {
                Some(Caller {
                    ids: [id(application)?, id(plan)?, id(credential)?],
                    kind: kind.try_into().ok()?,
                })
            },
        )
    }

    /// The different outcomes.
    fn outcomes(&self) -> Option<Vec<Outcome>> {
        self.values(Section::Outcomes, |numbers: [u64; OUTCOME]| {
            let mut outcome = [0; OUTCOME];
            for (number, wide) in outcome.iter_mut().zip(numbers) {
                *number = u16::try_from(wide).ok()?;
            }
            Some(outcome)
        })
    }

    /// The values of a dictionary.
    fn values<T, const N: usize>(
        &self,
        section: Section,
        value: impl Fn([u64; N]) -> Option<T>,
    ) -> Option<Vec<T>> {
        let columns = self.columns::<N>(section)?;
        // Each call has at most one of its own.
        let count = Some(columns.first()?.len()).filter(|it| *it <= CALLS_MAX)?;
        let values = (0..count).map(|place| value(columns.each_ref().map(|column| column[place])));
        values.collect()
    }

    /// Returns a part that few different values of are in a block: [`Part::Route`],
    /// [`Part::Caller`] or [`Part::Outcome`].
    ///
    /// # Errors
    /// [`Damage::Undecodable`] if it is another part, or not readable.
    pub fn column(&self, part: Part) -> Result<Column, Damage> {
        self.try_column(part).ok_or(Damage::Undecodable)
    }

    fn try_column(&self, part: Part) -> Option<Column> {
        let mut values = Vec::new();
        let mut add = |set: &dyn Fn(&mut Record) -> Option<()>| {
            let mut record = Record::default();
            set(&mut record)?;
            values.push(record);
            Some(())
        };
        let section = match part {
            Part::Route => {
                for route in self.routes()? {
                    add(&|record| {
                        call::set_route(record, route);
                        Some(())
                    })?;
                }
                Section::Route
            }
            Part::Caller => {
                for caller in self.callers()? {
                    add(&|record| caller.set(record))?;
                }
                Section::Caller
            }
            Part::Outcome => {
                for outcome in self.outcomes()? {
                    add(&|record| call::set_outcome(record, outcome))?;
                }
                Section::Outcome
            }
            _ => return None,
        };
        let [places] = self.columns(section)?;
        let place = |place: u64| {
            u16::try_from(place)
                .ok()
                .filter(|it| usize::from(*it) < values.len())
        };
        let places = places.into_iter().map(place).collect::<Option<_>>()?;
        Some(Column { values, places })
    }

    /// Returns the arrivals of its calls, Unix microseconds.
    ///
    /// # Errors
    /// [`Damage::Undecodable`] if they are not readable.
    pub fn arrivals(&self) -> Result<Vec<i64>, Damage> {
        let [arrivals] = self.columns(Section::Arrival).ok_or(Damage::Undecodable)?;
        let mut at_us = self.head.from_us;
        let arrivals = arrivals.into_iter().map(|arrival| {
            at_us = at_us.wrapping_add(unfolded(arrival));
            at_us
        });
        Ok(arrivals.collect())
    }

    fn read_addresses(&self, calls: &mut [Call]) -> Option<()> {
        let addresses = self.columns::<2>(Section::Addresses)?;
        self.each(calls, Section::Address, |record, [place]| {
            let [upper, lower] = value(&addresses, place)?;
            record.address = (u128::from(upper) << 64 | u128::from(lower)).to_be_bytes();
            Some(())
        })
    }

    fn read_times(&self, calls: &mut [Call]) -> Option<()> {
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
        })
    }

    fn read_bytes(&self, calls: &mut [Call]) -> Option<()> {
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
        let bytes = self.body.get(self.head.range(section))?;
        self.head.columns(section, bytes)
    }
}

impl Head {
    /// The columns of a section, which has these bytes in the body.
    pub(super) fn columns<const N: usize>(
        &self,
        section: Section,
        bytes: &[u8],
    ) -> Option<[Vec<u64>; N]> {
        let count = self.values.get(section as usize);
        let count = *count.unwrap_or(&self.calls) as usize;
        let bytes = match self.sections[section as usize] & IS_COMPRESSED {
            0 => Cow::Borrowed(bytes),
            _ => {
                let bytes_max = COLUMNS_MAX * columns::bytes_max(count);
                Cow::Owned(zstd::bulk::decompress(bytes, bytes_max).ok()?)
            }
        };
        let mut reader = Reader::new(&bytes);
        let mut columns = [const { Vec::new() }; N];
        for column in &mut columns {
            *column = reader.column(count)?;
        }
        reader.is_at_end().then_some(columns)
    }
}

/// The value at a place of a dictionary.
fn at<T>(values: &[T], place: u64) -> Option<&T> {
    values.get(usize::try_from(place).ok()?)
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
