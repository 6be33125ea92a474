//! Limits prepared for judging, and limits bound to their counters. Created when a snapshot is
//! indexed; a request only reads them.

use std::sync::Arc;

use tollgate_model::limit::{Counting, ServedLimit};
use tollgate_model::plan::Window;

use crate::bucket::{self, Bucket};
use crate::counter::{Counter, Judgement, Word};
use crate::window;

/// A prepared limit, shared by all subscriptions of a plan.
#[derive(Debug)]
pub struct Rule {
    limit: ServedLimit,
    bucket: Option<Bucket>,
    policy: String,
    /// Length of the name within `policy`, after its opening quotation mark.
    name_bytes: usize,
}

impl Rule {
    /// Prepares a limit.
    #[must_use]
    pub fn new(limit: ServedLimit) -> Self {
        let bucket = match limit.counting {
            Counting::Gcra { length_ns, burst } => {
                Some(Bucket::new(length_ns, limit.amount, burst))
            }
            _ => None,
        };
        let burst = if bucket.is_some() { "-burst" } else { "" };
        let window = limit.window.unwrap_or(Window::MINUTE);
        let words = window.text().replace(' ', "-");
        let name = format!("{}{burst}-{words}", limit.per.text());
        let seconds = window.length_us() / 1_000_000;
        Self {
            policy: format!("\"{name}\";q={};w={seconds}", limit.amount),
            name_bytes: name.len(),
            bucket,
            limit,
        }
    }

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> &ServedLimit {
        &self.limit
    }

    /// Its member of the `RateLimit-Policy` field, such as `"subscription-minute";q=100;w=60`
    /// (draft-ietf-httpapi-ratelimit-headers, section 3).
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.policy
    }

    /// Its name in the `RateLimit` and `RateLimit-Policy` fields, without quotation marks.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.policy[1..=self.name_bytes]
    }

    /// Judges one more call at `now_us` by a counter's word.
    pub(crate) fn judge(&self, word: Word, now_us: i64) -> Judgement {
        match &self.bucket {
            Some(bucket) => bucket.judge(word, now_us),
            None => window::judge(&self.limit, word, now_us),
        }
    }

    /// When the window of a counter's word ends, or its bucket is full again, Unix microseconds;
    /// the past if it was never charged.
    pub(crate) fn end_us(&self, word: Word) -> i64 {
        if self.is_bucket() {
            return bucket::full_us(word);
        }
        let window = window::index(word).and_then(|index| self.limit.numbered(index));
        window.map_or(i64::MIN, |window| window.end_us)
    }

    /// The index of the window that contains an instant; `None` for a bucket.
    pub(crate) fn index_at(&self, at_us: i64) -> Option<u32> {
        self.limit.span(at_us).map(|window| window.index)
    }

    pub(crate) fn is_bucket(&self) -> bool {
        self.bucket.is_some()
    }

    fn returned(&self, word: Word, taken: Word) -> Option<Word> {
        match &self.bucket {
            Some(bucket) => bucket.returned(word, taken),
            None => window::returned(word, taken),
        }
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

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> &ServedLimit {
        &self.rule.limit
    }

    /// Its member of the `RateLimit-Policy` field; see [`Rule::policy`].
    #[must_use]
    pub fn policy(&self) -> &str {
        self.rule.policy()
    }

    /// Its name in the `RateLimit` field; see [`Rule::name`].
    #[must_use]
    pub fn name(&self) -> &str {
        self.rule.name()
    }

    /// Judges one more call at `now_us` and charges it if it is admitted.
    pub(crate) fn take(&self, now_us: i64) -> Judgement {
        self.counter.take(|word| self.rule.judge(word, now_us))
    }

    /// Judges one more call at `now_us` without charging it.
    pub(crate) fn judge(&self, now_us: i64) -> Judgement {
        self.rule.judge(self.counter.word(), now_us)
    }

    /// Returns the charge of a `take`; `taken` is the word that it left.
    pub(crate) fn put_back(&self, taken: Word) {
        self.counter.update(|word| self.rule.returned(word, taken));
    }
}
