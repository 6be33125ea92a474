//! The types of settings: their valid values, and how they are parsed from text.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tollgate_control::GatewayUrl;
use tollgate_control::hosts::{self, Hosts};
use tollgate_fetch::{HostList, Networks};
use tollgate_gateway::Addresses;
use tollgate_watch::access_log::StatusRanges;

use super::Form;

/// A type that a setting can have.
pub trait Value: Sized {
    /// The type of the value in a TOML file.
    const FORM: Form;

    /// Describes the valid values in words that complete "must be …".
    fn expects() -> String;

    /// Parses a value; `None` if the text is invalid.
    fn parse(text: &str) -> Option<Self>;
}

/// A whole number within bounds, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Count<MIN, MAX> {
    /// Returns the number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Returns the number as a size in memory.
    #[must_use]
    pub fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// Returns the number as milliseconds.
    #[must_use]
    pub const fn milliseconds(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl<const MIN: u64, const MAX: u64> Value for Count<MIN, MAX> {
    const FORM: Form = Form::Number;

    fn expects() -> String {
        format!("a whole number from {MIN} to {MAX}")
    }

    fn parse(text: &str) -> Option<Self> {
        let number = text.parse().ok()?;
        (MIN..=MAX).contains(&number).then_some(Self(number))
    }
}

/// An address to listen on; `None` disables the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen(pub Option<SocketAddr>);

impl Value for Listen {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".into()
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "" => Some(Self(None)),
            address => address.parse().ok().map(|address| Self(Some(address))),
        }
    }
}

/// The URL path of the health check; `None` disables it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthPath(pub Option<String>);

impl Value for HealthPath {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or a path such as /healthz, of letters, digits and -._~/".into()
    }

    fn parse(text: &str) -> Option<Self> {
        let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        match text {
            "" => Some(Self(None)),
            path if path.starts_with('/') && path.bytes().all(is_path) => {
                Some(Self(Some(path.to_owned())))
            }
            _ => None,
        }
    }
}

/// A path; `None` if the default depends on another setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionalPath(pub Option<PathBuf>);

impl Value for OptionalPath {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or a path".into()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(Self((!text.is_empty()).then(|| PathBuf::from(text))))
    }
}

impl Value for PathBuf {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "a path".into()
    }

    fn parse(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self::from(text))
    }
}

/// The hosts of a public URL, besides the control plane's addresses; none if it is empty.
impl Value for Hosts {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or a URL without a path, such as https://tollgate.example.com".into()
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "" => Some(Self::default()),
            url => Self::of(url).ok(),
        }
    }
}

/// An external URL; `None` if it is the same as the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublicUrl(Option<String>);

impl PublicUrl {
    /// Returns the URL without a trailing slash; if none is configured, the address of the plane:
    /// of HTTPS, if it is enabled.
    #[must_use]
    pub fn or_at(&self, addresses: Addresses) -> GatewayUrl {
        if let Some(url) = &self.0 {
            return GatewayUrl::Said(url.clone());
        }
        let (scheme, address) = match addresses {
            Addresses {
                https: Some(address),
                ..
            } => ("https", address),
            Addresses {
                http: Some(address),
                ..
            } => ("http", address),
            Addresses {
                http: None,
                https: None,
            } => return GatewayUrl::Local(String::new()),
        };
        // Clients cannot connect to the unspecified address.
        GatewayUrl::Local(match address.ip().is_unspecified() {
            true => format!("{scheme}://localhost:{}", address.port()),
            false => format!("{scheme}://{address}"),
        })
    }

    /// Returns the configured URL.
    #[must_use]
    pub fn configured(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the port of the URL, if its scheme is `https`.
    #[must_use]
    pub fn https_port(&self) -> Option<u16> {
        hosts::https_port(&hosts::public(self.0.as_deref()?)?)
    }

    /// Returns whether no URL is configured for a plane that listens on all addresses.
    #[must_use]
    pub fn is_unknown(&self, addresses: Addresses) -> bool {
        self.0.is_none()
            && addresses
                .iter()
                .any(|address| address.ip().is_unspecified())
    }
}

impl Value for PublicUrl {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or a URL without user and query, such as https://api.example.com".into()
    }

    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None));
        }
        hosts::public(text)?;
        Some(Self(Some(text.trim_end_matches('/').to_owned())))
    }
}

/// Hosts, addresses and networks.
impl Value for HostList {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or hosts, addresses and networks with commas between them".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Addresses and networks.
impl Value for Networks {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or addresses and networks with commas between them".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Any text.
impl Value for String {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "a text".into()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Value for StatusRanges {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "empty, or statuses and ranges from 100 to 599 with commas between them, such as 404, \
         500-599"
            .into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Value for bool {
    const FORM: Form = Form::Switch;

    fn expects() -> String {
        "true or false".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Declares a setting with one of a few words as its value.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl Value for $name {
            const FORM: Form = Form::Text;

            fn expects() -> String {
                let words: &[&str] = &[$($word),*];
                format!("one of {}", words.join(", "))
            }

            fn parse(text: &str) -> Option<Self> {
                match text { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

/// The planes that a process runs. This release supports one role; the others are parsed so that
/// the error can state that they are not supported yet (`crate::role`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Control plane and gateway in one process.
    All,
    /// A gateway that follows a control plane elsewhere.
    Gateway,
    /// The control plane alone.
    Control,
}

impl Value for Role {
    const FORM: Form = Form::Text;

    fn expects() -> String {
        "all".into()
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "gateway" => Some(Self::Gateway),
            "control" => Some(Self::Control),
            _ => None,
        }
    }
}

words! {
    /// The minimum level of log lines.
    Level {
        /// Failures.
        Error = "error",
        /// Conditions that may lead to failures.
        Warn = "warn",
        /// Events in the life of the process.
        Info = "info",
        /// Details for debugging.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}

words! {
    /// The format of lines in the access log.
    LineFormat {
        /// One JSON object per line.
        Json = "json",
        /// The Combined Log Format.
        Combined = "combined",
        /// A text with fields in it.
        Template = "template",
    }
}

words! {
    /// The format of log lines.
    Format {
        /// Text for people.
        Text = "text",
        /// One JSON object per line.
        Json = "json",
    }
}
