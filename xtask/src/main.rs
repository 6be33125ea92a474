//! Checks and chores of the repository: `cargo xtask tidy` and `cargo xtask codegen`.
//!
//! `tidy.rs` calls every check; each check is a module that takes the tree of files and returns
//! its faults. Tables that the checks go by are TOML files beside them.
#![doc = include_str!("../README.md")]

mod fault;
mod form;
mod generated;
mod layers;
mod links;
mod modules;
mod names;
mod ratchet;
mod sizes;
mod survey;
mod tidy;
mod tree;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy::run(),
        ["codegen"] => generated::write(),
        _ => bail!("usage: cargo xtask tidy | codegen"),
    }
}
