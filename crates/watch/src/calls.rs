//! [`Calls`]: figures of calls, added up from the records that are drained for usage, so that
//! workers do nothing for them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tollgate_model::id::VersionId;
use tollgate_model::record::{AnsweredBy, CacheUse, Flags, Overflow, Record};
use tollgate_model::refusal::REFUSALS;

use crate::class::{CLASSES, class_of};
use crate::families::{
    ANSWERS, CACHE_REQUESTS, FORGOTTEN_REQUESTS, GATEWAY_SECONDS, LOST_DETAILS, OVER_LIMIT,
    POLICY_SECONDS, RECEIVED_BYTES, REFUSALS as REFUSALS_FAMILY, REQUEST_SECONDS, REQUESTS,
    SENT_BYTES, UPSTREAM_SECONDS,
};
use crate::histogram::{Bounds, Histogram};
use crate::page::Page;
use crate::table::Table;

/// Maximum number of versions with series of their own.
pub const VERSIONS_MAX: usize = 500;
/// Maximum number of APIs with series of their own.
pub const APIS_MAX: usize = 300;
/// Interval between two rankings of the versions and APIs.
const RANKED_US: i64 = 60 * 1_000_000;
/// Name of the series that all other APIs and versions share.
const OTHER: &str = "other";

/// The names of a version and of its API.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Names {
    /// The API's.
    pub api: Arc<str>,
    /// The version's.
    pub version: Arc<str>,
}

/// The versions that the gateway serves.
pub trait Served: Send + Sync {
    /// Returns the names of each served version.
    fn all(&self) -> HashMap<VersionId, Names>;
}

/// Figures of the calls of a gateway.
pub struct Calls {
    served: Arc<dyn Served>,
    totals: Mutex<Totals>,
}

/// Adds calls while it lives.
pub struct Adding<'c> {
    served: &'c dyn Served,
    totals: MutexGuard<'c, Totals>,
    now_us: i64,
    /// Whether the names of served versions were read again, because one was missing.
    has_read_names: bool,
}

struct Totals {
    versions: Table<Names, VersionFigures>,
    apis: Table<Arc<str>, ApiFigures>,
    /// The names of served versions, as they were last read.
    names: HashMap<VersionId, Names>,
    /// The places in the tables of versions that were called since the last ranking.
    places: HashMap<VersionId, Places>,
    all: AllFigures,
    /// Time of the last ranking, Unix microseconds.
    ranked_us: i64,
}

#[derive(Debug, Clone, Copy)]
struct Places {
    version: usize,
    api: usize,
}

/// Figures of a version.
#[derive(Debug, Clone, Copy, Default)]
struct VersionFigures {
    /// Requests by [`CLASSES`].
    classes: [u64; CLASSES.len()],
}

impl VersionFigures {
    fn requests(&self) -> u64 {
        self.classes.iter().sum()
    }
}

/// Figures of an API.
#[derive(Debug, Clone)]
struct ApiFigures {
    total: Histogram,
    upstream: Histogram,
    received: u64,
    sent: u64,
    over: u64,
    /// By [`CacheUse::ALL`].
    cache: [u64; CacheUse::ALL.len()],
}

impl Default for ApiFigures {
    fn default() -> Self {
        Self {
            total: Histogram::new(&Bounds::WHOLE),
            upstream: Histogram::new(&Bounds::WHOLE),
            received: 0,
            sent: 0,
            over: 0,
            cache: [0; CacheUse::ALL.len()],
        }
    }
}

/// Figures of all calls together, and of those that found no version.
#[derive(Debug, Clone)]
struct AllFigures {
    unrouted: VersionFigures,
    unrouted_api: ApiFigures,
    /// By [`REFUSALS`].
    refusals: [u64; REFUSALS.len()],
    /// By [`AnsweredBy::ALL`].
    answers: [u64; AnsweredBy::ALL.len()],
    gateway: Histogram,
    policy: Histogram,
    lost_details: u64,
    forgotten: u64,
}

/// A copy of the figures, to be written without holding them.
struct Copied {
    versions: Vec<(Names, VersionFigures)>,
    apis: Vec<(Arc<str>, ApiFigures)>,
    all: AllFigures,
}

