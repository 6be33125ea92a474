//! Usage: numbers of calls, by API, caller and outcome, and how long they took.
//!
//! Publishers see the calls of their own APIs, developers those by their own applications,
//! administrators everything. The figures come from the analytics crate, exact to the last recorded
//! call; `usage/names.rs` looks up names, also those of deleted objects. Known losses are reported
//! too.

mod asked;
mod cache;
mod call;
pub(crate) mod calls;
mod csv;
pub(crate) mod explain;
mod filter;
pub(crate) mod health;
mod limit;
mod live;
mod measures;
mod metric;
mod names;
mod nouns;
mod question;
pub(crate) mod quotas;
mod reference;
mod refusal;
mod row;
mod seer;
mod sight;
mod steps;
mod words;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tollgate_analytics::{AnswerSource, Loss, Query as Sums, Reason, Row, UsageError};

use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::Query;
use crate::state::Control;
use crate::time::Time;
use asked::{Asked, ask, seconds_of};
use filter::FilterQuery;
pub(crate) use names::Names;
pub(crate) use nouns::Named;
use question::{Question, UsageQuery};
pub use reference::usage_markdown;
use row::{Shown, UsageRow};
use words::{StepWord, Word};

/// Usage in a time range.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageReport {
    /// Start of the first minute counted; where minutes are not kept any more, of the first hour or
    /// day.
    from: Time,
    /// End of the last minute counted; where minutes are not kept any more, of the last hour or
    /// day.
    to: Time,
    /// What the rows come from: the name of a cube, or `calls`, the single calls.
    #[schema(example = "version")]
    source: &'static str,
    /// Until when all calls are counted.
    complete_until: Time,
    /// Dimensions of the rows, as requested.
    group_by: Vec<Word>,
    /// Time steps of the rows, as requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepWord>,
    /// The sums, ordered by their dimensions; the first groups by their metric, if `top` was
    /// requested without steps. A single row without dimensions.
    rows: Vec<UsageRow>,
    /// All other groups, added up: a row, or a row for each step, without percentiles and maxima
    /// then; empty without `top`.
    others: Vec<UsageRow>,
    /// All calls of the range that pass the filter; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<UsageRow>,
    /// The same figures of the range that was requested by `compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<UsageCompared>,
    /// Known losses in the range.
    losses: Vec<UsageLoss>,
}

/// Usage in the range that is compared with.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageCompared {
    /// Start of the first minute, hour or day counted.
    from: Time,
    /// End of the last minute, hour or day counted.
    to: Time,
    /// The sums.
    rows: Vec<UsageRow>,
    /// All other groups, added up.
    others: Vec<UsageRow>,
    /// All calls of the range that pass the filter; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<UsageRow>,
}

/// A loss of usage figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageLoss {
    /// Start of the time in which figures may be missing.
    from: Time,
    /// End of that time.
    to: Time,
    /// The reason.
    reason: LossReason,
    /// Number of calls without detail; absent if the number of missing calls is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
}

/// The reason for a loss of usage figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LossReason {
    /// The process ended without writing its figures.
    UncleanStop,
    /// Too many calls to record: they are counted, but without detail.
    RingFull,
    /// Writing failed for so long that memory was full.
    BacklogFull,
    /// The database was damaged: all earlier figures are in the file that was set aside, or some
    /// figures of the time were unreadable.
    Damaged,
    /// The database was missing: all earlier figures are lost.
    Missing,
    /// Single calls could not be written for so long that memory was full. They are counted.
    SpoolBehind,
    /// Files with single calls were damaged and set aside, or removed. The calls are counted.
    SpoolDamaged,
    /// The oldest single calls were removed before their time, because `spool/` was full. The calls
    /// are counted.
    SpoolFull,
}

impl From<Reason> for LossReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::UncleanStop => Self::UncleanStop,
            Reason::RingFull => Self::RingFull,
            Reason::BacklogFull => Self::BacklogFull,
            Reason::Damaged => Self::Damaged,
            Reason::Missing => Self::Missing,
            Reason::SpoolBehind => Self::SpoolBehind,
            Reason::SpoolDamaged => Self::SpoolDamaged,
            Reason::SpoolFull => Self::SpoolFull,
        }
    }
}

