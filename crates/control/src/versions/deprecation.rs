//! The deprecation of a version: its announced end, its successor and a text for its callers.
//!
//! `lifecycle.rs` begins it; everybody who sees the version sees it; gateways announce it in every
//! response. Nothing retires by itself.

use std::collections::HashSet;

use axum::extract::State;
use serde::Deserialize;
use tollgate_model::fault::Fault;
use tollgate_model::id::VersionId;
use tollgate_model::lifecycle::{
    Deprecation, State as Stage, Successor, TransitionError, successor_fault, sunset_fault,
};
use tollgate_store::versions::{self, Offer, Version};
use tollgate_store::{Store, StoreError, deprecation};

use super::{VersionBody, sibling};
use crate::caller::Caller;
use crate::credentials::or_null;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::Path;
use crate::state::Control;
use crate::text::text_fault;
use crate::time::Time;

/// Maximum number of characters of the text.
const TEXT_MAX: usize = 1_000;

/// Older versions to deprecate when a newer one is published, which becomes their successor.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeprecateOlder {
    /// Ids or names of versions of the same API, which must be published or blocked.
    versions: Vec<String>,
    /// Their announced end.
    #[serde(default)]
    sunset: Option<Time>,
    /// Text for their callers: at most 1,000 characters.
    #[serde(default)]
    text: String,
}

/// Changes of a deprecation; absent fields stay unchanged.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeprecationPatch {
    /// The announced end, later than now and at most 10 years from now; `null` for none.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<Time>)]
    sunset: Option<Option<Time>>,
    /// Id or name of the version of the same API that succeeds it: published, prototyped or
    /// deprecated; `null` for none.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<String>)]
    successor: Option<Option<String>>,
    /// Text for its callers: at most 1,000 characters; `null` for none.
    #[serde(default, deserialize_with = "or_null")]
    #[schema(value_type = Option<String>)]
    text: Option<Option<String>>,
}

/// Change the deprecation of a version.
///
/// For the API's owner and administrators. Takes effect at the gateways at once; 409
/// `version.not_deprecated` in any other state.
#[utoipa::path(
    patch, path = "/api/v1/versions/{version}/deprecation", tag = "lifecycle",
    request_body = DeprecationPatch, params(("version" = VersionId, Path)),
    responses((status = 200, description = "The changed version", body = VersionBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(patch): Json<DeprecationPatch>,
) -> Result<Json<VersionBody>, Problem> {
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let present = version.deprecation.as_ref();
    let Some(present) = present.filter(|_| version.state == Stage::Deprecated) else {
        let state = version.state.word();
        let detail = format!("only a deprecated version has a deprecation; this one is {state}");
        return Err(Problem::conflict("version.not_deprecated", detail));
    };
    let now_us = control.now_us();
    let mut new = present.clone();
    let mut faults = Vec::new();
    if let Some(sunset) = patch.sunset {
        faults.extend(sunset.and_then(|Time(it)| sunset_fault(it, now_us)));
        new.sunset_us = sunset.map(|it| it.0);
    }
    if let Some(text) = patch.text {
        new.text = text.unwrap_or_default();
        faults.extend(text_fault("/text", &new.text, TEXT_MAX));
    }
    if let Some(given) = patch.successor {
        new.successor = match given {
            Some(given) => accept(
                successor(&control.store, &version, &given).await?,
                &mut faults,
            ),
            None => None,
        };
    }
    refuse_any(faults)?;
    deprecation::replace(&mut tx, id, &new, now_us).await?;
    tx.commit(|| caller.log("version.deprecation_changed", id))
        .await?;
    Ok(Json(versions::by_id(&control.store, id).await?.into()))
}

/// The terms of a deprecation that begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'t> {
    pub(super) sunset: Option<Time>,
    /// Id or name.
    pub(super) successor: Option<&'t str>,
    pub(super) text: &'t str,
}

