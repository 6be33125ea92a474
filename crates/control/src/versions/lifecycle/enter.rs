//! Entering a state: checks what the version lacks for it, and deploys its draft if nothing is
//! deployed.

use tollgate_model::api::Configuration;
use tollgate_model::id::UserId;
use tollgate_model::lifecycle::{
    Deprecation, Readiness, State as Stage, Transition, TransitionError, transition,
};
use tollgate_store::lifecycle::{self, Enter};
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::versions::{self, Offer, Version};
use tollgate_store::{Store, StoreError, Tx, apis, documents};

use crate::error::Problem;
use crate::policies::{self, DocumentExamples};
use crate::state::Control;
use crate::versions::deployment;

/// A step to make.
pub(super) struct Entering<'e> {
    pub(super) to: Stage,
    pub(super) without_tokens: bool,
    pub(super) deprecation: Option<Deprecation>,
    pub(super) note: &'e str,
    pub(super) by: UserId,
}

/// Moves the version to a state, with a new revision of its draft if it needs one.
pub(super) async fn enter(
    control: &Control,
    tx: &mut Tx,
    version: &Version,
    entering: Entering<'_>,
) -> Result<(), Problem> {
    let store = &control.store;
    let configuration = configuration(store, version).await?;
    let transition = permit(control, version, &configuration, &entering).await?;
    let at_us = control.now_us();
    let mut deploy = None;
    if transition.deploys && version.deployed.is_none() {
        let new = NewRevision {
            id: control.id()?,
            version: version.id,
            configuration,
            note: entering.note.to_owned(),
            created_by: entering.by,
            created_us: at_us,
        };
        check(control, version, &transition, &new).await?;
        revisions::create(tx, &new).await?;
        deploy = Some(new.id);
    }
    let enter = Enter {
        version: version.id,
        transition,
        deploy,
        deprecation: entering.deprecation.as_ref(),
        by: entering.by,
        note: entering.note,
        at_us,
    };
    Ok(lifecycle::enter(tx, &enter).await?)
}

/// Decides whether the version may enter the state; the refusal lists everything that is missing.
async fn permit(
    control: &Control,
    version: &Version,
    configuration: &Configuration,
    entering: &Entering<'_>,
) -> Result<Transition, Problem> {
    let has = Readiness {
        operations: configuration.is_callable(version.kind),
        upstream: policies::is_answered(configuration, version.kind),
        plans: versions::plans(&control.store, version.id).await?.len(),
    };
    // A version that was published before has been checked, or its owner has accepted it.
    let is_checked = entering.to != Stage::Published
        || entering.without_tokens
        || matches!(version.state, Stage::Blocked | Stage::Deprecated);
    let no_tokens = deployment::no_tokens(control, configuration);
    let no_tokens = no_tokens.filter(|_| !is_checked);
    match (transition(version.state, entering.to, has), no_tokens) {
        (Ok(transition), None) => Ok(transition),
        (Ok(_), Some(fault)) => {
            Err(Problem::conflict("lifecycle.no_tokens", fault.detail.clone()).blaming_all([fault]))
        }
        (Err(error @ TransitionError::Missing { .. }), fault) => {
            Err(Problem::from(error).blaming_all(fault))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// Returns the deployed configuration, or the draft if none is deployed.
pub(super) async fn configuration(
    store: &Store,
    version: &Version,
) -> Result<Configuration, StoreError> {
    match version.deployed {
        Some(deployed) => Ok(revisions::by_id(store, deployed).await?.1),
        None => Ok(versions::draft(store, version.id).await?.configuration),
    }
}

/// Reads the examples of the draft's document before the write, if entering a state may deploy the
/// draft.
///
/// # Errors
/// Fails like [`policies::examples`].
pub(super) async fn draft_examples(
    control: &Control,
    version: &Version,
    draft: &Configuration,
) -> Result<DocumentExamples, Problem> {
    if version.deployed.is_some() {
        return Ok(DocumentExamples::default());
    }
    let document = documents::of_draft(&control.store, version.id);
    policies::examples(&mut control.importing.admission(), draft, document).await
}

/// Rejects a revision that could not be served in the entered state.
async fn check(
    control: &Control,
    version: &Version,
    transition: &Transition,
    new: &NewRevision,
) -> Result<(), Problem> {
    let entered = Offer {
        api: apis::by_id(&control.store, version.api).await?,
        version: Version {
            state: transition.to,
            ..version.clone()
        },
    };
    // The revision gets the draft's document.
    let document = documents::of_draft(&control.store, version.id);
    let mut admission = control.importing.admission().without_wait();
    let examples = policies::examples(&mut admission, &new.configuration, document).await?;
    deployment::check(control, &entered, new.id, &new.configuration, &examples).await
}
