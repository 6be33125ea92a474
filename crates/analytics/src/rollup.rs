//! Aggregates records into rows: one row for each minute and combination of dimensions. `usage`
//! fills it from the workers' rings, `write` takes it as a batch, `query` reads the unwritten rows.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use tollgate_model::id::Id;
use tollgate_model::record::{AnsweredBy, CacheUse, Flags, Overflow, Record};

use crate::losses::{Loss, LossKey, Reason, Unwritten};

pub(crate) const MINUTE_US: i64 = 60_000_000;
/// Maximum rows in full detail, about 30 MB; beyond it, calls are counted by hour, API, version and
/// status.
const DETAILED_ROWS_MAX: usize = 200_000;
/// Maximum rows in all; beyond it, calls are counted by hour and status, which are few.
const ROWS_MAX: usize = 300_000;

/// The common dimensions of a row's calls. Ids are raw; 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Key {
    /// Minutes since 1970, UTC.
    pub(crate) minute: i64,
    pub(crate) api: i64,
    pub(crate) version: i64,
    pub(crate) operation: i64,
    pub(crate) application: i64,
    pub(crate) status: u16,
    /// [`tollgate_model::refusal::Refusal::number`]; 0 if the call was not refused.
    pub(crate) refusal: u8,
    pub(crate) cache: CacheUse,
}

impl Key {
    fn from_record(record: &Record) -> Self {
        Self {
            minute: record.at_us.div_euclid(MINUTE_US),
            api: raw(record.api),
            version: raw(record.version),
            operation: raw(record.operation),
            application: raw(record.application),
            status: record.status,
            refusal: record.refusal.map_or(0, |refusal| refusal.number()),
            cache: record.answered.cache(),
        }
    }

    /// This key with less detail, used if there is no room for more.
    fn coarse(self) -> Self {
        Self {
            minute: self.minute - self.minute.rem_euclid(60),
            operation: 0,
            application: 0,
            refusal: 0,
            cache: CacheUse::None,
            ..self
        }
    }

    /// This key with hardly any detail.
    fn coarsest(self) -> Self {
        Self {
            api: 0,
            version: 0,
            ..self.coarse()
        }
    }

    /// The refusal and the use of the cache as one number, which is a column of the database: few
    /// rows need it, and the key does not grow for all others.
    fn outcome(self) -> i64 {
        i64::from(self.cache as u8) << u8::BITS | i64::from(self.refusal)
    }
}

/// Splits an outcome into the refusal's number and the use of the cache; `None` if it is not one.
fn split_outcome(outcome: i64) -> Option<(u8, CacheUse)> {
    let [cache, refusal] = u16::try_from(outcome).ok()?.to_be_bytes();
    let cache = CacheUse::ALL.get(usize::from(cache))?;
    Some((refusal, *cache))
}

/// Columns of a row in the database.
pub(crate) const COLUMNS: usize = 21;

/// A row in the form of the database, in the order of its columns.
pub(crate) fn columns(key: &Key, measures: &Measures) -> [i64; COLUMNS] {
    let sum = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    [
        key.minute,
        key.api,
        key.version,
        key.operation,
        key.application,
        key.status.into(),
        key.outcome(),
        sum(measures.calls),
        sum(measures.bytes_in),
        sum(measures.bytes_out),
        sum(measures.total_us_sum),
        sum(measures.total_us_max),
        sum(measures.upstream_us_sum),
        sum(measures.mismatched),
        sum(measures.mediate_us_sum),
        sum(measures.answered.upstream),
        sum(measures.answered.policy),
        sum(measures.answered.mock),
        sum(measures.answered.preflight),
        sum(measures.answered.gateway),
        sum(measures.over),
    ]
}

