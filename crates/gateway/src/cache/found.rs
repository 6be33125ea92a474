//! Whether a stored response answers a call, and the response that it becomes.

use std::sync::Arc;

use tollgate_cache::directives::Directives;
use tollgate_cache::store::Entry;
use tollgate_cache::validator;
use tollgate_http1::compose::push_field;
use tollgate_http1::view::Lines;

use super::trial::Trial;
use crate::exchange::Exchange;
use crate::reply::Reply;
use crate::snapshot::caching::CacheRules;
use crate::steps::Shaped;

/// The name of the gateway's cache in `Cache-Status` (RFC 9211).
const CACHE: &str = "tollgate";

/// What a call wants of a stored response.
pub(super) struct Wanted<'l> {
    lines: Lines<'l>,
    directives: Directives,
    /// Whether the response describes what the cache did.
    pub(super) shows_status: bool,
    /// Whether no stored response answers the call, even if the upstream would confirm it.
    pub(super) is_forced: bool,
    /// Whether dates identify the caller's copy: steps may make two of one response.
    compares_dates: bool,
}

impl<'l> Wanted<'l> {
    pub(super) fn of(
        rules: &CacheRules,
        trial: Option<Trial>,
        shaped: &Shaped<'_>,
        exchange: &'l Exchange<'_>,
    ) -> Self {
        let lines = exchange.head().lines();
        let is_forced = trial.is_some_and(|trial| trial.is_fresh);
        let directives = match trial {
            None if rules.served.obey_request => Directives::read(lines.named(b"cache-control")),
            None => Directives::default(),
            // Not what browsers write to `Cache-Control` of their own (Fetch standard, section
            // 4.5).
            Some(_) => Directives {
                no_cache: is_forced,
                ..Directives::default()
            },
        };
        Self {
            lines,
            directives,
            shows_status: rules.served.show_status || trial.is_some(),
            is_forced,
            compares_dates: shaped.shape().is_none(),
        }
    }

    pub(super) fn only_if_cached(&self) -> bool {
        self.directives.only_if_cached
    }

    /// Whether no response answers the call that was asked for before it.
    pub(super) fn is_new(&self) -> bool {
        self.directives.no_cache
    }

    /// Whether the caller has the response already (RFC 9110, section 13.2.2).
    pub(super) fn has_it(&self, reply: &Reply<'_>) -> bool {
        if reply.status() != 200 {
            return false;
        }
        let mut tags = self.lines.named(b"if-none-match").peekable();
        if tags.peek().is_some() {
            let tag = reply.field(b"etag");
            return tag.is_some_and(|tag| validator::names_tag(tags, tag));
        }
        let mut dates = self.lines.named(b"if-modified-since");
        match (dates.next(), dates.next(), reply.field(b"last-modified")) {
            (Some(since), None, Some(modified)) if self.compares_dates => {
                validator::is_not_modified(since, modified)
            }
            _ => false,
        }
    }
}

/// Whether a request's `Cache-Control` forbids storing its response.
pub(super) fn forbids_storing(value: &[u8]) -> bool {
    Directives::read(std::iter::once(value)).no_store
}

/// A stored response, for a call.
pub(super) enum Found {
    Fresh(Arc<Entry>),
    /// It may be sent while another call fetches a new one.
    Stale(Arc<Entry>),
    /// Only for a new one by its validators.
    Expired,
}

impl Found {
    pub(super) fn new(entry: Arc<Entry>, now_ms: u64, wanted: &Wanted<'_>) -> Self {
        let (age_s, is_fresh) = age(&entry, now_ms);
        let Directives {
            no_cache, max_age, ..
        } = wanted.directives;
        if no_cache || max_age.is_some_and(|max_age| age_s > max_age) {
            return Self::Expired;
        }
        let over_s = age_s.saturating_sub(entry.freshness.lifetime_s);
        match is_fresh {
            true => Self::Fresh(entry),
            false if over_s < entry.stale.while_revalidate_s => Self::Stale(entry),
            false => Self::Expired,
        }
    }
}

/// Returns the age of a stored response in seconds, and whether it is fresh.
pub(super) fn age(entry: &Entry, now_ms: u64) -> (u32, bool) {
    let stored_s = now_ms.saturating_sub(entry.arrived_ms) / 1_000;
    entry
        .freshness
        .after(u32::try_from(stored_s).unwrap_or(u32::MAX))
}

/// Appends the age of a stored response (RFC 9111, section 5.1).
pub(super) fn push_age(reply: &mut Reply<'_>, age_s: u32) {
    let mut digits = itoa::Buffer::new();
    reply.push_field("age", digits.format(age_s).as_bytes());
}

/// Appends what the cache did.
pub(super) fn push_status(reply: &mut Reply<'_>, what: &str) {
    let value = format!("{CACHE}; {what}");
    reply.push_field("cache-status", value.as_bytes());
}

/// Replaces a response by 304, with the fields that it must have (RFC 9110, section 15.4.5).
pub(super) fn become_not_modified(reply: &mut Reply<'_>) {
    const KEPT: [&str; 6] = [
        "cache-control",
        "content-location",
        "date",
        "etag",
        "expires",
        "vary",
    ];
    let mut kept = Vec::new();
    for (name, value) in reply.lines() {
        let mut names = KEPT.into_iter();
        let name = names.find(|of| name.eq_ignore_ascii_case(of.as_bytes()));
        if let Some(name) = name {
            push_field(&mut kept, name, value);
        }
    }
    reply.restart(304);
    reply.head.extend_from_slice(&kept);
    reply.body.clear();
}
