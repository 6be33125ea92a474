//! The default version of an API, which gateways also serve without its name in the path. An API
//! has at most one.

use tollgate_model::id::{ApiId, ApplicationId, VersionId};
use tollgate_model::lifecycle::State;

use crate::row::Row;
use crate::value::{ids_json, json, limit};
use crate::versions::{self, Version};
use crate::{Store, StoreError, Tx};

/// An application that loses access without a version's name in the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// The application.
    pub application: ApplicationId,
    /// Its name.
    pub name: String,
    /// The name of its owner.
    pub owner_name: String,
}

/// Returns the default version of an API, if it has one.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_api(store: &Store, api: ApiId) -> Result<Option<Version>, StoreError> {
    const SQL: &str = versions::select_versions!("v.api = $1 and v.is_default = 1");
    let row = store.row(SQL, &[api.into()]).await?;
    row.map(|row| versions::read_version(&row)).transpose()
}

/// Returns the newest version of an API in one of these states, other than `except`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn newest(
    store: &Store,
    api: ApiId,
    among: &[State],
    except: VersionId,
) -> Result<Option<Version>, StoreError> {
    const SQL: &str = versions::select_versions!(
        "v.api = $1 and v.id <> $2 and v.state in (select value from json_each($3)) \
            order by v.id desc limit 1"
    );
    let states = json(&among);
    let values = [api.into(), except.into(), (&states).into()];
    let row = store.row(SQL, &values).await?;
    row.map(|row| versions::read_version(&row)).transpose()
}

/// Makes a version the default one of its API, replacing the previous one, or leaves the API
/// without one; notes all versions for gateways.
///
/// # Errors
/// Fails if the database write fails.
pub async fn set(tx: &mut Tx, api: ApiId, version: Option<VersionId>) -> Result<(), StoreError> {
    const UNSET: &str = "update versions set is_default = $2 where api = $1 and is_default = $3";
    const SET: &str = "update versions set is_default = $3 where id = $2 and api = $1";
    let values = [api.into(), false.into(), true.into()];
    tx.execute(UNSET, &values).await?;
    if let Some(version) = version {
        let values = [api.into(), version.into(), true.into()];
        tx.execute_one(SET, &values, "version").await?;
    }
    versions::note_of_api(tx, api).await
}

/// The subscriptions to `$1` with which calls pass, of applications that have none to the versions
/// `$2` with which the same calls pass.
macro_rules! lacking {
    ($what:literal, $more:literal) => {
        concat!(
            "select ",
            $what,
            " from subscriptions s join applications t on t.id = s.application \
                join users u on u.id = t.owner \
                where s.version = $1 and s.ended_us is null \
                and s.status in ('active', 'blocked_production') and not exists (\
                    select 1 from subscriptions o where o.application = s.application \
                    and o.ended_us is null and o.status in ('active', s.status) \
                    and o.version in (select value from json_each($2)))",
            $more
        )
    };
}

/// Counts the applications of which calls of a version pass but not of any of the `others`, by
/// their subscriptions, and lists the first `at_most` of them by name.
///
/// # Errors
/// Fails if the database read fails.
pub async fn lacking(
    store: &Store,
    version: VersionId,
    others: &[VersionId],
    at_most: u32,
) -> Result<(u64, Vec<Lacking>), StoreError> {
    const COUNT: &str = lacking!("count(*) as lacking", "");
    const LIST: &str = lacking!(
        "t.id, t.name, u.name as owner_name",
        " order by t.name, t.id limit $3"
    );
    let others = ids_json(others);
    let row = store
        .row(COUNT, &[version.into(), (&others).into()])
        .await?;
    let count = row.map_or(Ok(0), |row| row.int("lacking"))?;
    let values = [version.into(), (&others).into(), limit(at_most)];
    let first = store.list(LIST, &values, read_lacking).await?;
    Ok((count.unsigned_abs(), first))
}

fn read_lacking(row: &Row) -> Result<Lacking, StoreError> {
    Ok(Lacking {
        application: row.id("id")?,
        name: row.text("name")?,
        owner_name: row.text("owner_name")?,
    })
}
