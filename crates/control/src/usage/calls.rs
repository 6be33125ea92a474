//! Single calls, the newest first, page by page.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use tollgate_analytics::{CallPlace, CallsQuery, Filter};

use super::call::UsageCall;
use super::filter::{FilterQuery, invalid};
use super::live::{self, Stream, WatchedCalls};
use super::names::Names;
use super::seer::Seer;
use super::sight::{self, Half};
use super::words::DAY_US;
use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::Query;
use crate::state::Control;
use crate::time::Time;

/// The default range: the last 24 hours.
const RANGE_US: i64 = DAY_US;
/// Maximum number of calls on a page.
pub(super) const LIMIT_MAX: usize = 1_000;
/// Default number of calls on a page.
const LIMIT_DEFAULT: usize = 100;

/// The parameters of a list of calls. Lists are separated by commas.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallsParameters {
    /// Start of the range in which the calls arrived; 24 hours before its end by default.
    #[param(value_type = Option<Time>)]
    from: Option<Time>,
    /// End of the range; now by default.
    #[param(value_type = Option<Time>)]
    to: Option<Time>,
    /// Only calls that the gateway rejected or cut off, or only all others.
    refused: Option<bool>,
    /// For callers who are developer and publisher: only the calls by own applications, or only
    /// those of own APIs, instead of both.
    #[param(inline, rename = "as")]
    #[serde(rename = "as")]
    half: Option<Half>,
    /// Maximum number of calls on the page: 1 to 1,000, 100 by default.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The `next` of the page before, with the same parameters.
    after: Option<String>,
    #[serde(flatten)]
    #[param(ignore)]
    filter: FilterQuery,
}

/// A page of single calls.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageCalls {
    /// The calls, the last one that ended first.
    items: Vec<UsageCall>,
    /// Send this as `after` to get the next page, which has calls that ended before; absent on the
    /// last page. A page may have fewer calls than `limit`, even none, if many had to be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// List single calls.
///
/// Those of the last seven days are kept. The same calls are visible as in `GET /usage`. With
/// `Accept: text/event-stream`, calls are sent as they happen: events `calls` with at most 50 of
/// them a second and the number of all others. The stream ends with an event `end` when the session
/// ends or the roles change. Up to 20 clients may watch at a time, 10 of them for one user.
#[utoipa::path(
    get, path = "/api/v1/usage/calls", tag = "usage", operation_id = "list_calls",
    params(CallsParameters, FilterQuery),
    responses(
        (status = 200, description = "A page of calls, or a stream of events", content(
            (UsageCalls = "application/json"), (WatchedCalls = "text/event-stream"),
        )),
        (status = 429, description = "20 clients watch calls already"),
    ),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    headers: HeaderMap,
    Query(parameters): Query<CallsParameters>,
) -> Result<Response, Problem> {
    if live::is_wanted(&headers) {
        let stream = Stream {
            filter: parameters.watched()?,
            half: parameters.half,
            control,
            caller,
        };
        return stream.begin().await;
    }
    let digest = parameters.digest();
    let mut query = parameters.query(control.now_us())?;
    sight::narrow(&mut query.filter, &control, &caller, parameters.half).await?;
    query.by = Some(caller.user);
    let page = control.usage.calls(query).await?;
    let mut names = Names::new(&control.store);
    let mut seer = Seer::new(&control, &caller);
    let mut items = Vec::with_capacity(page.calls.len());
    for call in &page.calls {
        let detail = seer.detail(call).await?;
        items.push(UsageCall::of(call, detail, &mut names).await?);
    }
    let next = page.next.map(|place| cursor(place, digest));
    Ok(Json(UsageCalls { items, next }).into_response())
}

impl CallsParameters {
    /// The query; the range ends at `now_us` (Unix microseconds) by default.
    ///
    /// # Errors
    /// 400 `query.invalid` that names the parameter; 400 `page.limit`; 400 `page.after`.
    fn query(&self, now_us: i64) -> Result<CallsQuery, Problem> {
        let to_us = self.to.map_or(now_us, |to| to.0);
        let earlier_us = to_us.saturating_sub(RANGE_US);
        let from_us = self.from.map_or(earlier_us, |from| from.0);
        if from_us >= to_us {
            return Err(invalid("from", "must be before \"to\""));
        }
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            let detail = format!("limit is 1 to {LIMIT_MAX}");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "page.limit", detail));
        }
        let after = self.after.as_deref();
        Ok(CallsQuery {
            range_us: from_us..to_us,
            filter: self.accepted()?,
            before: after.map(|after| place(after, self.digest())).transpose()?,
            limit,
            by: None,
        })
    }

    /// The calls that a stream shows.
    ///
    /// # Errors
    /// 400 `query.invalid`, also for a parameter that only pages have.
    fn watched(&self) -> Result<Filter, Problem> {
        let of_pages = [
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("limit", self.limit.is_some()),
            ("after", self.after.is_some()),
        ];
        match of_pages.into_iter().find(|(_, is_sent)| *is_sent) {
            Some((name, _)) => Err(invalid(name, "a stream of events has no pages")),
            None => self.accepted(),
        }
    }

    fn accepted(&self) -> Result<Filter, Problem> {
        let mut filter = self.filter.filter()?;
        filter.is_refused = self.refused;
        Ok(filter)
    }

    /// A number of which calls are wanted, so that a cursor continues only the same question.
    fn digest(&self) -> u32 {
        let mut hasher = DefaultHasher::new();
        let range = [self.from, self.to].map(|time| time.map(|time| time.0));
        (range, self.refused, self.half, &self.filter).hash(&mut hasher);
        hasher.finish() as u32
    }
}

/// The `next` of a page that ends at a place.
fn cursor(CallPlace { epoch, number }: CallPlace, digest: u32) -> String {
    format!("{epoch:016x}{number:016x}{digest:08x}")
}

/// Reads a `next`.
///
/// # Errors
/// 400 `page.after`.
fn place(cursor: &str, digest: u32) -> Result<CallPlace, Problem> {
    let parts = [0..16, 16..32, 32..40].map(|part| {
        let digits = cursor.get(part).filter(|_| cursor.len() == 40)?;
        let is_ours = digits
            .bytes()
            .all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        u64::from_str_radix(digits, 16).ok().filter(|_| is_ours)
    });
    match parts {
        [Some(epoch), Some(number), Some(of)] if of == u64::from(digest) => {
            Ok(CallPlace { epoch, number })
        }
        _ => {
            let detail = "after: it is not the \"next\" of a page with these parameters";
            Err(Problem::new(StatusCode::BAD_REQUEST, "page.after", detail))
        }
    }
}

#[cfg(test)]
mod tests;
