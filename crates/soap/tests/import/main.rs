//! Import as a whole: every contract of a corpus, large ones, and mutated ones.

mod corpus;
mod fuzz;
mod size;
mod soundness;
mod vectors;
