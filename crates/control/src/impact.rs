//! The impact of a change before it is made: `dry_run=true` makes the change with all its checks,
//! rolls it back, and counts what it affects.

use std::collections::HashSet;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_analytics::{Dimension, Filter, Query as Question};
use tollgate_store::impact::{self, Counts};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};

pub(crate) use tollgate_store::impact::Touched;

use crate::change::Change;
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::{IfMatch, Query};
use crate::state::Control;

const DAY_US: i64 = 86_400 * 1_000_000;

/// The parameter of a dry run.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DryRun {
    /// Return the impact of the change without making it.
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// The conditions of a change: its `If-Match`, and whether it is a dry run.
#[derive(Debug)]
pub(crate) struct Conditions {
    pub(crate) if_match: IfMatch,
    pub(crate) dry_run: bool,
}

impl IntoParams for Conditions {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = IfMatch::into_params(&place);
        parameters.extend(DryRun::into_params(&place));
        parameters
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Conditions {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let if_match = IfMatch::from_request_parts(parts, state).await?;
        let Query(DryRun { dry_run }) = Query::from_request_parts(parts, state).await?;
        Ok(Self { if_match, dry_run })
    }
}

/// The impact of a change.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Impact {
    /// Number of live subscriptions.
    subscriptions: u64,
    /// Number of applications with these subscriptions.
    applications: u64,
    /// Number of valid API keys, OAuth2 clients and HTTP Basic users of these applications. If a
    /// credential is revoked, only that one; if tokens end, the OAuth2 clients that get them; for a
    /// signing key, all OAuth2 clients that use its algorithm.
    credentials: u64,
    /// Calls in the last 24 hours: all calls of an API or a version, else the calls by these
    /// applications.
    calls_last_day: u64,
}

/// Rolls back the change of a dry run and responds with its impact.
pub(crate) async fn instead(change: Change<'_>, touched: Touched) -> Result<Response, Problem> {
    let control = change.undo();
    Ok(Json(of(control, &touched).await?).into_response())
}

/// Like [`instead`], for one credential of an application.
pub(crate) async fn of_credential(
    change: Change<'_>,
    touched: Touched,
) -> Result<Response, Problem> {
    let control = change.undo();
    let impact = Impact {
        credentials: 1,
        ..of(control, &touched).await?
    };
    Ok(Json(impact).into_response())
}

/// Like [`instead`], for a change that affects no calls.
pub(crate) fn nothing() -> Response {
    Json(Impact::default()).into_response()
}

/// Counts what a change would affect.
pub(crate) async fn of(control: &Control, touched: &Touched) -> Result<Impact, Problem> {
    let now_us = control.now_us();
    let counts = impact::counts(&control.store, touched, now_us).await?;
    let Counts {
        subscriptions,
        applications,
        credentials,
    } = counts;
    Ok(Impact {
        subscriptions,
        applications,
        credentials,
        calls_last_day: calls(control, touched, now_us).await?,
    })
}

async fn calls(control: &Control, touched: &Touched, now_us: i64) -> Result<u64, Problem> {
    let mut filter = Filter::default();
    let mut pairs = HashSet::new();
    let mut group_by = Vec::new();
    match touched {
        Touched::Api(id) => filter.apis = Some(vec![*id]),
        Touched::Versions(ids) => filter.versions = Some(ids.clone()),
        Touched::Application(id) => filter.applications = Some(vec![*id]),
        Touched::Plan(_)
        | Touched::Subscription(_)
        | Touched::User(_)
        | Touched::ApplicationTokens(_)
        | Touched::ClientTokens(_)
        | Touched::SigningKey(_) => {
            pairs.extend(impact::pairs(&control.store, touched, now_us).await?);
            filter.applications = Some(pairs.iter().map(|(id, _)| *id).collect());
            filter.versions = Some(pairs.iter().map(|(_, id)| *id).collect());
            group_by = vec![Dimension::Version, Dimension::Application];
        }
    }
    let question = Question {
        group_by,
        filter,
        measures: Some(vec!["calls"]),
        ..Question::of(now_us - DAY_US..now_us)
    };
    let rows = control.usage.query(&question).await?.rows;
    let counted = rows
        .iter()
        .filter(|row| match (row.application(), row.version()) {
            (Some(application), Some(version)) => pairs.contains(&(application, version)),
            _ => true,
        });
    Ok(counted.map(|row| row.measures.calls).sum())
}

#[cfg(test)]
mod tests;
