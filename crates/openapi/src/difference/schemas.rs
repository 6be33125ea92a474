//! Compares pairs of schemas until none is left.

use std::collections::HashSet;

use super::alternatives;
use super::change::{
    BOUND, ENUMERATION, NAME_BYTES_MAX, NULL, Shift, TYPE, Usage, Verdict, Which, clipped,
};
use super::graph::{Graph, Node, Pair};
use super::pointer::{At, Pointer};
use super::properties;
use super::schema::{Schema, merged, pointer_of};
use super::site::Site;
use super::types::Types;

/// Values of an enumeration that a sentence names.
const NAMED_MAX: usize = 5;
/// Formats, each with those that contain its values.
const WIDER_FORMATS: [(&str, &[&str]); 2] =
    [("int32", &["int64", "double"]), ("float", &["double"])];

/// Formats of numbers. They are not compared if one side allows integers alone.
const NUMBER_FORMATS: [&str; 4] = ["int32", "int64", "float", "double"];

/// Compares all pairs of the graph, and those that they add.
pub(super) fn compare_all(graph: &mut Graph<'_>) {
    while let Some((node, pair)) = graph.next_pair() {
        compare(graph, node, &pair);
    }
}

fn compare<'d>(graph: &mut Graph<'d>, node: Node, pair: &Pair<'d>) {
    let old = merged(&graph.old, &pair.old, &graph.budget);
    let new = merged(&graph.new, &pair.new, &graph.budget);
    let nowhere = Pointer::default();
    let mut site = Site {
        graph,
        node,
        usage: pair.usage,
        label: &pair.label,
        old: pointer_of(&pair.old, &nowhere),
        new: pointer_of(&pair.new, &nowhere),
    };
    if old.is_cut || new.is_cut {
        site.graph.cut();
    }
    match alternatives::compare(&mut site, &pair.old, &old, &pair.new, &new) {
        alternatives::Outcome::Whole => {}
        alternatives::Outcome::Base => {
            if old.texts != new.texts {
                site.graph.report_texts(node);
            }
            let Some(shared) = types(&mut site, &old, &new) else {
                return;
            };
            nullability(&mut site, &old, &new);
            keywords(&mut site, &old, &new, shared);
            if old.types.is_some() != new.types.is_some() {
                return;
            }
            if shared.intersects(Types::OBJECT) {
                properties::compare(&mut site, &old, &new);
            }
            if shared.intersects(Types::ARRAY) {
                let label = site.label.items();
                site.pair(old.items, new.items, label);
            }
        }
    }
}

/// Compares types. Returns those that values of both sides can have; `None` if there are none, or
/// one side allows everything.
fn types(site: &mut Site<'_, '_>, old: &Schema<'_>, new: &Schema<'_>) -> Option<Types> {
    let (what, shift) = match (old.types, new.types) {
        (None, None) => return Some(Types::ALL),
        (None, Some(types)) => (format!("must be {}", types.words()), Shift::Narrower),
        (Some(types), None) => {
            let what = format!("may be anything instead of {}", types.words());
            (what, Shift::Wider)
        }
        (Some(old), Some(new)) if old == new => return Some(old),
        (Some(old), Some(new)) => {
            let shift = match (new.contains(old), old.contains(new)) {
                (true, _) => Shift::Wider,
                (_, true) => Shift::Narrower,
                _ => Shift::Both,
            };
            (
                format!("is {} instead of {}", new.words(), old.words()),
                shift,
            )
        }
    };
    site.shift(&what, shift, TYPE);
    let of = |schema: &Schema<'_>| schema.types.unwrap_or(Types::ALL);
    let shared = of(old).shared(of(new));
    let is_any = old.is_anything() || new.is_anything();
    (!is_any && shared != Types::NONE).then_some(shared)
}

fn nullability(site: &mut Site<'_, '_>, old: &Schema<'_>, new: &Schema<'_>) {
    if old.is_anything() || new.is_anything() {
        return;
    }
    match (old.is_nullable, new.is_nullable) {
        (true, false) => site.shift("can no longer be null", Shift::Narrower, NULL),
        (false, true) => site.shift("can now be null", Shift::Wider, NULL),
        _ => {}
    }
}

