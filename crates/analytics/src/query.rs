//! Questions of the figures: sums over a range, grouped by any dimensions and filtered by them.

use jiff::tz::TimeZone;
use tollgate_model::id::{ApiId, ApplicationId, Id, OperationId, PlanId, UserId, VersionId};
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::{REFUSALS, Refusal};
use tollgate_spool::Part;

use crate::MINUTE_US;
use crate::answer::Row;
use crate::cube::{CUBES, Time};
use crate::dimension::Dimension;
use crate::measures::MEASURES;
use crate::value_list::ValueList;

/// The minutes that can be asked about: up to the year 2200.
const MINUTES: std::ops::Range<i64> = 0..121_000_000;

/// Steps of time, aligned to midnight of the zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Minutes; where the cube has no minutes any more, hours.
    Minute,
    /// Hours; where the cube has no hours any more, days.
    Hour,
    /// Days.
    Day,
    /// Weeks, from Monday on.
    Week,
    /// Months.
    Month,
}

/// The calls to count. `None` accepts all; a list, even an empty one, only its members.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Calls of these APIs.
    pub apis: Option<Vec<ApiId>>,
    /// Calls of these versions.
    pub versions: Option<Vec<VersionId>>,
    /// Calls of these operations.
    pub operations: Option<Vec<OperationId>>,
    /// Calls by these applications.
    pub applications: Option<Vec<ApplicationId>>,
    /// Calls under these plans.
    pub plans: Option<Vec<PlanId>>,
    /// Calls with credentials of the sandbox, or all others.
    pub is_sandbox: Option<bool>,
    /// Calls with these response statuses.
    pub statuses: Option<Vec<u16>>,
    /// Calls refused for these reasons.
    pub refusals: Option<Vec<Refusal>>,
    /// Calls for which the cache of responses did this.
    pub caches: Option<Vec<CacheUse>>,
    /// Calls that were refused, or all others.
    pub is_refused: Option<bool>,
    /// The calls visible to the user.
    pub sight: Option<Sight>,
}

/// Calls of these APIs, and calls by these applications.
#[derive(Debug, Clone, Default)]
pub struct Sight {
    /// All calls of these APIs are visible.
    pub apis: Vec<ApiId>,
    /// All calls by these applications are visible.
    pub applications: Vec<ApplicationId>,
}

/// A query of the figures.
#[derive(Debug, Clone)]
pub struct Query {
    /// Unix microseconds; the minute that contains it is the first one counted.
    pub from_us: i64,
    /// Unix microseconds; the minute that contains it or ends there is the last one counted.
    pub to_us: i64,
    /// The steps of time to group by, according to when the calls began.
    pub step: Option<Step>,
    /// The zone of the steps.
    pub zone: TimeZone,
    /// The dimensions to group by; if empty, there is one row of sums, or one per step.
    pub group_by: Vec<Dimension>,
    /// Dimensions that what answers must have too, so that several queries are answered by the
    /// same, with the same range.
    pub also: Vec<Dimension>,
    /// The calls to count.
    pub filter: Filter,
    /// The names of the measures that are wanted, all if `None`; others are 0. Fewer are faster.
    pub measures: Option<Vec<&'static str>>,
    /// The times of which percentiles are wanted.
    pub percentiles: Vec<Time>,
    /// The user who asks; `None` if the control plane does for itself. Each reads the calls of one
    /// query at a time.
    pub by: Option<UserId>,
}

impl Query {
    /// A query of all calls in a range, Unix microseconds, in one row.
    #[must_use]
    pub fn of(range: std::ops::Range<i64>) -> Self {
        Self {
            from_us: range.start,
            to_us: range.end,
            step: None,
            zone: TimeZone::UTC,
            group_by: Vec::new(),
            also: Vec::new(),
            filter: Filter::default(),
            measures: None,
            percentiles: Vec::new(),
            by: None,
        }
    }

    /// Returns the query of the groups of these rows, and few others.
    #[must_use]
    pub fn only(&self, rows: &[Row]) -> Self {
        fn ids<K>(rows: &[Row], dimension: Dimension, list: &mut Option<Vec<Id<K>>>) {
            let values = rows.iter().filter_map(|row| row.value(dimension));
            let values: Vec<_> = values.map(Id::from_raw).collect();
            let is_listed = |id: &Id<K>| list.as_ref().is_none_or(|list| list.contains(id));
            *list = Some(values.into_iter().filter(is_listed).collect());
        }
        let mut query = self.clone();
        let filter = &mut query.filter;
        for &dimension in &self.group_by {
            match dimension {
                Dimension::Api => ids(rows, dimension, &mut filter.apis),
                Dimension::Version => ids(rows, dimension, &mut filter.versions),
                Dimension::Operation => ids(rows, dimension, &mut filter.operations),
                Dimension::Application => ids(rows, dimension, &mut filter.applications),
                Dimension::Plan => ids(rows, dimension, &mut filter.plans),
                // There are few values of the others, or no filter by them.
                _ => {}
            }
        }
        query
    }

    /// The minutes that the range touches.
    pub(crate) fn minutes(&self) -> std::ops::Range<i64> {
        let to_us = self.to_us.saturating_add(MINUTE_US - 1);
        let within = |minute: i64| minute.clamp(MINUTES.start, MINUTES.end);
        within(self.from_us.div_euclid(MINUTE_US))..within(to_us.div_euclid(MINUTE_US))
    }

