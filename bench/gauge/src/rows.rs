//! The rows: kinds of calls.

use crate::world::World;

/// Bytes of the body of `POST`.
const BODY_BYTES: usize = 1_024;

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    /// `GET` with a key, under a plan without limits.
    Get,
    /// The same under three limits, as are the following.
    GetThreeLimits,
    /// `POST` of 1 KiB, which comes back.
    Post,
    /// `GET` of a stored response.
    CacheHit,
    /// `GET` with a signed access token.
    SignedToken,
    /// `GET` with a key that has a wrong secret.
    Refusal,
}

impl Row {
    /// The rows in the order of their counts: xtask/src/gauge.rs has the same.
    pub(crate) const ALL: [Self; 6] = [
        Self::Get,
        Self::GetThreeLimits,
        Self::Post,
        Self::CacheHit,
        Self::SignedToken,
        Self::Refusal,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::GetThreeLimits => "get_three_limits",
            Self::Post => "post",
            Self::CacheHit => "cache_hit",
            Self::SignedToken => "signed_token",
            Self::Refusal => "refusal",
        }
    }

    /// The status of every response.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Refusal => 401,
            _ => 200,
        }
    }

    /// Requests to send in turn: one for each key of the world.
    pub(crate) fn requests(self, world: &World) -> Vec<Vec<u8>> {
        let request = |credential: &String| {
            let field = match self {
                Self::SignedToken => format!("Authorization: Bearer {credential}"),
                _ => format!("apikey: {credential}"),
            };
            let (line, body) = match self {
                Self::Get => ("GET /free/1.0/bytes/102", ""),
                Self::CacheHit => ("GET /stored/1.0/bytes/102", ""),
                Self::Post => ("POST /limited/1.0/echo", &*"x".repeat(BODY_BYTES)),
                Self::GetThreeLimits | Self::SignedToken | Self::Refusal => {
                    ("GET /limited/1.0/bytes/102", "")
                }
            };
            let length = match body {
                "" => String::new(),
                body => format!("Content-Length: {}\r\n", body.len()),
            };
            let fields = "Host: 127.0.0.1:8080\r\nUser-Agent: gauge\r\nAccept: */*\r\n";
            format!("{line} HTTP/1.1\r\n{fields}{field}\r\n{length}\r\n{body}").into_bytes()
        };
        let credentials = match self {
            Self::SignedToken => &world.tokens,
            Self::Refusal => &world.wrong_keys,
            _ => &world.keys,
        };
        credentials.iter().map(request).collect()
    }
}
