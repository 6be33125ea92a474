//! Asks the figures what a question needs: rows, the first of them, all others, the total.

use tollgate_analytics::{Answer, Query, Row, Usage, UsageError};

use super::question::Top;

/// The figures of a range.
pub(super) struct Asked {
    pub(super) answer: Answer,
    /// The groups that are not among the first ones, added up; by step, if there are steps.
    pub(super) others: Vec<Row>,
    /// Everything in one row; `None` without calls.
    pub(super) total: Option<Row>,
}

/// Asks for rows, or the first groups of them, and the total.
///
/// # Errors
/// Fails like [`Usage::query`].
pub(super) async fn ask(
    usage: &Usage,
    query: &Query,
    top: Option<Top>,
) -> Result<Asked, UsageError> {
    let Some(top) = top else {
        let answer = usage.query(query).await?;
        return Ok(Asked {
            others: Vec::new(),
            total: Row::total(&answer.rows),
            answer,
        });
    };
    let groups = Query {
        step: None,
        ..query.clone()
    };
    let mut answer = usage.query(&groups).await?;
    let seconds = seconds_of(&answer);
    answer.rows.sort_by(|one, other| {
        let [one, other] = [one, other].map(|row| top.by.of(row, seconds).unwrap_or(-1.0));
        other.total_cmp(&one)
    });
    if query.step.is_none() {
        let total = Row::total(&answer.rows);
        let rest = answer.rows.split_off(top.groups.min(answer.rows.len()));
        return Ok(Asked {
            others: Row::added_up(&rest),
            total,
            answer,
        });
    }
    answer.rows.truncate(top.groups);
    let first = answer.rows;
    let mut answer = usage.query(&query.only(&first)).await?;
    answer
        .rows
        .retain(|row| first.iter().any(|it| it.is_of_group(row)));
    let all = Query {
        group_by: Vec::new(),
        also: query.group_by.clone(),
        ..query.clone()
    };
    let all = usage.query(&all).await?.rows;
    Ok(Asked {
        total: Row::total(&all),
        others: Row::remaining(all, &answer.rows),
        answer,
    })
}

/// Seconds of the range of an answer.
pub(super) fn seconds_of(answer: &Answer) -> f64 {
    (answer.to_us - answer.from_us) as f64 / 1e6
}
