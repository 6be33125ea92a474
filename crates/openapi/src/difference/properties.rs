//! Compares the properties of objects.
//!
//! Properties that are `readOnly` are none of requests, those that are `writeOnly` none of
//! responses (OpenAPI 3.0.4, Schema Object).

use std::collections::{HashMap, HashSet};

use super::change::{BOUND, Shift, Usage, Verdict, Which};
use super::document::Side;
use super::pointer::At;
use super::rule::Rule;
use super::schema::{Additional, Schema};
use super::site::Site;

/// The properties of one side, as far as they are used.
struct Properties<'s, 'd> {
    list: Vec<(&'d str, &'s [At<'d>])>,
    places: HashMap<&'d str, usize>,
    required: Vec<&'d str>,
    is_required: HashSet<&'d str>,
    additional: &'s Additional<'d>,
}

impl<'s, 'd> Properties<'s, 'd> {
    fn new(side: &Side<'d>, schema: &'s Schema<'d>, usage: Usage) -> Self {
        let flag = match usage {
            Usage::Request => "readOnly",
            Usage::Response => "writeOnly",
        };
        let is_hidden = |parts: &[At<'d>]| {
            let mut parts = parts.iter();
            parts.any(|part| part.is(flag) || side.followed(part.clone()).is(flag))
        };
        let (mut list, mut places) = (Vec::new(), HashMap::new());
        let mut hidden = HashSet::new();
        for (name, parts) in &schema.properties {
            if is_hidden(parts) {
                hidden.insert(*name);
            } else {
                places.insert(*name, list.len());
                list.push((*name, parts.as_slice()));
            }
        }
        let mut is_required = HashSet::new();
        let required = schema.required.iter().copied();
        let required = required.filter(|name| !hidden.contains(name) && is_required.insert(*name));
        Self {
            list,
            places,
            required: required.collect(),
            is_required,
            additional: &schema.additional,
        }
    }

    fn parts(&self, name: &str) -> Option<&'s [At<'d>]> {
        self.places.get(name).map(|&place| self.list[place].1)
    }

    fn requires(&self, name: &str) -> bool {
        self.is_required.contains(name)
    }
}

/// Compares the properties, which of them are required, and which others there may be.
pub(super) fn compare<'d>(site: &mut Site<'_, 'd>, old: &Schema<'d>, new: &Schema<'d>) {
    let old = Properties::new(&site.graph.old, old, site.usage);
    let new = Properties::new(&site.graph.new, new, site.usage);
    for &(name, parts) in &old.list {
        match new.parts(name) {
            Some(after) if site.graph.is_plainly_equal(parts, after) => {}
            Some(after) => {
                let label = site.label.property(name);
                site.pair(parts.to_vec(), after.to_vec(), label);
            }
            None => removed(site, name, parts, &old, &new),
        }
    }
    for &(name, parts) in &new.list {
        if old.parts(name).is_none() {
            added(site, name, parts, &old, &new);
        }
    }
    requirements(site, &old, &new);
    additional(site, old.additional, new.additional);
}

fn removed<'d>(
    site: &mut Site<'_, 'd>,
    name: &'d str,
    parts: &[At<'d>],
    old: &Properties<'_, 'd>,
    new: &Properties<'_, 'd>,
) {
    let verdict = match (site.usage, new.additional) {
        (Usage::Response, _) if old.requires(name) && !new.requires(name) => {
            Verdict::Breaks(Rule::ResponsePropertyRemoved)
        }
        (Usage::Request, Additional::Closed) => Verdict::Breaks(Rule::RequestBoundNarrower),
        (_, Additional::Schemas(schemas)) => {
            let label = site.label.property(name);
            site.pair(parts.to_vec(), schemas.clone(), label);
            Verdict::Compatible
        }
        _ => Verdict::Unjudged,
    };
    let Some(first) = parts.first() else { return };
    let what = match old.requires(name) {
        true => format!("no longer has the property `{name}`"),
        false => format!("no longer has the optional property `{name}`"),
    };
    site.report_at(Which::Old.at(&first.pointer), &what, verdict);
}

fn added<'d>(
    site: &mut Site<'_, 'd>,
    name: &'d str,
    parts: &[At<'d>],
    old: &Properties<'_, 'd>,
    new: &Properties<'_, 'd>,
) {
    let is_required = new.requires(name);
    if is_required && site.usage == Usage::Request && !old.requires(name) {
        return;
    }
    let verdict = match (site.usage, old.additional) {
        (Usage::Response, Additional::Closed) => Verdict::Breaks(Rule::ResponseBoundWider),
        (_, Additional::Schemas(schemas)) => {
            let label = site.label.property(name);
            site.pair(schemas.clone(), parts.to_vec(), label);
            Verdict::Compatible
        }
        _ => Verdict::Compatible,
    };
    let Some(first) = parts.first() else { return };
    let what = match is_required {
        true => format!("has the new property `{name}`"),
        false => format!("has the new optional property `{name}`"),
    };
    site.report_at(Which::New.at(&first.pointer), &what, verdict);
}

/// Compares which properties are required. New properties of responses were reported.
fn requirements<'d>(site: &mut Site<'_, 'd>, old: &Properties<'_, 'd>, new: &Properties<'_, 'd>) {
    let newly = new.required.iter().filter(|name| !old.requires(name));
    for &name in newly {
        let (verdict, is_known) = match site.usage {
            Usage::Request => (Verdict::Breaks(Rule::PropertyRequired), true),
            Usage::Response => (Verdict::Compatible, old.parts(name).is_some()),
        };
        if is_known {
            let pointer = new.parts(name).and_then(<[_]>::first);
            let pointer = pointer.map_or_else(|| site.new.clone(), |it| it.pointer.clone());
            let what = match (site.usage, old.parts(name)) {
                (Usage::Request, Some(_)) => {
                    format!("must have the property `{name}`, which was optional")
                }
                (Usage::Request, None) => format!("must have the new property `{name}`"),
                (Usage::Response, _) => {
                    format!("always has the property `{name}`, which was optional")
                }
            };
            site.report_at(Which::New.at(&pointer), &what, verdict);
        }
    }
    let no_longer = old.required.iter().filter(|name| !new.requires(name));
    for &name in no_longer {
        if old.parts(name).is_some() && new.parts(name).is_none() {
            continue;
        }
        let verdict = match site.usage {
            Usage::Request => Verdict::Compatible,
            Usage::Response => Verdict::Breaks(Rule::ResponsePropertyRemoved),
        };
        let pointer = new.parts(name).and_then(<[_]>::first);
        let pointer = pointer.map_or_else(|| site.new.clone(), |it| it.pointer.clone());
        let what = format!("may omit the property `{name}`, which was required");
        site.report_at(Which::New.at(&pointer), &what, verdict);
    }
}

fn additional<'d>(site: &mut Site<'_, 'd>, old: &Additional<'d>, new: &Additional<'d>) {
    let schemas = |additional: &Additional<'d>| match additional {
        Additional::Schemas(schemas) => schemas.clone(),
        Additional::Open | Additional::Closed => Vec::new(),
    };
    match (old, new) {
        (Additional::Closed, Additional::Closed) => {}
        (_, Additional::Closed) => {
            let what = "can no longer have other properties";
            site.shift(what, Shift::Narrower, BOUND);
        }
        (Additional::Closed, _) => {
            site.shift("can now have other properties", Shift::Wider, BOUND);
        }
        _ => {
            let label = site.label.property("*");
            site.pair(schemas(old), schemas(new), label);
        }
    }
}
