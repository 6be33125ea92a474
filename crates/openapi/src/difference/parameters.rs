//! Compares the parameters of an operation.
//!
//! Parameters of the path are the same if they are at the same position of it. Names of header
//! fields are compared without case; `Accept`, `Content-Type` and `Authorization` are not
//! parameters (OpenAPI 3.0.4, Parameter Object).

use std::collections::HashMap;

use super::change::{Label, NAME_BYTES_MAX, Shift, TYPE, Usage, Verdict, Which, clipped};
use super::content;
use super::document::{Budget, Side};
use super::graph::{Graph, Node, Pair};
use super::operations::Operation;
use super::pointer::At;
use super::rule::Rule;
use super::schema::{self, Schema};
use super::types::Types;

const NO_PARAMETERS: [&str; 3] = ["accept", "content-type", "authorization"];

#[derive(Debug)]
struct Parameter<'d> {
    place: &'d str,
    name: &'d str,
    at: At<'d>,
}

/// How a value is written.
#[derive(Debug, PartialEq, Eq)]
struct Style<'d> {
    /// The media type, if it has one.
    content: Option<&'d str>,
    style: &'d str,
    explode: bool,
}

impl<'d> Parameter<'d> {
    fn is_required(&self) -> bool {
        self.place == "path" || self.at.is("required")
    }

    fn schema(&self) -> Vec<At<'d>> {
        let schema = content::only_schema(&self.at);
        vec![schema.unwrap_or_else(|| At::anything(self.at.pointer.clone()))]
    }

    fn style(&self) -> Style<'d> {
        let style = self.at.text("style").unwrap_or(match self.place {
            "query" | "cookie" => "form",
            _ => "simple",
        });
        let explode = match self.at.member("explode") {
            Some(_) => self.at.is("explode"),
            None => style == "form",
        };
        Style {
            content: content::only_name(&self.at),
            style,
            explode,
        }
    }

    fn words(&self) -> String {
        let name = clipped(self.name, NAME_BYTES_MAX);
        match self.place {
            "header" => format!("the header `{name}`"),
            "cookie" => format!("the cookie `{name}`"),
            place => format!("the {} parameter `{name}`", clipped(place, NAME_BYTES_MAX)),
        }
    }
}

/// Compares the parameters of two operations and reports to the node.
pub(super) fn compare<'d>(
    graph: &mut Graph<'d>,
    node: Node,
    old: &Operation<'d>,
    new: &Operation<'d>,
) {
    let is_same_shape = segments(old) == segments(new);
    let key = |operation: &Operation<'d>, it: &Parameter<'d>| match it.place {
        "path" if is_same_shape => {
            let at = operation.position(it.name);
            let key = at.map_or_else(|| it.name.to_owned(), |at| at.to_string());
            ("path", key)
        }
        "header" => ("header", it.name.to_ascii_lowercase()),
        place => (place, it.name.to_owned()),
    };
    let before = parameters(&graph.old, old, &graph.budget);
    let after = parameters(&graph.new, new, &graph.budget);
    if graph.budget.is_spent() {
        return;
    }
    let keyed = before.iter().map(|it| (key(old, it), it));
    let mut before: HashMap<_, _> = keyed.collect();
    for parameter in &after {
        match before.remove(&key(new, parameter)) {
            Some(counterpart) => kept(graph, node, counterpart, parameter),
            None => added(graph, node, parameter),
        }
    }
    let mut gone: Vec<_> = before.into_values().collect();
    gone.sort_by_key(|it| (it.place, it.name));
    for parameter in gone {
        let verdict = match parameter.place {
            "path" => Verdict::Unjudged,
            _ => Verdict::Breaks(Rule::ParameterRemoved),
        };
        let what = format!("{} is no longer described", parameter.words());
        let at = Which::Old.at(&parameter.at.pointer);
        graph.report(node, at, &what, verdict);
    }
}

/// Returns the shape of an operation's path, with a rest as a segment.
fn segments(operation: &Operation<'_>) -> String {
    let shape = operation.template.shape();
    shape.replace("{*}", "{}").replace("{+}", "{}")
}

