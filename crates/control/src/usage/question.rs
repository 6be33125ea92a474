//! The query of usage: a range, dimensions and filters; and the restriction to calls that the
//! caller may see.

use std::str::FromStr;

use axum::http::StatusCode;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Serialize};
use tollgate_analytics::{Dimension, Filter, Query, Sight, Step};
use tollgate_model::id::{ApiId, ApplicationId, UserId, VersionId};
use tollgate_model::user::Role;
use tollgate_store::{LIST_MAX, Store, StoreError, applications, owners, versions};

use crate::caller::Caller;
use crate::error::Problem;
use crate::ownership::refusal;
use crate::state::Control;
use crate::time::Time;

/// The default range: the last 24 hours.
const RANGE_US: i64 = 24 * 3_600 * 1_000_000;
/// Maximum number of ids or statuses in one parameter.
const LISTED_MAX: usize = 500;

/// The parameters of a query. Lists are separated by commas.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageQuery {
    /// Start of the range; 24 hours before its end by default.
    #[param(value_type = Option<Time>)]
    from: Option<Time>,
    /// End of the range; now by default.
    #[param(value_type = Option<Time>)]
    to: Option<Time>,
    /// Dimensions to group by, separated by commas: `minute`, `api`, `version`, `operation`,
    /// `application`, `status`, `refusal`, `cache`.
    #[param(example = "minute,status")]
    group_by: Option<String>,
    /// Time steps to group by, instead of `minute` in `group_by`; days begin at midnight UTC. The
    /// range may cut the first and the last step.
    #[param(inline, example = "day")]
    step: Option<StepWord>,
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

/// A dimension of usage.
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
    /// Why the gateway rejected the call.
    Refusal,
    /// What the cache of responses did.
    Cache,
}

/// The length of a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageStep)]
pub(crate) enum StepWord {
    /// A minute; of calls older than 48 hours, an hour.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
}

/// A parsed query.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) query: Query,
    pub(crate) group_by: Vec<Word>,
    pub(crate) step: Option<StepWord>,
}

impl Question {
    /// Parses the parameters; the range ends at `now_us` (Unix microseconds) by default.
    ///
    /// # Errors
    /// 400 `query.invalid` that names the parameter.
    pub(crate) fn parse(parameters: UsageQuery, now_us: i64) -> Result<Self, Problem> {
        let to_us = parameters.to.map_or(now_us, |to| to.0);
        let from_us = parameters
            .from
            .map_or(to_us.saturating_sub(RANGE_US), |from| from.0);
        if from_us >= to_us {
            return Err(invalid("from", "must be before \"to\""));
        }
        let group_by: Vec<Word> = list("group_by", parameters.group_by)?.unwrap_or_default();
        let by_minute = group_by.contains(&Word::Minute);
        if by_minute && parameters.step.is_some() {
            return Err(invalid("step", "leave \"minute\" out of \"group_by\""));
        }
        Ok(Self {
            query: Query {
                from_us,
                to_us,
                step: match parameters.step {
                    None => by_minute.then_some(Step::Minute),
                    Some(StepWord::Minute) => Some(Step::Minute),
                    Some(StepWord::Hour) => Some(Step::Hour),
                    Some(StepWord::Day) => Some(Step::Day),
                },
                group_by: group_by
                    .iter()
                    .filter_map(|word| word.dimension())
                    .collect(),
                filter: Filter {
                    apis: list("api", parameters.api)?,
                    versions: list("version", parameters.version)?,
                    operations: list("operation", parameters.operation)?,
                    applications: list("application", parameters.application)?,
                    statuses: list("status", parameters.status)?,
                    sight: None,
                },
            },
            group_by,
            step: parameters.step,
        })
    }

