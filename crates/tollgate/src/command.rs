//! The command line: the command, and the settings as written.
//!
//! There is no list of flags here: they come from the declaration of the settings.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::mediate::{self, Wanted};
use crate::settings::sources::{Flag, is_switch};
use crate::settings::{Written, page};
use crate::spool;

/// A command of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Serve until a signal arrives; the default.
    Run,
    /// Print the effective settings and the origin of each.
    Config,
    /// Print the reference page of settings.
    Settings,
    /// Print the reference page of refusals.
    Refusals,
    /// Print the reference page of breaking changes.
    Breaking,
    /// Print the reference page of expressions.
    Expressions,
    /// Print the reference page of policies.
    Policies,
    /// Print the reference page of usage.
    Usage,
    /// Print the reference page of metrics.
    Metrics,
    /// Print the reference page of the access log.
    AccessLog,
    /// Print the control plane's OpenAPI document.
    OpenApi,
    /// Print the key manager's OpenAPI document.
    OpenApiOfOAuth2,
    /// Set a new one-time password for a user, or for the first administrator if `None`.
    AdminReset(Option<String>),
    /// Create certificates for these names, or for this machine if there are none.
    Certificates(Vec<String>),
    /// Try the policies of a version on a call.
    Mediate(Wanted),
    /// Read the spool.
    Spool(spool::Wanted),
    /// Print the version.
    Version,
    /// Print the help of the commands that begin with these words; the whole help if empty.
    Help(Vec<String>),
}

/// A command and its help.
struct Described {
    /// Its words; those in brackets are optional.
    words: &'static str,
    meaning: &'static str,
    /// Further lines of `tollgate help COMMAND`.
    more: &'static str,
}

const SPOOL_FILES: &str = "FILEs are segments; without them, all of the data directory are read \
    (--data DIR, or the one\nin the settings file). A process may be using it.";

