//! The publisher's overview: versions of the publisher's own APIs, with pending work for each. A
//! page takes three statements, whatever its length.

use std::collections::HashMap;

use tollgate_model::api::Kind;
use tollgate_model::difference::{Contents, difference};
use tollgate_model::id::{self, ApiId, UserId, VersionId};
use tollgate_model::lifecycle::State;

use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::value::{Value, ids_json};
use crate::versions::{self, Offer, api_columns, version_columns, version_tables};
use crate::{Store, StoreError, secrets};

/// Filters of [`find`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Only versions of APIs of this user.
    pub owner: Option<UserId>,
    /// Only versions of APIs of this kind.
    pub kind: Option<Kind>,
    /// Only versions in this state.
    pub state: Option<State>,
    /// Only versions of this API.
    pub api: Option<ApiId>,
    /// Only versions with names, context or description that match this
    /// [`pattern`](crate::part::pattern).
    pub pattern: Option<&'w str>,
}

/// A version and its pending work.
#[derive(Debug, Clone)]
pub struct Overview {
    /// The version and its API.
    pub offer: Offer,
    /// The name of the API's owner.
    pub owner_name: String,
    /// Live subscriptions.
    pub subscriptions: u64,
    /// Subscriptions that wait for approval.
    pub pending: u64,
    /// Whether the stored draft equals the deployed revision byte for byte. If not, the two may
    /// still be equivalent: see [`changes`].
    pub is_same: bool,
}

/// Returns the versions that match the filters; the order by name is by the name of the API.
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    wanted: Wanted<'_>,
    part: &Part<id::Version>,
) -> Result<Found<Overview>, StoreError> {
    const SQL: Statements = statements!(
        select concat!(
            version_columns!(),
            ", ",
            api_columns!(),
            ", u.name as owner_name, \
            coalesce(v.draft = r.configuration and v.draft_document is r.document, 0) as is_same, \
            (select count(*) from subscriptions s \
                where s.version = v.id and s.ended_us is null) as subscriptions, \
            (select count(*) from subscriptions s where s.version = v.id \
                and s.ended_us is null and s.status = 'pending') as pending"
        ),
        from concat!(
            version_tables!(),
            " join users u on u.id = a.owner \
            where ($1 is null or a.owner = $1) and ($2 is null or a.kind = $2) \
            and ($3 is null or v.state = $3) \
            and ($5 is null or v.api = $5) \
            and ($4 is null or a.name || ' ' || a.context || ' ' || v.name || ' ' \
                || a.description like $4 escape '\\')"
        ),
        id "v.id" name "a.name", after "$6" at_most "$7" key "$8"
    );
    let filter = [
        Value::Int(wanted.owner.map(UserId::raw)),
        Value::Text(wanted.kind.map(Kind::word)),
        Value::Text(wanted.state.map(State::word)),
        wanted.pattern.into(),
        Value::Int(wanted.api.map(ApiId::raw)),
    ];
    store.find(&SQL, part, &filter, read_overview).await
}

/// Returns, of these versions, those with a draft that differs from what is deployed, with the
/// number of changes ([`difference`]), of which the document is one. Secrets are sealed anew each
/// time they are stored, so comparing the stored texts is not enough.
///
/// # Errors
/// Fails if the database read fails.
pub async fn changes(
    store: &Store,
    ids: &[VersionId],
) -> Result<HashMap<VersionId, u64>, StoreError> {
    const SQL: &str = "select v.id, v.draft, v.draft_document, r.configuration, r.document \
        from versions v join revisions r on r.id = v.deployed \
        where v.id in (select value from json_each($1)) \
            and (v.draft <> r.configuration or v.draft_document is not r.document)";
    let mut changes = HashMap::new();
    for row in store.rows(SQL, &[(&ids_json(ids)).into()]).await? {
        let id: VersionId = row.id("id")?;
        let mut both = [row.json("configuration")?, row.json("draft")?];
        for configuration in &mut both {
            secrets::open(store.master_key(), id, configuration);
        }
        let digests = [
            row.text_or_null("document")?,
            row.text_or_null("draft_document")?,
        ];
        let [deployed, draft] = [0, 1].map(|side| Contents {
            configuration: &both[side],
            document: digests[side].as_deref(),
        });
        let found = difference(&deployed, &draft).changes.len() as u64;
        if found > 0 {
            changes.insert(id, found);
        }
    }
    Ok(changes)
}

fn read_overview(row: &Row) -> Result<Overview, StoreError> {
    let count = |name| Ok(u64::try_from(row.int(name)?).unwrap_or_default());
    Ok(Overview {
        offer: versions::read_offer(row)?,
        owner_name: row.text("owner_name")?,
        subscriptions: count("subscriptions")?,
        pending: count("pending")?,
        is_same: row.boolean("is_same")?,
    })
}
