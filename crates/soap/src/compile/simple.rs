//! Simple types: restrictions, lists and unions.

use std::collections::BTreeSet;

use super::compiler::{Compiler, UNIT_BYTES};
use super::{CompileError, built_in};
use crate::import::name;
use crate::import::schema::{Facet, FacetKind, Simple, Type, TypeReference, Variety};
use crate::import::table::Found;
use crate::pattern;
use crate::plan::{self, Facets, Kind, WhiteSpace};
use crate::value::Rule;

/// Maximum number of derivation steps between a simple type and a built-in one.
const STEPS_MAX: usize = 64;
/// The cost of a pattern in the budget: it is compiled to check that it can be.
const PATTERN_UNITS: usize = 500;

impl<'a> Compiler<'a> {
    pub(super) fn simple(
        &mut self,
        simple: &'a Simple,
        depth: usize,
    ) -> Result<plan::Simple, CompileError> {
        self.spend(1)?;
        self.note_fault("schema.simple_type", simple.fault.as_deref());
        if depth == STEPS_MAX {
            let why = "a simple type is derived in a circle, or in too many steps";
            self.trouble("schema.circle", simple.place, why.to_owned());
            return Ok(built_in::text());
        }
        match &simple.variety {
            Variety::Restriction(base, facets) => {
                let base = self.simple_of(base, depth + 1)?;
                self.restricted(base, facets)
            }
            Variety::List(item) => {
                let item = self.simple_of(item, depth + 1)?;
                Ok(built_in::without_facets(
                    Kind::List(Box::new(item)),
                    WhiteSpace::Collapse,
                ))
            }
            Variety::Union(members) => {
                let mut united = Vec::with_capacity(members.len());
                for member in members {
                    united.push(self.simple_of(member, depth + 1)?);
                }
                // Each member processes white space by its own rule.
                Ok(built_in::without_facets(
                    Kind::Union(united),
                    WhiteSpace::Preserve,
                ))
            }
        }
    }

    /// Returns the simple type that a reference refers to.
    pub(super) fn simple_of(
        &mut self,
        ty: &'a TypeReference,
        depth: usize,
    ) -> Result<plan::Simple, CompileError> {
        let (name, place) = match ty {
            TypeReference::Inline(ty) => match &**ty {
                Type::Simple(simple) => return self.simple(simple, depth),
                Type::Complex(complex) => {
                    let why = "a complex type is used where only a simple one is allowed";
                    self.trouble("schema.simple_type", complex.place, why.to_owned());
                    return Ok(built_in::text());
                }
            },
            TypeReference::Named(name, place) => (name, *place),
        };
        if &*name.namespace == name::XSD
            && let Some(built_in) = built_in::simple(&name.local)
        {
            self.spend(1)?;
            return Ok(built_in);
        }
        match self.schema.types.find(name) {
            Some(Found::Exact(Type::Simple(simple))) => self.simple(simple, depth),
            Some(Found::Loose(found, Type::Simple(simple))) if name.namespace.is_empty() => {
                self.note_loose_name(place, name, found);
                self.simple(simple, depth)
            }
            _ => {
                let why = format!("the simple type `{name}` is not defined");
                self.trouble("schema.unknown_type", place, why);
                Ok(built_in::text())
            }
        }
    }

    /// Applies one step of restriction.
    pub(super) fn restricted(
        &mut self,
        mut simple: plan::Simple,
        facets: &'a [Facet],
    ) -> Result<plan::Simple, CompileError> {
        if facets.is_empty() {
            return Ok(simple);
        }
        let units = facets
            .iter()
            .map(|facet| 1 + facet.value.len() / UNIT_BYTES)
            .sum();
        self.spend(units)?;
        let mut kept = simple.facets.take().unwrap_or_default();
        let mut values = Vec::new();
        for facet in facets {
            match facet.kind {
                FacetKind::Enumeration => values.push(facet.value.clone()),
                FacetKind::WhiteSpace => {
                    simple.white_space = match facet.value.trim() {
                        "replace" => WhiteSpace::Replace,
                        "collapse" => WhiteSpace::Collapse,
                        _ => simple.white_space,
                    };
                }
                FacetKind::Pattern => {}
                _ => self.facet(facet, &mut kept),
            }
        }
        if !values.is_empty() {
            kept.enumeration = values;
        }
        // Also those of the base, if this step changes the white space.
        let values = std::mem::take(&mut kept.enumeration).into_iter();
        kept.enumeration = values
            .flat_map(|value| processed(&value, &simple.kind, simple.white_space))
            .collect();
        self.pattern(facets, &mut kept)?;
        self.drop_senseless_bounds(&simple, facets, &mut kept);
        simple.facets = (*kept != Facets::default()).then_some(kept);
        Ok(simple)
    }

