//! Compares the media types of a request body or a response.

use std::collections::HashSet;

use super::change::{Label, Usage, Verdict, Which};
use super::graph::{Graph, Node, Pair};
use super::pointer::At;
use super::rule::Rule;

/// The contents of two bodies, with pointers to the bodies.
pub(super) struct Contents<'d> {
    pub(super) usage: Usage,
    pub(super) old: At<'d>,
    pub(super) new: At<'d>,
    /// The name of the body.
    pub(super) label: String,
}

#[derive(Debug)]
struct Media<'d> {
    /// The media type without the parameter `charset`, in lower case.
    name: String,
    at: At<'d>,
}

/// Compares the members `content` of two objects and reports to the node.
pub(super) fn compare<'d>(graph: &mut Graph<'d>, node: Node, contents: &Contents<'d>) {
    let (old, new) = (media(&contents.old), media(&contents.new));
    if !graph.budget.spend(old.len() * new.len() + 1) {
        return;
    }
    let usage = contents.usage;
    let is_single = old.len().max(new.len()) == 1;
    let label = |media: &Media<'_>| match is_single {
        true => contents.label.clone(),
        false => format!("{} (`{}`)", contents.label, media.name),
    };
    for before in &old {
        if let Some(after) = closest(&new, &before.name) {
            contents.compare_media(graph, node, before, after, &label(before));
            continue;
        }
        let is_range = new.iter().any(|it| covers(&before.name, &it.name));
        let (what, verdict) = match usage {
            Usage::Response if is_range => ("is only some of", Verdict::Unjudged),
            _ => ("can no longer be", Verdict::Breaks(Rule::MediaTypeRemoved)),
        };
        let what = format!("{} {what} `{}`", contents.label, before.name);
        graph.report(node, Which::Old.at(&before.at.pointer), &what, verdict);
    }
    for after in &new {
        match closest(&old, &after.name) {
            Some(before) if before.name == after.name => {}
            Some(range) => contents.compare_media(graph, node, range, after, &label(after)),
            None => {
                let is_range = old.iter().any(|it| covers(&after.name, &it.name));
                let verdict = match usage {
                    Usage::Response if is_range => Verdict::Unjudged,
                    _ => Verdict::Compatible,
                };
                let what = format!("{} can now be `{}`", contents.label, after.name);
                graph.report(node, Which::New.at(&after.at.pointer), &what, verdict);
            }
        }
    }
}

impl<'d> Contents<'d> {
    /// Compares the encodings and schemas of two media types; `label` names the body with them.
    fn compare_media(
        &self,
        graph: &mut Graph<'d>,
        node: Node,
        before: &Media<'d>,
        after: &Media<'d>,
        label: &str,
    ) {
        let encodings = [before, after].map(|it| it.at.member("encoding"));
        let are_same = match &encodings {
            [None, None] => true,
            [Some(old), Some(new)] => graph.same(old, new),
            _ => false,
        };
        if !are_same {
            let what = format!("{label} has another encoding");
            let at = Which::New.at(&after.at.pointer);
            graph.report(node, at, &what, Verdict::Unjudged);
        }
        let (old, new) = (before.at.member("schema"), after.at.member("schema"));
        if is_binary(old.as_ref()) && is_binary(new.as_ref()) {
            return;
        }
        let or_anything = |schema: Option<At<'d>>, media: &Media<'d>| {
            vec![schema.unwrap_or_else(|| At::anything(media.at.pointer.clone()))]
        };
        let pair = Pair {
            old: or_anything(old, before),
            new: or_anything(new, after),
            usage: self.usage,
            label: Label::phrase(label),
        };
        graph.add_pair(node, pair);
    }
}

/// Returns the media type with this name, or the narrowest range that covers it.
fn closest<'m, 'd>(all: &'m [Media<'d>], name: &str) -> Option<&'m Media<'d>> {
    let exact = all.iter().find(|it| it.name == name);
    let ranges = || all.iter().filter(|it| covers(&it.name, name));
    exact.or_else(|| ranges().min_by_key(|it| it.name == "*/*"))
}

/// Returns the schema of a parameter or header, which may be that of its only media type.
pub(super) fn only_schema<'d>(at: &At<'d>) -> Option<At<'d>> {
    let of_content = || {
        let content = at.member("content")?;
        content.members().next()?.1.member("schema")
    };
    at.member("schema").or_else(of_content)
}

/// Returns the only media type of a parameter or header, if it has one.
pub(super) fn only_name<'d>(at: &At<'d>) -> Option<&'d str> {
    let content = at.member("content")?;
    content.members().next().map(|(name, _)| name)
}

fn media<'d>(body: &At<'d>) -> Vec<Media<'d>> {
    let content = body.member("content");
    let media = content.iter().flat_map(At::members);
    let mut all: Vec<Media<'d>> = Vec::new();
    let mut names = HashSet::new();
    for (name, at) in media {
        let parts = name.split(';').map(|part| part.trim().to_ascii_lowercase());
        let kept: Vec<_> = parts.filter(|part| !part.starts_with("charset=")).collect();
        let name = kept.join(";");
        if names.insert(name.clone()) {
            all.push(Media { name, at });
        }
    }
    all
}

/// Whether a media range covers a media type (RFC 9110, section 12.5.1).
fn covers(range: &str, name: &str) -> bool {
    match range.strip_suffix("/*") {
        Some("*") => true,
        Some(kind) => name.split_once('/').is_some_and(|(it, _)| it == kind),
        None => false,
    }
}

/// Whether a body is bytes: 3.0 has a format for them, 3.1 no schema (OpenAPI 3.1.1, section
/// 4.8.14.3).
fn is_binary(schema: Option<&At<'_>>) -> bool {
    let Some(schema) = schema else { return true };
    let is_empty = schema.map().is_some_and(|it| it.0.is_empty());
    is_empty || schema.text("format") == Some("binary")
}
