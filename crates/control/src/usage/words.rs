//! The words of the parameters of usage.

use std::str::FromStr;

use axum::http::StatusCode;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Serialize};
use tollgate_analytics::{Dimension, Step};
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::{Blame, REFUSALS, Refusal};

use crate::error::Problem;

const MINUTE_US: i64 = 60 * 1_000_000;
const HOUR_US: i64 = 60 * MINUTE_US;
pub(super) const DAY_US: i64 = 24 * HOUR_US;
/// Maximum number of steps.
const STEPS_MAX: i64 = 1_500;

/// A dimension of usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageDimension)]
pub(crate) enum Word {
    /// The minute; where minutes are not kept any more, the hour or the day.
    Minute,
    /// The API.
    Api,
    /// The version.
    Version,
    /// The operation.
    Operation,
    /// The application.
    Application,
    /// The plan of the subscription.
    Plan,
    /// The environment of the credential.
    Environment,
    /// The status.
    Status,
    /// Why the gateway rejected the call.
    Refusal,
    /// What the cache of responses did.
    Cache,
    /// The program that called.
    Agent,
    /// The credential.
    Credential,
}

/// The length of a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageStep)]
pub(crate) enum StepWord {
    /// The finest one with at most 1,500 steps for which figures are kept: minutes, hours or days.
    Auto,
    /// A minute; where minutes are not kept any more, an hour.
    Minute,
    /// An hour; where hours are not kept any more, a day.
    Hour,
    /// A day.
    Day,
    /// A week, from Monday on.
    Week,
    /// A month.
    Month,
}

/// The range that is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageComparison)]
pub(crate) enum CompareWord {
    /// The range of the same length that ends where this one begins.
    Previous,
    /// The range a week before.
    Week,
    /// The range a year before: 52 weeks, so that weekdays match.
    Year,
}

/// An environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageEnvironment)]
pub(crate) enum EnvironmentWord {
    /// Production.
    Production,
    /// Sandbox.
    Sandbox,
}

/// Who must act for rejected calls to succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageBlame)]
pub(crate) enum BlameWord {
    /// The calling program.
    Caller,
    /// The provider of the API.
    Provider,
    /// The operator of Tollgate.
    Us,
}

impl StepWord {
    /// The steps of a range of this length, microseconds.
    pub(super) fn of_range(self, range_us: i64) -> Self {
        match self {
            Self::Auto if range_us <= STEPS_MAX * MINUTE_US => Self::Minute,
            Self::Auto if range_us <= STEPS_MAX * HOUR_US => Self::Hour,
            Self::Auto => Self::Day,
            step => step,
        }
    }

    /// The length of a step, microseconds; of months the shortest.
    pub(super) const fn us(self) -> i64 {
        match self {
            Self::Auto | Self::Minute => MINUTE_US,
            Self::Hour => HOUR_US,
            Self::Day => DAY_US,
            Self::Week => 7 * DAY_US,
            Self::Month => 28 * DAY_US,
        }
    }

    /// Checks the number of steps in a range of this length, microseconds.
    pub(super) fn require_few(self, range_us: i64) -> Result<(), Problem> {
        let all = [Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month];
        let fits = |step: &&Self| range_us / step.us() <= STEPS_MAX;
        if fits(&&self) {
            return Ok(());
        }
        let hint = match all.iter().find(fits) {
            Some(step) => format!("the finest that fits is \"{}\"", step.word()),
            None => "the range is too long".to_owned(),
        };
        let detail = format!("step: more than {STEPS_MAX} steps in this range; {hint}");
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Err(Problem::new(status, "usage.too_many_steps", detail))
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    pub(super) const fn step(self) -> Step {
        match self {
            Self::Auto | Self::Minute => Step::Minute,
            Self::Hour => Step::Hour,
            Self::Day => Step::Day,
            Self::Week => Step::Week,
            Self::Month => Step::Month,
        }
    }
}

impl CompareWord {
    /// How much earlier the range is that this one is compared with, microseconds.
    pub(crate) const fn shift_us(self, range_us: i64) -> i64 {
        match self {
            Self::Previous => range_us,
            Self::Week => 7 * DAY_US,
            Self::Year => 52 * 7 * DAY_US,
        }
    }
}

impl BlameWord {
    pub(super) const fn blame(self) -> Blame {
        match self {
            Self::Caller => Blame::Caller,
            Self::Provider => Blame::Provider,
            Self::Us => Blame::Us,
        }
    }
}

impl Word {
    /// Returns the dimensions; none for the minute, which is a step.
    pub(super) const fn dimensions(self) -> &'static [Dimension] {
        match self {
            Self::Minute => &[],
            Self::Api => &[Dimension::Api],
            Self::Version => &[Dimension::Version],
            Self::Operation => &[Dimension::Operation],
            Self::Application => &[Dimension::Application],
            Self::Plan => &[Dimension::Plan],
            Self::Environment => &[Dimension::Environment],
            Self::Status => &[Dimension::Status],
            Self::Refusal => &[Dimension::Refusal],
            Self::Cache => &[Dimension::Cache],
            Self::Agent => &[Dimension::Agent],
            Self::Credential => &[Dimension::CredentialKind, Dimension::Credential],
        }
    }
}

impl FromStr for Word {
    type Err = de::value::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::deserialize(text.into_deserializer())
    }
}

/// A class of statuses, such as `5xx`.
pub(super) struct StatusClass(u16);

impl StatusClass {
    pub(super) fn statuses(&self) -> std::ops::Range<u16> {
        self.0 * 100..self.0 * 100 + 100
    }
}

impl FromStr for StatusClass {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let class = text.strip_suffix("xx").and_then(|class| class.parse().ok());
        let class = class.filter(|class| (1..=5).contains(class));
        class
            .map(Self)
            .ok_or("expected one of 1xx, 2xx, 3xx, 4xx, 5xx")
    }
}

/// The code of a refusal.
pub(super) struct Code(pub(super) Refusal);

impl FromStr for Code {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = REFUSALS.iter().find(|refusal| refusal.facts().code == text);
        let found = found.copied().map(Self);
        found.ok_or_else(|| format!("{text:?} is not a code of a rejected call"))
    }
}

/// The word of a use of the cache.
pub(super) struct Use(pub(super) CacheUse);

impl FromStr for Use {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = CacheUse::ALL.into_iter().find(|it| it.word() == text);
        found.map(Self).ok_or_else(|| {
            let words = CacheUse::ALL.map(CacheUse::word).join(", ");
            format!("expected one of {words}")
        })
    }
}
