//! Compares the request bodies of operations.

use super::change::{Usage, Verdict, Which};
use super::content::{self, Contents};
use super::graph::{Graph, Node};
use super::pointer::At;
use super::rule::Rule;

/// Compares the request bodies of two operations and reports to the node.
pub(super) fn compare<'d>(graph: &mut Graph<'d>, node: Node, old: &At<'d>, new: &At<'d>) {
    let before = old.member("requestBody").map(|it| graph.old.followed(it));
    let after = new.member("requestBody").map(|it| graph.new.followed(it));
    let weights = before.iter().chain(&after).map(At::weight);
    if !graph.budget.spend(weights.sum()) {
        return;
    }
    let (old, new) = match (before, after) {
        (None, None) => return,
        (Some(old), Some(new)) => (old, new),
        (None, Some(new)) => {
            let (what, verdict) = match new.is("required") {
                true => (
                    "A request body is new and required",
                    Verdict::Breaks(Rule::BodyRequired),
                ),
                false => ("A request body is new and optional", Verdict::Compatible),
            };
            return graph.report(node, Which::New.at(&new.pointer), what, verdict);
        }
        (Some(old), None) => {
            let verdict = Verdict::Breaks(Rule::MediaTypeRemoved);
            let what = "The request body is no longer described";
            return graph.report(node, Which::Old.at(&old.pointer), what, verdict);
        }
    };
    let finding = match (old.is("required"), new.is("required")) {
        (false, true) => Some((
            "The request body is now required",
            Verdict::Breaks(Rule::BodyRequired),
        )),
        (true, false) => Some(("The request body is now optional", Verdict::Compatible)),
        _ => None,
    };
    if let Some((what, verdict)) = finding {
        graph.report(node, Which::New.at(&new.pointer), what, verdict);
    }
    if old.text("description") != new.text("description") {
        graph.report_texts(node);
    }
    let contents = Contents {
        usage: Usage::Request,
        old,
        new,
        label: "the request body".to_owned(),
    };
    content::compare(graph, node, &contents);
}
