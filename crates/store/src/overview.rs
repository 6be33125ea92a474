//! What a publisher sees first: the versions of one's own APIs, with what waits to be done about
//! each. A page takes three statements, however long it is.

use std::collections::{BTreeSet, HashMap};

use tollgate_model::api::{Configuration, Kind};
use tollgate_model::id::{self, ApiId, UserId, VersionId};
use tollgate_model::lifecycle::State;

use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::value::{Value, ids_json};
use crate::versions::{self, Offer};
use crate::{Store, StoreError, secrets};

/// Which versions are looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Of APIs of this user only.
    pub owner: Option<UserId>,
    /// Of APIs of this kind only.
    pub kind: Option<Kind>,
    /// In this state only.
    pub state: Option<State>,
    /// Of this API only.
    pub api: Option<ApiId>,
    /// With this [`pattern`](crate::part::pattern) in names, context or description.
    pub pattern: Option<&'w str>,
}

/// A version, and what waits to be done about it.
#[derive(Debug, Clone)]
pub struct Overview {
    /// The version and its API.
    pub offer: Offer,
    /// The name of the API's owner.
    pub owner_name: String,
    /// Live subscriptions.
    pub subscriptions: u64,
    /// Those of them that wait for a decision.
    pub pending: u64,
    /// Whether the draft is stored as what is deployed is. Where it is not it may still say the
    /// same: see [`changes`].
    pub is_same: bool,
}

/// The versions that are looked for; by name is by that of the API.
///
/// # Errors
/// As any read.
pub async fn find(
    store: &Store,
    wanted: Wanted<'_>,
    part: &Part<id::Version>,
) -> Result<Found<Overview>, StoreError> {
    const SQL: Statements = statements!(
        select "v.id, v.api, v.name, v.state, v.is_default, v.draft_etag, v.deployed, r.number, \
            v.created_us, v.updated_us, a.kind, \
            r.configuration like '%\"verify_certificate\":false%' as is_unverified, \
            a.name as api_name, a.context, a.description, a.owner, \
            a.created_us as api_created_us, u.name as owner_name, \
            coalesce(v.draft = r.configuration, 0) as is_same, \
            (select count(*) from subscriptions s \
                where s.version = v.id and s.ended_us is null) as subscriptions, \
            (select count(*) from subscriptions s where s.version = v.id \
                and s.ended_us is null and s.status = 'pending') as pending",
        from "versions v join apis a on a.id = v.api join users u on u.id = a.owner \
            left join revisions r on r.id = v.deployed \
            where ($1 is null or a.owner = $1) and ($2 is null or a.kind = $2) \
            and ($3 is null or v.state = $3) \
            and ($5 is null or v.api = $5) \
            and ($4 is null or a.name || ' ' || a.context || ' ' || v.name || ' ' \
                || a.description like $4 escape '\\')",
        id "v.id" name "a.name", after "$6" at_most "$7" key "$8"
    );
    let filter = [
        Value::Int(wanted.owner.map(UserId::raw)),
        Value::Text(wanted.kind.map(Kind::word)),
        Value::Text(wanted.state.map(State::word)),
        wanted.pattern.into(),
        Value::Int(wanted.api.map(ApiId::raw)),
    ];
    store.find(&SQL, part, &filter, read).await
}

/// Of these versions those whose draft says something else than what is deployed, with the number
/// of top-level fields that differ. Secrets are sealed anew each time they are stored, so that the
/// texts alone do not tell.
///
/// # Errors
/// As any read.
pub async fn changes(
    store: &Store,
    ids: &[VersionId],
) -> Result<HashMap<VersionId, u64>, StoreError> {
    const SQL: &str = "select v.id, v.draft, r.configuration \
        from versions v join revisions r on r.id = v.deployed \
        where v.id in (select value from json_each($1)) and v.draft <> r.configuration";
    let mut changes = HashMap::new();
    for row in store.rows(SQL, &[(&ids_json(ids)).into()]).await? {
        let id: VersionId = row.id("id")?;
        let mut both: [Configuration; 2] = [row.json("draft")?, row.json("configuration")?];
        for configuration in &mut both {
            secrets::open(store.master_key(), id, configuration);
        }
        if both[0] != both[1] {
            changes.insert(id, differing_fields(&both));
        }
    }
    Ok(changes)
}

/// How many top-level fields of two configurations differ.
fn differing_fields(both: &[Configuration; 2]) -> u64 {
    let fields = both
        .each_ref()
        .map(|it| serde_json::to_value(it).unwrap_or_default());
    let names: BTreeSet<_> = fields
        .iter()
        .filter_map(|fields| fields.as_object())
        .flat_map(|fields| fields.keys())
        .collect();
    let differ = names.into_iter().filter(|name| {
        let [one, other] = fields.each_ref().map(|fields| fields.get(name.as_str()));
        one != other
    });
    differ.count() as u64
}

fn read(row: &Row) -> Result<Overview, StoreError> {
    let count = |name| Ok(u64::try_from(row.int(name)?).unwrap_or_default());
    Ok(Overview {
        offer: versions::read_offer(row)?,
        owner_name: row.text("owner_name")?,
        subscriptions: count("subscriptions")?,
        pending: count("pending")?,
        is_same: row.boolean("is_same")?,
    })
}
