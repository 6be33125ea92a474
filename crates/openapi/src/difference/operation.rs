//! Compares two operations, and the parts of documents outside of operations.

use super::bodies;
use super::change::{Change, Verdict, Which};
use super::graph::{Graph, Node};
use super::operations::Operation;
use super::parameters;
use super::pointer::Pointer;
use super::responses;
use super::security;

/// Members that describe an operation.
const TEXTS: [&str; 4] = ["summary", "description", "tags", "externalDocs"];

/// Compares two operations but for their schemas, which are added to the graph. Returns the node of
/// their changes.
pub(super) fn compare<'d>(graph: &mut Graph<'d>, old: &Operation<'d>, new: &Operation<'d>) -> Node {
    let node = graph.add_operation(new.at.pointer.clone());
    if graph.budget.is_spent() {
        return node;
    }
    names(graph, node, old, new);
    parameters::compare(graph, node, old, new);
    bodies::compare(graph, node, &old.at, &new.at);
    responses::compare(graph, node, &old.at, &new.at);
    security::compare(graph, node, &old.at, &new.at);
    let member = |it: &Operation<'d>, key| it.at.member(key);
    let are_same = |key| match (member(old, key), member(new, key)) {
        (Some(old), Some(new)) => graph.same(&old, &new),
        (old, new) => old.is_none() && new.is_none(),
    };
    if !are_same("callbacks") {
        let what = "The callbacks changed";
        let at = Which::New.at(&new.at.pointer);
        graph.report(node, at, what, Verdict::Unjudged);
    }
    let value = |it: &Operation<'d>, key| member(it, key).map(|it| it.value);
    if TEXTS.iter().any(|key| value(old, key) != value(new, key)) {
        graph.report_texts(node);
    }
    node
}

fn names<'d>(graph: &mut Graph<'d>, node: Node, old: &Operation<'d>, new: &Operation<'d>) {
    let at = Which::New.at(&new.at.pointer);
    let mut report = |what: String| graph.report(node, at, &what, Verdict::Compatible);
    if old.path != new.path {
        report(format!(
            "The path is `{}` instead of `{}`",
            new.path, old.path
        ));
    }
    if old.id() != new.id() {
        report("The operationId changed, which renames methods of generated clients".to_owned());
    }
    if !old.at.is("deprecated") && new.at.is("deprecated") {
        report("The operation is now deprecated".to_owned());
    }
}

/// The one change of all descriptions of an operation.
pub(super) fn description_change(graph: &Graph<'_>, node: Node) -> Change {
    let nowhere = Pointer::default();
    let pointer = graph.operation_pointer(node).unwrap_or(&nowhere);
    let what = "Descriptions changed";
    Change::new(Which::New.at(pointer), what, Verdict::Compatible)
}

/// Returns the changes outside of operations.
pub(super) fn document_changes(graph: &Graph<'_>) -> Vec<Change> {
    let mut changes = security::scheme_changes(&graph.old, &graph.new);
    let webhooks = (
        graph.old.root().member("webhooks"),
        graph.new.root().member("webhooks"),
    );
    let at = match &webhooks {
        (Some(old), Some(new)) if !graph.same(old, new) => Some(Which::New.at(&new.pointer)),
        (Some(old), None) => Some(Which::Old.at(&old.pointer)),
        (None, Some(new)) => Some(Which::New.at(&new.pointer)),
        _ => None,
    };
    let change = at.map(|at| Change::new(at, "The webhooks changed", Verdict::Unjudged));
    changes.extend(change);
    changes
}
