//! A deterministic automaton as one table, for patterns with few states. It cannot decide texts
//! beyond ASCII if the pattern looks for the boundaries of words, which Unicode defines.

use std::collections::HashMap;

use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::look::Look;

/// Maximum number of transitions of the automaton, times the states of the pattern that each is
/// made of: about 2 ms.
const MADE_OF_MAX: usize = 250_000;
/// Memory for building, which is never filled.
const CACHE_BYTES: usize = 64 * 1024 * 1024;
/// The state that no text leaves for a match.
const DEAD: u16 = u16::MAX;
/// The state of a text that matches, whatever follows.
const MATCH: u16 = u16::MAX - 1;
/// The state of a text that the table cannot decide. All other states are less.
const UNDECIDED: u16 = u16::MAX - 2;

/// A table of transitions.
#[derive(Debug)]
pub(super) struct Automaton {
    /// The column of each byte.
    columns: [u8; 256],
    /// The next state for each state and column; a state is the position of its first column.
    next: Box<[u16]>,
    /// The states in which a text that ends matches, sorted.
    ends: Box<[u16]>,
    start: u16,
}

impl Automaton {
    /// Builds the automaton of a pattern; `None` if it is too large, or might match within a
    /// character.
    pub(super) fn new(nfa: &NFA) -> Option<Self> {
        if matches_within_characters(nfa) {
            return None;
        }
        let config = DFA::config()
            .cache_capacity(CACHE_BYTES)
            .unicode_word_boundary(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa.clone());
        Builder::new(&dfa.ok()?).build()
    }

    /// Searches a text; returns whether it matches, if that is decided, and the number of bytes
    /// that were read.
    pub(super) fn search(&self, text: &[u8]) -> (Option<bool>, usize) {
        let mut state = self.start;
        let mut read = 0;
        for &byte in text {
            if state >= UNDECIDED {
                break;
            }
            let column = self.columns[usize::from(byte)];
            state = self.next[usize::from(state) + usize::from(column)];
            read += 1;
        }
        let is_match = match state {
            UNDECIDED => None,
            MATCH => Some(true),
            state => Some(self.ends.binary_search(&state).is_ok()),
        };
        (is_match, read)
    }

    /// Returns the bytes of the table.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.next) + size_of_val(&*self.ends)
    }
}

/// Whether a pattern could match an empty text between the bytes of a character, which is no place
/// of a text.
fn matches_within_characters(nfa: &NFA) -> bool {
    let looks = nfa.look_set_any();
    let within = [
        Look::WordAsciiNegate,
        Look::WordStartHalfAscii,
        Look::WordEndHalfAscii,
    ];
    nfa.has_empty() && within.iter().any(|&look| looks.contains(look))
}

struct Builder<'d> {
    dfa: &'d DFA,
    cache: Cache,
    /// Number of columns.
    width: usize,
    /// The states that were found, in their order, and their positions.
    found: Vec<LazyStateID>,
    positions: HashMap<LazyStateID, u16>,
}

impl<'d> Builder<'d> {
    fn new(dfa: &'d DFA) -> Self {
        Self {
            dfa,
            cache: dfa.create_cache(),
            width: 0,
            found: Vec::new(),
            positions: HashMap::new(),
        }
    }

    fn build(mut self) -> Option<Automaton> {
        let classes = self.dfa.byte_classes();
        let units = classes.representatives(0..=255);
        let representatives: Vec<_> = units.filter_map(|unit| unit.as_u8()).collect();
        self.width = representatives.len();
        let made_of = self.width * self.dfa.get_nfa().states().len();
        let states_max = MADE_OF_MAX / made_of.max(1);
        let start = self
            .dfa
            .start_state_forward(&mut self.cache, &Input::new(""));
        let start = self.place(start.ok()?)?;
        let (mut next, mut ends) = (Vec::new(), Vec::new());
        for index in 0.. {
            let Some(&state) = self.found.get(index) else {
                break;
            };
            if index >= states_max {
                return None;
            }
            for &byte in &representatives {
                let reached = self.dfa.next_state(&mut self.cache, state, byte);
                next.push(self.place(reached.ok()?)?);
            }
            let end = self.dfa.next_eoi_state(&mut self.cache, state);
            if end.ok()?.is_match() {
                ends.push(self.place(state)?);
            }
        }
        let columns = std::array::from_fn(|byte| classes.get(byte as u8));
        Some(Automaton {
            columns,
            next: next.into(),
            ends: ends.into(),
            start,
        })
    }

    /// Returns the position of a state, which is new if it was not found yet.
    fn place(&mut self, state: LazyStateID) -> Option<u16> {
        match state {
            _ if state.is_match() => return Some(MATCH),
            _ if state.is_dead() => return Some(DEAD),
            _ if state.is_quit() => return Some(UNDECIDED),
            _ => {}
        }
        if let Some(&position) = self.positions.get(&state) {
            return Some(position);
        }
        let position = u16::try_from(self.found.len() * self.width).ok()?;
        self.found.push(state);
        self.positions.insert(state, position);
        (position < UNDECIDED).then_some(position)
    }
}