    fn facet(&mut self, facet: &'a Facet, kept: &mut Facets) {
        let value = facet.value.trim();
        let length = value.parse::<u64>().ok();
        let digits = value.parse::<u32>().ok();
        let text = || Some(Box::from(value));
        let narrower = |old: Option<u64>| length.max(old);
        let shorter = |old: Option<u64>| length.map(|new| old.map_or(new, |old| old.min(new)));
        match facet.kind {
            FacetKind::Length => {
                kept.length_min = narrower(kept.length_min);
                kept.length_max = shorter(kept.length_max).or(kept.length_max);
            }
            FacetKind::MinLength => kept.length_min = narrower(kept.length_min),
            FacetKind::MaxLength => kept.length_max = shorter(kept.length_max).or(kept.length_max),
            FacetKind::MinInclusive => kept.min_inclusive = text(),
            FacetKind::MaxInclusive => kept.max_inclusive = text(),
            FacetKind::MinExclusive => kept.min_exclusive = text(),
            FacetKind::MaxExclusive => kept.max_exclusive = text(),
            FacetKind::TotalDigits => kept.total_digits = digits.or(kept.total_digits),
            FacetKind::FractionDigits => kept.fraction_digits = digits.or(kept.fraction_digits),
            FacetKind::Pattern | FacetKind::Enumeration | FacetKind::WhiteSpace => {}
        }
        let is_length = matches!(
            facet.kind,
            FacetKind::Length | FacetKind::MinLength | FacetKind::MaxLength
        );
        let is_digits = matches!(
            facet.kind,
            FacetKind::TotalDigits | FacetKind::FractionDigits
        );
        if (is_length && length.is_none()) || (is_digits && digits.is_none()) {
            let detail = format!("`{value}` is not a number, so the facet is not enforced");
            self.notes.push("schema.facet", facet.place, detail);
        }
    }

    /// Drops bounds that are not values of the type, which cannot be enforced.
    fn drop_senseless_bounds(&mut self, of: &plan::Simple, facets: &[Facet], kept: &mut Facets) {
        for facet in facets {
            let bound = match facet.kind {
                FacetKind::MinInclusive => &mut kept.min_inclusive,
                FacetKind::MaxInclusive => &mut kept.max_inclusive,
                FacetKind::MinExclusive => &mut kept.min_exclusive,
                FacetKind::MaxExclusive => &mut kept.max_exclusive,
                _ => continue,
            };
            let alone = plan::Simple {
                facets: Some(Box::new(Facets {
                    min_inclusive: bound.clone(),
                    ..Facets::default()
                })),
                ..of.clone()
            };
            if bound.is_some() && Rule::load(&alone).is_err() {
                *bound = None;
                let value = facet.value.trim();
                let detail = format!("the bound `{value}` is not a value of its type: ignored");
                self.notes.push("schema.facet", facet.place, detail);
            }
        }
    }

    /// Adds the patterns of one step, which are alternatives.
    fn pattern(&mut self, facets: &'a [Facet], kept: &mut Facets) -> Result<(), CompileError> {
        let patterns = facets
            .iter()
            .filter(|facet| facet.kind == FacetKind::Pattern);
        let patterns: Vec<&Facet> = patterns.collect();
        let Some(first) = patterns.first() else {
            return Ok(());
        };
        let written: Vec<&str> = patterns.iter().map(|facet| &*facet.value).collect();
        let key = written.join("\0");
        if !self.patterns.contains_key(&key) {
            self.spend(PATTERN_UNITS)?;
            let translated = pattern::translate(&written).map_err(|why| why.to_string());
            self.patterns.insert(key.clone(), translated);
        }
        match self.patterns.get(&key) {
            Some(Ok(pattern)) => kept.patterns.push(pattern.clone()),
            Some(Err(why)) => {
                let detail = format!("the pattern `{}` is not enforced: {why}", short(&written));
                self.notes.push("schema.pattern", first.place, detail);
            }
            None => {}
        }
        Ok(())
    }
}

/// Returns a value as it is compared: with its white space processed. A union does so by the rule
/// of the member that takes the value, so each member has its form.
fn processed(value: &str, kind: &Kind, white_space: WhiteSpace) -> Vec<Box<str>> {
    let is_space = |character| matches!(character, ' ' | '\t' | '\n' | '\r');
    match (kind, white_space) {
        (Kind::Union(members), _) => {
            let forms = members
                .iter()
                .flat_map(|it| processed(value, &it.kind, it.white_space));
            let forms: BTreeSet<_> = forms.collect();
            forms.into_iter().collect()
        }
        (_, WhiteSpace::Preserve) => vec![value.into()],
        (_, WhiteSpace::Replace) => vec![value.replace(is_space, " ").into()],
        (_, WhiteSpace::Collapse) => {
            let words = value.split(is_space).filter(|word| !word.is_empty());
            vec![words.collect::<Vec<_>>().join(" ").into()]
        }
    }
}

fn short(patterns: &[&str]) -> String {
    const CHARACTERS_MAX: usize = 120;
    let joined = patterns.join("|");
    if joined.chars().count() <= CHARACTERS_MAX {
        return joined;
    }
    joined.chars().take(CHARACTERS_MAX).chain(['…']).collect()
}
