//! The effects of new operations on callers: operations that are added or removed, and who calls
//! the removed ones; operations with another access.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;
use tollgate_analytics::{Dimension, Filter, Query as Question, Row, UsageError};
use tollgate_model::api::{Configuration, Method, Operation};
use tollgate_model::compile::operation_id;
use tollgate_model::id::{ApplicationId, OperationId, VersionId};
use tollgate_model::succession::Previous;
use tollgate_model::template::PathTemplate;
use tollgate_openapi::Rule;

use crate::error::Problem;
use crate::state::Control;
use crate::usage::{Named, Names};

const DAY_US: i64 = 86_400 * 1_000_000;
/// Maximum number of callers listed for an operation.
const CALLERS_MAX: usize = 20;

/// The effects of new operations.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Effects {
    /// Operations that are new. Those without scopes come first if the version has scopes.
    added: Vec<AddedOperation>,
    /// Operations that no longer exist, the most called ones first.
    removed: Vec<RemovedOperation>,
    /// Operations that stay, with another access.
    access: Vec<AccessChange>,
}

/// A new operation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct AddedOperation {
    /// Its method.
    method: Method,
    /// Its path below the version.
    path: PathTemplate,
    /// The access that it requires.
    access: OperationAccess,
    /// Whether it requires no scopes although the version has some: every credential may call it.
    lacks_scopes: bool,
}

/// An operation that no longer exists.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct RemovedOperation {
    /// Its method.
    method: Method,
    /// Its path below the version.
    path: PathTemplate,
    /// The rule by which this breaks callers.
    #[schema(example = "operation_removed")]
    breaking: &'static str,
    /// The access that it required.
    access: OperationAccess,
    /// The operation that receives its calls instead, since its path matches them.
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<ReachedOperation>,
    /// Number of calls in the last 24 hours.
    calls_last_day: u64,
    /// The applications that made most of these calls, 20 at most.
    callers: Vec<OperationCaller>,
}

/// An operation that receives calls of a removed one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ReachedOperation {
    /// Its path below the version.
    path: PathTemplate,
    /// The access that it requires.
    access: OperationAccess,
}

/// An application that calls an operation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct OperationCaller {
    /// The application; absent for calls without a valid credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<Named<ApplicationId>>,
    /// Its number of calls.
    calls: u64,
}

/// An operation with another access.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct AccessChange {
    /// Its method.
    method: Method,
    /// Its path below the version.
    path: PathTemplate,
    /// The access before.
    before: OperationAccess,
    /// The access now.
    now: OperationAccess,
}

/// The access that an operation requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
struct OperationAccess {
    /// The scopes that a token must have, all of them.
    scopes: Vec<String>,
    /// Whether calls are allowed without a credential.
    anonymous: bool,
}

impl Effects {
    /// Compares the operations of two configurations of a version, and counts the calls of removed
    /// ones.
    pub(super) async fn compute(
        control: &Control,
        version: VersionId,
        before: &Configuration,
        now: &Configuration,
    ) -> Result<Self, Problem> {
        let previous = Previous::new(&before.operations, now.paths);
        let present = Previous::new(&now.operations, now.paths);
        let has_scopes = !now.security().scopes.is_empty();
        let (mut added, mut access) = (Vec::new(), Vec::new());
        for operation in &now.operations {
            match previous.by_calls(operation.method, &operation.path) {
                None => added.push(AddedOperation::new(operation, has_scopes)),
                Some(before) => access.extend(AccessChange::between(before, operation)),
            }
        }
        added.sort_by_key(|it| !it.lacks_scopes);
        let gone: Vec<_> = before
            .operations
            .iter()
            .filter(|it| present.by_calls(it.method, &it.path).is_none())
            .collect();
        let mut calls = Calls::count(control, version, &gone).await?;
        let successors = previous.successors(&now.operations);
        let described = gone.into_iter().map(|operation| {
            let callers = calls.take(version, operation);
            let reached = successors.closest(operation.method, &operation.path);
            RemovedOperation::new(operation, reached, callers)
        });
        let mut removed: Vec<_> = described.collect();
        removed.sort_by_key(|it| Reverse(it.calls_last_day));
        Ok(Self {
            added,
            removed,
            access,
        })
    }
}

