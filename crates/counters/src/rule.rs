//! Limits prepared for judging, and limits bound to their counters. Created when a snapshot is
//! indexed; a request only reads them.

use std::sync::Arc;

use tollgate_model::limit::{Counting, ServedLimit};
use tollgate_model::plan::Metric;
use tollgate_model::record::RefusedBy;

use crate::bucket::{self, Bucket};
use crate::consumption::Consumption;
use crate::counter::{Counter, lock, take};
use crate::identity::Identity;
use crate::judgement::{Call, Judgement, Word};
use crate::limit_place::LimitPlace;
use crate::rolling::{self, Rolling, Terms};
use crate::{places, window};

/// A prepared limit, shared by all subscriptions of a plan.
#[derive(Debug)]
pub struct Rule {
    limit: ServedLimit,
    kind: Kind,
    pub(crate) identity: Identity,
    is_found_at_call: bool,
    /// Whether calls that fail give back what it counted.
    gives_back: bool,
    place: Option<LimitPlace>,
    policy: String,
    /// Length of the name within `policy`, after its opening quotation mark.
    name_bytes: usize,
}

/// How its counters are judged.
#[derive(Debug)]
enum Kind {
    Window,
    Bucket(Bucket),
    Rolling(Terms),
    Places,
}

impl Rule {
    /// Prepares a limit.
    #[must_use]
    pub fn new(limit: ServedLimit) -> Self {
        let kind = match limit.counting {
            Counting::Every { .. } | Counting::At { .. } => Kind::Window,
            Counting::Gcra { length_ns, burst } => Kind::Bucket(match limit.metric {
                Metric::Units => Bucket::of_units(length_ns, limit.amount, burst),
                _ => Bucket::new(length_ns, limit.amount, burst),
            }),
            Counting::Rolling { length_us } => Kind::Rolling(Terms {
                amount: limit.amount,
                ceiling: limit.ceiling,
                part_us: rolling::part_us(length_us),
            }),
            Counting::Places => Kind::Places,
        };
        let name = limit.name.clone().unwrap_or_else(|| name(&limit));
        let mut policy = format!("\"{name}\";q={}", limit.amount);
        if let Some(unit) = quota_unit(limit.metric) {
            policy += &format!(";qu=\"{unit}\"");
        }
        if let Some(window) = limit.window {
            policy += &format!(";w={}", window.length_us() / 1_000_000);
        }
        Self {
            name_bytes: name.len(),
            identity: Identity::new(&limit),
            is_found_at_call: false,
            gives_back: false,
            place: None,
            policy,
            kind,
            limit,
        }
    }

    /// Makes calls that fail give back the requests and units that they were charged.
    #[must_use]
    pub fn giving_back(mut self) -> Self {
        self.gives_back = matches!(self.limit.metric, Metric::Requests | Metric::Units);
        self
    }

    /// Gives it its place.
    #[must_use]
    pub fn at(mut self, place: LimitPlace) -> Self {
        self.place = Some(place);
        self
    }

    /// The kind of its owner and its index there, for the records of calls that it refuses.
    #[must_use]
    pub fn place(&self) -> Option<RefusedBy> {
        self.place.map(|it| it.place)
    }

