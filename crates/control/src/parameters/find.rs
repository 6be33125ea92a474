//! Search, order and pages of lists: the parameters, and one page as the response.
//!
//! The store searches and sorts (`store::part`), so that a list of ten thousand items costs one
//! page.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollgate_model::id::{Id, Kind};
use tollgate_store::part::{Found, Order, Part, name_key, pattern};
use utoipa::{IntoParams, ToSchema};

use super::{PAGE_DEFAULT, Query, page_limit};
use crate::error::Problem;

/// Maximum number of characters of a search.
const WORDS_MAX: usize = 200;
/// The parameters of [`Find`].
const PARAMETERS: [&str; 4] = ["q", "sort", "limit", "after"];

/// The part of a list to return, and the text to search for in it.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Find {
    /// Only items that contain these words, in this order, in a name or another text; the case of
    /// ASCII letters is ignored.
    #[param(max_length = 200)]
    q: Option<String>,
    /// Sort order; `created` by default.
    #[param(inline)]
    sort: Option<Sort>,
    /// Maximum number of items on the page: 1 to 500, 100 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// The `next` of the page before, in the same order.
    after: Option<String>,
}

/// The order of the items of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
enum Sort {
    /// Oldest first.
    #[default]
    #[serde(rename = "created")]
    Created,
    /// Newest first.
    #[serde(rename = "-created")]
    CreatedLast,
    /// By name.
    #[serde(rename = "name")]
    Name,
    /// By name, descending.
    #[serde(rename = "-name")]
    NameLast,
}

impl Find {
    /// Returns the part of the list to read, with one item more than the page holds, to see whether
    /// another page follows.
    ///
    /// # Errors
    /// 400 `page.limit`; 400 `page.after` if `after` is not a `next` of such a list.
    pub fn part<K: Kind>(&self) -> Result<Part<K>, Problem> {
        let limit = page_limit(self.limit)?;
        let order = self.order();
        let after = match &self.after {
            Some(after) => Some(read_cursor(after, order)?),
            None => None,
        };
        Ok(Part {
            order,
            after,
            at_most: limit + 1,
        })
    }

    /// Returns the pattern to search for.
    ///
    /// # Errors
    /// 400 `query.invalid` for more than 200 characters.
    pub fn pattern(&self) -> Result<Option<String>, Problem> {
        let words = self.q.as_deref().map(str::trim).unwrap_or_default();
        if words.chars().count() > WORDS_MAX {
            let detail = format!("q: at most {WORDS_MAX} characters");
            let status = StatusCode::BAD_REQUEST;
            return Err(Problem::new(status, "query.invalid", detail));
        }
        Ok((!words.is_empty()).then(|| pattern(words)))
    }

    /// Returns the page of the items found; `key` returns an item's id and the name that it is
    /// sorted by.
    pub fn page<T, K: Kind>(
        &self,
        found: Found<T>,
        key: impl for<'t> Fn(&'t T) -> (Id<K>, &'t str),
    ) -> List<T> {
        let limit = self.limit.unwrap_or(PAGE_DEFAULT);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let Found { mut rows, total } = found;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().filter(|_| more);
        let next = last.map(|last| {
            let (id, name) = key(last);
            write_cursor(id, name, self.order())
        });
        List {
            items: rows,
            next,
            total,
        }
    }

    fn order(&self) -> Order {
        match self.sort.unwrap_or_default() {
            Sort::Created => Order::Oldest,
            Sort::CreatedLast => Order::Newest,
            Sort::Name => Order::Name,
            Sort::NameLast => Order::NameBackwards,
        }
    }
}

/// Returns the `next` of a page that ends with this item: its id and, if sorted by name, its name's
/// key.
fn write_cursor<K: Kind>(id: Id<K>, name: &str, order: Order) -> String {
    match order.is_by_name() {
        true => format!("{id}:{}", name_key(name)),
        false => id.to_string(),
    }
}

fn read_cursor<K: Kind>(text: &str, order: Order) -> Result<(Id<K>, String), Problem> {
    let invalid = |detail: String| {
        let detail = format!("after: {detail}");
        Problem::new(StatusCode::BAD_REQUEST, "page.after", detail)
    };
    let (id, key) = match (text.split_once(':'), order.is_by_name()) {
        (Some((id, key)), true) => (id, key),
        (None, false) => (text, ""),
        _ => {
            let detail = "it is not the \"next\" of a page in this order";
            return Err(invalid(detail.to_owned()));
        }
    };
    let id = id.parse().map_err(|error| invalid(format!("{error}")))?;
    Ok((id, key.to_owned()))
}

/// The query of a list: its part and a filter; unknown parameters are rejected if `F` denies them.
#[derive(Debug)]
pub struct Listed<F>(pub Find, pub F);

impl<F: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Listed<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let pairs = parts.uri.query().unwrap_or_default().split('&');
        let is_ours = |pair: &&str| PARAMETERS.contains(&pair.split('=').next().unwrap_or(pair));
        let (find, filter): (Vec<_>, Vec<_>) = pairs.partition(is_ours);
        Ok(Self(parse_pairs(&find)?, parse_pairs(&filter)?))
    }
}

fn parse_pairs<T: DeserializeOwned>(pairs: &[&str]) -> Result<T, Problem> {
    let uri = Uri::try_from(format!("/?{}", pairs.join("&")));
    let uri = uri.map_err(|error| Problem::internal(&error))?;
    Query::from_uri(&uri)
}

/// The filter of a list that has none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unfiltered {}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct List<T> {
    /// The items.
    pub items: Vec<T>,
    /// Send this as `after` to get the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Number of items on all pages.
    pub total: u64,
}

impl<T> List<T> {
    /// Returns the same page with each item converted by `show`.
    pub fn map<U>(self, show: impl FnMut(T) -> U) -> List<U> {
        List {
            items: self.items.into_iter().map(show).collect(),
            next: self.next,
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests;
