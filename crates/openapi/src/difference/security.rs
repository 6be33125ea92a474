//! Compares the security requirements of operations (OpenAPI 3.0.4, Security Requirement Object).
//!
//! Schemes are compared by the credential that callers send, not by their names. A caller that
//! meets one of the old alternatives must meet one of the new ones.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::change::{Change, NAME_BYTES_MAX, Verdict, Which, clipped};
use super::document::Side;
use super::graph::{Graph, Node};
use super::pointer::At;
use super::rule::Rule;

/// The schemes of an alternative, in words, each with its scopes.
type Alternative<'d> = BTreeMap<String, BTreeSet<&'d str>>;

/// Compares the security of two operations and reports to the node.
pub(super) fn compare<'d>(graph: &mut Graph<'d>, node: Node, old: &At<'d>, new: &At<'d>) {
    let required = |side: &Side<'d>, operation: &At<'d>| {
        let own = operation.member("security");
        own.or_else(|| side.root().member("security"))
    };
    let (before, after) = (required(&graph.old, old), required(&graph.new, new));
    let at = after.as_ref().unwrap_or(new).pointer.clone();
    let before = alternatives(&graph.old, before.as_ref());
    let after = alternatives(&graph.new, after.as_ref());
    if before == after
        || after.iter().all(BTreeMap::is_empty) && before.iter().all(BTreeMap::is_empty)
    {
        return;
    }
    if !graph.budget.spend(before.len() * after.len() + 1) {
        return;
    }
    let mut breaks = false;
    for alternative in &before {
        let Some((what, rule)) = missing(alternative, &after) else {
            continue;
        };
        breaks = true;
        graph.report(node, Which::New.at(&at), &what, Verdict::Breaks(rule));
    }
    if !breaks {
        let what = "The accepted credentials or scopes changed";
        graph.report(node, Which::New.at(&at), what, Verdict::Compatible);
    }
}

/// The alternatives of a list of requirements; an empty one where nothing is required.
fn alternatives<'d>(side: &Side<'d>, required: Option<&At<'d>>) -> Vec<Alternative<'d>> {
    let list = required.into_iter().flat_map(At::items);
    let read = list.map(|alternative| {
        let mut schemes = Alternative::new();
        for (name, scopes) in alternative.members() {
            let scopes = scopes.items().filter_map(|it| it.value.as_text());
            schemes.entry(words(side, name)).or_default().extend(scopes);
        }
        schemes
    });
    let mut alternatives: Vec<_> = read.collect();
    if alternatives.is_empty() {
        alternatives.push(BTreeMap::new());
    }
    alternatives
}

/// Returns the credential or scopes that callers of an old alternative lack; `None` if a new one
/// accepts them.
fn missing(old: &Alternative<'_>, new: &[Alternative<'_>]) -> Option<(String, Rule)> {
    let mut scopes: Option<Vec<_>> = None;
    for alternative in new {
        if !alternative.keys().all(|scheme| old.contains_key(scheme)) {
            continue;
        }
        let lacked = alternative.iter().flat_map(|(scheme, scopes)| {
            let known = &old[scheme];
            scopes.difference(known)
        });
        let lacked: Vec<_> = lacked.copied().collect();
        if lacked.is_empty() {
            return None;
        }
        let is_closer = scopes.as_ref().is_none_or(|it| it.len() > lacked.len());
        if is_closer {
            scopes = Some(lacked);
        }
    }
    if let Some(scopes) = scopes {
        let named: Vec<_> = scopes.iter().map(|it| format!("`{it}`")).collect();
        let what = match named.len() {
            1 => format!("The scope {} is now required", named.join(", ")),
            _ => format!("The scopes {} are now required", named.join(", ")),
        };
        return Some((what, Rule::ScopeAdded));
    }
    let words = |alternative: &Alternative<'_>| {
        let words: Vec<_> = alternative.keys().map(String::as_str).collect();
        words.join(" and ")
    };
    let needed: Vec<_> = new.iter().map(&words).collect();
    let needed = needed.join(", or ");
    let what = match old.is_empty() {
        true => format!("Calls now need a credential: {needed}"),
        false => format!("Calls now need {needed} instead of {}", words(old)),
    };
    Some((what, Rule::SecurityRequired))
}

/// Describes the credential of a scheme.
fn words(side: &Side<'_>, name: &str) -> String {
    let Some(scheme) = side.scheme(name) else {
        return format!("the scheme `{}`", clipped(name, NAME_BYTES_MAX));
    };
    match scheme.text("type") {
        Some("apiKey") => {
            let name = clipped(scheme.text("name").unwrap_or_default(), NAME_BYTES_MAX);
            match scheme.text("in").unwrap_or_default() {
                "header" => format!("an API key in the header `{}`", name.to_ascii_lowercase()),
                place => format!("an API key in the {place} as `{name}`"),
            }
        }
        Some("http") => {
            let scheme = scheme.text("scheme").unwrap_or_default();
            format!("HTTP {}", scheme.to_ascii_lowercase())
        }
        Some("oauth2") => "OAuth2".to_owned(),
        Some("openIdConnect") => "OpenID Connect".to_owned(),
        Some("mutualTLS") => "mutual TLS".to_owned(),
        _ => format!("the scheme `{name}`"),
    }
}

/// Returns a change for each security scheme with URLs at which clients did not get tokens before.
pub(super) fn scheme_changes(old: &Side<'_>, new: &Side<'_>) -> Vec<Change> {
    let known: HashSet<_> = old
        .schemes()
        .map(|(_, it)| (it.text("type"), urls(&it)))
        .collect();
    let kinds: HashSet<_> = known.iter().map(|(kind, _)| *kind).collect();
    let mut changes = Vec::new();
    for (name, scheme) in new.schemes() {
        let kind = scheme.text("type");
        if kinds.contains(&kind) && !known.contains(&(kind, urls(&scheme))) {
            let name = clipped(name, NAME_BYTES_MAX);
            let what = format!("The security scheme `{name}` has other URLs");
            let at = Which::New.at(&scheme.pointer);
            changes.push(Change::new(at, &what, Verdict::Unjudged));
        }
    }
    changes
}

/// The URLs at which clients get tokens.
fn urls<'d>(scheme: &At<'d>) -> BTreeMap<(&'d str, &'static str), Option<&'d str>> {
    let flows = scheme.member("flows");
    let flows = flows.iter().flat_map(At::members);
    let of_flows = flows.flat_map(|(name, flow)| {
        let keys = ["authorizationUrl", "tokenUrl"];
        keys.map(|key| ((name, key), flow.text(key)))
    });
    let discovery = (("", "openIdConnectUrl"), scheme.text("openIdConnectUrl"));
    of_flows.chain([discovery]).collect()
}
