//! Stored responses of a version at the gateways: their purge.

use axum::extract::State;
use serde::Serialize;
use tollgate_model::fault::Fault;
use tollgate_model::feed::CacheSelector;
use tollgate_model::id::VersionId;
use tollgate_store::cache_purges::{self, NewPurge};
use tollgate_store::revisions;
use tollgate_store::versions::{self, Offer, Version};

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::Path;
use crate::state::Control;

/// Maximum entries of each list.
const ENTRIES_MAX: usize = 100;
/// Maximum bytes of a path.
const TARGET_BYTES_MAX: usize = 8 * 1024;
/// Maximum bytes of a tag.
const TAG_BYTES_MAX: usize = 256;
/// Entries of each list in the log, and characters of each.
const LOGGED_ENTRIES: usize = 3;
const LOGGED_CHARACTERS: usize = 64;

/// A purge that was carried out.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Purged {
    /// Its number, which rises with each purge.
    number: u64,
}

/// Purge stored responses of a version.
///
/// For the API's owner and administrators. Ends the responses that one of the lists names, or all
/// of the version if the lists are empty or there is no body. When this returns, no gateway sends
/// any of them, nor stores the response to a call that began before.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/cache/purge", tag = "deployments",
    request_body = Option<CacheSelector>, params(("version" = VersionId, Path)),
    responses((status = 200, description = "The purge", body = Purged)),
)]
pub(crate) async fn purge(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    selector: Option<Json<CacheSelector>>,
) -> Result<Json<Purged>, Problem> {
    let selector = selector.map_or_else(CacheSelector::default, |Json(selector)| selector);
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let mut faults = form_faults(&selector);
    faults.extend(unknown_operations(&control, &version, &selector).await?);
    refuse_any(faults)?;
    let mut tx = caller.change(&control).await?;
    own_version(&control, &caller, id).await?;
    let purge = NewPurge {
        version: id,
        selector: &selector,
        by: caller.user,
        at_us: control.now_us(),
    };
    let number = cache_purges::create(&mut tx, purge).await?;
    let change = described(&selector, number);
    tx.commit(|| caller.log_change("cache.purged", id, &change))
        .await?;
    Ok(Json(Purged { number }))
}

/// Returns the faults of the lists, as far as they can be judged alone.
fn form_faults(selector: &CacheSelector) -> Vec<Fault> {
    let CacheSelector {
        operations,
        targets,
        tags,
    } = selector;
    let of_operations = list_faults("operations", operations, |it| {
        let detail = "only responses to GET are stored: name an operation such as GET /pets/{pet}";
        (!is_get(it)).then_some(detail)
    });
    let of_targets = list_faults("targets", targets, |it| {
        let is_target = it.starts_with('/') && it.len() <= TARGET_BYTES_MAX;
        let is_path = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#');
        let detail = "a path below the version as in requests, such as /pets/7, without its query";
        (!is_target || !it.bytes().all(is_path)).then_some(detail)
    });
    let of_tags = list_faults("tags", tags, |it| {
        let is_tag = (1..=TAG_BYTES_MAX).contains(&it.len()) && it.trim() == it;
        let is_wrong = |byte: u8| byte.is_ascii_control() || byte == b',';
        let detail = "a tag has 1 to 256 bytes, without commas and control characters";
        (!is_tag || it.bytes().any(is_wrong)).then_some(detail)
    });
    [of_operations, of_targets, of_tags].concat()
}

/// Returns the fault of a list that is too long, or those of its entries.
fn list_faults(
    list: &str,
    entries: &[String],
    judge: impl Fn(&str) -> Option<&'static str>,
) -> Vec<Fault> {
    if entries.len() > ENTRIES_MAX {
        let detail = format!("at most {ENTRIES_MAX} entries; purge the whole version instead");
        return vec![Fault::new(format!("/{list}"), "purge.too_many", detail)];
    }
    let faults = entries.iter().enumerate().filter_map(|(index, entry)| {
        let (field, code) = (format!("/{list}/{index}"), format!("purge.{list}"));
        judge(entry).map(|detail| Fault::new(field, &code, detail))
    });
    faults.collect()
}

/// Returns the faults of operations that the version has neither in its draft nor in its deployed
/// revision.
async fn unknown_operations(
    control: &Control,
    version: &Version,
    selector: &CacheSelector,
) -> Result<Vec<Fault>, Problem> {
    let names = &selector.operations;
    if names.is_empty() || names.len() > ENTRIES_MAX {
        return Ok(Vec::new());
    }
    let mut known = vec![
        versions::draft(&control.store, version.id)
            .await?
            .configuration,
    ];
    if let Some(deployed) = version.deployed {
        known.push(revisions::by_id(&control.store, deployed).await?.1);
    }
    let is_unknown = |name: &str| !known.iter().any(|it| it.has_operation(name));
    let unknown = names.iter().enumerate();
    let unknown = unknown.filter(|(_, name)| is_get(name) && is_unknown(name));
    let faults = unknown.map(|(index, name)| {
        let name = beginning(name);
        let detail = format!("the version has no operation {name:?}; name it by method and path");
        Fault::new(format!("/operations/{index}"), "purge.operations", detail)
    });
    Ok(faults.collect())
}

fn is_get(operation: &str) -> bool {
    operation.starts_with("GET ")
}

/// Describes a purge for the log: its number, and the first entries of each list.
fn described(selector: &CacheSelector, number: u64) -> String {
    let lists = [
        ("operations", &selector.operations),
        ("targets", &selector.targets),
        ("tags", &selector.tags),
    ];
    let lists = lists.into_iter().filter(|(_, entries)| !entries.is_empty());
    let lists = lists.map(|(list, entries)| {
        let first = entries.iter().take(LOGGED_ENTRIES);
        let first: Vec<_> = first.map(|it| beginning(it)).collect();
        match entries.len() - first.len() {
            0 => format!("{list} {first:?}"),
            more => format!("{list} {first:?} and {more} more"),
        }
    });
    let lists: Vec<_> = lists.collect();
    match lists.is_empty() {
        true => format!("purge {number} of all responses"),
        false => format!("purge {number} of {}", lists.join(", ")),
    }
}

/// Returns the first characters of a text.
fn beginning(text: &str) -> String {
    text.chars().take(LOGGED_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