/// Converts columns to a row; `None` if they were not made by [`columns`].
pub(crate) fn row(columns: [i64; COLUMNS]) -> Option<(Key, Measures)> {
    let [minute, api, version, operation, application, ..] = columns;
    let [
        ..,
        calls,
        bytes_in,
        bytes_out,
        total_us_sum,
        total_us_max,
        upstream_us_sum,
        mismatched,
        mediate_us_sum,
        upstream,
        policy,
        mock,
        preflight,
        gateway,
        over,
    ] = columns.map(|column| u64::try_from(column).ok());
    let (refusal, cache) = split_outcome(columns[6])?;
    let key = Key {
        minute,
        api,
        version,
        operation,
        application,
        status: u16::try_from(columns[5]).ok()?,
        refusal,
        cache,
    };
    let measures = Measures {
        calls: calls?,
        bytes_in: bytes_in?,
        bytes_out: bytes_out?,
        total_us_sum: total_us_sum?,
        total_us_max: total_us_max?,
        upstream_us_sum: upstream_us_sum?,
        mismatched: mismatched?,
        mediate_us_sum: mediate_us_sum?,
        answered: AnsweredCalls {
            upstream: upstream?,
            policy: policy?,
            mock: mock?,
            preflight: preflight?,
            gateway: gateway?,
        },
        over: over?,
    };
    Some((key, measures))
}

/// The measures of a row's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Measures {
    pub(crate) calls: u64,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) total_us_sum: u64,
    pub(crate) total_us_max: u64,
    pub(crate) upstream_us_sum: u64,
    pub(crate) mismatched: u64,
    pub(crate) mediate_us_sum: u64,
    pub(crate) answered: AnsweredCalls,
    /// Calls that were admitted although they exceeded a limit.
    pub(crate) over: u64,
}

/// Numbers of calls by what answered them. Calls that lost their detail, and those of releases
/// without these numbers, are in none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnsweredCalls {
    /// Calls answered by the upstream, whether policies changed its response or not.
    pub upstream: u64,
    /// Calls answered by a step `respond`.
    pub policy: u64,
    /// Calls answered by a step `mock`.
    pub mock: u64,
    /// Preflights that the gateway allowed.
    pub preflight: u64,
    /// Other calls: refusals, documents, and calls that ended before a response began.
    pub gateway: u64,
}

impl AnsweredCalls {
    /// Counts one call.
    fn one(by: AnsweredBy) -> Self {
        let mut calls = Self::default();
        let counted = match by {
            AnsweredBy::Upstream => &mut calls.upstream,
            AnsweredBy::Policy => &mut calls.policy,
            AnsweredBy::Mock => &mut calls.mock,
            AnsweredBy::Preflight => &mut calls.preflight,
            AnsweredBy::Gateway => &mut calls.gateway,
        };
        *counted = 1;
        calls
    }

    fn add(&mut self, other: &Self) {
        self.upstream += other.upstream;
        self.policy += other.policy;
        self.mock += other.mock;
        self.preflight += other.preflight;
        self.gateway += other.gateway;
    }
}

/// Numbers of calls that the cache of responses answered, and of those that it could have answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CachedCalls {
    /// Calls answered from it: [`CacheUse::Hit`], [`CacheUse::Stale`], [`CacheUse::Revalidated`].
    pub answered: u64,
    /// Calls for which it had no response: [`CacheUse::Miss`].
    pub missed: u64,
    /// Body bytes of the responses from it.
    pub bytes: u64,
}

