//! Settings: each declared once (`settings/declared.rs`); read from flags, environment, a TOML
//! file.
//!
//! `sources.rs` gathers the sources, `effective.rs` holds the effective values, `value.rs` defines
//! the valid values, `page.rs` writes the help, the reference page and the effective
//! configuration from the same declaration.
//! Precedence: flag, environment, file, default. An unknown or invalid setting ends the start with
//! one sentence that names the setting and its origin.

use std::fmt;
use std::path::PathBuf;

pub mod declared;
pub mod effective;
pub mod page;
pub mod sources;
pub mod value;

pub use declared::{AccessLog, Control, Gateway, Log, Process, SETTINGS, Settings, Watch};
pub use effective::Effective;
pub use sources::{Written, gather};

/// Environment variable with the path of the settings file; the flag is `--config`.
pub const FILE_VARIABLE: &str = "TOLLGATE_CONFIG";
/// The settings file if none is configured; optional.
pub const FILE_DEFAULT: &str = "tollgate.toml";

/// The declaration of a setting.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    /// Full name, such as `gateway.head_bytes_max`: the key in the file.
    pub name: &'static str,
    /// Describes the valid values, such as `a whole number from 16 to 64`.
    pub expects: fn() -> String,
    /// Its type in TOML.
    pub form: Form,
    /// The value if none is configured.
    pub default: &'static str,
    /// Unit of a number; empty if none.
    pub unit: &'static str,
    /// One or two sentences for operators.
    pub meaning: &'static str,
}

impl Declared {
    /// Returns the command line flag, such as `--gateway-head-bytes-max`.
    #[must_use]
    pub fn flag(&self) -> String {
        format!("--{}", self.name.replace(['.', '_'], "-"))
    }

    /// Returns the flag that switches it off, such as `--no-example`.
    #[must_use]
    pub fn negated_flag(&self) -> String {
        self.flag().replacen("--", "--no-", 1)
    }

    /// Returns the environment variable, such as `TOLLGATE_GATEWAY_HEAD_BYTES_MAX`.
    #[must_use]
    pub fn variable(&self) -> String {
        let name = self.name.replace('.', "_").to_ascii_uppercase();
        format!("TOLLGATE_{name}")
    }

    /// Returns the declaration of the setting with this full name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|declared| declared.name == name)
    }
}

/// The type of a value in a TOML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In quotes.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`; on the command line `--x` and `--no-x`.
    Switch,
}

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The declared default.
    Default,
    /// This settings file.
    File(PathBuf),
    /// This environment variable.
    Environment(String),
    /// This command line flag.
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

/// Why the settings are invalid: one sentence each.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// No setting has this name.
    #[error("{name} ({origin}) is not a setting; `tollgate settings` lists them")]
    Unknown {
        /// The name as written.
        name: String,
        /// Its origin.
        origin: Origin,
    },
    /// The value is invalid.
    #[error("{name} is {text:?} ({origin}), but must be {expects}")]
    Wrong {
        /// The setting.
        name: &'static str,
        /// The value as written.
        text: String,
        /// Its origin.
        origin: Origin,
        /// The valid values.
        expects: String,
    },
    /// The flag lacks its value.
    #[error("{name} (flag {flag}) needs a value: {expects}")]
    NoValue {
        /// The setting.
        name: String,
        /// The flag as written.
        flag: String,
        /// The valid values.
        expects: String,
    },
    /// The file cannot be read.
    #[error("the settings file {path} cannot be read", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not valid TOML.
    #[error("the settings file {path} is not valid TOML: {reason}", path = path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// Line and cause, in one line.
        reason: String,
    },
}

#[cfg(test)]
mod tests;