/// Get usage.
///
/// Counts calls in a time range, grouped by the dimensions in `group_by`: calls of one's own APIs
/// for publishers, calls by one's own applications, all for administrators. With `Accept: text/csv`
/// the rows are a table.
#[utoipa::path(
    get, path = "/api/v1/usage", tag = "usage", params(UsageQuery, FilterQuery),
    responses(
        (status = 200, description = "The usage", body = UsageReport),
        (status = 422, description = "More rows or steps than are returned, or a combination of \
            dimensions of which no figures are kept so far back"),
    ),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<UsageQuery>,
) -> Result<Response, Problem> {
    let mut question = Question::parse(query, control.now_us())?;
    let half = question.half;
    sight::narrow(&mut question.query.filter, &control, &caller, half).await?;
    question.query.by = Some(caller.user);
    let asked = question.ask(&control, 0).await?;
    let mut names = Names::new(&control.store);
    let shown = question.show(&asked, &mut names).await?;
    let accepted = headers.get(header::ACCEPT).and_then(|it| it.to_str().ok());
    if accepted.is_some_and(|it| it.starts_with("text/csv")) {
        let has_time = question.query.step.is_some();
        let table = csv::table(&question, has_time, &shown.rows);
        let kind = [(
            header::CONTENT_TYPE,
            "text/csv; charset=utf-8; header=present",
        )];
        return Ok((kind, table).into_response());
    }
    let compared = match question.compare {
        Some(compare) => {
            let range_us = question.query.to_us - question.query.from_us;
            let asked = question.ask(&control, compare.shift_us(range_us)).await?;
            Some(question.show(&asked, &mut names).await?)
        }
        None => None,
    };
    let (from_us, to_us) = (question.query.from_us, question.query.to_us);
    let losses = control.usage.losses().await?.into_iter();
    let losses = losses.filter(|loss| loss.from_us < to_us && loss.to_us > from_us);
    let report = UsageReport {
        from: shown.from,
        to: shown.to,
        source: match asked.answer.source {
            AnswerSource::Cube(name) => name,
            AnswerSource::Spool => "calls",
        },
        complete_until: Time(control.usage.complete_until_us().min(to_us)),
        group_by: question.group_by,
        step: question.step,
        rows: shown.rows,
        others: shown.others,
        total: shown.total,
        compared,
        losses: losses.map(UsageLoss::from).collect(),
    };
    Ok(Json(report).into_response())
}

impl Question {
    /// Asks for the range, or an earlier one.
    async fn ask(&self, control: &Control, earlier_us: i64) -> Result<Asked, Problem> {
        let query = Sums {
            from_us: self.query.from_us.saturating_sub(earlier_us),
            to_us: self.query.to_us.saturating_sub(earlier_us),
            ..self.query.clone()
        };
        Ok(ask(&control.usage, &query, self.top).await?)
    }

    /// Returns figures with their names.
    async fn show(&self, asked: &Asked, names: &mut Names<'_>) -> Result<UsageCompared, Problem> {
        let of_range = Shown {
            metrics: &self.metrics,
            has_step: self.step.is_some(),
            seconds: seconds_of(&asked.answer),
        };
        let of_step = Shown {
            seconds: self.step_seconds().unwrap_or(of_range.seconds),
            ..of_range
        };
        let total = match &asked.total {
            Some(total) => Some(of_range.row(total, names).await?),
            None => None,
        };
        Ok(UsageCompared {
            from: Time(asked.answer.from_us),
            to: Time(asked.answer.to_us),
            rows: show_all(&asked.answer.rows, &of_step, names).await?,
            others: show_all(&asked.others, &of_step, names).await?,
            total,
        })
    }
}

async fn show_all(
    rows: &[Row],
    shown: &Shown<'_>,
    names: &mut Names<'_>,
) -> Result<Vec<UsageRow>, Problem> {
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        all.push(shown.row(row, names).await?);
    }
    Ok(all)
}

/// 422 if the response would be too large, 503 if usage cannot be read now.
impl From<UsageError> for Problem {
    fn from(error: UsageError) -> Self {
        match &error {
            UsageError::TooManyRows => {
                let detail = format!("{error}; narrow the range, or group by less");
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Self::new(status, "usage.too_many_rows", detail)
            }
            UsageError::NoCube {
                surplus,
                has_halves,
                ..
            } => {
                let names: Vec<_> = surplus.iter().map(|it| it.name()).collect();
                let hint = match names.is_empty() {
                    true => "leave out the percentiles".to_owned(),
                    false => format!("leave out {}", names.join(", ")),
                };
                let half = match has_halves {
                    true => "; or choose one half with \"as\"",
                    false => "",
                };
                let detail = format!("{error}; {hint}, or narrow the range{half}");
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "usage.no_cube", detail)
            }
            UsageError::TooLong => {
                let detail = format!("{error}; narrow the range");
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "usage.too_long", detail)
            }
            UsageError::UnknownPlace => {
                let detail = format!("after: {error}; begin again without it");
                Self::new(StatusCode::BAD_REQUEST, "page.after", detail)
            }
            UsageError::Full => Self::unavailable("usage.full", &error),
            UsageError::Busy | UsageError::Waiting | UsageError::SpoolBehind => {
                Self::unavailable("usage.busy", &error)
            }
            UsageError::Corrupt(_) => Self::unavailable("usage.damaged", &error),
            UsageError::Other(_) => Self::internal(&error),
        }
    }
}

impl From<Loss> for UsageLoss {
    fn from(loss: Loss) -> Self {
        Self {
            from: Time(loss.from_us),
            to: Time(loss.to_us),
            reason: loss.reason.into(),
            calls: loss.calls,
        }
    }
}

#[cfg(test)]
mod tests;
