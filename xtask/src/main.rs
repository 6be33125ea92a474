//! Checks and chores of the repository: `cargo xtask tidy`, `cargo xtask codegen`,
//! `cargo xtask narrow` and `cargo xtask gauge`.
//!
//! `tidy.rs` calls every check; each check is a module that takes the tree of files and returns
//! its faults. Tables that the checks go by are TOML files beside them.
#![doc = include_str!("../README.md")]

mod circles;
mod dependencies;
mod fault;
mod form;
mod gauge;
mod generated;
mod layers;
mod links;
mod modules;
mod names;
mod narrow;
mod order;
mod portal;
mod ratchet;
mod sizes;
mod slow;
mod survey;
mod tidy;
mod tree;
mod words;

use std::io::{Write, stderr};
use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(code) => code,
        Err(error) => {
            // A sentence, without the backtrace that a variable of the shell may switch on.
            let _ = writeln!(stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["tidy"] => tidy::run()?,
        ["codegen"] => generated::write()?,
        ["narrow"] => narrow::print()?,
        ["gauge"] => return gauge::run(false),
        ["gauge", "--write"] => return gauge::run(true),
        ["gauge", "--cold"] => return gauge::run_cold(),
        ["gauge", "--program", program] => return gauge::run_program(program.as_ref()),
        _ => bail!(
            "usage: cargo xtask tidy | codegen | narrow | gauge [--write | --cold | --program PATH]"
        ),
    }
    Ok(ExitCode::SUCCESS)
}
