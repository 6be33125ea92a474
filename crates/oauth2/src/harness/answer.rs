//! Responses of the key manager.

use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default()
    }

    /// Returns the code of an error; empty for a success.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        if self.status.is_success() {
            return "";
        }
        let sentence = self.body["error_description"].as_str().unwrap();
        let is_printable = |byte: u8| matches!(byte, b' '..=b'~') && !b"\"\\".contains(&byte);
        assert!(sentence.bytes().all(is_printable), "{sentence}");
        assert_eq!(self.header("cache-control"), "no-store");
        assert_eq!(self.header("pragma"), "no-cache");
        self.body["error"].as_str().unwrap()
    }
}
