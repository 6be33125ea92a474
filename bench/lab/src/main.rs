//! `tollgate-lab`: the lab's commands, see [`cli`].

use std::io::{Write as _, stderr};
use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            // Where standard error is gone, the exit code still tells.
            let _ = writeln!(stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
