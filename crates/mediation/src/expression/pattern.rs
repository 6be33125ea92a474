//! Regular expressions: as text where an expression is stored, compiled where it is loaded.
//!
//! A pattern with few states becomes a table (`automaton.rs`), which takes a look-up for each byte.
//! The states of others are simulated, and each that is visited counts as work: a lazily built
//! automaton would take time that depends on the messages before.

mod automaton;

use std::error::Error as _;
use std::sync::Arc;

use regex_automata::nfa::thompson::{BuildError, Compiler, NFA, WhichCaptures};
use serde::{Deserialize, Serialize};

use crate::scope::Scratch;
use automaton::Automaton;

/// Maximum bytes of a compiled pattern.
const BYTES_MAX: usize = 256 * 1024;
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
    Automaton(Arc<Automaton>),
    Simulation(NFA),
}

impl Pattern {
    /// Whether the pattern matches anywhere in a text; false once the work is exceeded.
    pub(crate) fn is_match(&self, text: &str, scratch: &Scratch) -> bool {
        let work = scratch.work();
        work.spend(MATCH_UNITS);
        match &self.engine {
            Engine::Automaton(automaton) => {
                let (is_match, bytes) = automaton.search(text.as_bytes());
                work.spend(bytes) && is_match
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
        let bounds = NFA::config()
            .nfa_size_limit(Some(BYTES_MAX))
            .which_captures(WhichCaptures::None);
        let built = Compiler::new().configure(bounds).build(&text);
        let nfa = built.map_err(|error| explain(&error))?;
        let engine = match Automaton::new(&nfa) {
            Some(automaton) => Engine::Automaton(Arc::new(automaton)),
            None => Engine::Simulation(nfa),
        };
        Ok(Self {
            text: text.into(),
            engine,
        })
    }
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