impl CachedCalls {
    /// Returns the share of calls that the cache answered, between 0 and 1; `None` without any that
    /// it could have answered.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let all = self.answered + self.missed;
        (all > 0).then(|| self.answered as f64 / all as f64)
    }

    /// Counts the calls of a row.
    pub(crate) fn from_row(key: &Key, measures: &Measures) -> Self {
        let mut cached = Self::default();
        match key.cache {
            CacheUse::Hit | CacheUse::Stale | CacheUse::Revalidated => {
                (cached.answered, cached.bytes) = (measures.calls, measures.bytes_out);
            }
            CacheUse::Miss => cached.missed = measures.calls,
            CacheUse::None | CacheUse::Bypass => {}
        }
        cached
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.missed += other.missed;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl Measures {
    fn from_record(record: &Record) -> Self {
        let total_us = u64::from(record.total_us);
        Self {
            calls: 1,
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            total_us_sum: total_us,
            total_us_max: total_us,
            upstream_us_sum: u64::from(record.upstream_us),
            mismatched: record.flags.has(Flags::MISMATCHED).into(),
            mediate_us_sum: u64::from(record.mediate_us),
            answered: AnsweredCalls::one(record.answered.by()),
            over: record.flags.has(Flags::OVER).into(),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.bytes_in = self.bytes_in.saturating_add(other.bytes_in);
        self.bytes_out = self.bytes_out.saturating_add(other.bytes_out);
        self.total_us_sum += other.total_us_sum;
        self.total_us_max = self.total_us_max.max(other.total_us_max);
        self.upstream_us_sum += other.upstream_us_sum;
        self.mismatched += other.mismatched;
        self.mediate_us_sum += other.mediate_us_sum;
        self.answered.add(&other.answered);
        self.over += other.over;
    }
}

/// Rows and losses that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Rollup {
    pub(crate) rows: HashMap<Key, Measures>,
    pub(crate) losses: Unwritten,
}

impl Rollup {
    pub(crate) fn add(&mut self, record: &Record) {
        self.count(Key::from_record(record), &Measures::from_record(record));
    }

    /// Adds calls that lost their detail before they got here: counted, and recorded as a loss of
    /// detail.
    pub(crate) fn add_overflow(&mut self, overflow: &Overflow) {
        let key = Key {
            minute: overflow.minute_us.div_euclid(MINUTE_US),
            api: raw(overflow.api),
            version: raw(overflow.version),
            status: overflow.status,
            ..Key::default()
        };
        let measures = Measures {
            calls: overflow.calls,
            ..Measures::default()
        };
        self.count(key, &measures);
        self.lose(Reason::RingFull, key.minute, 1, overflow.calls);
    }

    /// Adds a loss that was found elsewhere.
    pub(crate) fn add_loss(&mut self, loss: &Loss) {
        let (to_us, calls) = self
            .losses
            .entry(loss.key())
            .or_insert((loss.to_us, Some(0)));
        *to_us = loss.to_us.max(*to_us);
        *calls = calls.zip(loss.calls).map(|(one, other)| one + other);
    }

    fn count(&mut self, key: Key, measures: &Measures) {
        let used = self.rows.len();
        match self.rows.entry(key) {
            Entry::Occupied(mut row) => row.get_mut().add(measures),
            Entry::Vacant(row) if used < DETAILED_ROWS_MAX => {
                row.insert(*measures);
            }
            Entry::Vacant(_) => self.count_coarsely(key, measures),
        }
    }

    #[cold]
    fn count_coarsely(&mut self, key: Key, measures: &Measures) {
        let mut coarse = key.coarse();
        self.lose(Reason::BacklogFull, coarse.minute, 60, measures.calls);
        if self.rows.len() >= ROWS_MAX && !self.rows.contains_key(&coarse) {
            coarse = key.coarsest();
        }
        self.rows.entry(coarse).or_default().add(measures);
    }

    /// Records the loss of detail of calls in `minutes` minutes from `minute` on.
    fn lose(&mut self, reason: Reason, minute: i64, minutes: i64, calls: u64) {
        let from_us = minute * MINUTE_US;
        let to_us = from_us + minutes * MINUTE_US;
        let loss = self.losses.entry(LossKey { reason, from_us });
        let (_, lost) = loss.or_insert((to_us, Some(0)));
        *lost = lost.map(|lost| lost + calls);
    }
}

fn raw<K>(id: Option<Id<K>>) -> i64 {
    id.map_or(0, Id::raw)
}

#[cfg(test)]
mod tests;
