//! What is measured of calls: one row of [`measures!`] each. The columns of pages, their sums, the
//! reference and the API's document follow from the table. New rows go to its end.

use tollgate_model::record::{AnsweredBy, CacheUse, Flags, Record};
use tollgate_spool::Part;

/// What a measure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Calls.
    Calls,
    /// Bytes of bodies.
    Bytes,
    /// Microseconds.
    Microseconds,
}

impl Unit {
    /// The word of this unit, as in the reference.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Bytes => "bytes",
            Self::Microseconds => "µs",
        }
    }
}

/// How the measures of calls make that of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// They are added.
    Sum,
    /// The largest one is taken.
    Maximum,
}

impl Merging {
    /// The word of this kind, as in the reference.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Maximum => "maximum",
        }
    }

    /// The function of SQL, for figures of earlier releases.
    pub(crate) const fn function(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Maximum => "max",
        }
    }

    pub(crate) const fn merge(self, one: u64, other: u64) -> u64 {
        match self {
            Self::Sum => one.saturating_add(other),
            Self::Maximum => {
                if one > other {
                    one
                } else {
                    other
                }
            }
        }
    }
}

/// A measure of calls.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Its name, as in the rows of `GET /usage`.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// How those of several calls are merged.
    pub merging: Merging,
    /// The parts of a call that it is made of.
    pub(crate) parts: &'static [Part],
    /// What it means, as a phrase in Markdown.
    pub meaning: &'static str,
}

macro_rules! measures {
    ($($name:ident: $unit:ident, $merging:ident, [$($part:ident),*], $meaning:literal,
        |$call:ident| $value:expr;)+) => {
        /// The measures of calls.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Measures {
            $(#[doc = $meaning] pub $name: u64,)+
        }

        /// Every measure, in the order of the columns.
        pub const MEASURES: &[Measure] = &[$(Measure {
            name: stringify!($name),
            unit: Unit::$unit,
            merging: Merging::$merging,
            parts: &[$(Part::$part),*],
            meaning: $meaning,
        },)+];

        /// Number of measures.
        pub(crate) const COUNT: usize = MEASURES.len();

        impl Measures {
            /// Returns the measures of one call.
            pub(crate) fn from_call(call: &Measured<'_>) -> Self {
                $(let $name = { let $call = call; $value };)+
                Self { $($name,)+ }
            }

            /// Adds those of other calls.
            pub(crate) fn add(&mut self, other: &Self) {
                $(self.$name = Merging::$merging.merge(self.$name, other.$name);)+
            }

            /// Returns those of this many calls with the same measures.
            pub(crate) fn times(&self, calls: u64) -> Self {
                Self {
                    $($name: match Merging::$merging {
                        Merging::Sum => self.$name.saturating_mul(calls),
                        Merging::Maximum => self.$name,
                    },)+
                }
            }

            /// Returns those of the calls without some of them. Maxima are 0: they are not known.
            pub(crate) fn without(&self, some: &Self) -> Self {
                Self {
                    $($name: match Merging::$merging {
                        Merging::Sum => self.$name.saturating_sub(some.$name),
                        Merging::Maximum => 0,
                    },)+
                }
            }

            /// Returns them in the order of [`MEASURES`].
            #[must_use]
            pub fn values(&self) -> [u64; COUNT] {
                [$(self.$name,)+]
            }

            /// Returns those with these values, in the order of [`MEASURES`].
            pub(crate) fn from_values(values: [u64; COUNT]) -> Self {
                let [$($name,)+] = values;
                Self { $($name,)+ }
            }
        }
    };
}

