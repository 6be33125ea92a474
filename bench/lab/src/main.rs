//! `tollgate-lab`: the lab's commands, see [`cli`].

use std::io::{Write as _, stderr};
use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            // If standard error is closed, the exit code remains.
            let _ = writeln!(stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
