//! The bounds of sizes, and the list of what is above them today, which may only shrink.
//!
//! `ratchet.toml` names each thing above its bound with its present size. Bigger is a fault;
//! smaller is one too, until the entry is lowered or taken out, so that no room is left to grow.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::fault::Fault;
use crate::sizes::{Measure, Measures, Rule, Subject};

#[cfg(test)]
mod tests;

const TABLE: &str = "xtask/src/ratchet.toml";

/// What is excused, with its size.
#[derive(Debug)]
pub(crate) struct Ratchet {
    excused: BTreeMap<Subject, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    excused: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: Rule,
    path: String,
    #[serde(default)]
    name: String,
    size: usize,
}

impl Ratchet {
    pub(crate) fn of_this_repository() -> Result<Self> {
        Self::parse(include_str!("ratchet.toml")).context(TABLE)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut excused = BTreeMap::new();
        for Entry {
            rule,
            path,
            name,
            size,
        } in toml::from_str::<Table>(text)?.excused
        {
            let subject = Subject { rule, path, name };
            ensure!(
                !excused.contains_key(&subject),
                "{subject:?} is listed twice"
            );
            excused.insert(subject, size);
        }
        Ok(Self { excused })
    }

    pub(crate) fn check(&self, measures: &Measures) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (subject, &Measure { size, line }) in measures {
            let text = match (self.excused.get(subject), subject.rule.bound()) {
                (None, bound) if size > bound => {
                    format!(
                        "{} {size} {}; the bound is {bound}",
                        of(subject),
                        subject.rule.unit()
                    )
                }
                (Some(&excused), _) if size > excused => {
                    format!(
                        "{} grew from {excused} to {size}; the ratchet may only shrink",
                        of(subject)
                    )
                }
                (Some(&excused), bound) if size < excused && size > bound => {
                    format!(
                        "{} shrank to {size}: lower its entry in {TABLE}",
                        of(subject)
                    )
                }
                _ => continue,
            };
            faults.push(Fault::of_line(&subject.path, line, text));
        }
        faults.extend(self.needless(measures));
        faults
    }

    fn needless(&self, measures: &Measures) -> impl Iterator<Item = Fault> {
        let fits = |subject: &Subject| {
            measures
                .get(subject)
                .is_none_or(|measure| measure.size <= subject.rule.bound())
        };
        let text = |subject: &Subject| {
            format!(
                "{} needs no excuse any more: take {} out",
                of(subject),
                subject.path
            )
        };
        let needless = self.excused.keys().filter(move |subject| fits(subject));
        needless.map(move |subject| Fault::of_file(TABLE, text(subject)))
    }
}

fn of(subject: &Subject) -> String {
    match subject.name.as_str() {
        "" => format!("{:?}:", subject.rule),
        name => format!("{:?} of {name}:", subject.rule),
    }
}
