//! Which responses are stored, and what of them.

use std::sync::Arc;

use tollgate_cache::directives::Directives;
use tollgate_cache::freshness::{Dates, Exchanged, Freshness, age};
use tollgate_cache::storable::{Head, Unstorable};
use tollgate_cache::store::{Entry, Resource, Stale, Validators};
use tollgate_http1::compose::push_field;
use tollgate_model::policies::Cache;

use crate::reply::Reply;
use crate::snapshot::caching::CacheRules;
use crate::stored::{Protection, protects};

/// Maximum bytes of all tags of a response; one with more is not stored, since a purge would miss
/// it.
const TAG_BYTES_MAX: usize = 8 * 1024;

/// The upstream's response before steps change it.
#[derive(Debug)]
pub(super) struct Arrival {
    at: Exchanged,
    at_ms: u64,
    /// Those of the stored response, if this one confirms it: it may leave them out.
    pub(super) validators: Validators,
    /// `None` if they are too long.
    tags: Option<Arc<[Box<[u8]>]>>,
}

impl Arrival {
    /// The upstream's response to a request of `asked_us`, which arrives at `now_us`: Unix
    /// microseconds; `now_ms` is the same moment by the clock of
    /// [`Caches`](crate::stored::Caches).
    pub(super) fn of(reply: &Reply<'_>, asked_us: i64, now_us: i64, now_ms: u64) -> Self {
        let value = |name: &[u8]| reply.field(name).map(Box::from);
        Self {
            at: Exchanged {
                asked_s: asked_us.div_euclid(1_000_000),
                arrived_s: now_us.div_euclid(1_000_000),
            },
            at_ms: now_ms,
            validators: Validators {
                etag: value(b"etag"),
                last_modified: value(b"last-modified"),
            },
            tags: tags(reply),
        }
    }

    /// Returns the age of a response that arrived then, in seconds.
    pub(super) fn age_s(&self, reply: &Reply<'_>) -> u32 {
        age(dates(reply), self.at)
    }
}

/// Returns a response without its body as it would be stored.
///
/// # Errors
/// Why it is not storable.
pub(super) fn entry(
    reply: &Reply<'_>,
    rules: &CacheRules,
    resource: Resource,
    arrival: &Arrival,
) -> Result<Entry, Unstorable> {
    let served = &rules.served;
    let values = |name| lines(reply, name);
    let directives = Directives::read(values(b"cache-control"));
    let vary = values(b"vary").filter(|_| protects(Protection::Vary));
    let vary: Vec<_> = vary.collect();
    let head = Head {
        status: reply.status(),
        directives,
        vary: &vary,
        sets_cookie: protects(Protection::SetCookie) && values(b"set-cookie").next().is_some(),
        is_partial: values(b"content-range").next().is_some(),
    };
    let negative_s = rules.storable.check(&head)?;
    let media_type = values(b"content-type").next().unwrap_or_default();
    if has_prefix(media_type, b"text/event-stream") {
        return Err(Unstorable::Endless);
    }
    let ttl_s = negative_s.or(served.ttl_s);
    let freshness = Freshness::new(&directives, dates(reply), arrival.at, ttl_s);
    let within = within(&directives, freshness, served, negative_s.is_some());
    let (freshness, stale) = within.ok_or(Unstorable::Useless)?;
    let is_useful = freshness.lifetime_s > freshness.age_s
        || arrival.validators != Validators::default()
        || stale != Stale::default();
    if !is_useful {
        return Err(Unstorable::Useless);
    }
    Ok(Entry {
        resource: Arc::new(resource),
        tags: arrival.tags.clone().ok_or(Unstorable::TooLong)?,
        status: reply.status(),
        head: without_age(reply),
        body: Arc::default(),
        freshness,
        stale,
        validators: arrival.validators.clone(),
        arrived_ms: arrival.at_ms,
    })
}

fn dates<'l>(reply: &'l Reply<'_>) -> Dates<'l> {
    Dates {
        age: match lines(reply, b"age").count() {
            0 | 1 => one(reply, b"age"),
            // Several are no number.
            _ => Some(b""),
        },
        date: one(reply, b"date"),
        expires: one(reply, b"expires"),
    }
}

