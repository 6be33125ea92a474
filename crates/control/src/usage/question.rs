//! What a caller asks of usage: a range, what to tell apart, which calls count; and that nobody
//! counts calls of applications that are not one's own to see.

use std::str::FromStr;

use axum::http::StatusCode;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Serialize};
use tollgate_analytics::{Dimension, Filter, Query};
use tollgate_model::id::ApplicationId;
use tollgate_model::user::Role;
use tollgate_store::{LIST_MAX, Store, applications};

use crate::caller::Caller;
use crate::error::Problem;
use crate::time::Time;

/// The range when none is given: the last 24 hours.
const RANGE_US: i64 = 24 * 3_600 * 1_000_000;
/// Ids or statuses that one parameter may list.
const LISTED_MAX: usize = 500;

/// The parameters of the question. Lists are separated by commas.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageQuery {
    /// Beginning of the range; 24 hours before its end when absent.
    #[param(value_type = Option<Time>)]
    from: Option<Time>,
    /// End of the range; now when absent.
    #[param(value_type = Option<Time>)]
    to: Option<Time>,
    /// What to tell apart, separated by commas: `minute`, `api`, `version`, `operation`,
    /// `application`, `status`, `refusal`.
    #[param(example = "minute,status")]
    group_by: Option<String>,
    /// Only calls of these APIs.
    api: Option<String>,
    /// Only calls of these versions.
    version: Option<String>,
    /// Only calls by these applications.
    application: Option<String>,
    /// Only calls of these operations.
    operation: Option<String>,
    /// Only calls answered with these statuses.
    status: Option<String>,
}

/// What figures can be told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageDimension)]
pub(crate) enum Word {
    /// The minute; of calls older than 48 hours, the hour.
    Minute,
    /// The API.
    Api,
    /// The version.
    Version,
    /// The operation.
    Operation,
    /// The application.
    Application,
    /// The status.
    Status,
    /// Why the gateway refused.
    Refusal,
}

/// The question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) query: Query,
    pub(crate) group_by: Vec<Word>,
}

impl Question {
    /// Reads the parameters; `now_us` (Unix microseconds) ends the range when nothing else does.
    ///
    /// # Errors
    /// 400 `query.invalid` that names the parameter.
    pub(crate) fn read(asked: UsageQuery, now_us: i64) -> Result<Self, Problem> {
        let to_us = asked.to.map_or(now_us, |to| to.0);
        let from_us = asked
            .from
            .map_or(to_us.saturating_sub(RANGE_US), |from| from.0);
        if from_us >= to_us {
            return Err(invalid("from", "must lie before \"to\""));
        }
        let group_by: Vec<Word> = list("group_by", asked.group_by)?.unwrap_or_default();
        Ok(Self {
            query: Query {
                from_us,
                to_us,
                group_by: group_by.iter().map(|word| word.dimension()).collect(),
                filter: Filter {
                    apis: list("api", asked.api)?,
                    versions: list("version", asked.version)?,
                    operations: list("operation", asked.operation)?,
                    applications: list("application", asked.application)?,
                    statuses: list("status", asked.status)?,
                },
            },
            group_by,
        })
    }

    /// Leaves only the caller's own applications in, where the caller may not see all.
    ///
    /// # Errors
    /// 404 `application.unknown` for one that is not the caller's.
    pub(crate) async fn narrow_to(
        &mut self,
        store: &Store,
        caller: &Caller,
    ) -> Result<(), Problem> {
        if caller.is(Role::Administrator) || caller.is(Role::Publisher) {
            return Ok(());
        }
        let mut own: Vec<ApplicationId> = Vec::new();
        loop {
            let after = own.last().copied();
            let page = applications::list(store, Some(caller.user), after, LIST_MAX).await?;
            if page.is_empty() {
                break;
            }
            own.extend(page.iter().map(|application| application.id));
        }
        let applications = &mut self.query.filter.applications;
        match applications {
            None => *applications = Some(own),
            Some(asked) if asked.iter().all(|id| own.contains(id)) => {}
            Some(_) => return Err(Problem::unknown("application")),
        }
        Ok(())
    }
}

impl Word {
    const fn dimension(self) -> Dimension {
        match self {
            Self::Minute => Dimension::Minute,
            Self::Api => Dimension::Api,
            Self::Version => Dimension::Version,
            Self::Operation => Dimension::Operation,
            Self::Application => Dimension::Application,
            Self::Status => Dimension::Status,
            Self::Refusal => Dimension::Refusal,
        }
    }
}

impl FromStr for Word {
    type Err = de::value::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::deserialize(text.into_deserializer())
    }
}

/// The values of a parameter, if it was sent.
fn list<T>(name: &str, sent: Option<String>) -> Result<Option<Vec<T>>, Problem>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let Some(sent) = sent else {
        return Ok(None);
    };
    if sent.split(',').count() > LISTED_MAX {
        return Err(invalid(
            name,
            &format!("it lists at most {LISTED_MAX} values"),
        ));
    }
    let values = sent.split(',').map(|value| {
        let value = value.trim().parse();
        value.map_err(|error: T::Err| invalid(name, &error.to_string()))
    });
    values.collect::<Result<_, _>>().map(Some)
}

fn invalid(name: &str, detail: &str) -> Problem {
    let detail = format!("{name}: {detail}");
    Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
}
