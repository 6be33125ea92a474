//! The columns of versions and their APIs in statements, and how they are read. The tables are `v`
//! for the version, `a` for its API, `r` for its deployed revision and `n` for its successor.

use tollgate_model::api::Kind;
use tollgate_model::lifecycle::State;

use super::{Offer, Version};
use crate::row::Row;
use crate::{StoreError, apis};

/// The columns of a version, for [`read_version`].
macro_rules! version_columns {
    () => {
        $crate::versions::version_columns!(
            unverified "r.configuration like '%\"verify_certificate\":false%'"
        )
    };
    (unverified $is_unverified:literal) => {
        concat!(
            "v.id, v.api, v.name, v.state, v.is_default, v.draft_etag, v.deployed, r.number, \
            v.created_us, v.updated_us, a.kind, ",
            $is_unverified,
            " as is_unverified, ",
            $crate::row::deprecation_columns!()
        )
    };
}
pub(crate) use version_columns;

/// The columns of a version's API, for [`apis::read_joined`].
macro_rules! api_columns {
    () => {
        "a.name as api_name, a.context, a.description, a.owner, a.created_us as api_created_us"
    };
}
pub(crate) use api_columns;

/// The tables of both.
macro_rules! version_tables {
    () => {
        "versions v join apis a on a.id = v.api left join revisions r on r.id = v.deployed \
            left join versions n on n.id = v.successor"
    };
}
pub(crate) use version_tables;

/// Selects the versions that match a condition.
macro_rules! select_versions {
    ($condition:literal) => {
        concat!(
            "select ",
            $crate::versions::version_columns!(),
            " from ",
            $crate::versions::version_tables!(),
            " where ",
            $condition
        )
    };
}

pub(crate) use select_versions;

/// Selects the versions that match a condition, with their APIs.
macro_rules! select_offers {
    ($condition:literal) => {
        concat!(
            "select ",
            version_columns!(),
            ", ",
            api_columns!(),
            " from ",
            version_tables!(),
            " where ",
            $condition
        )
    };
}
pub(super) use select_offers;

pub(crate) fn read_version(row: &Row) -> Result<Version, StoreError> {
    Ok(Version {
        id: row.id("id")?,
        api: row.id("api")?,
        kind: row.word("kind", Kind::from_word)?,
        name: row.text("name")?,
        state: row.word("state", State::from_word)?,
        is_default: row.boolean("is_default")?,
        draft_etag: row.int("draft_etag")?,
        deployed: row.id_or_null("deployed")?,
        deployed_number: row.int_or_null("number")?,
        is_unverified: row.int_or_null("is_unverified")? == Some(1),
        created_us: row.int("created_us")?,
        updated_us: row.int("updated_us")?,
        deprecation: row.deprecation()?,
    })
}

pub(crate) fn read_offer(row: &Row) -> Result<Offer, StoreError> {
    Ok(Offer {
        api: apis::read_joined(row)?,
        version: read_version(row)?,
    })
}
