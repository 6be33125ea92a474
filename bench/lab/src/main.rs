//! `tollgate-lab`: the lab's commands, see [`cli`].

use std::process::ExitCode;

mod cli;

fn main() -> anyhow::Result<ExitCode> {
    cli::run()
}