const COMMANDS: [Described; 19] = [
    Described {
        words: "run",
        meaning: "serve until SIGTERM or SIGINT (the default command)",
        more: "Prints the addresses of control plane and gateway, the first administrator's \
            one-time\npassword until it is used, and `ready`; logs go to standard error.\n\
            The first signal lets calls in progress finish, a second one cuts them off.",
    },
    Described {
        words: "config",
        meaning: "print the effective settings and the origin of each",
        more: "The output is a valid settings file. No server is started.",
    },
    Described {
        words: "settings",
        meaning: "print the reference page of settings",
        more: "Markdown: every setting with its flag, environment variable, values and default.",
    },
    Described {
        words: "refusals",
        meaning: "print the reference page of the gateway's refusals",
        more: "Markdown: every code with its status, who must act and whether a retry may help.",
    },
    Described {
        words: "breaking",
        meaning: "print the reference page of breaking changes of APIs",
        more: "Markdown: every rule by which a change of a document breaks callers, with examples.",
    },
    Described {
        words: "expressions",
        meaning: "print the reference page of expressions in policies",
        more: "Markdown: every name, operator and function with an example, and templates.",
    },
    Described {
        words: "policies",
        meaning: "print the reference page of policies",
        more: "Markdown: every policy that changes messages, with its fields and their defaults.",
    },
    Described {
        words: "usage",
        meaning: "print the reference page of usage figures",
        more: "Markdown: every metric, measure and dimension, and how long which figures are kept.",
    },
    Described {
        words: "metrics",
        meaning: "print the reference page of metrics",
        more: "Markdown: every family of /metrics with its type, unit, labels and meaning.",
    },
    Described {
        words: "access-log",
        meaning: "print the reference page of the access log",
        more: "Markdown: every field of a line, and the formats.",
    },
    Described {
        words: "openapi [oauth2]",
        meaning: "print the OpenAPI document of the control plane, or of the key manager",
        more: "A running control plane serves its own document at /api/v1/openapi.json.",
    },
    Described {
        words: "admin reset [USER]",
        meaning: "set a one-time password for USER or the first administrator, end their sessions \
            and access tokens; offline",
        more: "Needs the data directory (--data DIR, or the one in the settings file), which no \
            running process\nmay use. Prints the password, which the user must change after \
            signing in, and ends the user's sessions\nand access tokens.",
    },
    Described {
        words: "certificates [NAME]...",
        meaning: "create a certificate for NAMEs or for this machine, signed by its own authority",
        more: "Writes DATA/ca.crt and DATA/ca.key once, and DATA/certificates/NAME.crt and \
            NAME.key, which both\nHTTPS listeners use unless the settings name other folders. \
            Without NAME, the certificate is for\nlocalhost, 127.0.0.1 and ::1. Valid files are \
            kept. Clients trust them with ca.crt (curl --cacert).",
    },
    Described {
        words: "mediate VERSION FILE",
        meaning: "try the policies of VERSION, or of a draft in a file, on the call in FILE",
        more: "Prints the effect of each step on the call; nothing is sent to an upstream. FILE \
            has the body of\nPOST /api/v1/versions/VERSION/mediate. Fails if the call \
            is refused, or has faults.\n\n\
            tollgate mediate VERSION FILE [--policies POLICIES] [--deployed] [--url URL] \
            [--ca AUTHORITIES]\n    \
            Policies of the server's draft, or of the deployed revision. --policies names others \
            to try\n    instead. --url is the control plane [default http://127.0.0.1:9000], \
            --ca the authorities to\n    trust for its certificate. TOLLGATE_TOKEN is an access \
            token.\n\
            tollgate mediate --draft DRAFT FILE [--policies POLICIES] [--kind KIND] \
            [--document DOCUMENT]\n    \
            Policies of the draft in DRAFT, without a server; KIND is rest (the default), soap or \
            soap_to_rest.\n    DOCUMENT is the OpenAPI document with the examples of mock.",
    },
    Described {
        words: "spool list [FILE]...",
        meaning: "list the segments of the spool with their calls, blocks, bytes and times",
        more: SPOOL_FILES,
    },
    Described {
        words: "spool verify [FILE]...",
        meaning: "compare the segments with their checksums and decode them; fails if one is \
            damaged",
        more: SPOOL_FILES,
    },
    Described {
        words: "spool cat [FILE]...",
        meaning: "print the calls of the spool as lines of JSON, the oldest segment first",
        more: SPOOL_FILES,
    },
    Described {
        words: "version",
        meaning: "print the version",
        more: "Same as --version.",
    },
    Described {
        words: "help [COMMAND]",
        meaning: "print this help, or the help of a command",
        more: "Same as --help.",
    },
];

