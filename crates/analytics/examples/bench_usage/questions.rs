//! What pages ask.

use tollgate_analytics::{Dimension, Filter, Query, Step, Time};
use tollgate_model::id::{ApplicationId, Id, VersionId};

pub(crate) const VERSIONS: i64 = 300;
pub(crate) const APPLICATIONS: i64 = 2_000;
const DAY_US: i64 = 86_400_000_000;
pub(crate) const RANGE_US: i64 = 7 * DAY_US;

/// A question of a page.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    /// Seconds that the tables of releases without cubes took on 2026-11-25; none where they had no
    /// answer, or were not asked.
    pub(crate) before: Option<f64>,
    /// Whether a cube answers it with few rows.
    pub(crate) is_covered: bool,
    pub(crate) query: fn(i64, i64) -> Query,
}

pub(crate) const QUESTIONS: [Question; 14] = [
    Question {
        name: "all by hour, p95",
        before: Some(18.4),
        is_covered: true,
        query: |to_us, _| Query {
            step: Some(Step::Hour),
            ..with_percentiles(to_us)
        },
    },
    Question {
        name: "APIs, p95",
        before: Some(19.5),
        is_covered: true,
        query: |to_us, _| by(with_percentiles(to_us), &[Dimension::Api]),
    },
    Question {
        name: "operations, p95",
        before: Some(27.1),
        is_covered: true,
        query: |to_us, _| {
            let dimensions = [Dimension::Version, Dimension::Operation];
            by(with_percentiles(to_us), &dimensions)
        },
    },
    Question {
        name: "applications",
        before: Some(20.5),
        is_covered: true,
        query: |to_us, _| by(week(to_us), &[Dimension::Application]),
    },
    Question {
        name: "versions by application and plan",
        before: None,
        is_covered: true,
        query: |to_us, _| {
            let dimensions = [Dimension::Version, Dimension::Application, Dimension::Plan];
            by(week(to_us), &dimensions)
        },
    },
    Question {
        name: "five applications by hour, p95",
        before: None,
        is_covered: true,
        query: |to_us, at| Query {
            step: Some(Step::Hour),
            filter: Filter {
                applications: Some((at..at + 5).map(application).collect()),
                ..Filter::default()
            },
            ..by(with_percentiles(to_us), &[Dimension::Application])
        },
    },
    Question {
        name: "refusals",
        before: Some(29.1),
        is_covered: true,
        query: |to_us, _| by(week(to_us), &[Dimension::Refusal]),
    },
    Question {
        name: "a version by hour and status",
        before: None,
        is_covered: true,
        query: |to_us, at| Query {
            step: Some(Step::Hour),
            filter: of_version(at),
            ..by(week(to_us), &[Dimension::Status, Dimension::Refusal])
        },
    },
    Question {
        name: "a version's operations and cache, a day",
        before: None,
        is_covered: true,
        query: |to_us, at| Query {
            from_us: to_us - DAY_US,
            filter: of_version(at),
            ..by(week(to_us), &[Dimension::Operation, Dimension::Cache])
        },
    },
    Question {
        name: "an application by minute, a day",
        before: None,
        is_covered: true,
        query: |to_us, at| Query {
            from_us: to_us - DAY_US,
            step: Some(Step::Minute),
            filter: Filter {
                applications: Some(vec![application(at)]),
                ..Filter::default()
            },
            ..by(week(to_us), &[Dimension::Status, Dimension::Refusal])
        },
    },
    Question {
        name: "programs",
        before: None,
        is_covered: true,
        query: |to_us, _| by(week(to_us), &[Dimension::Agent]),
    },
    Question {
        name: "every version by hour, p95 (50,000 rows)",
        before: None,
        is_covered: false,
        query: |to_us, _| Query {
            step: Some(Step::Hour),
            ..by(with_percentiles(to_us), &[Dimension::Version])
        },
    },
    Question {
        name: "a version's operations by application (calls)",
        before: None,
        is_covered: false,
        query: |to_us, at| Query {
            filter: of_version(at),
            ..by(week(to_us), &[Dimension::Operation, Dimension::Application])
        },
    },
    Question {
        name: "operations by plan (calls)",
        before: None,
        is_covered: false,
        query: |to_us, _| by(week(to_us), &[Dimension::Operation, Dimension::Plan]),
    },
];

fn week(to_us: i64) -> Query {
    Query {
        measures: Some(vec!["calls", "server_errors"]),
        ..Query::of(to_us - RANGE_US..to_us)
    }
}

fn with_percentiles(to_us: i64) -> Query {
    Query {
        measures: Some(vec!["calls", "server_errors"]),
        percentiles: vec![Time::Total],
        ..week(to_us)
    }
}

fn by(query: Query, dimensions: &[Dimension]) -> Query {
    Query {
        group_by: dimensions.to_vec(),
        ..query
    }
}

fn of_version(at: i64) -> Filter {
    Filter {
        versions: Some(vec![version(at)]),
        ..Filter::default()
    }
}

pub(crate) fn version(at: i64) -> VersionId {
    Id::from_raw(1 << 40 | (at % VERSIONS + 1))
}

pub(crate) fn application(at: i64) -> ApplicationId {
    Id::from_raw(2 << 40 | (at % APPLICATIONS + 1))
}
