//! Renews calendar windows. Gateways have no time zone data, but lists of instants that run out
//! after months. Each day all nouns with limits that list windows are noted as changed, so that the
//! feed sends them again with lists from that day on.

use tollgate_model::id::{ApplicationId, PlanId, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::limit::{Counting, ServedLimit};
use tollgate_model::plan::Limit;
use tollgate_store::{LIST_MAX, Noun, Store, StoreError, applications, plans, revisions, versions};

/// States in which gateways hold a version.
const AT_GATEWAYS: [State; 4] = [
    State::Prototyped,
    State::Published,
    State::Blocked,
    State::Deprecated,
];

/// Converts Unix microseconds to days since 1970 in UTC.
pub(crate) const fn day(now_us: i64) -> i64 {
    now_us.div_euclid(86_400 * 1_000_000)
}

/// Notes all nouns with limits that list windows as changed.
///
/// # Errors
/// Fails if a read or the write fails; then nothing is noted.
pub(crate) async fn note_all(store: &Store, now_us: i64) -> Result<(), StoreError> {
    let mut nouns = plans_with_lists(store, now_us).await?;
    nouns.extend(applications_with_lists(store, now_us).await?);
    nouns.extend(versions_with_lists(store, now_us).await?);
    if nouns.is_empty() {
        return Ok(());
    }
    #[expect(clippy::disallowed_methods, reason = "this change has no caller")]
    let mut tx = store.write().await?;
    for noun in nouns {
        tx.note(noun).await?;
    }
    tx.commit().await.map(drop)
}

async fn plans_with_lists(store: &Store, now_us: i64) -> Result<Vec<Noun>, StoreError> {
    let mut nouns = Vec::new();
    let mut after: Option<PlanId> = None;
    loop {
        let page = plans::list(store, after, LIST_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(nouns);
        };
        after = Some(last.id);
        let listing = page.iter().filter(|it| lists(&it.terms.limits, now_us));
        nouns.extend(listing.map(|plan| Noun::Plan(plan.id)));
    }
}

async fn applications_with_lists(store: &Store, now_us: i64) -> Result<Vec<Noun>, StoreError> {
    let mut nouns = Vec::new();
    let mut after: Option<ApplicationId> = None;
    loop {
        let page = applications::list(store, None, after, LIST_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(nouns);
        };
        after = Some(last.id);
        let listing = page.iter().filter(|it| lists(&it.limits, now_us));
        nouns.extend(listing.map(|application| Noun::Application(application.id)));
    }
}

async fn versions_with_lists(store: &Store, now_us: i64) -> Result<Vec<Noun>, StoreError> {
    let mut nouns = Vec::new();
    let mut after: Option<VersionId> = None;
    loop {
        let page = versions::catalogue(store, &AT_GATEWAYS, after, LIST_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(nouns);
        };
        after = Some(last.version.id);
        for version in page.into_iter().map(|offer| offer.version) {
            let Some(revision) = version.deployed else {
                continue;
            };
            let (_, configuration) = revisions::by_id(store, revision).await?;
            if lists(configuration.every_limit(), now_us) {
                nouns.push(Noun::Version(version.id));
            }
        }
    }
}

fn lists<'a>(limits: impl IntoIterator<Item = &'a Limit>, now_us: i64) -> bool {
    limits.into_iter().any(|limit| {
        let counting = ServedLimit::compile(limit, now_us).counting;
        matches!(counting, Counting::At { .. })
    })
}