/// Compares the keywords that are about values of the shared types.
fn keywords<'d>(site: &mut Site<'_, 'd>, old: &Schema<'d>, new: &Schema<'d>, shared: Types) {
    let is_number = |it: &str| NUMBER_FORMATS.contains(&it);
    let is_of_text = ![old.format, new.format]
        .into_iter()
        .flatten()
        .any(is_number);
    if old.types == new.types || is_of_text && shared.intersects(Types::STRING) {
        format(site, old.format, new.format);
    }
    enumeration(site, old.enumeration.as_deref(), new.enumeration.as_deref());
    for (shift, what) in new.bounds.changes(&old.bounds, shared) {
        site.shift(&what, shift, BOUND);
    }
    if site.usage == Usage::Request && old.default != new.default {
        site.report("has another default", Verdict::Unjudged);
    }
    if old.unresolved != new.unresolved {
        site.report(
            "refers to other places that are not read",
            Verdict::Unjudged,
        );
    }
    others(site, &old.others, &new.others);
}

fn format(site: &mut Site<'_, '_>, old: Option<&str>, new: Option<&str>) {
    let is_wider = |narrow: &str, wide: &str| {
        let known = WIDER_FORMATS.iter().find(|(name, _)| *name == narrow);
        known.is_some_and(|(_, wider)| wider.contains(&wide))
    };
    let (what, shift) = match (old, new) {
        (None, Some(new)) => (format!("has the format {new}"), Shift::Narrower),
        (Some(old), None) => (format!("no longer has the format {old}"), Shift::Wider),
        (Some(old), Some(new)) if old != new => {
            let shift = match (is_wider(old, new), is_wider(new, old)) {
                (true, _) => Shift::Wider,
                (_, true) => Shift::Narrower,
                _ => Shift::Both,
            };
            (format!("has the format {new} instead of {old}"), shift)
        }
        _ => return,
    };
    site.shift(&what, shift, TYPE);
}

fn enumeration(site: &mut Site<'_, '_>, old: Option<&[String]>, new: Option<&[String]>) {
    let (old, new) = match (old, new) {
        (None, None) => return,
        (None, Some(new)) => {
            let what = format!("must be one of {}", named(new.iter()));
            return site.shift(&what, Shift::Narrower, ENUMERATION);
        }
        (Some(_), None) => {
            let what = "may have other values than those of the enumeration";
            return site.shift(what, Shift::Wider, ENUMERATION);
        }
        (Some(old), Some(new)) => (old, new),
    };
    let (before, after): (HashSet<_>, HashSet<_>) = (old.iter().collect(), new.iter().collect());
    let mut gone = old.iter().filter(|it| !after.contains(it)).peekable();
    if gone.peek().is_some() {
        let what = format!("can no longer be {}", named(gone));
        site.shift(&what, Shift::Narrower, ENUMERATION);
    }
    let mut added = new.iter().filter(|it| !before.contains(it)).peekable();
    if added.peek().is_some() {
        let what = format!("can now be {}", named(added));
        site.shift(&what, Shift::Wider, ENUMERATION);
    }
}

fn named<'v>(values: impl Iterator<Item = &'v String>) -> String {
    let values: Vec<_> = values.collect();
    let mut text: Vec<_> = values
        .iter()
        .take(NAMED_MAX)
        .map(|it| format!("`{}`", clipped(it, NAME_BYTES_MAX)))
        .collect();
    if values.len() > NAMED_MAX {
        text.push(format!("{} more", values.len() - NAMED_MAX));
    }
    text.join(", ")
}

/// Keywords that are compared exactly.
fn others<'d>(site: &mut Site<'_, 'd>, old: &[(&'d str, At<'d>)], new: &[(&'d str, At<'d>)]) {
    let find = |list: &[(&'d str, At<'d>)], key: &str| {
        let found = list.iter().find(|(it, _)| *it == key);
        found.map(|(_, at)| at.clone())
    };
    let gone = old.iter().filter(|(key, _)| find(new, key).is_none());
    for (key, at) in gone {
        let what = format!("no longer has the keyword `{key}`");
        site.report_at(Which::Old.at(&at.pointer), &what, Verdict::Unjudged);
    }
    for (key, at) in new {
        let what = match find(old, key) {
            None => format!("has the keyword `{key}`"),
            Some(before) if !site.graph.same(&before, at) => {
                format!("has another value of the keyword `{key}`")
            }
            Some(_) => continue,
        };
        site.report_at(Which::New.at(&at.pointer), &what, Verdict::Unjudged);
    }
}
