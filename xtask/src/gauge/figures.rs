//! The file of expected figures, and the comparison with it.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::FIGURES;
use super::toolchain::Toolchain;

const HEADER: &str = "\
# Instructions of the gateway's worker for a call, without those of digests, and what they depend
# on: written by `cargo xtask gauge --write`. bench/README.md explains the rows.

";
/// How far a row may be from its figure, percent.
const TOLERANCE: u64 = 2;
/// The same if the figures were made with another toolchain.
const TOLERANCE_OF_OTHER: u64 = 6;

/// The figures, and the toolchain they were made with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    rustc: String,
    valgrind: String,
    libc: String,
    /// Whether the processor has AVX2, by which `memchr` and `memcpy` choose their code.
    avx2: bool,
    instructions: BTreeMap<String, u64>,
}

/// How figures differ from those in the file.
#[derive(Debug)]
pub(super) struct Difference {
    /// What the toolchain has of another version.
    others: Vec<&'static str>,
    /// Name, figure in the file and present figure of rows beyond the tolerance.
    rows: Vec<(String, Option<u64>, Option<u64>)>,
}

impl Figures {
    pub(super) fn new(toolchain: &Toolchain, measured: &BTreeMap<&str, f64>) -> Self {
        let rounded = measured.iter().map(|(row, count)| {
            // Far below 2^53, and not negative.
            (row.to_string(), count.round() as u64)
        });
        Self {
            rustc: toolchain.rustc.clone(),
            valgrind: toolchain.valgrind.clone(),
            libc: toolchain.libc.clone(),
            avx2: toolchain.has_avx2,
            instructions: rounded.collect(),
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).context(FIGURES)
    }

    pub(super) fn text(&self) -> Result<String> {
        Ok(format!("{HEADER}{}", toml::to_string(self)?))
    }

    /// Whether the figures of this toolchain can be compared with these: not if `memchr` and
    /// `memcpy` choose other code.
    pub(super) fn are_comparable(&self, now: &Self) -> bool {
        self.avx2 == now.avx2
    }

    /// Compares present figures with these.
    pub(super) fn compare(&self, now: &Self) -> Difference {
        let parts = [
            ("rustc", &self.rustc, &now.rustc),
            ("valgrind", &self.valgrind, &now.valgrind),
            ("C library", &self.libc, &now.libc),
        ];
        let others = parts.into_iter().filter(|(_, kept, now)| kept != now);
        let others: Vec<_> = others.map(|(name, ..)| name).collect();
        let tolerance = if others.is_empty() {
            TOLERANCE
        } else {
            TOLERANCE_OF_OTHER
        };
        let names = self.instructions.keys().chain(now.instructions.keys());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.dedup();
        let rows = names.into_iter().filter_map(|name| {
            let (kept, now) = (self.instructions.get(name), now.instructions.get(name));
            let is_near = kept
                .zip(now)
                .is_some_and(|(kept, now)| 100 * kept.abs_diff(*now) <= tolerance * kept);
            (!is_near).then(|| (name.clone(), kept.copied(), now.copied()))
        });
        let rows = rows.collect();
        Difference { others, rows }
    }
}

fn percent(kept: u64, now: u64) -> f64 {
    100.0 * (now as f64 / kept as f64 - 1.0)
}

impl Difference {
    /// Whether each row is as in the file, up to the tolerance.
    pub(super) fn is_within(&self) -> bool {
        self.rows.is_empty()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.others.is_empty() {
            writeln!(
                out,
                "{FIGURES} was made with another {}: renew it with `cargo xtask gauge --write`",
                self.others.join(" and ")
            )?;
        }
        for (name, kept, now) in &self.rows {
            match (kept, now) {
                (Some(kept), Some(now)) => writeln!(
                    out,
                    "{name}: {now} instructions, {:+.1} % of the {kept} in {FIGURES}",
                    percent(*kept, *now)
                )?,
                (None, _) => writeln!(out, "{name} is not in {FIGURES}")?,
                (_, None) => writeln!(out, "{name} is in {FIGURES} only")?,
            }
        }
        if !self.is_within() {
            writeln!(
                out,
                "if this is meant, commit the file of `cargo xtask gauge --write` with the reason"
            )?;
        }
        Ok(())
    }
}