/// The parameters of an operation, in their order: its own, then those of its path.
fn parameters<'d>(
    side: &Side<'d>,
    operation: &Operation<'d>,
    budget: &Budget,
) -> Vec<Parameter<'d>> {
    let own = operation.at.member("parameters");
    let all = own.iter().chain(&operation.shared).flat_map(At::items);
    let read = all.map_while(|at| {
        let at = side.followed(at);
        budget.spend(at.weight()).then_some(at)
    });
    let mut seen = std::collections::HashSet::new();
    let parameters = read.filter_map(|at| {
        let (place, name) = (at.text("in")?, at.text("name")?);
        let is_ignored = place == "header" && NO_PARAMETERS.contains(&&*name.to_ascii_lowercase());
        let is_first = !is_ignored && seen.insert((place, name));
        is_first.then_some(Parameter { place, name, at })
    });
    parameters.collect()
}

fn kept<'d>(graph: &mut Graph<'d>, node: Node, old: &Parameter<'d>, new: &Parameter<'d>) {
    let at = Which::New.at(&new.at.pointer);
    let mut report = |what: &str, verdict| {
        let what = format!("{} {what}", new.words());
        graph.report(node, at, &what, verdict);
    };
    match (old.is_required(), new.is_required()) {
        (false, true) => report("is now required", Verdict::Breaks(Rule::ParameterRequired)),
        (true, false) => report("is now optional", Verdict::Compatible),
        _ => {}
    }
    if !old.at.is("deprecated") && new.at.is("deprecated") {
        report("is now deprecated", Verdict::Compatible);
    }
    for key in ["allowReserved", "allowEmptyValue"] {
        match (old.at.is(key), new.at.is(key)) {
            (true, false) => {
                let what = format!("no longer has `{key}`");
                report(&what, Usage::Request.judge(Shift::Narrower, TYPE));
            }
            (false, true) => report(&format!("has `{key}`"), Verdict::Compatible),
            _ => {}
        }
    }
    if old.at.text("description") != new.at.text("description") {
        graph.report_texts(node);
    }
    let (before, after) = (old.schema(), new.schema());
    let before_schema = schema::merged(&graph.old, &before, &graph.budget);
    let after_schema = schema::merged(&graph.new, &after, &graph.budget);
    let mut report = |what: &str, verdict| {
        let what = format!("{} {what}", new.words());
        graph.report(node, at, &what, verdict);
    };
    let (before_style, after_style) = (old.style(), new.style());
    if before_style.differs(&after_style, &before_schema, &after_schema) {
        let verdict = Usage::Request.judge(Shift::Both, TYPE);
        report("is written in another style", verdict);
    } else if after_style.content.is_none() && is_any_text(&before_schema, &after_schema) {
        // Everything that was valid is a text in paths, queries and header fields.
        return report("may be any text", Verdict::Compatible);
    }
    let pair = Pair {
        old: before,
        new: after,
        usage: Usage::Request,
        label: Label::phrase(&new.words()),
    };
    graph.add_pair(node, pair);
}

impl Style<'_> {
    /// Whether values of these schemas are written differently. Single values look alike with and
    /// without `explode`, and in all styles but `label` and `matrix`.
    fn differs(&self, other: &Self, old: &Schema<'_>, new: &Schema<'_>) -> bool {
        let is_single = |schema: &Schema<'_>| {
            let types = schema.types;
            schema.groups.is_empty() && types.is_some_and(|it| Types::PLAIN.contains(it))
        };
        let prefix = |style: &Self| match style.style {
            "label" => Some('.'),
            "matrix" => Some(';'),
            _ => None,
        };
        if self.content != other.content || prefix(self) != prefix(other) {
            return true;
        }
        let are_single = is_single(old) && is_single(new);
        self != other && !are_single
    }
}

/// Whether single values of other types than text may now be any text.
fn is_any_text(old: &Schema<'_>, new: &Schema<'_>) -> bool {
    let is_single = |types: Types| Types::PLAIN.contains(types) && types != Types::STRING;
    old.groups.is_empty()
        && old.types.is_some_and(is_single)
        && new.types == Some(Types::STRING)
        && new.is_bare_type()
}

fn added<'d>(graph: &mut Graph<'d>, node: Node, parameter: &Parameter<'d>) {
    let (what, verdict) = match (parameter.place, parameter.is_required()) {
        // The path has it anyway.
        ("path", _) => ("is newly described", Verdict::Unjudged),
        (_, true) => (
            "is new and required",
            Verdict::Breaks(Rule::ParameterRequired),
        ),
        (_, false) => ("is new and optional", Verdict::Compatible),
    };
    let what = format!("{} {what}", parameter.words());
    graph.report(node, Which::New.at(&parameter.at.pointer), &what, verdict);
}
