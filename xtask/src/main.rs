//! Checks and chores of the repository: `cargo xtask tidy`.

fn main() {}
