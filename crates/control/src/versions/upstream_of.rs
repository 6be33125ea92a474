//! The upstream that a document proposes: it is set in the draft only on request, and judged as if
//! the publisher had set it.

use serde::Deserialize;
use serde_json::{Map, json};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::fault::Fault;
use tollgate_model::upstream::Upstream;

use super::draft::patched;
use super::upstreams;
use crate::error::{Problem, refuse_any};
use crate::state::Control;

/// The source of a draft's upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UpstreamOf {
    /// The one that the document proposes.
    Proposed,
}

/// Returns a draft with the proposed upstream if it is requested. Like a patch of the draft, it
/// changes the address alone.
///
/// # Errors
/// 422 `upstream.not_proposed`; `upstream.credential_address` if a secret would go to another
/// address.
pub(crate) fn set_if_requested(
    draft: Configuration,
    of: Option<UpstreamOf>,
    proposed: Option<&str>,
) -> Result<Configuration, Problem> {
    if of.is_none() {
        return Ok(draft);
    }
    let url = proposed.ok_or_else(|| {
        let detail = "the document proposes no upstream: none of its servers can be one; set the \
                      upstream in the draft instead";
        Problem::at("/upstream", "upstream.not_proposed", detail)
    })?;
    let patch = Map::from_iter([("upstream".to_owned(), json!({ "url": url }))]);
    let (draft, misdirected) = patched(draft, patch)?;
    refuse_any(misdirected)?;
    Ok(draft)
}

/// Judges the upstream of a draft if it is the proposed one. Resolves its host, so it must not be
/// called while a write is held.
///
/// # Errors
/// 422 with the faults of the upstream; fields are JSON Pointers from the draft.
pub(crate) async fn judge_if_requested(
    control: &Control,
    kind: Kind,
    of: Option<UpstreamOf>,
    draft: &Configuration,
) -> Result<(), Problem> {
    if of.is_none() {
        return Ok(());
    }
    let faults = draft.upstream.iter().flat_map(|it| it.faults(kind));
    refuse_any(faults.map(|fault| fault.under("/upstream")).collect())?;
    upstreams::judge(control, draft).await
}

/// Returns the upstream of a new API: the proposed one if it is requested.
///
/// # Errors
/// Fails like [`set_if_requested`] and [`judge_if_requested`].
pub(crate) async fn of_new(
    control: &Control,
    kind: Kind,
    of: Option<UpstreamOf>,
    proposed: Option<&str>,
) -> Result<Option<Upstream>, Problem> {
    let draft = set_if_requested(Configuration::initial(kind), of, proposed)?;
    judge_if_requested(control, kind, of, &draft).await?;
    Ok(draft.upstream)
}

/// Returns the faults of an upstream, for a preview.
///
/// # Errors
/// A problem without faults.
pub(crate) fn faults(upstream: Result<Option<Upstream>, Problem>) -> Result<Vec<Fault>, Problem> {
    match upstream {
        Ok(_) => Ok(Vec::new()),
        Err(problem) => problem.into_faults(),
    }
}
