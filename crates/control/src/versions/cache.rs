//! Stored responses of a version at the gateways: their purge.

use axum::extract::State;
use serde::Serialize;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::feed::CacheSelector;
use tollgate_model::id::VersionId;
use tollgate_store::cache_purges::{self, NewPurge};
use tollgate_store::versions::Offer;
use tollgate_store::{revisions, versions};

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

/// A purge that was carried out.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Purged {
    /// Its number, which rises with each purge.
    number: u64,
}

/// Purge stored responses of a version.
///
/// For the API's owner and administrators. Ends the responses that one of the lists names, or all
/// of the version if the lists are empty. When this returns, no gateway sends any of them, nor
/// stores the response to a call that began before.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/cache/purge", tag = "deployments",
    request_body = CacheSelector, params(("version" = VersionId, Path)),
    responses((status = 200, description = "The purge", body = Purged)),
)]
pub(crate) async fn purge(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(selector): Json<CacheSelector>,
) -> Result<Json<Purged>, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let mut faults = form_faults(&selector);
    if faults.is_empty() && !selector.operations.is_empty() {
        let draft = versions::draft(&control.store, id).await?.configuration;
        let deployed = match version.deployed {
            Some(deployed) => Some(revisions::by_id(&control.store, deployed).await?.1),
            None => None,
        };
        let known: Vec<_> = std::iter::once(&draft).chain(&deployed).collect();
        faults.extend(unknown_operations(&selector, &known));
    }
    refuse_any(faults)?;
    let mut tx = caller.change(&control).await?;
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
    let is_target = |it: &str| {
        let is_path = it.starts_with('/') && it.len() <= TARGET_BYTES_MAX;
        is_path
            && it
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'?')
    };
    let is_tag = |it: &str| {
        let is_text = !it
            .bytes()
            .any(|byte| byte.is_ascii_control() || byte == b',');
        (1..=TAG_BYTES_MAX).contains(&it.len()) && is_text && it.trim() == it
    };
    type Judge<'j> = &'j dyn Fn(&str) -> bool;
    let lists: [(&str, &[String], Judge<'_>, &str); 3] = [
        ("operations", &selector.operations, &|_| true, ""),
        (
            "targets",
            &selector.targets,
            &is_target,
            "a path below the version, such as /pets/7, without its query",
        ),
        (
            "tags",
            &selector.tags,
            &is_tag,
            "a tag has 1 to 256 bytes, without commas and control characters",
        ),
    ];
    let mut faults = Vec::new();
    for (list, entries, judge, detail) in lists {
        if entries.len() > ENTRIES_MAX {
            let detail = format!("at most {ENTRIES_MAX} entries; purge the whole version instead");
            faults.push(Fault::new(format!("/{list}"), "purge.too_many", detail));
            continue;
        }
        let entries = entries.iter().enumerate();
        let wrong = entries.filter(|(_, entry)| !judge(entry));
        faults.extend(wrong.map(|(index, _)| {
            Fault::new(format!("/{list}/{index}"), &format!("purge.{list}"), detail)
        }));
    }
    faults
}

/// Returns the faults of operations that the version has neither in its draft nor in its deployed
/// revision.
fn unknown_operations(selector: &CacheSelector, known: &[&Configuration]) -> Vec<Fault> {
    let operations = selector.operations.iter().enumerate();
    let unknown = operations.filter(|(_, name)| !known.iter().any(|it| it.has_operation(name)));
    let faults = unknown.map(|(index, name)| {
        let detail = format!("the version has no operation {name:?}; name it by method and path");
        Fault::new(format!("/operations/{index}"), "purge.operations", detail)
    });
    faults.collect()
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
        let first: Vec<_> = entries.iter().take(3).map(|it| cut(it)).collect();
        format!("{} {list} such as {first:?}", entries.len())
    });
    let lists: Vec<_> = lists.collect();
    match lists.is_empty() {
        true => format!("purge {number} of all responses"),
        false => format!("purge {number} of {}", lists.join(", ")),
    }
}

/// The first characters of a text.
fn cut(text: &str) -> String {
    text.chars().take(64).collect()
}
