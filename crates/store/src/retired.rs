//! Retired versions, for the applications that were subscribed until then.

use tollgate_model::id::{ApiId, ApplicationId, VersionId};
use tollgate_model::lifecycle::Deprecation;

use crate::row::{Row, deprecation_columns};
use crate::value::limit;
use crate::{Store, StoreError};

/// A retired version that an application was subscribed to until then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetiredVersion {
    /// The version.
    pub version: VersionId,
    /// Its name.
    pub name: String,
    /// Its API.
    pub api: ApiId,
    /// The API's name.
    pub api_name: String,
    /// Time of the retirement, Unix microseconds.
    pub retired_us: i64,
    /// Its deprecation, with its successor and the text for its callers; `None` if an earlier
    /// release retired it.
    pub deprecation: Option<Deprecation>,
}

/// Lists the retired versions that an application was subscribed to until they retired, the last
/// ones first. Deleted versions are missing.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_application(
    store: &Store,
    application: ApplicationId,
    at_most: u32,
) -> Result<Vec<RetiredVersion>, StoreError> {
    // Retirement ends subscriptions at the time of its step.
    const SQL: &str = concat!(
        "select v.id, v.name, v.api, a.name as api_name, s.ended_us, ",
        deprecation_columns!(),
        " from subscriptions s join versions v on v.id = s.version \
            join apis a on a.id = v.api left join versions n on n.id = v.successor \
            where s.application = $1 and v.state = 'retired' and s.ended_us = (\
                select max(h.at_us) from lifecycle_history h \
                where h.version = v.id and h.to_state = 'retired') \
            order by s.ended_us desc, s.id desc limit $2"
    );
    let values = [application.into(), limit(at_most)];
    store.list(SQL, &values, read_retired).await
}

fn read_retired(row: &Row) -> Result<RetiredVersion, StoreError> {
    Ok(RetiredVersion {
        version: row.id("id")?,
        name: row.text("name")?,
        api: row.id("api")?,
        api_name: row.text("api_name")?,
        retired_us: row.int("ended_us")?,
        deprecation: row.deprecation()?,
    })
}
