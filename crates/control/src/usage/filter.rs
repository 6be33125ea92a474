//! The parameters that choose calls.

use std::str::FromStr;

use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use tollgate_analytics::Filter;
use tollgate_model::refusal::REFUSALS;

use super::words::{BlameWord, Code, EnvironmentWord, StatusClass, Use};
use crate::error::Problem;

/// Maximum number of values in one parameter.
const LISTED_MAX: usize = 500;

/// Which calls to count or to list. Lists are separated by commas.
#[derive(Debug, Default, PartialEq, Eq, Hash, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FilterQuery {
    /// Only calls of these APIs.
    api: Option<String>,
    /// Only calls of these versions.
    version: Option<String>,
    /// Only calls by these applications.
    application: Option<String>,
    /// Only calls of these operations.
    operation: Option<String>,
    /// Only calls under these plans.
    plan: Option<String>,
    /// Only calls with credentials of this environment. Calls without a credential are in
    /// `production`.
    #[param(inline, value_type = Option<EnvironmentWord>)]
    environment: Option<String>,
    /// Only calls answered with these statuses: 100 to 599, or 0 for those that ended before one
    /// was sent.
    status: Option<String>,
    /// Only calls answered with statuses of these classes: `1xx` to `5xx`.
    #[param(example = "4xx,5xx")]
    status_class: Option<String>,
    /// Only calls that the gateway rejected for these reasons.
    #[param(example = "admit.subscription")]
    refusal: Option<String>,
    /// Only calls that the gateway rejected for reasons which this party must remove: `caller`,
    /// `provider`, `us`.
    #[param(inline, value_type = Option<BlameWord>)]
    blame: Option<String>,
    /// Only calls for which the cache of responses did this: `none`, `miss`, `hit`, `stale`,
    /// `revalidated`, `bypass`.
    cache: Option<String>,
}

impl FilterQuery {
    /// Returns the filter.
    ///
    /// # Errors
    /// 400 `query.invalid` that names the parameter.
    pub(super) fn filter(&self) -> Result<Filter, Problem> {
        let statuses: Option<Vec<SentStatus>> = list("status", self.status.clone())?;
        let mut statuses = statuses.map(|it| it.into_iter().map(|it| it.0).collect::<Vec<_>>());
        if let Some(classes) = list::<StatusClass>("status_class", self.status_class.clone())? {
            let of_classes: Vec<u16> = classes.iter().flat_map(|class| class.statuses()).collect();
            statuses = Some(match statuses {
                Some(mut listed) => {
                    listed.retain(|status| of_classes.contains(status));
                    listed
                }
                None => of_classes,
            });
        }
        let mut refusals: Option<Vec<Code>> = list("refusal", self.refusal.clone())?;
        if let Some(blame) = word::<BlameWord>("blame", self.blame.as_deref())? {
            let is_of = |code: &Code| code.0.facts().blame == blame.blame();
            let all = || REFUSALS.iter().copied().map(Code).collect();
            let mut listed = refusals.unwrap_or_else(all);
            listed.retain(is_of);
            refusals = Some(listed);
        }
        let environment = word::<EnvironmentWord>("environment", self.environment.as_deref())?;
        let caches: Option<Vec<Use>> = list("cache", self.cache.clone())?;
        Ok(Filter {
            apis: list("api", self.api.clone())?,
            versions: list("version", self.version.clone())?,
            operations: list("operation", self.operation.clone())?,
            applications: list("application", self.application.clone())?,
            plans: list("plan", self.plan.clone())?,
            is_sandbox: environment.map(|it| it == EnvironmentWord::Sandbox),
            statuses,
            refusals: refusals.map(|codes| codes.into_iter().map(|code| code.0).collect()),
            caches: caches.map(|uses| uses.into_iter().map(|it| it.0).collect()),
            ..Filter::default()
        })
    }
}

/// A status that was sent to a client; 0 for none.
struct SentStatus(u16);

impl FromStr for SentStatus {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.parse().ok();
        let number = number.filter(|it| matches!(it, 0 | 100..=599));
        number.map(Self).ok_or("a number from 100 to 599, or 0")
    }
}

/// Parses the word of a parameter, if it was sent.
fn word<'w, T: Deserialize<'w>>(name: &str, sent: Option<&'w str>) -> Result<Option<T>, Problem> {
    let parsed = sent.map(|word| T::deserialize(word.into_deserializer()));
    let invalid = |error: serde::de::value::Error| invalid(name, &error.to_string());
    parsed.transpose().map_err(invalid)
}

/// Parses the values of a parameter, if it was sent.
pub(super) fn list<T>(name: &str, sent: Option<String>) -> Result<Option<Vec<T>>, Problem>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let Some(sent) = sent else {
        return Ok(None);
    };
    if sent.split(',').count() > LISTED_MAX {
        return Err(invalid(name, &format!("at most {LISTED_MAX} values")));
    }
    let values = sent.split(',').map(|value| {
        let value = value.trim().parse();
        value.map_err(|error: T::Err| invalid(name, &error.to_string()))
    });
    values.collect::<Result<_, _>>().map(Some)
}

/// Parses the values of a parameter, none of which may be there twice.
pub(super) fn words<T>(name: &str, sent: Option<String>) -> Result<Vec<T>, Problem>
where
    T: FromStr<Err: std::fmt::Display> + PartialEq,
{
    let words: Vec<T> = list(name, sent)?.unwrap_or_default();
    let is_twice = |(at, word)| words[..at].contains(word);
    if words.iter().enumerate().any(is_twice) {
        return Err(invalid(name, "a value is listed twice"));
    }
    Ok(words)
}

pub(super) fn invalid(name: &str, detail: &str) -> Problem {
    let detail = format!("{name}: {detail}");
    Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
}
