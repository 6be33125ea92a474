//! Expressions beside the crate `cel`, and with random input.

#[path = "../../../soap/tests/support/fuzzing.rs"]
mod fuzzing;

mod cel;
mod fuzz;
mod generated;
#[path = "../support/sample.rs"]
mod sample;
