//! The command line: which command, and what was written about settings.
//!
//! There is no list of flags here: they come from the settings' declaration.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::settings::sources::{Flag, is_switch};
use crate::settings::{Written, page};

/// What the program is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Serve until a signal; the default.
    Run,
    /// Print the effective settings with the origin of each.
    Config,
    /// Print the reference page of settings.
    Settings,
    /// Print the reference page of refusals.
    Refusals,
    /// Print the control plane's OpenAPI document.
    OpenApi,
    /// Give a user (the first administrator, when none is named) a new one-time password.
    AdminReset(Option<String>),
    /// Print the version.
    Version,
    /// Print the help.
    Help,
}

/// Each command's words and what it does, for the help.
const COMMANDS: [(&str, &str); 8] = [
    (
        "run",
        "serve until SIGTERM or SIGINT (what happens without a command)",
    ),
    (
        "config",
        "print the effective settings and where each comes from",
    ),
    ("settings", "print the reference page of settings"),
    (
        "refusals",
        "print the reference page of the gateway's refusals",
    ),
    ("openapi", "print the control plane's OpenAPI document"),
    (
        "admin reset [USER]",
        "give USER, or the first administrator, a new one-time password; offline",
    ),
    ("version", "print the version"),
    ("help", "print this"),
];

/// Why a command line was not understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// Words that are no command.
    #[error("`{0}` is no command; `tollgate help` lists them")]
    NoCommand(String),
    /// An argument or environment variable that is not text.
    #[error("{0} is not UTF-8")]
    NotText(String),
}

/// Reads the command line (without the program's name) and the environment.
///
/// # Errors
/// Words that are no command. Flags are judged later, by [`crate::settings::gather`].
pub fn parse(
    arguments: impl Iterator<Item = OsString>,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Command, Written), UsageError> {
    let mut words = Vec::new();
    let mut written = Written {
        directory: PathBuf::from("."),
        ..Written::default()
    };
    let mut arguments = arguments.map(text).peekable();
    while let Some(argument) = arguments.next() {
        let argument = argument?;
        if matches!(argument.as_str(), "-h" | "--help") {
            return Ok((Command::Help, written));
        }
        if matches!(argument.as_str(), "-V" | "--version") {
            return Ok((Command::Version, written));
        }
        if !argument.starts_with('-') {
            words.push(argument);
        } else if let Some((name, value)) = argument.split_once('=') {
            let (name, value) = (name.to_owned(), Some(value.to_owned()));
            written.flags.push(Flag { name, value });
        } else {
            let follows =
                |next: &Result<String, _>| next.as_ref().is_ok_and(|next| !next.starts_with("--"));
            let value = match is_switch(&argument) {
                true => None,
                false => arguments.next_if(follows).transpose()?,
            };
            let name = argument;
            written.flags.push(Flag { name, value });
        }
    }
    for (name, value) in environment {
        if name.as_encoded_bytes().starts_with(b"TOLLGATE_") {
            written.environment.push((text(name)?, text(value)?));
        }
    }
    Ok((command(&words)?, written))
}

fn command(words: &[String]) -> Result<Command, UsageError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words[..] {
        [] | ["run"] => Command::Run,
        ["config"] => Command::Config,
        ["settings"] => Command::Settings,
        ["refusals"] => Command::Refusals,
        ["openapi"] => Command::OpenApi,
        ["admin", "reset"] => Command::AdminReset(None),
        ["admin", "reset", user] => Command::AdminReset(Some(user.to_owned())),
        ["version"] => Command::Version,
        ["help"] => Command::Help,
        _ => return Err(UsageError::NoCommand(words.join(" "))),
    })
}

fn text(raw: OsString) -> Result<String, UsageError> {
    raw.into_string()
        .map_err(|raw| UsageError::NotText(raw.to_string_lossy().into_owned()))
}

/// What `tollgate help` prints.
#[must_use]
pub fn help() -> String {
    let commands: String = COMMANDS
        .iter()
        .map(|(words, meaning)| format!("  {words:<19} {meaning}\n"))
        .collect();
    format!(
        "tollgate: an API manager, control plane and gateway in one process\n\n\
         tollgate [COMMAND] [SETTINGS]\n\nCommands:\n{commands}\n\
         Settings (also as TOLLGATE_… variables and in the file, see `tollgate settings`):\n\
         \x20 --config FILE\n        The settings file. [default tollgate.toml, if there]\n{}",
        page::help(),
    )
}

#[cfg(test)]
mod tests;
