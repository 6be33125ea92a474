//! Reads blocks.

use std::borrow::Cow;

use tollgate_model::record::Record;

use super::{Block, CALLS_MAX, Column, DICTIONARIES, Head, IS_COMPRESSED, Part, SECTIONS, Section};
use crate::call::{self, Call, Caller, OUTCOME, Outcome, Route};
use crate::columns::{self, Planes, Reader, unfolded};
use crate::damage::Damage;

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
        self.try_read(parts, Picked::All, out)
            .ok_or(Damage::Undecodable)
    }

    /// Returns the calls at these places.
    ///
    /// # Errors
    /// [`Damage::Undecodable`] if it does not have them.
    pub fn pick(&self, places: &[usize]) -> Result<Vec<Call>, Damage> {
        let mut calls = Vec::with_capacity(places.len());
        self.try_read(&Part::ALL, Picked::These(places), &mut calls)
            .ok_or(Damage::Undecodable)?;
        Ok(calls)
    }

    fn try_read(&self, parts: &[Part], picked: Picked<'_>, out: &mut Vec<Call>) -> Option<()> {
        let begin = out.len();
        let arrivals = picked.of(self.arrivals().ok()?)?;
        out.extend(arrivals.into_iter().map(|at_us| {
            let record = Record {
                at_us,
                ..Record::default()
            };
            Call { worker: 0, record }
        }));
        let mut reading = Reading {
            block: self,
            picked,
            calls: &mut out[begin..],
        };
        parts.iter().try_for_each(|part| reading.read(*part))
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
        let places = self.planes(section, |[planes]| planes.narrow())?;
        let last = places.iter().copied().max();
        let are_known = last.is_none_or(|last| usize::from(last) < values.len());
        are_known.then_some(Column { values, places })
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

    /// The columns of a section.
    fn columns<const N: usize>(&self, section: Section) -> Option<[Vec<u64>; N]> {
        let bytes = self.body.get(self.head.range(section))?;
        self.head.columns(section, bytes)
    }

    /// Reads the columns of a section as they are stored.
    fn planes<T, const N: usize>(
        &self,
        section: Section,
        read: impl FnOnce([Planes<'_>; N]) -> Option<T>,
    ) -> Option<T> {
        let bytes = self.body.get(self.head.range(section))?;
        self.head.planes(section, bytes, read)
    }
}

impl Head {
    /// The columns of a section, which has these bytes in the body.
    pub(super) fn columns<const N: usize>(
        &self,
        section: Section,
        bytes: &[u8],
    ) -> Option<[Vec<u64>; N]> {
        self.planes(section, bytes, |columns| Some(columns.map(Planes::all)))
    }

    /// Reads the columns of a section, which has these bytes in the body, as they are stored.
    fn planes<T, const N: usize>(
        &self,
        section: Section,
        bytes: &[u8],
        read: impl FnOnce([Planes<'_>; N]) -> Option<T>,
    ) -> Option<T> {
        let count = self.values.get(section as usize);
        let count = *count.unwrap_or(&self.calls) as usize;
        let bytes = match self.sections[section as usize] & IS_COMPRESSED {
            0 => Cow::Borrowed(bytes),
            _ => {
                let bytes_max = N * columns::bytes_max(count);
                Cow::Owned(zstd::bulk::decompress(bytes, bytes_max).ok()?)
            }
        };
        let mut reader = Reader::new(&bytes);
        let mut all = [Planes::default(); N];
        for planes in &mut all {
            *planes = reader.column(count)?;
        }
        if reader.is_at_end() { read(all) } else { None }
    }
}

/// The calls of a block that are read.
#[derive(Debug, Clone, Copy)]
enum Picked<'p> {
    All,
    /// Those at these places.
    These(&'p [usize]),
}

impl Picked<'_> {
    /// The values of these calls, of one for each call.
    fn of<T: Copy>(self, values: Vec<T>) -> Option<Vec<T>> {
        match self {
            Self::All => Some(values),
            Self::These(places) => places.iter().map(|at| values.get(*at).copied()).collect(),
        }
    }
}

/// Calls that get one part after the other.
struct Reading<'b> {
    block: &'b Block,
    picked: Picked<'b>,
    calls: &'b mut [Call],
}

impl Reading<'_> {
    fn read(&mut self, part: Part) -> Option<()> {
        match part {
            Part::Number => self.read_numbers(),
            Part::Route => self.read_routes(),
            Part::Caller => self.read_callers(),
            Part::Outcome => self.read_outcomes(),
            Part::Address => self.read_addresses(),
            Part::Times => self.read_times(),
            Part::Sampled => self.each(Section::Sampled, |record, [sampled]| {
                call::set_sampled(record, sampled)
            }),
            Part::Bytes => self.read_bytes(),
        }
    }

    fn read_numbers(&mut self) -> Option<()> {
        let [workers] = self.block.columns(Section::Workers)?;
        let [of_worker, differences] = self.block.columns(Section::Number)?;
        let mut last = vec![0_u64; workers.len()];
        let numbers = of_worker.iter().zip(differences).map(|(of, difference)| {
            let number = last.get_mut(usize::try_from(*of).ok()?)?;
            *number = number.wrapping_add(unfolded(difference).cast_unsigned());
            Some(*number)
        });
        let numbers = self.picked.of(numbers.collect::<Option<_>>()?)?;
        let of_worker = self.picked.of(of_worker)?;
        for (call, (of, number)) in self
            .calls
            .iter_mut()
            .zip(of_worker.into_iter().zip(numbers))
        {
            call.worker = *at(&workers, of)?;
            call.record.number = number;
        }
        Some(())
    }

    fn read_routes(&mut self) -> Option<()> {
        let routes = self.block.routes()?;
        self.each(Section::Route, |record, [place]| {
            call::set_route(record, *at(&routes, place)?);
            Some(())
        })
    }

    fn read_callers(&mut self) -> Option<()> {
        let callers = self.block.callers()?;
        self.each(Section::Caller, |record, [place]| {
            at(&callers, place)?.set(record)
        })
    }

    fn read_outcomes(&mut self) -> Option<()> {
        let outcomes = self.block.outcomes()?;
        self.each(Section::Outcome, |record, [place]| {
            call::set_outcome(record, *at(&outcomes, place)?)
        })
    }

    fn read_addresses(&mut self) -> Option<()> {
        let addresses = self.block.columns::<2>(Section::Addresses)?;
        self.each(Section::Address, |record, [place]| {
            let [upper, lower] = value(&addresses, place)?;
            record.address = (u128::from(upper) << 64 | u128::from(lower)).to_be_bytes();
            Some(())
        })
    }

    fn read_times(&mut self) -> Option<()> {
        self.each(Section::Before, |record, [us]| {
            record.before_us = us.try_into().ok()?;
            Some(())
        })?;
        self.each(Section::Upstream, |record, [us]| {
            record.upstream_us = us.try_into().ok()?;
            Some(())
        })?;
        self.each(Section::Rest, |record, [us]| {
            call::set_rest_us(record, us.try_into().ok()?);
            Some(())
        })?;
        self.each(Section::Mediate, |record, [us]| {
            record.mediate_us = us.try_into().ok()?;
            Some(())
        })
    }

    fn read_bytes(&mut self) -> Option<()> {
        self.each(Section::BytesIn, |record, [bytes]| {
            record.bytes_in = bytes;
            Some(())
        })?;
        self.each(Section::BytesOut, |record, [bytes]| {
            record.bytes_out = bytes;
            Some(())
        })
    }

    /// Reads a section with a number for each call.
    fn each(
        &mut self,
        section: Section,
        mut set: impl FnMut(&mut Record, [u64; 1]) -> Option<()>,
    ) -> Option<()> {
        let picked = self.picked;
        let numbers = self.block.planes(section, |[planes]| match picked {
            Picked::All => Some(planes.all()),
            Picked::These(places) => planes.some(places),
        })?;
        for (call, number) in self.calls.iter_mut().zip(numbers) {
            set(&mut call.record, [number])?;
        }
        Some(())
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
