//! What a body is by its media type.

use tollgate_model::media_type::{MediaType, is_utf8};

/// What a body is by its media type: JSON, XML and text are in UTF-8 (RFC 8259, section 8.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BodyType {
    pub(crate) is_json: bool,
    pub(crate) is_xml: bool,
    /// Text, JSON or XML.
    pub(crate) is_text: bool,
    /// `application/json`, the media type of what templates make.
    pub(crate) is_plain_json: bool,
}

impl BodyType {
    pub(crate) fn new(media_type: MediaType<'_>) -> Self {
        let charset = media_type.charset();
        let charset = charset.as_deref();
        let in_utf8 = charset.is_none_or(is_utf8);
        if !in_utf8 && charset.is_some_and(|it| !it.eq_ignore_ascii_case("us-ascii")) {
            return Self::default();
        }
        let (is_json, is_xml) = (media_type.is_json(), media_type.is_xml());
        let is_text = media_type.has_type("text") && !media_type.is("text/event-stream");
        Self {
            is_json,
            is_xml,
            is_text: is_text || is_json || is_xml,
            is_plain_json: is_json && in_utf8 && media_type.is("application/json"),
        }
    }
}
