//! Lists: what is looked for, in which order, which part; and what is answered.
//!
//! Search and order are the store's (`store::part`), so that a list of ten thousand things costs
//! one page.

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

/// Characters that are looked for at most.
const WORDS_MAX: usize = 200;
/// The parameters of [`Find`].
const PARAMETERS: [&str; 4] = ["q", "sort", "limit", "after"];

/// Which part of a list is wanted, and what is looked for in it.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Find {
    /// Only things with these words, in this order, in a name or a text of theirs; the case of
    /// ASCII letters does not matter.
    #[param(max_length = 200)]
    q: Option<String>,
    /// In which order; `created` when absent.
    #[param(inline)]
    sort: Option<Sort>,
    /// Things on the page at most: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// The page begins after the one whose `next` this is, in the same order.
    after: Option<String>,
}

/// In which order the things of a list come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
enum Sort {
    /// What was made first comes first.
    #[default]
    #[serde(rename = "created")]
    Created,
    /// What was made last comes first.
    #[serde(rename = "-created")]
    CreatedLast,
    /// By name.
    #[serde(rename = "name")]
    Name,
    /// By name, backwards.
    #[serde(rename = "-name")]
    NameLast,
}

impl Find {
    /// Which part of the list is wanted; one thing more than fits the page, to see whether another
    /// page follows.
    ///
    /// # Errors
    /// 400 `page.limit`; `page.after` for what is no `next` of such a list.
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

    /// The pattern of what is looked for.
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

    /// The page of what was found; `key` gives the id of a thing, and the name that it is sorted
    /// by.
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
        let next = last.map(|last| write_cursor(key(last), self.order()));
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

/// `next` of a page that ends with this thing: its id and, where names decide, its name's key.
fn write_cursor<K: Kind>((id, name): (Id<K>, &str), order: Order) -> String {
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

/// The query of a list: which part, and which of its things; unknown parameters are refused where
/// `F` denies them.
#[derive(Debug)]
pub struct Listed<F>(pub Find, pub F);

impl<F: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Listed<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let pairs = parts.uri.query().unwrap_or_default().split('&');
        let is_ours = |pair: &&str| PARAMETERS.contains(&pair.split('=').next().unwrap_or(pair));
        let (find, filter): (Vec<_>, Vec<_>) = pairs.partition(is_ours);
        Ok(Self(read(&find)?, read(&filter)?))
    }
}

fn read<T: DeserializeOwned>(pairs: &[&str]) -> Result<T, Problem> {
    let uri = Uri::try_from(format!("/?{}", pairs.join("&")));
    let uri = uri.map_err(|error| Problem::internal(&error))?;
    Query::of(&uri)
}

/// A list with nothing but its parts and search to choose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unfiltered {}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct List<T> {
    /// The things.
    pub items: Vec<T>,
    /// Send it as `after` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many things there are on all pages.
    pub total: u64,
}

impl<T> List<T> {
    /// The same page with each thing as `show` makes it.
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