impl Calls {
    /// Creates figures of the calls of a gateway.
    #[must_use]
    pub fn new(served: Arc<dyn Served>) -> Self {
        let totals = Totals {
            versions: Table::new(VERSIONS_MAX),
            apis: Table::new(APIS_MAX),
            names: HashMap::new(),
            places: HashMap::new(),
            all: AllFigures {
                unrouted: VersionFigures::default(),
                unrouted_api: ApiFigures::default(),
                refusals: [0; REFUSALS.len()],
                answers: [0; AnsweredBy::ALL.len()],
                gateway: Histogram::new(&Bounds::OWN),
                policy: Histogram::new(&Bounds::OWN),
                lost_details: 0,
                forgotten: 0,
            },
            ranked_us: i64::MIN,
        };
        Self {
            served,
            totals: Mutex::new(totals),
        }
    }

    /// Begins to add calls at `now_us`, Unix microseconds.
    pub fn adding(&self, now_us: i64) -> Adding<'_> {
        let mut totals = self.lock();
        // At once if the clock was set back.
        if !(0..RANKED_US).contains(&now_us.saturating_sub(totals.ranked_us)) {
            totals.rank(self.served.all(), now_us);
        }
        Adding {
            served: &*self.served,
            totals,
            now_us,
            has_read_names: false,
        }
    }

    /// Writes the families of calls.
    pub fn write(&self, page: &mut Page) {
        let copied = self.lock().copy();
        copied.write_versions(page);
        copied.write_all(page);
        copied.write_apis(page);
    }

    fn lock(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Adding<'_> {
    /// Adds a call.
    pub fn record(&mut self, record: &Record) {
        let places = self.places_of(record.version);
        let totals = &mut *self.totals;
        let (version, api) = match record.version {
            None => (&mut totals.all.unrouted, &mut totals.all.unrouted_api),
            Some(_) => (
                totals.versions.figures_for(places.map(|it| it.version), 1),
                totals.apis.figures_for(places.map(|it| it.api), 1),
            ),
        };
        version.classes[class_of(record.status)] += 1;
        api.total.add(record.total_us.into());
        api.received += record.bytes_in;
        api.sent += record.bytes_out;
        api.over += u64::from(record.flags.has(Flags::OVER));
        api.cache[record.answered.cache() as usize] += 1;
        if record.before_us > 0 || record.upstream_us > 0 || record.upstream_status > 0 {
            api.upstream.add(record.upstream_us.into());
            totals.all.gateway.add(record.before_us.into());
        }
        if record.mediate_us > 0 {
            totals.all.policy.add(record.mediate_us.into());
        }
        totals.all.answers[record.answered.by() as usize] += 1;
        if let Some(refusal) = record.refusal {
            totals.all.refusals[usize::from(refusal.number()) - 1] += 1;
        }
    }

    /// Adds calls without details.
    pub fn overflow(&mut self, overflow: &Overflow) {
        let places = self.places_of(overflow.version);
        let totals = &mut *self.totals;
        let version = match overflow.version {
            None => &mut totals.all.unrouted,
            Some(_) => {
                // There are no figures of the API, but it is as busy as its versions.
                totals
                    .apis
                    .figures_for(places.map(|it| it.api), overflow.calls);
                totals
                    .versions
                    .figures_for(places.map(|it| it.version), overflow.calls)
            }
        };
        version.classes[class_of(overflow.status)] += overflow.calls;
        totals.all.lost_details += overflow.calls;
    }

    /// Returns the places of a version; `None` without one, or if it is not served any more.
    fn places_of(&mut self, version: Option<VersionId>) -> Option<Places> {
        let version = version?;
        let totals = &mut *self.totals;
        if let Some(&places) = totals.places.get(&version) {
            return Some(places);
        }
        let is_unknown = !totals.names.contains_key(&version);
        if is_unknown && !std::mem::replace(&mut self.has_read_names, true) {
            totals.names = self.served.all();
        }
        // An API with that very name shares the series too.
        let names = totals.names.get(&version).filter(|it| &*it.api != OTHER)?;
        let places = Places {
            version: totals.versions.place(names, self.now_us),
            api: totals.apis.place(&names.api, self.now_us),
        };
        totals.places.insert(version, places);
        Some(places)
    }
}