    /// Whether its counters may be those of another rule: of the same terms, and the same owner
    /// unless that is a plan.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        let sharing = |rule: &Self| rule.place.map(LimitPlace::sharing);
        sharing(self) == sharing(other) && self.identity == other.identity
    }

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> &ServedLimit {
        &self.limit
    }

    /// Its member of the `RateLimit-Policy` field, such as `"subscription-minute";q=100;w=60`
    /// (draft-ietf-httpapi-ratelimit-headers-11, section 3).
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.policy
    }

    /// Its name in the `RateLimit` and `RateLimit-Policy` fields, without quotation marks.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.policy[1..=self.name_bytes]
    }

    /// Its name in quotation marks.
    #[must_use]
    pub fn quoted_name(&self) -> &str {
        &self.policy[..self.name_bytes + 2]
    }

    /// What follows the name in its member of the `RateLimit-Policy` field, such as `;q=100;w=60`.
    #[must_use]
    pub fn terms(&self) -> &str {
        &self.policy[self.name_bytes + 2..]
    }

    /// Makes its counters those that are found at the call, rather than bound when a snapshot is
    /// indexed: they are forgotten if there are too many.
    #[must_use]
    pub fn found_at_call(mut self) -> Self {
        self.is_found_at_call = true;
        self
    }

    pub(crate) fn is_found_at_call(&self) -> bool {
        self.is_found_at_call
    }

    /// Whether something is left to do at the end of a call that it admitted.
    pub(crate) fn owes(&self) -> bool {
        self.gives_back || !matches!(self.limit.metric, Metric::Requests | Metric::Units)
    }

    pub(crate) fn gives_back(&self) -> bool {
        self.gives_back
    }

    /// What a call is charged when it is admitted.
    pub(crate) fn units(&self, call: Call) -> u64 {
        match self.limit.metric {
            Metric::Requests | Metric::Concurrent => 1,
            Metric::Units => call.weight.into(),
            Metric::BytesIn | Metric::BytesOut | Metric::Bytes => 0,
        }
    }

    /// A new counter, with this word, or else this rolling window.
    pub(crate) fn counter(&self, word: Word, rolling: impl FnOnce() -> Rolling) -> Counter {
        match self.kind {
            Kind::Rolling(_) => Counter::rolling(rolling()),
            Kind::Window | Kind::Bucket(_) | Kind::Places => Counter::new(word),
        }
    }

    /// Judges a call by a counter's word.
    fn judge(&self, word: Word, call: Call) -> Judgement {
        let units = self.units(call);
        match &self.kind {
            Kind::Bucket(bucket) => bucket.judge(word, units, call.now_us),
            Kind::Places => places::judge(self.limit.ceiling, word),
            Kind::Window | Kind::Rolling(_) => window::judge(&self.limit, word, units, call.now_us),
        }
    }

    /// When a counter is no longer of use, Unix microseconds: its window ends, or its bucket is
    /// full again; the past if it was never charged.
    pub(crate) fn end_us(&self, counter: &Counter) -> i64 {
        match (&self.kind, counter) {
            (Kind::Rolling(terms), Counter::Rolling { window, .. }) => {
                lock(window).end_us(terms.part_us)
            }
            (Kind::Bucket(_), _) => bucket::full_us(counter.word()),
            (Kind::Places, _) if counter.word() == Word::default() => i64::MIN,
            (Kind::Places, _) => i64::MAX,
            (Kind::Window | Kind::Rolling(_), _) => {
                let index = window::index(counter.word());
                let window = index.and_then(|index| self.limit.numbered(index));
                window.map_or(i64::MIN, |window| window.end_us)
            }
        }
    }

    /// What is used of a counter at `now_us`, Unix microseconds.
    fn consumption(&self, counter: &Counter, now_us: i64) -> Consumption {
        let word = counter.word();
        let amount = self.limit.amount;
        let unless_unused = |used: u64, resets_us| (used > 0).then_some(resets_us);
        match (&self.kind, counter) {
            (Kind::Rolling(terms), Counter::Rolling { window, .. }) => {
                let window = lock(window);
                let used = window.used(terms.part_us, now_us);
                let resets_us = unless_unused(used, window.end_us(terms.part_us));
                Consumption {
                    used,
                    amount,
                    resets_us,
                }
            }
            (Kind::Bucket(bucket), _) => {
                let used = bucket.used(word, now_us);
                Consumption {
                    used,
                    amount: bucket.burst(),
                    resets_us: unless_unused(used, bucket.full_us(word, now_us)),
                }
            }
            (Kind::Places, _) => Consumption {
                used: word.low,
                amount,
                resets_us: None,
            },
            (Kind::Window | Kind::Rolling(_), _) => {
                let (window, used) = window::present(&self.limit, word, now_us);
                Consumption {
                    used,
                    amount,
                    resets_us: Some(window.end_us),
                }
            }
        }
    }

    /// The share of its amount that is used at `now_us`, in 65,536ths.
    pub(crate) fn share(&self, counter: &Counter, now_us: i64) -> u64 {
        let Consumption { used, amount, .. } = self.consumption(counter, now_us);
        used.saturating_mul(1 << 16) / amount.max(1)
    }

    /// Whether its list of windows reaches further than that of another rule of the same counters.
    pub(crate) fn reaches_beyond(&self, other: &Self) -> bool {
        let last = |rule: &Self| match &rule.limit.counting {
            Counting::At { starts, .. } => starts.last().copied(),
            _ => None,
        };
        last(self) > last(other)
    }

    /// The index of the window that contains an instant; `None` for what has no windows with one.
    pub(crate) fn index_at(&self, at_us: i64) -> Option<u32> {
        self.limit.span(at_us).map(|window| window.index)
    }

    pub(crate) fn is_bucket(&self) -> bool {
        matches!(self.kind, Kind::Bucket(_))
    }

    /// The length of a part of its rolling window, microseconds; `None` for other limits.
    pub(crate) fn part_us(&self) -> Option<i64> {
        match self.kind {
            Kind::Rolling(terms) => Some(terms.part_us),
            _ => None,
        }
    }

    fn returned(&self, word: Word, taken: Word, units: u64) -> Option<Word> {
        match &self.kind {
            Kind::Bucket(bucket) => bucket.returned(word, taken, units),
            Kind::Places => places::released(word),
            Kind::Window | Kind::Rolling(_) => window::returned(word, taken, units),
        }
    }
}

