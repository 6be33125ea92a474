//! The lifecycle of versions: their states and the history of transitions and deployments.
//!
//! `model::lifecycle` decides which transitions are allowed; this module stores their effects.

use tollgate_model::id::{RevisionId, UserId, VersionId};
use tollgate_model::lifecycle::{AtGateway, Deprecation, State, Transition};

use crate::row::Row;
use crate::value::{Value, limit};
use crate::{LIST_MAX, Noun, Store, StoreError, Tx, deprecation, revisions, subscriptions};

/// One transition or deployment of a version in its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The version.
    pub version: VersionId,
    /// The previous state.
    pub from: State,
    /// The new state; the same as before if a revision was only deployed.
    pub to: State,
    /// Number of the revision that was deployed, if one was.
    pub revision: Option<i64>,
    /// The user who made the step.
    pub by: UserId,
    /// That user's name; `None` once the user is deleted.
    pub by_name: Option<String>,
    /// The reason given by that user.
    pub note: String,
    /// Time of the step, Unix microseconds.
    pub at_us: i64,
}

/// A transition to make.
#[derive(Debug, Clone)]
pub struct Enter<'a> {
    /// The version.
    pub version: VersionId,
    /// The decision of `model::lifecycle::transition`.
    pub transition: Transition,
    /// The revision to deploy with it; needed if the transition `deploys`.
    pub deploy: Option<RevisionId>,
    /// The deprecation, if the new state is `deprecated`.
    pub deprecation: Option<&'a Deprecation>,
    /// The user who makes it.
    pub by: UserId,
    /// The reason given by that user.
    pub note: &'a str,
    /// Time of the transition, Unix microseconds.
    pub at_us: i64,
}

/// A revision to deploy in the present state.
#[derive(Debug, Clone)]
pub struct Deploy<'a> {
    /// The version.
    pub version: VersionId,
    /// The revision.
    pub revision: RevisionId,
    /// The user who deploys it.
    pub by: UserId,
    /// The reason given by that user.
    pub note: &'a str,
    /// Time of the deployment, Unix microseconds.
    pub at_us: i64,
}

/// Deploys a revision of a version and writes the history.
///
/// # Errors
/// Those of [`revisions::deploy`].
pub async fn deploy(tx: &mut Tx, deploy: &Deploy<'_>) -> Result<(), StoreError> {
    const HISTORY: &str = "insert into lifecycle_history \
            (version, from_state, to_state, by_user, note, at_us, revision) \
        select v.id, v.state, v.state, $2, $3, $4, r.number \
        from versions v join revisions r on r.id = v.deployed where v.id = $1";
    let id = deploy.version;
    revisions::deploy(tx, id, deploy.revision, deploy.at_us).await?;
    let values = [
        id.into(),
        deploy.by.into(),
        deploy.note.into(),
        deploy.at_us.into(),
    ];
    tx.execute(HISTORY, &values).await?;
    Ok(())
}

/// Moves a version to its next state: writes the history, deploys a revision if one is given,
/// replaces the deprecation, which a retired version keeps, and ends all subscriptions if the
/// transition does. Versions with this one as their successor are noted too, and lose it if it
/// retires.
///
/// # Errors
/// [`StoreError::Stale`] if the version has left the state that the decision was based on, or no
/// longer offers a plan although publishing needs one; [`StoreError::NotFound`] if there is no such
/// version or revision.
pub async fn enter(tx: &mut Tx, enter: &Enter<'_>) -> Result<(), StoreError> {
    const STATE: &str = "select state from versions where id = $1";
    const OFFER: &str = "select plan from version_plans where version = $1 limit 1";
    const SQL: &str = "update versions set state = $2, updated_us = $3 where id = $1";
    const ABSENT: &str = "update versions set deployed = null where id = $1";
    const HISTORY: &str = "insert into lifecycle_history \
        (version, from_state, to_state, by_user, note, at_us, revision) \
        values ($1, $2, $3, $4, $5, $6, (select number from revisions where id = $7))";
    let Transition { from, to, .. } = enter.transition;
    let id = enter.version;
    let row = tx.row(STATE, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("version"))?;
    if row.word("state", State::from_word)? != from {
        return Err(StoreError::Stale("version"));
    }
    if to == State::Published && tx.row(OFFER, &[id.into()]).await?.is_none() {
        return Err(StoreError::Stale("version's offer of plans"));
    }
    if let Some(revision) = enter.deploy {
        revisions::deploy(tx, id, revision, enter.at_us).await?;
    } else if to.at_gateway() == AtGateway::Absent {
        tx.execute(ABSENT, &[id.into()]).await?;
    }
    let values = [id.into(), to.word().into(), enter.at_us.into()];
    tx.execute(SQL, &values).await?;
    let values = [
        id.into(),
        from.word().into(),
        to.word().into(),
        enter.by.into(),
        enter.note.into(),
        enter.at_us.into(),
        Value::Int(enter.deploy.map(RevisionId::raw)),
    ];
    tx.execute(HISTORY, &values).await?;
    match (enter.deprecation, to) {
        (Some(new), _) => deprecation::replace(tx, id, new, enter.at_us).await?,
        // Applications read in it what succeeds the version.
        (None, State::Retired) => {}
        (None, _) => deprecation::clear(tx, id).await?,
    }
    match to {
        State::Retired => deprecation::end_succession(tx, id).await?,
        _ => deprecation::note_predecessors(tx, id).await?,
    }
    if enter.transition.ends_subscriptions {
        subscriptions::end_of_version(tx, id, enter.at_us).await?;
    }
    tx.note(Noun::Version(id)).await
}

/// Returns the last [`LIST_MAX`] steps of a version's history, oldest first.
///
/// # Errors
/// Fails if the database read fails.
pub async fn history(store: &Store, version: VersionId) -> Result<Vec<Step>, StoreError> {
    const SQL: &str = "select h.version, h.from_state, h.to_state, h.revision, h.by_user, h.note, \
            h.at_us, u.name as by_name \
        from lifecycle_history h left join users u on u.id = h.by_user \
        where h.version = $1 order by h.id desc limit $2";
    let values = [version.into(), limit(LIST_MAX)];
    let mut steps = store.list(SQL, &values, read_step).await?;
    steps.reverse();
    Ok(steps)
}

fn read_step(row: &Row) -> Result<Step, StoreError> {
    Ok(Step {
        version: row.id("version")?,
        from: row.word("from_state", State::from_word)?,
        to: row.word("to_state", State::from_word)?,
        revision: row.int_or_null("revision")?,
        by: row.id("by_user")?,
        by_name: row.text_or_null("by_name")?,
        note: row.text("note")?,
        at_us: row.int("at_us")?,
    })
}