impl Totals {
    fn rank(&mut self, names: HashMap<VersionId, Names>, now_us: i64) {
        self.ranked_us = now_us;
        self.places.clear();
        let gone = self.versions.rank(names.values(), now_us);
        self.all.forgotten += gone.iter().map(VersionFigures::requests).sum::<u64>();
        self.apis.rank(names.values().map(|it| &it.api), now_us);
        self.names = names;
    }

    fn copy(&self) -> Copied {
        let other = Arc::<str>::from(OTHER);
        let others = Names {
            api: Arc::clone(&other),
            version: Arc::clone(&other),
        };
        let nameless = Names::default();
        let versions = self.versions.shown();
        let versions = versions.chain([
            (&others, self.versions.other()),
            (&nameless, &self.all.unrouted),
        ]);
        let versions = versions.map(|(names, figures)| (names.clone(), *figures));
        let apis = self.apis.shown();
        let apis = apis.chain([
            (&other, self.apis.other()),
            (&nameless.api, &self.all.unrouted_api),
        ]);
        let apis = apis.map(|(name, figures)| (Arc::clone(name), figures.clone()));
        Copied {
            versions: versions.collect(),
            apis: apis.collect(),
            all: self.all.clone(),
        }
    }
}

impl Copied {
    fn write_versions(&self, page: &mut Page) {
        let mut requests = page.family(&REQUESTS);
        for (Names { api, version }, figures) in &self.versions {
            for (class, &count) in CLASSES.into_iter().zip(&figures.classes) {
                // No response of this class ends an exchange so far.
                if class != "1xx" || count > 0 {
                    requests.number(&[api, version, class], count);
                }
            }
        }
    }

    fn write_all(&self, page: &mut Page) {
        let all = &self.all;
        page.family(&FORGOTTEN_REQUESTS).number(&[], all.forgotten);
        // Two refusals may have the same code.
        let mut by_code = BTreeMap::<_, u64>::new();
        for (refusal, count) in REFUSALS.iter().zip(&all.refusals) {
            *by_code.entry(refusal.facts().code).or_default() += count;
        }
        let mut refusals = page.family(&REFUSALS_FAMILY);
        for (code, count) in by_code {
            refusals.number(&[code], count);
        }
        let mut answers = page.family(&ANSWERS);
        for (by, &count) in AnsweredBy::ALL.into_iter().zip(&all.answers) {
            answers.number(&[by.word()], count);
        }
        page.family(&GATEWAY_SECONDS).histogram(&[], &all.gateway);
        page.family(&POLICY_SECONDS).histogram(&[], &all.policy);
        let mut lost = page.family(&LOST_DETAILS);
        lost.number(&["ring_full"], all.lost_details);
    }

    fn write_apis(&self, page: &mut Page) {
        let mut over = page.family(&OVER_LIMIT);
        for (api, figures) in &self.apis {
            over.number(&[api], figures.over);
        }
        let mut total = page.family(&REQUEST_SECONDS);
        for (api, figures) in &self.apis {
            total.histogram(&[api], &figures.total);
        }
        let mut upstream = page.family(&UPSTREAM_SECONDS);
        for (api, figures) in &self.apis {
            upstream.histogram(&[api], &figures.upstream);
        }
        let mut received = page.family(&RECEIVED_BYTES);
        for (api, figures) in &self.apis {
            received.number(&[api], figures.received);
        }
        let mut sent = page.family(&SENT_BYTES);
        for (api, figures) in &self.apis {
            sent.number(&[api], figures.sent);
        }
        let mut cache = page.family(&CACHE_REQUESTS);
        for (api, figures) in &self.apis {
            let uses = CacheUse::ALL.into_iter().zip(&figures.cache);
            for (cache_use, &count) in uses.filter(|(it, _)| *it != CacheUse::None) {
                cache.number(&[api, cache_use.word()], count);
            }
        }
    }
}

#[cfg(test)]
mod tests;
