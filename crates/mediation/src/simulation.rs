//! Simulation of a pattern's states (Thompson 1968; Pike's virtual machine without captures), which
//! counts each state that it visits.

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

use crate::work::Work;

/// Units for looking around a position, such as for the end of a word.
const LOOK_UNITS: usize = 3;
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
    let text = text.as_bytes();
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
            threads.step(nfa, text[at - 1], work);
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
    fn visit(&mut self, nfa: &NFA, text: &[u8], at: usize, work: &Work) -> bool {
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
                    units += LOOK_UNITS;
                    if nfa.look_matcher().matches(*look, text, at) {
                        self.stack.push(*next);
                    }
                }
                State::Union { alternates } => self.stack.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => self.stack.extend([alt2, alt1]),
                State::Capture { next, .. } => self.stack.push(*next),
                State::Fail => {}
                State::Match { .. } => is_found = true,
            }
        }
        work.spend(units);
        is_found
    }
}