/// Names a limit after what it counts.
fn name(limit: &ServedLimit) -> String {
    let mut words = vec![limit.per.text()];
    if limit.metric != Metric::Requests {
        words.push(limit.metric.word().replace('_', "-"));
    }
    match limit.counting {
        Counting::Gcra { .. } => words.push("burst".into()),
        Counting::Rolling { .. } => words.push("rolling".into()),
        Counting::Every { .. } | Counting::At { .. } | Counting::Places => {}
    }
    words.extend(limit.window.map(|it| it.text().replace(' ', "-")));
    words.retain(|word| !word.is_empty());
    words.join("-")
}

/// The value of `qu` for what is not requests.
fn quota_unit(metric: Metric) -> Option<&'static str> {
    match metric {
        Metric::Requests => None,
        Metric::Units => Some("units"),
        Metric::BytesIn | Metric::BytesOut | Metric::Bytes => Some("content-bytes"),
        Metric::Concurrent => Some("concurrent-requests"),
    }
}

/// A limit and the counter with its usage. Cheap to clone.
#[derive(Debug, Clone)]
pub struct BoundLimit {
    rule: Arc<Rule>,
    counter: Arc<Counter>,
}

impl BoundLimit {
    pub(crate) fn new(rule: Arc<Rule>, counter: Arc<Counter>) -> Self {
        Self { rule, counter }
    }

    /// The limit with its prepared values.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// What is used of it at `now_us`, Unix microseconds.
    #[must_use]
    pub fn consumption(&self, now_us: i64) -> Consumption {
        self.rule.consumption(&self.counter, now_us)
    }

    /// Judges a call and charges it if it is admitted.
    pub(crate) fn take(&self, call: Call) -> Judgement {
        match (&*self.counter, &self.rule.kind) {
            (Counter::Rolling { window, .. }, Kind::Rolling(terms)) => {
                lock(window).take(*terms, call.now_us)
            }
            (Counter::Word { word, .. }, _) => take(word, |word| self.rule.judge(word, call)),
            (Counter::Rolling { .. }, _) => self.rule.judge(Word::default(), call),
        }
    }

    /// Judges a call without charging it.
    pub(crate) fn judge(&self, call: Call) -> Judgement {
        match (&*self.counter, &self.rule.kind) {
            (Counter::Rolling { window, .. }, Kind::Rolling(terms)) => {
                lock(window).judged(*terms, call.now_us)
            }
            _ => self.rule.judge(self.counter.word(), call),
        }
    }

    /// Returns the charge of a `take` of so many units; `taken` is the word that it left.
    pub(crate) fn put_back(&self, taken: Word, units: u64) {
        match &*self.counter {
            Counter::Rolling { window, .. } => lock(window).put_back(taken),
            Counter::Word { .. } => {
                let returned = |word| self.rule.returned(word, taken, units);
                self.counter.update(returned);
            }
        }
    }

    /// Returns the requests or units that an admitted call was charged, if its limit has windows of
    /// an hour or longer; returns whether it has. Rates and bursts keep them.
    pub(crate) fn give_back(&self, call: Call) -> bool {
        let limit = &self.rule.limit;
        let counts = matches!(limit.metric, Metric::Requests | Metric::Units);
        if !counts || !limit.is_long() {
            return false;
        }
        let taken = match &self.rule.kind {
            Kind::Window => {
                let index = self.rule.index_at(call.now_us);
                index.map(|index| window::join(index, 0))
            }
            Kind::Rolling(terms) => Some(rolling::part_at(terms.part_us, call.now_us)),
            Kind::Bucket(_) | Kind::Places => None,
        };
        if let Some(taken) = taken {
            self.put_back(taken, self.rule.units(call));
        }
        taken.is_some()
    }

    /// Charges bytes at `now_us`, whatever the limit admits.
    pub(crate) fn charge(&self, bytes: u64, now_us: i64) {
        if bytes > 0 {
            let limit = &self.rule.limit;
            let charged = |word| Some(window::charged(limit, word, bytes, now_us));
            self.counter.update(charged);
        }
    }
}
