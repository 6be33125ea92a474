//! What the handlers of keys, clients and Basic users share: how one is listed, shown, created,
//! changed, rotated and revoked.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tollgate_model::id::{ApplicationId, Id};
use tollgate_store::credentials::{self, CredentialKind};

use super::{CredentialPatch, Words};
use crate::applications;
use crate::caller::Caller;
use crate::change::Change;
use crate::error::Problem;
use crate::impact::{self, Touched};
use crate::json::Json;
use crate::parameters::{Find, List};
use crate::state::Control;

/// A kind of credential as the API shows it.
pub(crate) trait Shown: CredentialKind {
    type Body;

    const WORDS: &Words;

    /// The credential at `now_us`; `secret` only in the response that created it.
    fn body(credential: Self::Credential, secret: Option<String>, now_us: i64) -> Self::Body;
}

/// Lists an application's credentials of one kind, revoked ones too.
pub(crate) async fn list<K: Shown>(
    control: &Control,
    caller: &Caller,
    application: ApplicationId,
    find: &Find,
) -> Result<Json<List<K::Body>>, Problem> {
    applications::own(control, caller, application).await?;
    let pattern = find.pattern()?;
    let (store, part) = (&control.store, find.part()?);
    let found = credentials::find::<K>(store, application, pattern.as_deref(), &part).await?;
    let now_us = control.now_us();
    let page = find.page(found, |it| (K::id(it), &K::terms(it).name));
    Ok(Json(page.map(|it| K::body(it, None, now_us))))
}

/// Shows a credential of the caller.
pub(crate) async fn show<K: Shown>(
    control: &Control,
    caller: &Caller,
    id: Id<K>,
) -> Result<Json<K::Body>, Problem> {
    let credential = own(control, caller, id).await?;
    Ok(Json(K::body(credential, None, control.now_us())))
}

/// Returns a credential if the caller may see and change it.
pub(crate) async fn own<K: Shown>(
    control: &Control,
    caller: &Caller,
    id: Id<K>,
) -> Result<K::Credential, Problem> {
    let credential = credentials::by_id(&control.store, id).await?;
    let application = K::terms(&credential).application;
    applications::require_own(control, caller, application, K::WORDS.noun).await?;
    Ok(credential)
}

/// Returns a credential if the caller may rotate it now.
pub(crate) async fn working<K: Shown>(
    control: &Control,
    caller: &Caller,
    id: Id<K>,
) -> Result<K::Credential, Problem> {
    let credential = credentials::by_id(&control.store, id).await?;
    let (terms, ends_us) = (K::terms(&credential), K::ends_us(&credential));
    K::WORDS
        .require_working(control, caller, terms, ends_us)
        .await?;
    Ok(credential)
}

/// Commits the creation of a credential, unless its application then has too many.
pub(crate) async fn commit_new<K: Shown>(
    control: &Control,
    caller: &Caller,
    mut change: Change<'_>,
    credential: &K::Credential,
    secret: Option<String>,
) -> Result<impl IntoResponse + use<K>, Problem>
where
    Json<K::Body>: IntoResponse,
{
    let (id, terms) = (K::id(credential), K::terms(credential));
    let live = credentials::live::<K>(&mut change, terms.application, terms.created_us).await?;
    K::WORDS.bound(live)?;
    let log = || caller.log(K::WORDS.created, id);
    let body = commit(control, change, id, secret, log).await?;
    Ok((StatusCode::CREATED, body))
}

/// Changes what all kinds have in common.
pub(crate) async fn update<K: Shown>(
    control: &Control,
    caller: &Caller,
    id: Id<K>,
    wanted: &CredentialPatch,
) -> Result<Json<K::Body>, Problem> {
    let now_us = control.now_us();
    let mut change = caller.change(control).await?;
    let credential = credentials::by_id(&control.store, id).await?;
    let terms = K::terms(&credential);
    wanted.may(control, caller, terms, K::WORDS).await?;
    let ends_us = K::ends_us(&credential);
    if let Some(terms) = wanted.change(terms, ends_us, K::WORDS, now_us)? {
        credentials::update(&mut change, id, &terms).await?;
    }
    wanted.suspend(&mut change, id, now_us).await?;
    let log = || wanted.log(caller, K::WORDS, id);
    commit(control, change, id, None, log).await
}

/// Commits a change of a credential and shows it as it is stored now: a new one is suspended if its
/// owner is.
pub(crate) async fn commit<K: Shown>(
    control: &Control,
    change: Change<'_>,
    id: Id<K>,
    secret: Option<String>,
    log: impl FnOnce(),
) -> Result<Json<K::Body>, Problem> {
    change.commit(log).await?;
    let credential = credentials::by_id(&control.store, id).await?;
    Ok(Json(K::body(credential, secret, control.now_us())))
}

/// Revokes a credential, or returns what that would affect.
pub(crate) async fn revoke<K: Shown>(
    control: &Control,
    caller: &Caller,
    id: Id<K>,
    dry_run: bool,
) -> Result<Response, Problem> {
    let credential = own(control, caller, id).await?;
    let mut change = caller.change(control).await?;
    credentials::revoke(&mut change, id, control.now_us()).await?;
    if dry_run {
        let application = K::terms(&credential).application;
        return impact::of_credential(change, Touched::Application(application)).await;
    }
    change.commit(|| caller.log(K::WORDS.revoked, id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
