//! How the values in a body are escaped, by its media type.

use crate::text;

/// Subtypes, or their suffixes, of media types of JSON texts, one or several.
const JSON_TYPES: [&str; 6] = [
    "json",
    "json-seq",
    "ndjson",
    "x-ndjson",
    "jsonl",
    "x-jsonlines",
];

/// Whether a subtype is one of JavaScript (MIME Sniffing, "JavaScript MIME type").
fn is_javascript(subtype: &str) -> bool {
    let subtype = subtype.to_ascii_lowercase();
    let name = subtype.strip_prefix("x-").unwrap_or(&subtype);
    name.starts_with("javascript") || ["ecmascript", "jscript", "livescript"].contains(&name)
}

/// Returns the place of a body with this media type.
pub(super) fn body_place(media_type: &str) -> text::Place {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let subtype = essence.rsplit('/').next().unwrap_or_default();
    let is = |name: &str| {
        let suffix = subtype.rsplit('+').next().unwrap_or_default();
        suffix.eq_ignore_ascii_case(name)
    };
    if JSON_TYPES.iter().any(|name| is(name)) {
        text::Place::Json
    } else if is_javascript(subtype) {
        text::Place::JavaScript
    } else if is("xml") || is("html") {
        text::Place::Xml
    } else {
        text::Place::Plain
    }
}
