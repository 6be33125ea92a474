//! Compares the alternatives of `oneOf` and `anyOf`, as sets.
//!
//! Alternatives are paired if they name the same component, have the same meaning or the same
//! title, the others in their order. A set is not narrower if each old alternative has one that is
//! not. Alternatives without a counterpart are gone or new. A schema without alternatives is a set
//! of one.

use std::collections::HashSet;

use super::change::{Label, NAME_BYTES_MAX, NULL, Shift, TYPE, Usage, Verdict, Which, clipped};
use super::pointer::At;
use super::schema::Schema;
use super::site::Site;
use super::types::Types;

/// Alternatives that are compared with each other; more are compared as a whole.
const COMPARED_MAX: usize = 200;

/// The remaining work on a pair of schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing.
    Whole,
    /// Everything but the alternatives.
    Base,
}

/// Compares the alternatives of two schemas, each merged from its parts.
pub(super) fn compare<'d>(
    site: &mut Site<'_, 'd>,
    old_parts: &[At<'d>],
    old: &Schema<'d>,
    new_parts: &[At<'d>],
    new: &Schema<'d>,
) -> Outcome {
    match (old.groups.len(), new.groups.len()) {
        (0, 0) => {}
        (0, 1) if is_only_group(new) && !old.is_anything() => {
            if new.is_nullable && !old.is_nullable {
                site.shift("can now be null", Shift::Wider, NULL);
            }
            match as_set(old_parts, old) {
                Some(set) => sets(site, set, single(&new.groups[0])),
                None => site.report("has other alternatives", Verdict::Unjudged),
            }
            return Outcome::Whole;
        }
        (1, 0) if is_only_group(old) && !new.is_anything() => {
            if old.is_nullable && !new.is_nullable {
                site.shift("can no longer be null", Shift::Narrower, NULL);
            }
            match as_set(new_parts, new) {
                Some(set) => sets(site, single(&old.groups[0]), set),
                None => site.report("has other alternatives", Verdict::Unjudged),
            }
            return Outcome::Whole;
        }
        (before, after) if before == after => {
            for (old, new) in old.groups.iter().zip(&new.groups) {
                sets(site, single(old), single(new));
            }
        }
        (0, _) => site.shift(
            "must match one of several alternatives",
            Shift::Narrower,
            TYPE,
        ),
        (_, 0) => no_longer(site, old, new),
        _ => site.report("has other alternatives", Verdict::Unjudged),
    }
    Outcome::Base
}

/// Reports that a schema has no alternatives any more. Properties that are new in it may have been
/// those of alternatives, with other schemas.
fn no_longer<'d>(site: &mut Site<'_, 'd>, old: &Schema<'d>, new: &Schema<'d>) {
    let known: HashSet<_> = old.properties.iter().map(|(name, _)| *name).collect();
    let mut described = new.properties.iter();
    let verdict = match site.usage {
        Usage::Request if described.any(|(name, _)| !known.contains(name)) => Verdict::Unjudged,
        usage => usage.judge(Shift::Wider, TYPE),
    };
    site.report("no longer has alternatives", verdict);
}

/// Whether nothing is known of a schema but one set of alternatives.
fn is_only_group(schema: &Schema<'_>) -> bool {
    schema.groups.len() == 1 && schema.is_bare()
}

/// A schema without alternatives as a set; `None` if it has several types.
fn as_set<'d>(parts: &[At<'d>], schema: &Schema<'d>) -> Option<Vec<Vec<At<'d>>>> {
    if !schema.plain_group.is_empty() {
        return Some(single(&schema.plain_group));
    }
    let has_several = schema.types.is_some_and(Types::are_several);
    (!has_several).then(|| vec![parts.to_vec()])
}

/// Alternatives, each of one part.
fn single<'d>(group: &[At<'d>]) -> Vec<Vec<At<'d>>> {
    group.iter().map(|it| vec![it.clone()]).collect()
}

fn sets<'d>(site: &mut Site<'_, 'd>, old: Vec<Vec<At<'d>>>, new: Vec<Vec<At<'d>>>) {
    if old.len().max(new.len()) > COMPARED_MAX {
        let same = old.len() == new.len()
            && old
                .iter()
                .zip(&new)
                .all(|(old, new)| match (&**old, &**new) {
                    ([old], [new]) => site.graph.same(old, new),
                    _ => false,
                });
        if !same {
            site.report("has other alternatives", Verdict::Unjudged);
        }
        return;
    }
    if !site.graph.budget.spend(old.len() * new.len() + 1) {
        return;
    }
    let mut left = new;
    let old = matched(site, old, &mut left, |_, old, new| {
        component(old).is_some_and(|name| component(new).as_ref() == Some(&name))
    });
    let old = matched(site, old, &mut left, |site, old, new| match (old, new) {
        ([old], [new]) => site.graph.same(old, new),
        _ => false,
    });
    let mut old = matched(site, old, &mut left, |_, old, new| {
        title(old).is_some_and(|it| title(new) == Some(it))
    });
    let paired = old.len().min(left.len());
    let pairs: Vec<_> = old.drain(..paired).zip(left.drain(..paired)).collect();
    for (old, new) in pairs {
        pair(site, old, new);
    }
    for alternative in &old {
        report(site, Which::Old, alternative);
    }
    for alternative in &left {
        report(site, Which::New, alternative);
    }
}

/// Pairs alternatives and returns the old ones that have no counterpart.
fn matched<'g, 'd>(
    site: &mut Site<'g, 'd>,
    old: Vec<Vec<At<'d>>>,
    new: &mut Vec<Vec<At<'d>>>,
    are_same: impl Fn(&Site<'g, 'd>, &[At<'d>], &[At<'d>]) -> bool,
) -> Vec<Vec<At<'d>>> {
    let mut left = Vec::new();
    for alternative in old {
        let place = new.iter().position(|it| are_same(site, &alternative, it));
        match place {
            Some(place) => {
                let counterpart = new.remove(place);
                pair(site, alternative, counterpart);
            }
            None => left.push(alternative),
        }
    }
    left
}

fn pair<'d>(site: &mut Site<'_, 'd>, old: Vec<At<'d>>, new: Vec<At<'d>>) {
    let label = match component(&new) {
        Some(name) if component(&old).is_some() => Label::component(&name),
        _ => site.label.clone(),
    };
    site.pair(old, new, label);
}

fn report<'d>(site: &mut Site<'_, 'd>, document: Which, alternative: &[At<'d>]) {
    let Some(first) = alternative.first() else {
        return;
    };
    let name = match (component(alternative), title(alternative)) {
        (Some(name), _) => format!(" `{name}`"),
        (None, Some(title)) => format!(" `{}`", clipped(title, NAME_BYTES_MAX)),
        (None, None) => String::new(),
    };
    let (what, shift) = match document {
        Which::Old => (
            format!("no longer has the alternative{name}"),
            Shift::Narrower,
        ),
        Which::New => (format!("has the new alternative{name}"), Shift::Wider),
    };
    let verdict = site.usage.judge(shift, TYPE);
    site.report_at(document.at(&first.pointer), &what, verdict);
}

fn title<'d>(alternative: &[At<'d>]) -> Option<&'d str> {
    alternative.first()?.text("title")
}

/// The name of the component that an alternative is.
fn component(alternative: &[At<'_>]) -> Option<String> {
    let [only] = alternative else { return None };
    let pointer = only.pointer.to_string();
    let name = pointer.strip_prefix("/components/schemas/")?;
    let is_component = !name.contains('/');
    is_component.then(|| name.replace("~1", "/").replace("~0", "~"))
}
