//! Parts of a record that are smaller than their values would be.

use std::num::NonZeroU16;
use std::time::Duration;

use super::{AnsweredBy, CacheUse};

/// A duration of up to 6.5 ms, in tenths of a microsecond. 0 if it was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShortTime(u16);

impl ShortTime {
    /// Rounds a duration up, at most to the longest one.
    #[must_use]
    pub fn of(duration: Duration) -> Self {
        let tenths = duration.as_nanos() / 100 + 1;
        Self(u16::try_from(tenths).unwrap_or(u16::MAX))
    }

    /// Returns the duration in nanoseconds; `None` if it was not taken.
    #[must_use]
    pub fn ns(self) -> Option<u32> {
        (self.0 > 0).then(|| u32::from(self.0) * 100)
    }

    /// Returns its stored number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Returns the duration with a stored number.
    #[must_use]
    pub const fn from_number(number: u16) -> Self {
        Self(number)
    }
}

/// What a limit belongs to, or which list a step of a policy is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Owner {
    /// A limit of the plan.
    Plan = 1,
    /// A limit of the application.
    Application = 2,
    /// A limit of the version.
    Version = 3,
    /// A limit of the operation.
    Operation = 4,
    /// A limit of the upstream.
    Upstream = 5,
    /// A step that runs on requests.
    Request = 6,
    /// A step that runs on responses.
    Response = 7,
}

impl Owner {
    const fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            1 => Self::Plan,
            2 => Self::Application,
            3 => Self::Version,
            4 => Self::Operation,
            5 => Self::Upstream,
            6 => Self::Request,
            7 => Self::Response,
            _ => return None,
        })
    }
}

/// The limit or the step that refused a call: its owner in the upper 3 bits, its place in the list
/// of that in the others. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RefusedBy(NonZeroU16);

impl RefusedBy {
    const PLACE_BITS: u32 = 13;
    const PLACE_MAX: u16 = (1 << Self::PLACE_BITS) - 1;

    /// The limit or step of an owner with this index, at most 8,191.
    #[must_use]
    pub fn new(owner: Owner, index: usize) -> Self {
        let place = u16::try_from(index)
            .unwrap_or(u16::MAX)
            .min(Self::PLACE_MAX);
        let number = (owner as u16) << Self::PLACE_BITS | place;
        Self(NonZeroU16::new(number).expect("no owner is 0"))
    }

    /// Returns what the limit or step belongs to.
    #[must_use]
    pub fn owner(self) -> Owner {
        Owner::from_number(self.0.get() >> Self::PLACE_BITS).expect("no owner is 0")
    }

    /// Returns its index in the owner's list.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.0.get() & Self::PLACE_MAX
    }

    /// Returns its stored number; never 0.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0.get()
    }

    /// Returns the one with a stored number; `None` if there is none.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        Owner::from_number(number >> Self::PLACE_BITS)?;
        NonZeroU16::new(number).map(Self)
    }
}

/// Marks of a call, a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    /// The exchange ended before its last byte.
    pub const CUT: Self = Self(1);
    /// A SOAP message that does not match itself or its contract was passed on nevertheless: the
    /// action of a call names another operation, or its body is not exactly named like its
    /// operation; a response has an element that the contract does not know, or in another
    /// namespace. Or a location was left out of a response, since it might lead out of the version.
    pub const MISMATCHED: Self = Self(2);
    /// It was admitted although it exceeded a limit: the amount of a soft one, or one that only
    /// observes.
    pub const OVER: Self = Self(4);
    /// Its credential is one of the sandbox.
    pub const SANDBOX: Self = Self(8);
    const ALL: u8 = 15;

    /// Whether it has this mark.
    #[must_use]
    pub const fn has(self, mark: Self) -> bool {
        self.0 & mark.0 != 0
    }

    /// Adds a mark, or removes it.
    pub const fn set(&mut self, mark: Self, is_set: bool) {
        match is_set {
            true => self.0 |= mark.0,
            false => self.0 &= !mark.0,
        }
    }

    /// Returns its stored number.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the marks with a stored number; `None` if it has others.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        match bits <= Self::ALL {
            true => Some(Self(bits)),
            false => None,
        }
    }
}

/// Where a response came from, and what the cache of responses did for it, in one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answered(u8);

impl Answered {
    /// Puts them together.
    #[must_use]
    pub const fn new(by: AnsweredBy, cache: CacheUse) -> Self {
        Self(by as u8 | (cache as u8) << 4)
    }

    /// Sets where the response came from.
    pub const fn set_by(&mut self, by: AnsweredBy) {
        self.0 = self.0 & 0xf0 | by as u8;
    }

    /// Sets what the cache did.
    pub const fn set_cache(&mut self, cache: CacheUse) {
        self.0 = self.0 & 0x0f | (cache as u8) << 4;
    }

    /// Returns where the response came from.
    #[must_use]
    pub fn by(self) -> AnsweredBy {
        AnsweredBy::ALL[usize::from(self.0 & 15)]
    }

    /// Returns what the cache did.
    #[must_use]
    pub fn cache(self) -> CacheUse {
        CacheUse::ALL[usize::from(self.0 >> 4)]
    }

    /// Returns its stored number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the one with a stored number; `None` if there is none.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        let is_known = usize::from(number & 15) < AnsweredBy::ALL.len()
            && usize::from(number >> 4) < CacheUse::ALL.len();
        is_known.then_some(Self(number))
    }
}
