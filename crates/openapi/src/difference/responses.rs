//! Compares the responses of operations: statuses, headers and bodies.
//!
//! Clients treat an unknown status as the first of its class (RFC 9110, section 15), so new
//! statuses do not break them. A status that is not described is covered by its range (`2XX`), then
//! by `default`.

use super::change::{Label, NAME_BYTES_MAX, Usage, Verdict, Which, clipped};
use super::content::{self, Contents};
use super::graph::{Graph, Node, Pair};
use super::pointer::At;
use super::rule::Rule;

/// The name of the response for all statuses that are not described.
const DEFAULT: &str = "default";

type Responses<'d> = Vec<(String, At<'d>)>;

/// Compares the responses of two operations and reports to the node.
pub(super) fn compare<'d>(graph: &mut Graph<'d>, node: Node, old: &At<'d>, new: &At<'d>) {
    let (before, after) = (responses(old), responses(new));
    if !graph.budget.spend(before.len() * after.len() + 1) {
        return;
    }
    let had_default = before.iter().any(|(it, _)| it == DEFAULT);
    for (status, response) in &before {
        match covering(&after, status) {
            Some((name, counterpart)) => {
                if name == DEFAULT && status != DEFAULT && had_default && !is_error(status) {
                    let what = format!("The response {status} is described by `default` alone");
                    let at = Which::Old.at(&response.pointer);
                    graph.report(node, at, &what, Verdict::Unjudged);
                }
                let old = graph.old.followed(response.clone());
                let new = graph.new.followed(counterpart);
                pair(graph, node, status, old, new);
            }
            None => {
                let verdict = match is_error(status) || status == DEFAULT {
                    true => Verdict::Compatible,
                    false => Verdict::Breaks(Rule::ResponseRemoved),
                };
                let what = format!("The response {status} is no longer described");
                graph.report(node, Which::Old.at(&response.pointer), &what, verdict);
            }
        }
    }
    for (status, response) in &after {
        if before.iter().any(|(it, _)| it == status) {
            continue;
        }
        let described = covering(&before, status);
        // Before, it was the default: often of errors alone.
        let is_unclear = !is_error(status)
            && matches!(&described, Some((DEFAULT, it)) if !graph.same(it, response));
        let verdict = match is_unclear {
            true => Verdict::Unjudged,
            false => Verdict::Compatible,
        };
        let what = format!("The response {status} is new");
        graph.report(node, Which::New.at(&response.pointer), &what, verdict);
        if let Some((_, described)) = described.filter(|_| !is_unclear) {
            let old = graph.old.followed(described);
            let new = graph.new.followed(response.clone());
            pair(graph, node, status, old, new);
        }
    }
}

fn is_error(status: &str) -> bool {
    matches!(status.as_bytes(), [b'4' | b'5', ..])
}

/// The responses of an operation by status, ranges in upper case.
fn responses<'d>(operation: &At<'d>) -> Responses<'d> {
    let responses = operation.member("responses");
    let responses = responses.iter().flat_map(At::members);
    let described =
        responses.filter(|(status, it)| !status.starts_with("x-") && it.map().is_some());
    let name = |status: &str| match status {
        DEFAULT => status.to_owned(),
        status => clipped(status, NAME_BYTES_MAX).to_ascii_uppercase(),
    };
    described.map(|(status, it)| (name(status), it)).collect()
}

/// The response that describes a status, and its name: its own, that of its range, or the default.
fn covering<'r, 'd>(responses: &'r Responses<'d>, status: &str) -> Option<(&'r str, At<'d>)> {
    let range = status.chars().next().map(|class| format!("{class}XX"));
    let names = [Some(status), range.as_deref(), Some(DEFAULT)];
    names.into_iter().flatten().find_map(|name| {
        let found = responses.iter().find(|(it, _)| it == name);
        found.map(|(name, response)| (&**name, response.clone()))
    })
}

fn pair<'d>(graph: &mut Graph<'d>, node: Node, status: &str, old: At<'d>, new: At<'d>) {
    if !graph.budget.spend(old.weight() + new.weight()) {
        return;
    }
    let texts = |response: &At<'d>| response.text("description").unwrap_or_default();
    if texts(&old) != texts(&new) {
        graph.report_texts(node);
    }
    headers(graph, node, status, &old, &new);
    let label = match status {
        DEFAULT => "the body of the default response".to_owned(),
        status => format!("the body of response {status}"),
    };
    let contents = Contents {
        usage: Usage::Response,
        old,
        new,
        label,
    };
    content::compare(graph, node, &contents);
}

fn headers<'d>(graph: &mut Graph<'d>, node: Node, status: &str, old: &At<'d>, new: &At<'d>) {
    let (before, after) = (described_headers(old), described_headers(new));
    if !graph.budget.spend(before.len() * after.len() + 1) {
        return;
    }
    for (name, header) in &before {
        let header = graph.old.followed(header.clone());
        if !graph.budget.spend(header.weight()) {
            return;
        }
        let label = format!("the header `{name}` of response {status}");
        let counterpart = after.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        let was_required = header.is("required");
        let Some((_, counterpart)) = counterpart else {
            let verdict = match was_required {
                true => Verdict::Breaks(Rule::ResponsePropertyRemoved),
                false => Verdict::Unjudged,
            };
            let what = format!("The header `{name}` of response {status} is no longer described");
            graph.report(node, Which::Old.at(&header.pointer), &what, verdict);
            continue;
        };
        let counterpart = graph.new.followed(counterpart.clone());
        graph.budget.spend(counterpart.weight());
        if was_required && !counterpart.is("required") {
            let what = format!("The header `{name}` of response {status} is now optional");
            let verdict = Verdict::Breaks(Rule::ResponsePropertyRemoved);
            graph.report(node, Which::New.at(&counterpart.pointer), &what, verdict);
        }
        if content::only_name(&header) != content::only_name(&counterpart) {
            let what = format!("{label} has another media type, or none");
            let at = Which::New.at(&counterpart.pointer);
            graph.report(node, at, &what, Verdict::Unjudged);
        }
        let schema = |it: &At<'d>| {
            let schema = content::only_schema(it);
            vec![schema.unwrap_or_else(|| At::anything(it.pointer.clone()))]
        };
        let pair = Pair {
            old: schema(&header),
            new: schema(&counterpart),
            usage: Usage::Response,
            label: Label::phrase(&label),
        };
        graph.add_pair(node, pair);
    }
    for (name, header) in &after {
        if !before.iter().any(|(it, _)| it.eq_ignore_ascii_case(name)) {
            let what = format!("The header `{name}` of response {status} is new");
            let at = Which::New.at(&header.pointer);
            graph.report(node, at, &what, Verdict::Compatible);
        }
    }
}

/// The headers of a response but `Content-Type`, which `content` describes.
fn described_headers<'d>(response: &At<'d>) -> Vec<(&'d str, At<'d>)> {
    let headers = response.member("headers");
    let headers = headers.iter().flat_map(At::members);
    let others = headers.filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    others.collect()
}
