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
    /// Print the key manager's OpenAPI document.
    OpenApiOfOAuth2,
    /// Give a user (the first administrator, when none is named) a new one-time password.
    AdminReset(Option<String>),
    /// Make certificates for these names, or for this machine.
    Certificates(Vec<String>),
    /// Print the version.
    Version,
    /// Print the help: of everything, or of the commands that begin with these words.
    Help(Vec<String>),
}

/// A command as the help has it.
struct Described {
    /// Its words; what follows in brackets may be left out.
    words: &'static str,
    meaning: &'static str,
    /// What `tollgate help COMMAND` says besides.
    more: &'static str,
}

const COMMANDS: [Described; 9] = [
    Described {
        words: "run",
        meaning: "serve until SIGTERM or SIGINT (what happens without a command)",
        more: "Prints the addresses of control plane and gateway, the first administrator's \
            one-time\npassword until it was used, and `ready`; log lines go to standard error.\n\
            A first signal lets calls under way end, a second one cuts them.",
    },
    Described {
        words: "config",
        meaning: "print the effective settings and where each comes from",
        more: "The output is a settings file. Nothing is started.",
    },
    Described {
        words: "settings",
        meaning: "print the reference page of settings",
        more: "Markdown: every setting with its flag, variable, key, values and default.",
    },
    Described {
        words: "refusals",
        meaning: "print the reference page of the gateway's refusals",
        more: "Markdown: every code with its status, whose fault it is and what helps.",
    },
    Described {
        words: "openapi [oauth2]",
        meaning: "print the OpenAPI document of the control plane, or of the key manager",
        more: "A running control plane serves its own at /api/v1/openapi.json.",
    },
    Described {
        words: "admin reset [USER]",
        meaning: "give USER, or the first administrator, a new one-time password; offline",
        more: "Needs the data directory (--data DIR, or as the settings file says) while no \
            process runs on it.\nPrints the password, which the user must change after \
            signing in; ends the user's sessions and access tokens.",
    },
    Described {
        words: "certificates [NAME]...",
        meaning: "make a certificate for NAMEs, or for this machine, by an authority of its own",
        more: "Writes DATA/ca.crt and DATA/ca.key once, and DATA/certificates/NAME.crt and \
            NAME.key, which both\nHTTPS listeners show unless the settings name other folders. \
            Without a NAME they are for localhost,\n127.0.0.1 and ::1. What is there and good \
            stays. Callers trust them by ca.crt (curl --cacert).",
    },
    Described {
        words: "version",
        meaning: "print the version",
        more: "As --version.",
    },
    Described {
        words: "help [COMMAND]",
        meaning: "print this, or what there is to know of a command",
        more: "As --help.",
    },
];

impl Described {
    /// The words that must be there.
    fn fixed(&self) -> impl Iterator<Item = &'static str> {
        self.words.split(' ').filter(|word| !word.starts_with('['))
    }

    fn begins_with(&self, words: &[&str]) -> bool {
        self.fixed().take(words.len()).eq(words.iter().copied())
    }

    fn usage(&self) -> String {
        let Self {
            words,
            meaning,
            more,
        } = self;
        format!("tollgate {words} [SETTINGS]\n\n{meaning}\n\n{more}\n")
    }
}

/// Why a command line was not understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// Words that are no command.
    #[error("`{0}` is no command; `tollgate help` lists them")]
    NoCommand(String),
    /// The first words of commands; what those are.
    #[error("`{words}` alone does nothing:\n\n{usage}")]
    Incomplete {
        /// What was written.
        words: String,
        /// The commands that begin so.
        usage: String,
    },
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
            return Ok((help_of(&words), written));
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
        ["openapi", "oauth2"] => Command::OpenApiOfOAuth2,
        ["admin", "reset"] => Command::AdminReset(None),
        ["admin", "reset", user] => Command::AdminReset(Some(user.to_owned())),
        ["certificates", ref names @ ..] => {
            Command::Certificates(names.iter().map(|&name| name.to_owned()).collect())
        }
        ["version"] => Command::Version,
        ["help", ref topic @ ..] => match usage(topic) {
            Some(_) => Command::Help(topic.iter().map(|&word| word.to_owned()).collect()),
            None => return Err(UsageError::NoCommand(topic.join(" "))),
        },
        _ => return Err(not_understood(&words)),
    })
}

/// The help that `--help` asks for behind these words: of the command, where they are one.
fn help_of(words: &[String]) -> Command {
    let topic: Vec<&str> = words.iter().map(String::as_str).collect();
    match usage(&topic) {
        Some(_) => Command::Help(words.to_vec()),
        None => Command::Help(Vec::new()),
    }
}

fn not_understood(words: &[&str]) -> UsageError {
    match usage(words) {
        Some(usage) => UsageError::Incomplete {
            words: words.join(" "),
            usage: usage.trim_end().to_owned(),
        },
        None => UsageError::NoCommand(words.join(" ")),
    }
}

/// What there is to know of the commands that begin with these words; none where none does.
fn usage(words: &[&str]) -> Option<String> {
    let meant = COMMANDS.iter().filter(|command| command.begins_with(words));
    let meant: Vec<String> = meant.map(Described::usage).collect();
    (!meant.is_empty()).then(|| meant.join("\n"))
}

fn text(raw: OsString) -> Result<String, UsageError> {
    raw.into_string()
        .map_err(|raw| UsageError::NotText(raw.to_string_lossy().into_owned()))
}

/// What `tollgate help` prints, of everything or of the commands that begin with these words.
#[must_use]
pub fn help(topic: &[String]) -> String {
    let words: Vec<&str> = topic.iter().map(String::as_str).collect();
    let settings = format!(
        "Settings (also as TOLLGATE_… variables and in the file, see `tollgate settings`):\n\
         \x20 --config FILE\n        The settings file. [default tollgate.toml, if there]\n{}",
        page::help(),
    );
    match (words.as_slice(), usage(&words)) {
        (["run"], Some(usage)) => format!("{usage}\n{settings}"),
        ([_, ..], Some(usage)) => format!("{usage}\n`tollgate help` lists the settings.\n"),
        _ => {
            let commands = COMMANDS.iter().map(|command| {
                let Described { words, meaning, .. } = command;
                format!("  {words:<19} {meaning}\n")
            });
            let commands: String = commands.collect();
            format!(
                "tollgate: an API manager, control plane and gateway in one process\n\n\
                 tollgate [COMMAND] [SETTINGS]\n\nCommands:\n{commands}\n{settings}"
            )
        }
    }
}

#[cfg(test)]
mod tests;
