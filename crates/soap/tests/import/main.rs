//! Import as a whole: every contract of a corpus, large ones, and mutated ones.

mod cases;
mod corpus;
mod fuzz;
#[path = "../support/fuzzing.rs"]
mod fuzzing;
mod size;
mod soundness;
mod vectors;