impl AddedOperation {
    fn new(operation: &Operation, has_scopes: bool) -> Self {
        Self {
            method: operation.method,
            path: operation.path.clone(),
            access: OperationAccess::from(operation),
            lacks_scopes: has_scopes && operation.scopes.is_empty(),
        }
    }
}

impl RemovedOperation {
    fn new(
        operation: &Operation,
        reached: Option<&Operation>,
        mut callers: Vec<OperationCaller>,
    ) -> Self {
        let calls_last_day = callers.iter().map(|caller| caller.calls).sum();
        callers.sort_by_key(|caller| Reverse(caller.calls));
        callers.truncate(CALLERS_MAX);
        Self {
            method: operation.method,
            path: operation.path.clone(),
            breaking: Rule::OperationRemoved.word(),
            access: OperationAccess::from(operation),
            reached: reached.map(|it| ReachedOperation {
                path: it.path.clone(),
                access: OperationAccess::from(it),
            }),
            calls_last_day,
            callers,
        }
    }
}

impl AccessChange {
    fn between(before: &Operation, now: &Operation) -> Option<Self> {
        let change = Self {
            method: now.method,
            path: now.path.clone(),
            before: OperationAccess::from(before),
            now: OperationAccess::from(now),
        };
        (change.before != change.now).then_some(change)
    }
}

impl From<&Operation> for OperationAccess {
    fn from(operation: &Operation) -> Self {
        Self {
            scopes: operation.scopes.clone(),
            anonymous: operation.anonymous,
        }
    }
}

/// The calls of operations in the last 24 hours, by application.
struct Calls(HashMap<OperationId, Vec<OperationCaller>>);

impl Calls {
    async fn count(
        control: &Control,
        version: VersionId,
        operations: &[&Operation],
    ) -> Result<Self, Problem> {
        let mut calls = HashMap::<_, Vec<_>>::new();
        if operations.is_empty() {
            return Ok(Self(calls));
        }
        let ids = operations.iter();
        let ids = ids.map(|it| operation_id(version, it.method, &it.path));
        let now_us = control.now_us();
        let question = Question {
            group_by: vec![Dimension::Operation, Dimension::Application],
            filter: Filter {
                versions: Some(vec![version]),
                operations: Some(ids.collect()),
                ..Filter::default()
            },
            ..Question::of(now_us - DAY_US..now_us)
        };
        let mut names = Names::new(&control.store);
        for row in callers(control, question).await {
            let Some(operation) = row.operation() else {
                continue;
            };
            let application = match row.application() {
                Some(id) => Some(Named::new(id, names.application(id).await?)),
                None => None,
            };
            calls.entry(operation).or_default().push(OperationCaller {
                application,
                calls: row.measures.calls,
            });
        }
        Ok(Self(calls))
    }

    fn take(&mut self, version: VersionId, operation: &Operation) -> Vec<OperationCaller> {
        let id = operation_id(version, operation.method, &operation.path);
        self.0.remove(&id).unwrap_or_default()
    }
}

/// Returns the calls by operation and application, as far back as single calls are kept; none if
/// they cannot be read now, since a change must not wait for figures.
async fn callers(control: &Control, mut question: Question) -> Vec<Row> {
    let mut answer = control.usage.query(&question).await;
    if let Err(UsageError::NoCube { since_us, .. }) = answer {
        question.from_us = since_us.min(question.to_us - 1);
        answer = control.usage.query(&question).await;
    }
    answer.map_or_else(
        |error| {
            tracing::warn!(%error, "the callers of operations are not known");
            Vec::new()
        },
        |answer| answer.rows,
    )
}
