//! Simulation of a pattern's states (Thompson 1968; Pike's virtual machine without captures), which
//! counts each state that it visits.

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::look::LookSet;
use regex_automata::util::primitives::StateID;

use crate::work::Work;

/// Units for looking around a position, such as for the end of a line, and for the end of a word
/// beside a character that is not ASCII.
const LOOK_UNITS: usize = 3;
const WORD_UNITS: usize = 12;
/// Transitions that are compared with one unit.
const TRANSITIONS_PER_UNIT: usize = 8;

/// The states of a pattern at one position of a text, and memory to find those at the next.
/// Reused: no allocation in the steady state.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    current: Vec<StateID>,
    next: Vec<StateID>,
    /// States to visit.
    stack: Vec<StateID>,
    /// The position count at which each state was visited last.
    visited: Vec<u64>,
    /// Positions of all texts so far.
    position_count: u64,
}

/// Whether a pattern matches anywhere in a text; false once the work is exceeded.
pub(crate) fn is_match(nfa: &NFA, text: &str, threads: &mut Threads, work: &Work) -> bool {
    let states = nfa.states().len();
    if threads.visited.len() < states {
        threads.visited.resize(states, 0);
    }
    threads.next.clear();
    threads.position_count += 1;
    threads.stack.push(nfa.start_unanchored());
    for at in 0..=text.len() {
        if at > 0 {
            threads.position_count += 1;
            threads.step(nfa, text.as_bytes()[at - 1], work);
        }
        let is_found = threads.visit(nfa, text, at, work);
        if is_found || threads.next.is_empty() || work.is_exceeded() {
            threads.stack.clear();
            return is_found && !work.is_exceeded();
        }
        std::mem::swap(&mut threads.current, &mut threads.next);
        threads.next.clear();
    }
    false
}

impl Threads {
    /// Collects the states that a byte leads to.
    fn step(&mut self, nfa: &NFA, byte: u8, work: &Work) {
        let mut compared = 0;
        for &id in &self.current {
            let reached = match nfa.state(id) {
                State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
                State::Sparse(sparse) => {
                    compared += sparse.transitions.len();
                    sparse.matches_byte(byte)
                }
                State::Dense(dense) => dense.matches_byte(byte),
                _ => None,
            };
            self.stack.extend(reached);
        }
        work.spend(self.current.len() + compared / TRANSITIONS_PER_UNIT);
    }

    /// Visits all states that the collected ones lead to without a byte; returns whether the text
    /// matches.
    fn visit(&mut self, nfa: &NFA, text: &str, at: usize, work: &Work) -> bool {
        let bytes = text.as_bytes();
        let is_beside_ascii = || bytes[at.saturating_sub(1)..bytes.len().min(at + 1)].is_ascii();
        let mut units = 0;
        let mut is_found = false;
        while let Some(id) = self.stack.pop() {
            units += 1;
            let visited = &mut self.visited[id.as_usize()];
            if *visited == self.position_count {
                continue;
            }
            *visited = self.position_count;
            match nfa.state(id) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => {
                    self.next.push(id);
                }
                State::Look { look, next } => {
                    let is_of_words = LookSet::singleton(*look).contains_word_unicode();
                    units += match is_of_words && !is_beside_ascii() {
                        true => WORD_UNITS,
                        false => LOOK_UNITS,
                    };
                    if nfa.look_matcher().matches(*look, bytes, at) {
                        self.stack.push(*next);
                    }
                }
                State::Union { alternates } => self.stack.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => self.stack.extend([alt2, alt1]),
                State::Capture { next, .. } => self.stack.push(*next),
                State::Fail => {}
                // What ends within a character is an empty match, which texts do not have there.
                State::Match { .. } => is_found |= text.is_char_boundary(at),
            }
        }
        work.spend(units);
        is_found
    }
}