    /// Restricts the query to calls by the caller's own applications and, for a publisher, calls of
    /// own APIs; does not restrict it for an administrator.
    ///
    /// # Errors
    /// For a caller who is not a developer, 403 `api.not_owner` or 404 for an API, a version or an
    /// operation of another owner; for one who is not a publisher, 404 `application.unknown` for an
    /// application of another owner. A caller who is both may name all of them, and gets the calls
    /// of own APIs and by own applications among them.
    pub(crate) async fn narrow_to(
        &mut self,
        control: &Control,
        caller: &Caller,
    ) -> Result<(), Problem> {
        if caller.is(Role::Administrator) {
            return Ok(());
        }
        let filter = &mut self.query.filter;
        let mut sight = Sight::default();
        if caller.is(Role::Publisher) {
            sight.apis = own_apis(&control.store, caller.user).await?;
        }
        sight.applications = own_applications(&control.store, caller.user).await?;
        if !caller.is(Role::Developer) {
            require_own_apis(control, caller, filter).await?;
        }
        let mut applications = filter.applications.iter().flatten();
        if !caller.is(Role::Publisher) && applications.any(|id| !sight.applications.contains(id)) {
            return Err(Problem::unknown("application"));
        }
        filter.sight = Some(sight);
        Ok(())
    }
}

/// Returns the APIs of a user, including deleted ones.
async fn own_apis(store: &Store, user: UserId) -> Result<Vec<ApiId>, StoreError> {
    let mut own = Vec::new();
    loop {
        let page = owners::apis(store, user, own.last().copied(), LIST_MAX).await?;
        if page.is_empty() {
            return Ok(own);
        }
        own.extend(page);
    }
}

async fn own_applications(store: &Store, user: UserId) -> Result<Vec<ApplicationId>, StoreError> {
    let mut own = Vec::new();
    loop {
        let after = own.last().copied();
        let page = applications::list(store, Some(user), after, LIST_MAX).await?;
        if page.is_empty() {
            return Ok(own);
        }
        own.extend(page.iter().map(|application| application.id));
    }
}

/// Checks that every API, version and operation in a filter belongs to the caller.
async fn require_own_apis(
    control: &Control,
    caller: &Caller,
    filter: &Filter,
) -> Result<(), Problem> {
    let store = &control.store;
    for &api in filter.apis.iter().flatten() {
        if owners::of_api(store, api).await? != Some(caller.user) {
            return Err(refusal(control, api, "API").await?);
        }
    }
    for &version in filter.versions.iter().flatten() {
        require_own_version(control, caller, version, "version").await?;
    }
    for &operation in filter.operations.iter().flatten() {
        let version = owners::version_of(store, operation)
            .await?
            .ok_or_else(|| Problem::unknown("operation"))?;
        require_own_version(control, caller, version, "operation").await?;
    }
    Ok(())
}

async fn require_own_version(
    control: &Control,
    caller: &Caller,
    version: VersionId,
    noun: &str,
) -> Result<(), Problem> {
    let store = &control.store;
    if owners::of_version(store, version).await? == Some(caller.user) {
        return Ok(());
    }
    match versions::by_id(store, version).await {
        Ok(version) => Err(refusal(control, version.api, noun).await?),
        Err(StoreError::NotFound(_)) => Err(Problem::unknown(noun)),
        Err(error) => Err(error.into()),
    }
}

impl Word {
    /// Returns the dimension; `None` for the minute, which is a step.
    const fn dimension(self) -> Option<Dimension> {
        Some(match self {
            Self::Minute => return None,
            Self::Api => Dimension::Api,
            Self::Version => Dimension::Version,
            Self::Operation => Dimension::Operation,
            Self::Application => Dimension::Application,
            Self::Status => Dimension::Status,
            Self::Refusal => Dimension::Refusal,
            Self::Cache => Dimension::Cache,
        })
    }
}

impl FromStr for Word {
    type Err = de::value::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::deserialize(text.into_deserializer())
    }
}

/// Parses the values of a parameter, if it was sent.
fn list<T>(name: &str, sent: Option<String>) -> Result<Option<Vec<T>>, Problem>
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

fn invalid(name: &str, detail: &str) -> Problem {
    let detail = format!("{name}: {detail}");
    Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
}