measures! {
    calls: Calls, Sum, [], "Number of calls.", |_call| 1;
    client_errors: Calls, Sum, [Outcome], "Number of calls with a status from 400 to 499.",
        |call| (400..500).contains(&call.record.status).into();
    server_errors: Calls, Sum, [Outcome], "Number of calls with a status of 500 or more.",
        |call| (call.record.status >= 500).into();
    refused: Calls, Sum, [Outcome], "Number of calls that the gateway rejected, or cut off after \
        it had sent a status.",
        |call| call.record.refusal.is_some().into();
    cut: Calls, Sum, [Outcome], "Number of calls that ended before the last byte of their \
        response.",
        |call| call.record.flags.has(Flags::CUT).into();
    mismatched: Calls, Sum, [Outcome], "Number of calls with a SOAP message that contradicts \
        itself or its contract: an action that names another operation than the body, a body with \
        an operation's name in another namespace, a response that its types do not allow or with \
        names in other namespaces.",
        |call| call.record.flags.has(Flags::MISMATCHED).into();
    over: Calls, Sum, [Outcome], "Number of calls that were admitted although they exceeded a \
        limit: the amount of a soft one, or one that only observes.",
        |call| call.record.flags.has(Flags::OVER).into();
    answered_upstream: Calls, Sum, [Outcome], "Number of calls that the upstream answered, \
        whether policies changed its response or not.",
        |call| call.is_answered_by(AnsweredBy::Upstream);
    answered_policy: Calls, Sum, [Outcome], "Number of calls that a step `respond` answered in \
        place of the upstream.",
        |call| call.is_answered_by(AnsweredBy::Policy);
    answered_mock: Calls, Sum, [Outcome], "Number of calls that a step `mock` answered in place \
        of the upstream.",
        |call| call.is_answered_by(AnsweredBy::Mock);
    answered_preflight: Calls, Sum, [Outcome], "Number of CORS preflights that the gateway \
        allowed.",
        |call| call.is_answered_by(AnsweredBy::Preflight);
    answered_gateway: Calls, Sum, [Outcome], "Number of other calls: rejected ones, in whatever \
        form, requests for documents of the gateway, and calls that ended before a response \
        began.",
        |call| call.is_answered_by(AnsweredBy::Gateway);
    cache_answered: Calls, Sum, [Outcome], "Number of calls that the cache of responses answered \
        (`hit`, `stale`, `revalidated`).",
        |call| call.is_cached.into();
    cache_missed: Calls, Sum, [Outcome], "Number of calls for which the cache of responses had no \
        response (`miss`).",
        |call| (call.record.answered.cache() == CacheUse::Miss).into();
    bytes_in: Bytes, Sum, [Bytes], "Body bytes received from the clients.",
        |call| call.record.bytes_in;
    bytes_out: Bytes, Sum, [Bytes], "Body bytes sent to the clients.", |call| call.record.bytes_out;
    bytes_from_cache: Bytes, Sum, [Outcome, Bytes], "Body bytes sent to the clients from the \
        cache of responses.",
        |call| if call.is_cached { call.record.bytes_out } else { 0 };
    upstream_calls: Calls, Sum, [Outcome, Times], "Number of calls for which a request was sent \
        to the upstream.",
        |call| call.upstream_us.is_some().into();
    total_us_sum: Microseconds, Sum, [Times], "Microseconds from the head's arrival to the last \
        byte, summed over the calls.",
        |call| call.record.total_us.into();
    total_us_max: Microseconds, Maximum, [Times], "Microseconds from the head's arrival to the \
        last byte, of the slowest call.",
        |call| call.record.total_us.into();
    upstream_us_sum: Microseconds, Sum, [Times], "Microseconds to the upstream's first byte, \
        summed over the calls.",
        |call| call.record.upstream_us.into();
    upstream_us_max: Microseconds, Maximum, [Times], "Microseconds to the upstream's first byte, \
        of the call where it took longest.",
        |call| call.record.upstream_us.into();
    gateway_us_sum: Microseconds, Sum, [Outcome, Times], "Microseconds from the head's arrival \
        until the request was sent to the upstream, or until the last byte if it was not; summed \
        over the calls.",
        |call| call.gateway_us.into();
    gateway_us_max: Microseconds, Maximum, [Outcome, Times], "Microseconds until the request was \
        sent to the upstream, or until the last byte if it was not; of the call where it took \
        longest.",
        |call| call.gateway_us.into();
    mediate_us_sum: Microseconds, Sum, [Times], "Microseconds spent running steps of policies, \
        summed over the calls; of each call at most 65,535.",
        |call| call.record.mediate_us.into();
}

/// A call, with what several measures need of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured<'r> {
    pub(crate) record: &'r Record,
    /// Microseconds to the upstream's first byte; `None` if no request was sent to it.
    pub(crate) upstream_us: Option<u32>,
    /// Microseconds in the gateway before that, or of the whole call without an upstream.
    pub(crate) gateway_us: u32,
    is_cached: bool,
}

impl<'r> Measured<'r> {
    pub(crate) fn new(record: &'r Record) -> Self {
        let is_sent = record.upstream_us > 0 || record.upstream_status > 0;
        let cache = record.answered.cache();
        Self {
            record,
            upstream_us: is_sent.then_some(record.upstream_us),
            gateway_us: match is_sent {
                true => record.before_us,
                false => record.total_us,
            },
            is_cached: matches!(
                cache,
                CacheUse::Hit | CacheUse::Stale | CacheUse::Revalidated
            ),
        }
    }

    fn is_answered_by(&self, by: AnsweredBy) -> u64 {
        (self.record.answered.by() == by).into()
    }
}

impl Measures {
    /// Returns those of calls that only their number is known of.
    pub(crate) fn of_counted(status: u16, calls: u64) -> Self {
        let of = |is_it: bool| if is_it { calls } else { 0 };
        Self {
            calls,
            client_errors: of((400..500).contains(&status)),
            server_errors: of(status >= 500),
            ..Self::default()
        }
    }

    /// Returns the share of calls that the cache answered among those and the calls for which it
    /// had no response, between 0 and 1; `None` without any.
    #[must_use]
    pub fn cache_rate(&self) -> Option<f64> {
        rate(
            self.cache_answered,
            self.cache_answered.saturating_add(self.cache_missed),
        )
    }
}

/// Returns a share, between 0 and 1; `None` of nothing.
fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests;
