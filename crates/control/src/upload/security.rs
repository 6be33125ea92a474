//! The security of an OpenAPI document: always proposed, but applied only on request.

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Method};
use tollgate_model::security::Security;
use tollgate_model::template::PathTemplate;
use tollgate_openapi::{Imported, Note, Proposed};

use crate::error::Problem;

/// Code of the parser's note that the proposed security is not applied.
const NOT_IN_FORCE: &str = "openapi.security";

/// The source of an API's security.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SecurityOf {
    /// The document.
    Document,
}

/// The parts of the document's security to apply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    /// The source of the security; nothing is applied when absent.
    pub(crate) of: Option<SecurityOf>,
    /// Whether operations without security become callable without a credential.
    pub(crate) allow_anonymous: bool,
}

/// The security of the document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ProposedSecurity {
    /// Whether it is applied to the draft, as with `security=document`.
    in_force: bool,
    /// Value for the draft's `security`; absent if the document requires no scheme and only opens
    /// operations: then the draft keeps its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    security: Option<Security>,
    /// The operations that require scopes, or no credential.
    operations: Vec<ProposedAccess>,
}

/// The access that an operation requires in the document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ProposedAccess {
    /// The operation's method.
    method: Method,
    /// Its path below the version.
    path: PathTemplate,
    /// The scopes that a token must have, all of them.
    scopes: Vec<String>,
    /// Whether it requires no credential.
    anonymous: bool,
}

/// The security of a document that is applied to a draft.
#[derive(Debug)]
pub(crate) struct AppliedSecurity {
    /// The schemes and scopes; `None` if the draft keeps its own.
    schemes: Option<Security>,
}

impl AppliedSecurity {
    /// Sets the schemes of a draft.
    pub(crate) fn apply(&self, draft: &mut Configuration) {
        if let Some(schemes) = &self.schemes {
            draft.security = Some(schemes.clone());
            draft.key_header = None;
        }
    }
}

/// Returns the proposal, and the security for the draft if it is requested: then the operations
/// have their scopes and anonymous access.
pub(crate) fn apply_if_requested(
    imported: &mut Imported,
    choice: Choice,
) -> Result<(Option<ProposedSecurity>, Option<AppliedSecurity>), Problem> {
    let in_force = choice.of == Some(SecurityOf::Document);
    if choice.allow_anonymous && !in_force {
        let detail = "allow_anonymous requires security=document";
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
        operation.anonymous = access.anonymous && choice.allow_anonymous;
        opened += usize::from(access.anonymous);
    }
    imported.notes.retain(|note| note.code != NOT_IN_FORCE);
    if opened > 0 && !choice.allow_anonymous {
        imported.notes.push(Note {
            field: "/paths".to_owned(),
            code: "openapi.anonymous",
            detail: format!(
                "{opened} operations with \"security\": [] in the document require a credential \
                 here; allow_anonymous=true allows calls without one"
            ),
            operations: opened,
        });
    }
    Ok((Some(proposed), Some(AppliedSecurity { schemes: security })))
}
