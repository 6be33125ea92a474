//! Regular expressions: as text where an expression is stored, compiled where it is loaded.
//!
//! A pattern with few states becomes a table (`automaton.rs`), which takes a look-up for each byte.
//! The states of others are simulated, also for texts that the table cannot decide, and each that
//! is visited counts as work: a lazily built automaton would take time that depends on the messages
//! before.

mod automaton;
mod shared;
#[cfg(test)]
mod tests;

use std::error::Error as _;
use std::sync::Arc;

use regex_automata::nfa::thompson::{BuildError, Compiler, NFA, WhichCaptures};
use serde::{Deserialize, Serialize};

use crate::scope::Scratch;
use automaton::Automaton;
pub(crate) use shared::compile_each_once;

/// Maximum bytes of a compiled pattern.
const BYTES_MAX: usize = 256 * 1024;
/// Bytes that a pattern counts at least, since a small one may take as long to compile as a large
/// one.
const BYTES_MIN: usize = 16 * 1024;
/// Units for a match, besides one for each byte or state that it steps through.
const MATCH_UNITS: usize = 4;

/// A pattern of `matches`, which takes linear time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Pattern {
    text: Box<str>,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    /// A table, and the states for the texts that it cannot decide, if there are such texts.
    Table(Arc<Automaton>, Option<NFA>),
    Simulation(NFA),
}

impl Pattern {
    /// Whether the pattern matches anywhere in a text; false once the work is exceeded.
    pub(crate) fn is_match(&self, text: &str, scratch: &Scratch) -> bool {
        let work = scratch.work();
        work.spend(MATCH_UNITS);
        match &self.engine {
            Engine::Table(table, states) => {
                let (is_match, bytes) = table.search(text.as_bytes());
                let has_work = work.spend(bytes);
                match (is_match, states) {
                    (None, Some(nfa)) if has_work => scratch.simulate(nfa, text),
                    _ => has_work && is_match.unwrap_or(false),
                }
            }
            Engine::Simulation(nfa) => scratch.simulate(nfa, text),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text.into()
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let text = text.into_boxed_str();
        let engine = shared::engine(&text)?;
        Ok(Self { text, engine })
    }
}

impl Engine {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Fails with a sentence if the pattern is malformed or too large.
    fn new(text: &str) -> Result<Self, String> {
        let nfa = states(text)?;
        let looks_for_words = nfa.look_set_any().contains_word_unicode();
        Ok(match Automaton::new(&nfa) {
            Some(table) => Self::Table(Arc::new(table), looks_for_words.then_some(nfa)),
            None => Self::Simulation(nfa),
        })
    }

    /// Returns the bytes that the compiled pattern takes, at least [`BYTES_MIN`].
    fn bytes(&self) -> usize {
        let (table, states) = match self {
            Self::Table(table, states) => (table.bytes(), states.as_ref()),
            Self::Simulation(states) => (0, Some(states)),
        };
        (table + states.map_or(0, NFA::memory_usage)).max(BYTES_MIN)
    }
}

/// Returns the states of a pattern.
///
/// # Errors
/// Fails with a sentence if the pattern is malformed or too large.
fn states(text: &str) -> Result<NFA, String> {
    let bounds = NFA::config()
        .nfa_size_limit(Some(BYTES_MAX))
        .which_captures(WhichCaptures::None);
    let built = Compiler::new().configure(bounds).build(text);
    built.map_err(|error| explain(&error))
}

/// Returns the reason of an error without the drawing of its position.
fn explain(error: &BuildError) -> String {
    if error.size_limit().is_some() {
        return "the regular expression is too large".to_owned();
    }
    let text = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let reason = text.rsplit("error: ").next().unwrap_or_default();
    format!("not a regular expression: {}", reason.trim())
}