/// Limits the times of a response to what its directives allow: one that has to be confirmed each
/// time is never fresh, and one that has to be confirmed once it is stale is never sent then (RFC
/// 9111, section 5.2.2).
fn within(
    directives: &Directives,
    freshness: Option<Freshness>,
    served: &Cache,
    is_negative: bool,
) -> Option<(Freshness, Stale)> {
    let freshness = match directives.no_cache {
        true => Freshness {
            lifetime_s: 0,
            ..freshness.unwrap_or(Freshness {
                age_s: 0,
                lifetime_s: 0,
            })
        },
        false => freshness?,
    };
    if directives.no_cache || directives.must_revalidate || is_negative {
        return Some((freshness, Stale::default()));
    }
    // A lifetime for shared caches alone forbids it, unless the upstream itself allows it.
    let may_set = directives.s_maxage.is_none();
    let set = |set: Option<u32>, declared: Option<u32>| {
        let set = set.filter(|_| may_set);
        set.or(declared).unwrap_or(0)
    };
    let (while_revalidate, if_error) = (served.stale_while_revalidate_s, served.stale_if_error_s);
    let stale = Stale {
        while_revalidate_s: set(while_revalidate, directives.stale_while_revalidate),
        if_error_s: set(if_error, directives.stale_if_error),
    };
    Some((freshness, stale))
}

/// Returns the tags of a response; `None` if they are too long.
fn tags(reply: &Reply<'_>) -> Option<Arc<[Box<[u8]>]>> {
    let bytes: usize = lines(reply, b"cache-tag").map(<[u8]>::len).sum();
    let tags = lines(reply, b"cache-tag").flat_map(|line| line.split(|&byte| byte == b','));
    let tags = tags.map(<[u8]>::trim_ascii).filter(|tag| !tag.is_empty());
    (bytes <= TAG_BYTES_MAX).then(|| tags.map(Box::from).collect())
}

/// Returns the values of the field lines with a name in lower case.
fn lines<'l>(reply: &'l Reply<'_>, name: &'l [u8]) -> impl Iterator<Item = &'l [u8]> {
    let lines = reply.lines();
    let lines = lines.filter(move |(of, _)| of.eq_ignore_ascii_case(name));
    lines.map(|(_, value)| value)
}

/// Returns the value of a field; `None` without one, or with several.
fn one<'l>(reply: &'l Reply<'_>, name: &'l [u8]) -> Option<&'l [u8]> {
    let mut lines = lines(reply, name);
    lines.next().filter(|_| lines.next().is_none())
}

fn has_prefix(value: &[u8], prefix: &[u8]) -> bool {
    let begin = value.get(..prefix.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Returns the head of a response without its age, which each response from the cache has anew.
pub(super) fn without_age(reply: &Reply<'_>) -> Box<[u8]> {
    let end = memchr::memchr(b'\n', &reply.head).map_or(0, |at| at + 1);
    let mut head = reply.head[..end].to_vec();
    for (name, value) in reply.lines() {
        if !name.eq_ignore_ascii_case(b"age") {
            head.extend_from_slice(name);
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.into()
}

/// Replaces the fields of a stored response that a 304 has anew (RFC 9111, section 3.2); only its
/// date if steps have changed others.
pub(super) fn update(stored: &mut Reply<'_>, confirmed: &Reply<'_>, is_shaped: bool) {
    // They frame the body, recognize it, or are for one caller.
    const FIXED: [&[u8]; 8] = [
        b"content-encoding",
        b"content-length",
        b"content-range",
        b"content-md5",
        b"content-digest",
        b"etag",
        b"last-modified",
        b"set-cookie",
    ];
    let is_fixed = |name: &[u8]| match is_shaped {
        true => !name.eq_ignore_ascii_case(b"date"),
        false => FIXED.iter().any(|of| name.eq_ignore_ascii_case(of)),
    };
    let new: Vec<_> = confirmed.lines().filter(|it| !is_fixed(it.0)).collect();
    stored.remove_fields(|name| new.iter().any(|(of, _)| of.eq_ignore_ascii_case(name)));
    for (name, value) in new {
        if let Ok(name) = str::from_utf8(name) {
            push_field(&mut stored.head, name, value);
        }
    }
}
