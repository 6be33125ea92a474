//! What an OpenAPI document says of security: always proposed, in force only where the import asks
//! for it.

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tollgate_model::api::Method;
use tollgate_model::security::Security;
use tollgate_model::template::PathTemplate;
use tollgate_openapi::{Imported, Note, Proposed};

use super::ImportQuery;
use crate::error::Problem;

/// The code of the reader's note that nothing is in force of what it proposes.
const NOT_IN_FORCE: &str = "openapi.security";

/// Whose security holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SecurityOf {
    /// What the document says.
    Document,
}

/// What the document says of security.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ProposedSecurity {
    /// Whether it is in force in the draft: with `security=document`.
    in_force: bool,
    /// As the draft's `security`.
    security: Security,
    /// The operations that ask for scopes, or for nothing.
    operations: Vec<ProposedAccess>,
}

/// What an operation asks for, by the document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ProposedAccess {
    /// The operation's method.
    method: Method,
    /// Its path below the version.
    path: PathTemplate,
    /// The scopes that a token has, each of them.
    scopes: Vec<String>,
    /// Whether it needs no credential.
    anonymous: bool,
}

/// Puts what the document says in force where the query asks for that; the proposal, and the
/// security of the draft.
pub(super) fn take(
    imported: &mut Imported,
    query: &ImportQuery,
) -> Result<(Option<ProposedSecurity>, Option<Security>), Problem> {
    let in_force = query.security == Some(SecurityOf::Document);
    if query.allow_anonymous && !in_force {
        let detail = "allow_anonymous opens what the document opens: send security=document too";
        let status = StatusCode::BAD_REQUEST;
        return Err(Problem::new(status, "query.invalid", detail));
    }
    let Some(Proposed {
        security,
        operations,
    }) = imported.security.take()
    else {
        return Ok((None, None));
    };
    let each = imported.operations.iter().zip(&operations);
    let asking = each.filter(|(_, access)| access.anonymous || !access.scopes.is_empty());
    let listed = asking.map(|(operation, access)| ProposedAccess {
        method: operation.method,
        path: operation.path.clone(),
        scopes: access.scopes.clone(),
        anonymous: access.anonymous,
    });
    let proposed = ProposedSecurity {
        in_force,
        security: security.clone(),
        operations: listed.collect(),
    };
    if !in_force {
        return Ok((Some(proposed), None));
    }
    let mut opened = 0;
    for (operation, access) in imported.operations.iter_mut().zip(operations) {
        operation.scopes = access.scopes;
        operation.anonymous = access.anonymous && query.allow_anonymous;
        opened += usize::from(access.anonymous);
    }
    imported.notes.retain(|note| note.code != NOT_IN_FORCE);
    if opened > 0 && !query.allow_anonymous {
        imported.notes.push(Note {
            field: "/paths".to_owned(),
            code: "openapi.anonymous",
            detail: format!(
                "{opened} operations that the document opens by \"security\": [] ask for a \
                 credential: allow_anonymous=true opens them"
            ),
            operations: opened,
        });
    }
    Ok((Some(proposed), Some(security)))
}
