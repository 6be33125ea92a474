//! Words that native engineers rarely write, per 1,000 lines of comments and of user-facing text.
//!
//! `words.toml` holds today's rates, which may only fall. It is a gauge: a sentence in which such a
//! word is right may keep it, as long as the rate does not rise.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::fault::Fault;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

const TABLE: &str = "xtask/src/words.toml";

/// The words that are counted, in lower case, and a beginning of sentences.
const WORDS: [&str; 11] = [
    "tell", "tells", "told", "say", "says", "said", "stand", "stands", "whose", "whoever", "worth",
];
const BEGINNING: &str = "So that";

/// Rates may be lower than listed by this many per 1,000 lines, so that an entry need not change
/// whenever lines are added.
const SLACK: f64 = 0.5;

/// Where users read: pages, guide, reference and the descriptions of the APIs.
const TEXTS: [&str; 5] = [
    "README.md",
    "api/",
    "docs/guide/",
    "docs/reference/",
    "portal/src/text/",
];

/// The listed rates by word.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rates {
    comments: BTreeMap<String, f64>,
    texts: BTreeMap<String, f64>,
}

/// The lines of one kind, and where each word occurs in them.
#[derive(Default)]
struct Counted<'t> {
    lines: usize,
    places: BTreeMap<&'static str, Vec<(&'t str, usize)>>,
}

impl Rates {
    pub(crate) fn of_this_repository() -> Result<Self> {
        toml::from_str(include_str!("words.toml")).context(TABLE)
    }
}

pub(crate) fn check(rates: &Rates, tree: &Tree) -> Vec<Fault> {
    let (mut comments, mut texts) = (Counted::default(), Counted::default());
    for file in &tree.files {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(comment) = comment(file, line) {
                comments.add(comment, &file.path, index + 1);
            } else if TEXTS.iter().any(|it| file.path.starts_with(it)) && !line.trim().is_empty() {
                texts.add(line, &file.path, index + 1);
            }
        }
    }
    let mut faults = comments.faults("comments", &rates.comments);
    faults.extend(texts.faults("texts", &rates.texts));
    faults
}

/// The text of a comment that has its line for itself.
fn comment<'t>(file: &TextFile, line: &'t str) -> Option<&'t str> {
    let line = line.trim_start();
    match file.extension() {
        "rs" => line.strip_prefix("//"),
        "ts" | "tsx" => ["//", "/*", "* "]
            .iter()
            .find_map(|it| line.strip_prefix(it)),
        _ => None,
    }
}

impl<'t> Counted<'t> {
    /// Adds the words of a line: its text, and the path and number of the line.
    fn add(&mut self, line: &str, path: &'t str, number: usize) {
        self.lines += 1;
        for word in line.split(|it: char| !it.is_alphanumeric() && it != '_') {
            let found = WORDS.iter().find(|it| it.eq_ignore_ascii_case(word));
            if let Some(found) = found {
                self.places.entry(found).or_default().push((path, number));
            }
        }
        if line.contains(BEGINNING) {
            self.places
                .entry(BEGINNING)
                .or_default()
                .push((path, number));
        }
    }

    fn faults(&self, kind: &str, rates: &BTreeMap<String, f64>) -> Vec<Fault> {
        let mut faults = Vec::new();
        for word in WORDS.into_iter().chain([BEGINNING]) {
            let places = self.places.get(word).map_or(&[][..], Vec::as_slice);
            let rate = per_thousand(places.len(), self.lines);
            let listed = rates.get(word).copied().unwrap_or_default();
            if rate > listed {
                let first: Vec<_> = places.iter().take(3).collect();
                let text = format!(
                    "{kind}: {word:?} occurs {rate} times per 1,000 lines, {listed} are listed; \
                     the first places are {first:?}"
                );
                faults.push(Fault::of_file(TABLE, text));
            } else if rate + SLACK < listed {
                let text = format!("{kind}: {word:?} fell to {rate}: lower its entry");
                faults.push(Fault::of_file(TABLE, text));
            }
        }
        let is_unknown = |word: &&String| *word != BEGINNING && !WORDS.contains(&word.as_str());
        for word in rates.keys().filter(is_unknown) {
            faults.push(Fault::of_file(
                TABLE,
                format!("{kind}: {word:?} is not counted"),
            ));
        }
        faults
    }
}

/// `count` per 1,000 of `all`, in tenths, rounded up.
#[expect(clippy::cast_precision_loss, reason = "lines of a repository")]
pub(crate) fn per_thousand(count: usize, all: usize) -> f64 {
    let tenths = (count * 10_000).div_ceil(all.max(1));
    tenths as f64 / 10.0
}