impl Described {
    /// Returns the words that are not optional.
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

/// Why a command line cannot be parsed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// The words are not a command.
    #[error("`{0}` is not a command; `tollgate help` lists all commands")]
    NoCommand(String),
    /// The words are only the beginning of a command.
    #[error("`{words}` is not a complete command:\n\n{usage}")]
    Incomplete {
        /// The words as written.
        words: String,
        /// The usage of the commands that begin with them.
        usage: String,
    },
    /// A command does not have this option, or its value is missing or invalid.
    #[error("`{0}` is not an option of `tollgate {1}`, or its value is missing or invalid")]
    Option(String, &'static str),
    /// An argument or environment variable is not valid UTF-8.
    #[error("{0} is not UTF-8")]
    NotText(String),
}

/// Parses the command line (without the program's name) and the environment.
///
/// # Errors
/// Fails if the words are not a command. [`crate::settings::gather`] validates the flags later.
pub fn parse(
    arguments: impl Iterator<Item = OsString>,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Command, Written), UsageError> {
    let mut words = Vec::new();
    let mut written = Written {
        directory: PathBuf::from("."),
        ..Written::default()
    };
    let mut arguments = arguments.map(utf8).peekable();
    while let Some(argument) = arguments.next() {
        let argument = argument?;
        if matches!(argument.as_str(), "-h" | "--help") {
            return Ok((help_command(&words), written));
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
            let is_switch = is_switch(&argument) || mediate::is_switch(&argument);
            let value = match is_switch {
                true => None,
                false => arguments.next_if(follows).transpose()?,
            };
            let name = argument;
            written.flags.push(Flag { name, value });
        }
    }
    for (name, value) in environment {
        if name.as_encoded_bytes().starts_with(b"TOLLGATE_") {
            written.environment.push((utf8(name)?, utf8(value)?));
        }
    }
    if words.first().is_some_and(|word| word == "mediate") {
        let flags = std::mem::take(&mut written.flags);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return Ok((mediate_command(&words, &flags)?, written));
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
        ["breaking"] => Command::Breaking,
        ["expressions"] => Command::Expressions,
        ["policies"] => Command::Policies,
        ["usage"] => Command::Usage,
        ["metrics"] => Command::Metrics,
        ["access-log"] => Command::AccessLog,
        ["openapi"] => Command::OpenApi,
        ["openapi", "oauth2"] => Command::OpenApiOfOAuth2,
        ["admin", "reset"] => Command::AdminReset(None),
        ["admin", "reset", user] => Command::AdminReset(Some(user.to_owned())),
        ["certificates", ref names @ ..] => {
            Command::Certificates(names.iter().map(|&name| name.to_owned()).collect())
        }
        ["mediate", ..] => mediate_command(&words, &[])?,
        ["spool", verb, ref files @ ..] => {
            let wanted = spool::Wanted::read(verb, files);
            Command::Spool(wanted.ok_or_else(|| usage_error(&words))?)
        }
        ["version"] => Command::Version,
        ["help", ref topic @ ..] => match usage(topic) {
            Some(_) => Command::Help(topic.iter().map(|&word| word.to_owned()).collect()),
            None => return Err(UsageError::NoCommand(topic.join(" "))),
        },
        _ => return Err(usage_error(&words)),
    })
}

fn mediate_command(words: &[&str], flags: &[Flag]) -> Result<Command, UsageError> {
    let wanted = Wanted::read(&words[1..], flags);
    let wanted = wanted.map_err(|flag| UsageError::Option(flag, "mediate"))?;
    wanted
        .map(Command::Mediate)
        .ok_or_else(|| usage_error(&words[..1]))
}

/// Returns the help for `--help` after these words: of the command if they are one, else all.
fn help_command(words: &[String]) -> Command {
    let topic: Vec<&str> = words.iter().map(String::as_str).collect();
    match usage(&topic) {
        Some(_) => Command::Help(words.to_vec()),
        None => Command::Help(Vec::new()),
    }
}

fn usage_error(words: &[&str]) -> UsageError {
    match usage(words) {
        Some(usage) => UsageError::Incomplete {
            words: words.join(" "),
            usage: usage.trim_end().to_owned(),
        },
        None => UsageError::NoCommand(words.join(" ")),
    }
}

/// Returns the usage of the commands that begin with these words; `None` if there are none.
fn usage(words: &[&str]) -> Option<String> {
    let matching = COMMANDS.iter().filter(|command| command.begins_with(words));
    let usages: Vec<String> = matching.map(Described::usage).collect();
    (!usages.is_empty()).then(|| usages.join("\n"))
}

fn utf8(raw: OsString) -> Result<String, UsageError> {
    raw.into_string()
        .map_err(|raw| UsageError::NotText(raw.to_string_lossy().into_owned()))
}

/// Returns the text of `tollgate help` for the commands that begin with these words, or all.
#[must_use]
pub fn help(topic: &[String]) -> String {
    let words: Vec<&str> = topic.iter().map(String::as_str).collect();
    let settings = format!(
        "Settings (also as TOLLGATE_… variables and in the file, see `tollgate settings`):\n\
         \x20 --config FILE\n        The settings file. [default tollgate.toml, if it exists]\n{}",
        page::help(),
    );
    match (words.as_slice(), usage(&words)) {
        (["run"], Some(usage)) => format!("{usage}\n{settings}"),
        ([_, ..], Some(usage)) => format!("{usage}\n`tollgate help` lists all settings.\n"),
        _ => {
            let commands = COMMANDS.iter().map(|command| {
                let Described { words, meaning, .. } = command;
                format!("  {words:<20} {meaning}\n")
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
