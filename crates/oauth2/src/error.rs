//! Errors of the key manager: those of RFC 6749, section 5.2, with `invalid_target` (RFC 8707,
//! section 2) and two for faults of the server, each a row of one table.
//!
//! Handlers return `Result<_, Refused>` and propagate internal failures with `?`; their chain is
//! logged here, once, and not sent to the client.

use std::borrow::Cow;
use std::error::Error as _;

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tollgate_store::StoreError;
use utoipa::ToSchema;

use crate::failure::Failure;

/// Sent with every response to a client, errors too (RFC 6749, section 5.1).
pub(crate) const UNCACHED: [(HeaderName, HeaderValue); 2] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::PRAGMA, HeaderValue::from_static("no-cache")),
];
/// RFC 9110, section 15.5.2, requires a challenge in every 401.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"tollgate\"");
/// Seconds after which a retry may succeed.
const RETRY_AFTER_S: u16 = 5;

/// An error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Code {
    /// A parameter is missing, repeated or malformed, or there are two authentications.
    InvalidRequest,
    /// The client is unknown, or its authentication failed.
    InvalidClient,
    /// The grant is not valid.
    InvalidGrant,
    /// The client may not do this.
    UnauthorizedClient,
    /// The grant type is not supported.
    UnsupportedGrantType,
    /// The scope is malformed, or no part of it is allowed.
    InvalidScope,
    /// The resource is not one that tokens are issued for.
    InvalidTarget,
    /// A retry may succeed.
    TemporarilyUnavailable,
    /// A fault of the server.
    ServerError,
}

/// The table of errors: code, status, default description.
const ROWS: [(Code, StatusCode, &str); 9] = [
    (
        Code::InvalidRequest,
        StatusCode::BAD_REQUEST,
        "the request is malformed",
    ),
    (
        Code::InvalidClient,
        StatusCode::UNAUTHORIZED,
        "there is no such client, its authentication failed, or it may not be used now",
    ),
    (
        Code::InvalidGrant,
        StatusCode::BAD_REQUEST,
        "the grant is not valid",
    ),
    (
        Code::UnauthorizedClient,
        StatusCode::BAD_REQUEST,
        "the client may not do this",
    ),
    (
        Code::UnsupportedGrantType,
        StatusCode::BAD_REQUEST,
        "the supported grant types are: client_credentials",
    ),
    (
        Code::InvalidScope,
        StatusCode::BAD_REQUEST,
        "the client is not allowed any of these scopes",
    ),
    (
        Code::InvalidTarget,
        StatusCode::BAD_REQUEST,
        "the resource is not the URL of a version that the gateways serve",
    ),
    (
        Code::TemporarilyUnavailable,
        StatusCode::SERVICE_UNAVAILABLE,
        "temporarily unavailable; try again later",
    ),
    (
        Code::ServerError,
        StatusCode::INTERNAL_SERVER_ERROR,
        "an internal error occurred; see the server's log",
    ),
];

impl Code {
    fn row(self) -> (StatusCode, &'static str) {
        let row = ROWS.into_iter().find(|row| row.0 == self);
        let (_, status, sentence) = row.expect("each code has a row");
        (status, sentence)
    }
}

/// An error as sent to the client.
#[derive(Debug)]
pub(crate) struct Refused {
    code: Code,
    /// Printable ASCII without `"` and `\` (RFC 6749, section 5.2).
    description: Cow<'static, str>,
    /// The chain of the internal failure, for the log only.
    cause: Option<String>,
    /// Seconds to wait if the client has failed too often: 429 (RFC 6585, section 4).
    wait_s: Option<i64>,
}

/// The body of every error (RFC 6749, section 5.2).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    /// The code.
    error: Code,
    /// For developers of clients.
    #[schema(pattern = r"^[\x20-\x21\x23-\x5B\x5D-\x7E]*$")]
    error_description: String,
}

impl Refused {
    /// Creates an error with a description of its own, in ASCII without `"` and `\`.
    pub(crate) fn because(code: Code, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            description: description.into(),
            cause: None,
            wait_s: None,
        }
    }

    /// Returns the internal failure, or else the description.
    pub(crate) fn cause(&self) -> &str {
        self.cause.as_deref().unwrap_or(&self.description)
    }

    /// Creates `invalid_request` with a description of its own.
    pub(crate) fn request(description: &'static str) -> Self {
        Self::because(Code::InvalidRequest, description)
    }

    /// Creates the error for a client that has failed too often from the request's address. RFC
    /// 6749 has no code for it: this is the one of its section 4.1.2.1 for requests that may
    /// succeed later.
    pub(crate) fn too_many(wait_s: i64) -> Self {
        let sentence = "the client failed too often from this address; try again after the \
            seconds in Retry-After";
        Self {
            wait_s: Some(wait_s),
            ..Self::because(Code::TemporarilyUnavailable, sentence)
        }
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Creates the error for a committed write that a gateway has not applied yet.
    pub(crate) fn behind(description: &'static str) -> Self {
        Self::because(Code::TemporarilyUnavailable, description)
    }
}

impl From<Code> for Refused {
    fn from(code: Code) -> Self {
        Self::because(code, code.row().1)
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        let code = match &failure {
            Failure::Store(
                StoreError::Full
                | StoreError::Busy
                | StoreError::Io(_)
                | StoreError::Stale(_)
                | StoreError::Taken { .. },
            )
            | Failure::Unknown(_)
            | Failure::NoSigner => Code::TemporarilyUnavailable,
            // An object deleted meanwhile: the client or its application.
            Failure::Store(StoreError::NotFound(_)) => return Code::InvalidClient.into(),
            Failure::Store(_) | Failure::Key(_) | Failure::Random(_) | Failure::Task(_) => {
                Code::ServerError
            }
        };
        let mut cause = failure.to_string();
        let mut next = failure.source();
        while let Some(error) = next {
            cause = format!("{cause}: {error}");
            next = error.source();
        }
        Self {
            cause: Some(cause),
            ..Self::from(code)
        }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Failure::from(error).into()
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match self.wait_s {
            Some(_) => StatusCode::TOO_MANY_REQUESTS,
            None => self.code.row().0,
        };
        if let Some(cause) = &self.cause {
            tracing::error!(cause, "a client's request failed: {cause}");
        }
        let body = ErrorBody {
            error: self.code,
            error_description: printable(&self.description),
        };
        let mut answer = (status, UNCACHED, Json(body)).into_response();
        let headers = answer.headers_mut();
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_S.into());
            }
            _ => {}
        }
        if let Some(wait_s) = self.wait_s {
            headers.insert(header::RETRY_AFTER, wait_s.into());
        }
        answer
    }
}

/// Replaces characters outside %x20-21 / %x23-5B / %x5D-7E (RFC 6749, section 5.2).
fn printable(text: &str) -> String {
    let allowed = |character| match character {
        '"' | '\\' => '\'',
        ' '..='~' => character,
        _ => '?',
    };
    text.chars().map(allowed).collect()
}

#[cfg(test)]
mod tests;