impl Terms<'_> {
    /// Returns the deprecation of a version with these terms.
    ///
    /// # Errors
    /// Fails with all faults, and if the database read fails.
    pub(super) async fn begin(
        self,
        control: &Control,
        version: &Version,
    ) -> Result<Deprecation, Problem> {
        let now_us = control.now_us();
        let mut faults = faults(self.sunset, self.text, now_us);
        let successor = match self.successor {
            Some(given) => accept(
                successor(&control.store, version, given).await?,
                &mut faults,
            ),
            None => None,
        };
        refuse_any(faults)?;
        Ok(Deprecation {
            since_us: now_us,
            sunset_us: self.sunset.map(|it| it.0),
            successor,
            text: self.text.to_owned(),
        })
    }
}

impl DeprecateOlder {
    /// Returns the versions to deprecate, each with its deprecation, when `new` is published.
    ///
    /// # Errors
    /// Fails with all faults, and if the database read fails.
    pub(super) async fn begin(
        &self,
        control: &Control,
        new: &Version,
    ) -> Result<Vec<(Version, Deprecation)>, Problem> {
        let now_us = control.now_us();
        let mut faults: Vec<_> = faults(self.sunset, &self.text, now_us)
            .into_iter()
            .map(|fault| fault.under("/deprecate"))
            .collect();
        let deprecation = Deprecation {
            since_us: now_us,
            sunset_us: self.sunset.map(|it| it.0),
            successor: Some(Successor {
                id: new.id,
                name: new.name.clone(),
                state: Stage::Published,
            }),
            text: self.text.clone(),
        };
        let mut seen = HashSet::from([new.id]);
        let mut older = Vec::new();
        for (index, given) in self.versions.iter().enumerate() {
            let field = format!("/deprecate/versions/{index}");
            let found = sibling(&control.store, new.api, given).await?;
            match deprecatable(found, given, &mut seen) {
                Ok(version) => older.push((version, deprecation.clone())),
                Err((code, detail)) => faults.push(Fault::new(field, code, detail)),
            }
        }
        refuse_any(faults)?;
        Ok(older)
    }
}

/// Checks a version to deprecate when its successor is published.
fn deprecatable(
    found: Option<Version>,
    given: &str,
    seen: &mut HashSet<VersionId>,
) -> Result<Version, (&'static str, String)> {
    let Some(version) = found else {
        return Err(("version.unknown", unknown(given)));
    };
    if !seen.insert(version.id) {
        let detail = "this version is published in the same step, or given twice";
        return Err(("deprecation.repeated", detail.to_owned()));
    }
    let (from, to) = (version.state, Stage::Deprecated);
    if !from.next().contains(&to) {
        let detail = TransitionError::NotNext { from, to }.to_string();
        return Err(("lifecycle.not_next", detail));
    }
    Ok(version)
}

fn faults(sunset: Option<Time>, text: &str, now_us: i64) -> Vec<Fault> {
    let faults = [
        sunset.and_then(|Time(it)| sunset_fault(it, now_us)),
        text_fault("/text", text, TEXT_MAX),
    ];
    faults.into_iter().flatten().collect()
}

/// Returns the successor with this id or name, or its fault.
async fn successor(
    store: &Store,
    version: &Version,
    given: &str,
) -> Result<Result<Successor, Fault>, StoreError> {
    let Some(found) = sibling(store, version.api, given).await? else {
        let fault = Fault::new(
            "/successor",
            "deprecation.successor_unknown",
            unknown(given),
        );
        return Ok(Err(fault));
    };
    let successor = Successor {
        id: found.id,
        name: found.name,
        state: found.state,
    };
    let successors = deprecation::successors(store, version.api).await?;
    Ok(match successor_fault(version.id, &successor, &successors) {
        Some(fault) => Err(fault),
        None => Ok(successor),
    })
}

/// Returns the value, or adds its fault to the others.
fn accept<T>(checked: Result<T, Fault>, faults: &mut Vec<Fault>) -> Option<T> {
    checked.map_err(|fault| faults.push(fault)).ok()
}

/// The detail for a version that is not one of the API's.
pub(super) fn unknown(given: &str) -> String {
    format!("the API has no version {given:?}")
}
