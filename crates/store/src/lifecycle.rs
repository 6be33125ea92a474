//! The lifecycle of versions: the state they stand in and the history of how they got there.
//!
//! Which state may follow which is `model::lifecycle`'s; here is what becomes true with it.

use tollgate_model::id::{RevisionId, UserId, VersionId};
use tollgate_model::lifecycle::{AtGateway, State, Transition};

use crate::row::Row;
use crate::{Noun, Store, StoreError, Tx, revisions, subscriptions};

/// One step of a version, as history keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The version.
    pub version: VersionId,
    /// The state left.
    pub from: State,
    /// The state entered.
    pub to: State,
    /// Who did it.
    pub by: UserId,
    /// That user's name; none once the user is deleted.
    pub by_name: Option<String>,
    /// Why, in that person's words.
    pub note: String,
    /// When, Unix microseconds.
    pub at_us: i64,
}

/// A step to be taken.
#[derive(Debug, Clone)]
pub struct Enter<'a> {
    /// The version.
    pub version: VersionId,
    /// What `model::lifecycle::transition` decided.
    pub transition: Transition,
    /// The revision to deploy with it; needed where the transition says `deploys`.
    pub deploy: Option<RevisionId>,
    /// Who does it.
    pub by: UserId,
    /// Why, in that person's words.
    pub note: &'a str,
    /// When, Unix microseconds.
    pub at_us: i64,
}

/// Takes a version into its next state: with its history, the deployment that it needs, and the
/// end of all its subscriptions where the transition says so.
///
/// # Errors
/// [`StoreError::Stale`] when the version has left the state that the decision was made on, or
/// offers no plan any more that publishing needs;
/// [`StoreError::NotFound`] without such a version or revision.
pub async fn enter(tx: &mut Tx, enter: &Enter<'_>) -> Result<(), StoreError> {
    const STATE: &str = "select state from versions where id = $1";
    const OFFER: &str = "select plan from version_plans where version = $1 limit 1";
    const SQL: &str = "update versions set state = $2, updated_us = $3 where id = $1";
    const ABSENT: &str = "update versions set deployed = null where id = $1";
    const HISTORY: &str = "insert into lifecycle_history \
        (version, from_state, to_state, by_user, note, at_us) values ($1, $2, $3, $4, $5, $6)";
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
    ];
    tx.execute(HISTORY, &values).await?;
    if enter.transition.ends_subscriptions {
        subscriptions::end_of_version(tx, id, enter.at_us).await?;
    }
    tx.note(Noun::Version(id)).await
}

/// The history of a version, oldest step first; there are few.
///
/// # Errors
/// As any read.
pub async fn history(store: &Store, version: VersionId) -> Result<Vec<Step>, StoreError> {
    const SQL: &str = "select h.version, h.from_state, h.to_state, h.by_user, h.note, h.at_us, \
            u.name as by_name \
        from lifecycle_history h left join users u on u.id = h.by_user \
        where h.version = $1 order by h.id";
    store.list(SQL, &[version.into()], read).await
}

fn read(row: &Row) -> Result<Step, StoreError> {
    Ok(Step {
        version: row.id("version")?,
        from: row.word("from_state", State::from_word)?,
        to: row.word("to_state", State::from_word)?,
        by: row.id("by_user")?,
        by_name: row.text_or_null("by_name")?,
        note: row.text("note")?,
        at_us: row.int("at_us")?,
    })
}
