//! Steps that change bodies: compiled, run, and with random input.

#[path = "../../../soap/tests/support/fuzzing.rs"]
mod fuzzing;
#[path = "../support/message.rs"]
mod message;

mod coding;
mod compress;
mod fuzz;
mod xml;