    /// The places of the measures that are wanted, in [`MEASURES`].
    pub(crate) fn measured(&self) -> Vec<usize> {
        let wanted = self.measures.as_ref();
        let is_wanted = |at: &usize| wanted.is_none_or(|names| names.contains(&MEASURES[*at].name));
        (0..MEASURES.len()).filter(is_wanted).collect()
    }

    /// The parts of single calls that it needs.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let measures = self.measured();
        let measures = measures.iter().flat_map(|at| MEASURES[*at].parts);
        let times = self.percentiles.iter().flat_map(|time| time.parts());
        let needed: Vec<_> = measures.chain(times).copied().collect();
        let dimensions = self.needs();
        let is_needed =
            |part: &Part| needed.contains(part) || dimensions.iter().any(|it| it.part() == *part);
        Part::ALL.into_iter().filter(is_needed).collect()
    }

    /// Every dimension that it needs.
    pub(crate) fn needs(&self) -> Vec<Dimension> {
        let mut needs = [self.group_by.as_slice(), &self.also].concat();
        let sight = self.filter.sight.iter().flat_map(Sight::lists);
        let lists = self.filter.lists().into_iter().chain(sight);
        needs.extend(lists.map(|list| list.dimension));
        needs
    }

    /// Whether the caller sees calls for two reasons.
    pub(crate) fn has_halves(&self) -> bool {
        let sight = self.filter.sight.as_ref();
        sight.is_some_and(|sight| sight.lists().len() > 1)
    }

    /// Returns what to leave out for a cube to answer: the least.
    pub(crate) fn surplus(&self) -> Vec<Dimension> {
        let sight: Vec<_> = self.filter.sight.iter().flat_map(Sight::lists).collect();
        let is_sight = |it: &Dimension| sight.iter().any(|list| list.dimension == *it);
        let needs = self.needs();
        let cubes = CUBES.iter().map(|cube| {
            let lacks = |it: &&Dimension| !cube.dimensions.contains(it);
            needs.iter().filter(lacks).copied().collect::<Vec<_>>()
        });
        // What decides on what the caller may see cannot be left out.
        let possible = cubes.filter(|surplus| !surplus.iter().any(is_sight));
        possible.min_by_key(Vec::len).unwrap_or_default()
    }

    /// Returns the place of the first cube that can answer.
    pub(crate) fn cube(&self) -> Option<usize> {
        let needs = self.needs();
        CUBES.iter().position(|cube| {
            needs.iter().all(|it| cube.dimensions.contains(it))
                && self
                    .percentiles
                    .iter()
                    .all(|it| cube.percentiles.contains(it))
        })
    }
}

impl Filter {
    /// The parts of single calls that it looks at.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let sight = self.sight.iter().flat_map(Sight::lists);
        let lists = self.lists().into_iter().chain(sight);
        lists.map(|list| list.dimension.part()).collect()
    }

    /// The lists of values that are accepted, as numbers, by dimension.
    pub(crate) fn lists(&self) -> Vec<ValueList> {
        let mut lists = Vec::new();
        let mut add = |dimension, values: Option<Vec<i64>>| {
            lists.extend(values.map(|values| ValueList::new(dimension, values)));
        };
        add(Dimension::Api, self.apis.as_deref().map(raw));
        add(Dimension::Version, self.versions.as_deref().map(raw));
        add(Dimension::Operation, self.operations.as_deref().map(raw));
        add(
            Dimension::Application,
            self.applications.as_deref().map(raw),
        );
        add(Dimension::Plan, self.plans.as_deref().map(raw));
        let environment = self.is_sandbox.map(|it| vec![i64::from(it)]);
        add(Dimension::Environment, environment);
        let numbers = |it: &Vec<u16>| it.iter().map(|&status| status.into()).collect();
        add(Dimension::Status, self.statuses.as_ref().map(numbers));
        let numbers = |it: &Vec<Refusal>| it.iter().map(|it| it.number().into()).collect();
        add(Dimension::Refusal, self.refusals.as_ref().map(numbers));
        let refused = self.is_refused.map(|is_refused| match is_refused {
            true => REFUSALS.iter().map(|it| it.number().into()).collect(),
            false => vec![0],
        });
        add(Dimension::Refusal, refused);
        let numbers = |it: &Vec<CacheUse>| it.iter().map(|&it| it as i64).collect();
        add(Dimension::Cache, self.caches.as_ref().map(numbers));
        lists
    }
}

impl Sight {
    /// The lists of values of which one makes a call visible, as numbers, by dimension.
    pub(crate) fn lists(&self) -> Vec<ValueList> {
        let apis = ValueList::new(Dimension::Api, raw(&self.apis));
        let applications = ValueList::new(Dimension::Application, raw(&self.applications));
        match (self.apis.is_empty(), self.applications.is_empty()) {
            (false, false) => vec![apis, applications],
            (false, true) => vec![apis],
            (true, _) => vec![applications],
        }
    }
}

fn raw<K>(ids: &[Id<K>]) -> Vec<i64> {
    ids.iter().map(|id| id.raw()).collect()
}
