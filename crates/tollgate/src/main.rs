//! The program.

use std::io::Write as _;
use std::process::ExitCode;

use tollgate::command::{self, Command};
use tollgate::refusals;
use tollgate::settings::{self, page};

fn main() -> ExitCode {
    match carry_out() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "tollgate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out() -> anyhow::Result<()> {
    let (command, written) = command::parse(std::env::args_os().skip(1), std::env::vars_os())?;
    match command {
        Command::Help => say(&command::help()),
        Command::Settings => say(&page::reference()),
        Command::Refusals => say(&refusals::reference()),
        Command::Config => say(&page::effective(&settings::gather(&written)?.0)),
        Command::Version => say(concat!("tollgate ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Run | Command::OpenApi | Command::AdminReset(_) => Ok(()),
    }
}

fn say(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
