//! Secrets that gateways present to back ends. They are stored sealed and sent to gateways; the
//! HTTP API never returns them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::field::is_secret_header;

/// Maximum length of a secret in a header, and of a name and a password of HTTP Basic, bytes.
pub const CREDENTIAL_BYTES_MAX: usize = 4_096;

/// A secret that gateways present to back ends. It is stored and sent to gateways, and shown
/// nowhere.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Secret(pub String);

impl Secret {
    /// Shown in place of a secret.
    pub const MASK: &str = "***";
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::MASK)
    }
}

/// A user of HTTP Basic (RFC 7617).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BasicSecret))]
#[serde(deny_unknown_fields)]
pub struct Basic {
    /// The name; without a colon.
    pub name: String,
    /// The password.
    pub password: Secret,
}

/// A header field with a secret value, such as `X-Api-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SecretHeader {
    /// The field's name.
    pub name: String,
    /// The field's whole value, such as `Bearer …` in `Authorization`.
    pub value: Secret,
}

/// The credential that gateways present to an upstream: one of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(try_from = "Members", into = "Members", rename_all = "snake_case")]
pub enum Credential {
    /// A user of HTTP Basic, in `Authorization`.
    Basic(Basic),
    /// A header with a secret.
    Header(SecretHeader),
}

/// The JSON form of a credential.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    #[serde(skip_serializing_if = "Option::is_none")]
    basic: Option<Basic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<SecretHeader>,
}

impl TryFrom<Members> for Credential {
    type Error = &'static str;

    fn try_from(members: Members) -> Result<Self, Self::Error> {
        match (members.basic, members.header) {
            (Some(basic), None) => Ok(Self::Basic(basic)),
            (None, Some(header)) => Ok(Self::Header(header)),
            _ => Err("a credential must be either basic or header"),
        }
    }
}

impl From<Credential> for Members {
    fn from(credential: Credential) -> Self {
        match credential {
            Credential::Basic(basic) => Self {
                basic: Some(basic),
                header: None,
            },
            Credential::Header(header) => Self {
                basic: None,
                header: Some(header),
            },
        }
    }
}

impl Basic {
    /// Returns the fault of the name, if any.
    #[must_use]
    pub fn name_fault(&self) -> Option<&'static str> {
        let has_colon = self.name.contains(':');
        let colon = has_colon.then_some("a name for HTTP Basic must not contain a colon");
        user_name_fault(&self.name).or(colon)
    }
}

impl Credential {
    /// Returns the secret and its JSON Pointer from here.
    #[must_use]
    pub fn secret_mut(&mut self) -> (&'static str, &mut Secret) {
        match self {
            Self::Basic(basic) => ("/basic/password", &mut basic.password),
            Self::Header(header) => ("/header/value", &mut header.value),
        }
    }

    /// Returns the name of the header that contains it.
    #[must_use]
    pub fn header(&self) -> &str {
        match self {
            Self::Basic(_) => "authorization",
            Self::Header(header) => &header.name,
        }
    }

    /// Returns all faults; fields are JSON Pointers from here.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        const CODE: &str = "upstream.credential";
        let mut faults = Vec::new();
        let secret = match self {
            Self::Basic(basic) => {
                if let Some(detail) = basic.name_fault() {
                    faults.push(Fault::new("/basic/name", CODE, detail));
                }
                let bytes = basic.name.len() + basic.password.0.len();
                let long = bytes > CREDENTIAL_BYTES_MAX;
                let long = long.then_some("name and password have at most 4096 bytes together");
                ("/basic/password", password_fault(&basic.password).or(long))
            }
            Self::Header(header) => {
                if !is_secret_header(&header.name) {
                    let detail = "the name must be a header that neither HTTP nor gateways set, \
                                  such as X-Api-Key or Authorization";
                    faults.push(Fault::new("/header/name", CODE, detail));
                }
                ("/header/value", header_value_fault(&header.value))
            }
        };
        if let (field, Some(detail)) = secret {
            faults.push(Fault::new(field, CODE, detail));
        }
        faults
    }
}

/// Returns the fault of the name of a user, if any.
#[must_use]
pub fn user_name_fault(name: &str) -> Option<&'static str> {
    let good = !name.is_empty() && !name.chars().any(char::is_control);
    (!good).then_some("a name has at least one character, none of them a control character")
}

/// Returns the fault of a password, if any.
#[must_use]
pub fn password_fault(password: &Secret) -> Option<&'static str> {
    if password.0 == Secret::MASK {
        return Some("*** keeps a stored password, and none is stored here");
    }
    let has_control = password.0.chars().any(char::is_control);
    has_control.then_some("a password must not contain control characters")
}

/// Returns the fault of the secret value of a header, if any (RFC 9110, section 5.5).
fn header_value_fault(value: &Secret) -> Option<&'static str> {
    let Secret(value) = value;
    if value == Secret::MASK {
        return Some("*** keeps a stored secret, and none is stored here");
    }
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    let good = (1..=CREDENTIAL_BYTES_MAX).contains(&value.len())
        && value.trim() == value
        && value.bytes().all(is_plain);
    let detail = "a value must be 1 to 4096 visible ASCII characters, with no space \
                  at either end";
    (!good).then_some(detail)
}

#[cfg(test)]
mod tests;
