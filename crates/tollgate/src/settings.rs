//! Settings: each declared once (`settings/declared.rs`); from flags, environment, a TOML file.
//!
//! `sources.rs` gathers what was written where, `effective.rs` holds what counts of it, `value.rs`
//! says what a value may be, `page.rs` writes the help, the reference page and the effective
//! configuration from the same declaration.
//! Precedence: flag, environment, file, default. Whatever is unknown or wrong ends the start with
//! one sentence that names the setting and where it came from.

use std::fmt;
use std::path::PathBuf;

pub mod declared;
pub mod effective;
pub mod page;
pub mod sources;
pub mod value;

pub use declared::{Control, Gateway, Log, Process, SETTINGS, Settings};
pub use effective::Effective;
pub use sources::{Written, gather};

/// Name of the environment variable that names the file; the flag is `--config`.
pub const FILE_VARIABLE: &str = "TOLLGATE_CONFIG";
/// The file that is read when none is named, if it is there.
pub const FILE_DEFAULT: &str = "tollgate.toml";

/// One setting as the declaration has it.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    /// Full name, such as `gateway.head_bytes_max`: the key in the file.
    pub name: &'static str,
    /// What a value may be, in words; such as `16 to 64`.
    pub expects: fn() -> String,
    /// How it is written in TOML.
    pub form: Form,
    /// The value when nothing is written.
    pub default: &'static str,
    /// Unit of a number; empty where there is none.
    pub unit: &'static str,
    /// One or two sentences for operators.
    pub meaning: &'static str,
}

impl Declared {
    /// The command line's flag, such as `--gateway-head-bytes-max`.
    #[must_use]
    pub fn flag(&self) -> String {
        format!("--{}", self.name.replace(['.', '_'], "-"))
    }

    /// The flag that switches it off, such as `--no-example`.
    #[must_use]
    pub fn negated_flag(&self) -> String {
        self.flag().replacen("--", "--no-", 1)
    }

    /// The environment variable, such as `TOLLGATE_GATEWAY_HEAD_BYTES_MAX`.
    #[must_use]
    pub fn variable(&self) -> String {
        let name = self.name.replace('.', "_").to_ascii_uppercase();
        format!("TOLLGATE_{name}")
    }

    /// The declared setting of this full name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|declared| declared.name == name)
    }
}

/// How a value stands in a TOML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In quotes.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`; on the command line `--x` and `--no-x`.
    Switch,
}

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: it is the declared default.
    Default,
    /// In this file.
    File(PathBuf),
    /// In this environment variable.
    Environment(String),
    /// As this flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => out.write_str("default"),
            Self::File(path) => write!(out, "file {}", path.display()),
            Self::Environment(name) => write!(out, "environment {name}"),
            Self::Flag(flag) => write!(out, "flag {flag}"),
        }
    }
}

/// Why the settings cannot be used: one sentence each.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// No setting has this name.
    #[error("{name} ({origin}) is no setting; `tollgate settings` lists them")]
    Unknown {
        /// As it was written.
        name: String,
        /// Where.
        origin: Origin,
    },
    /// The value is not one.
    #[error("{name} is {text:?} ({origin}), but must be {expects}")]
    Wrong {
        /// The setting.
        name: &'static str,
        /// As it was written.
        text: String,
        /// Where.
        origin: Origin,
        /// What it may be.
        expects: String,
    },
    /// A flag without the value it needs.
    #[error("{name} (flag {flag}) needs a value: {expects}")]
    NoValue {
        /// The setting.
        name: String,
        /// As it was written.
        flag: String,
        /// What it may be.
        expects: String,
    },
    /// The file cannot be read.
    #[error("the settings file {path} cannot be read", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("the settings file {path} is not TOML: {reason}", path = path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// Where and what, in one line.
        reason: String,
    },
}

#[cfg(test)]
mod tests;
