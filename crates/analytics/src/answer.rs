//! Answers, and their rows.

use std::collections::BTreeMap;

use tollgate_model::agent::Agent;
use tollgate_model::credential::{CredentialId, CredentialKind};
use tollgate_model::id::{ApiId, ApplicationId, Id, OperationId, PlanId, VersionId};
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::Refusal;

use crate::cube::{TIMES, Time};
use crate::dimension::{self, Dimension, Values};
use crate::measures::Measures;
use crate::sketch::Sketch;

/// The answer to a query.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Unix microseconds of the first minute counted. It may be before that of the query, where
    /// there are only hours or days.
    pub from_us: i64,
    /// Unix microseconds at which the last minute counted ends.
    pub to_us: i64,
    /// What answered.
    pub source: AnswerSource,
    /// The rows, sorted by the dimensions.
    pub rows: Vec<Row>,
}

/// What answered a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerSource {
    /// A cube with this name.
    Cube(&'static str),
    /// The calls themselves.
    Spool,
}

/// A row of an answer. A dimension has no value if it is not grouped by, or if it was unknown for
/// the calls, for example the application of a call without a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Unix microseconds of the beginning of the step.
    pub time_us: Option<i64>,
    /// [`NOT_ASKED`] for dimensions that are not grouped by.
    values: Values<i64>,
    /// The measures.
    pub measures: Measures,
    percentiles: Percentiles,
}

/// The value of a dimension that is not grouped by.
pub(crate) const NOT_ASKED: i64 = i64::MIN;

impl Row {
    /// The sums of a group: the beginning of its step, Unix microseconds, and its values, which are
    /// [`NOT_ASKED`] for dimensions that are not grouped by.
    pub(crate) fn new(
        time_us: Option<i64>,
        values: Values<i64>,
        measures: Measures,
        sketches: [Sketch; TIMES],
    ) -> Self {
        Self {
            time_us,
            values,
            measures,
            percentiles: Percentiles(sketches),
        }
    }

    pub(crate) fn value(&self, dimension: Dimension) -> Option<i64> {
        Some(self.values[dimension as usize]).filter(|it| *it != NOT_ASKED)
    }

    fn id<K>(&self, dimension: Dimension) -> Option<Id<K>> {
        let raw = self.value(dimension).filter(|&raw| raw != 0);
        raw.map(Id::from_raw)
    }

    /// The API.
    #[must_use]
    pub fn api(&self) -> Option<ApiId> {
        self.id(Dimension::Api)
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> Option<VersionId> {
        self.id(Dimension::Version)
    }

    /// The operation.
    #[must_use]
    pub fn operation(&self) -> Option<OperationId> {
        self.id(Dimension::Operation)
    }

    /// The application.
    #[must_use]
    pub fn application(&self) -> Option<ApplicationId> {
        self.id(Dimension::Application)
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> Option<PlanId> {
        self.id(Dimension::Plan)
    }

    /// Whether the credentials were those of the sandbox.
    #[must_use]
    pub fn is_sandbox(&self) -> Option<bool> {
        self.value(Dimension::Environment).map(|it| it == 1)
    }

    /// The status sent to the callers; 0 if they left before one was sent.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        u16::try_from(self.value(Dimension::Status)?).ok()
    }

    /// The reason for the refusal.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        let number = self.value(Dimension::Refusal)?;
        Refusal::from_number(u8::try_from(number).ok()?)
    }

    /// What the cache of responses did; also [`CacheUse::None`] for calls that lost their detail.
    #[must_use]
    pub fn cache(&self) -> Option<CacheUse> {
        dimension::cache_of(self.value(Dimension::Cache)?)
    }

    /// The program that called.
    #[must_use]
    pub fn agent(&self) -> Option<Agent> {
        let number = u16::try_from(self.value(Dimension::Agent)?).ok()?;
        Some(Agent::from_number(number))
    }

    /// The credential.
    #[must_use]
    pub fn credential(&self) -> Option<CredentialId> {
        let kind = u8::try_from(self.value(Dimension::CredentialKind)?).ok()?;
        let kind = CredentialKind::from_number(kind)?;
        let raw = self.value(Dimension::Credential)?;
        Some(CredentialId::from_parts(kind, raw))
    }

    /// Whether both are of the same group, in whatever step.
    #[must_use]
    pub fn is_of_group(&self, other: &Self) -> bool {
        self.values == other.values
    }

    /// Adds up rows of all groups: into one row, or one for each step.
    #[must_use]
    pub fn added_up(rows: &[Self]) -> Vec<Self> {
        let mut steps = BTreeMap::<Option<i64>, Self>::new();
        for row in rows {
            let sum = steps.entry(row.time_us);
            sum.or_insert_with(|| Self::empty(row.time_us)).add(row);
        }
        steps.into_values().collect()
    }

    /// Adds up rows of all groups and steps; `None` without rows.
    #[must_use]
    pub fn total(rows: &[Self]) -> Option<Self> {
        let mut total = Self::empty(None);
        rows.iter().for_each(|row| total.add(row));
        (!rows.is_empty()).then_some(total)
    }

    fn empty(time_us: Option<i64>) -> Self {
        Self {
            time_us,
            values: [NOT_ASKED; dimension::COUNT],
            measures: Measures::default(),
            percentiles: Percentiles::default(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.measures.add(&other.measures);
        let sketches = self.percentiles.0.iter_mut().zip(&other.percentiles.0);
        sketches.for_each(|(sketch, more)| sketch.merge(more));
    }

    /// Returns what is left of the sums of all groups, by step, without these rows of some. Maxima
    /// and percentiles of the rest are not known.
    #[must_use]
    pub fn remaining(all: Vec<Self>, rows: &[Self]) -> Vec<Self> {
        let some = Self::added_up(rows);
        let rest = all.into_iter().map(|mut row| {
            let of_step = some.iter().find(|it| it.time_us == row.time_us);
            let measures = of_step.map_or_else(Measures::default, |it| it.measures);
            row.measures = row.measures.without(&measures);
            row.percentiles = Percentiles::default();
            row
        });
        rest.filter(|row| row.measures.calls > 0).collect()
    }

    /// The time that a share of the calls, above 0 and up to 1, do not exceed, microseconds. `None`
    /// if it was not asked for or there are no such times.
    #[must_use]
    pub fn percentile(&self, time: Time, share: f64) -> Option<u32> {
        self.percentiles.0[time as usize].quantile(share)
    }
}

/// The times of the calls of a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Percentiles([Sketch; TIMES]);
