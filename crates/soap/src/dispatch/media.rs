//! Reads the `Content-Type` of requests and their root parts. Back ends must read the same in it,
//! but some search it for `multipart`, `boundary=` and `charset=`, wherever these are.

use tollgate_model::media_type::{MediaType, is_utf8};

use super::Unreadable;
use crate::media_type::may_be_soap;

/// The other parameters that a back end may read.
const PARAMETERS: [&str; 4] = ["action", "start", "start-info", "type"];
/// Maximum length of a boundary (RFC 2046, section 5.1.1).
const BOUNDARY_BYTES_MAX: usize = 70;

/// Returns the media type in a field of a request.
///
/// # Errors
/// Fails if it is not text, if the type holds no envelope, or if readers may read it differently.
pub(super) fn media_type(field: &[u8]) -> Result<MediaType<'_>, Unreadable> {
    let media = MediaType::parse(field).filter(may_be_soap);
    let media = media.ok_or(Unreadable::Type)?;
    let packages = positions(field, "multipart/").count();
    let is_package = media.has_type("multipart");
    let mut others = PARAMETERS.into_iter();
    let is_ambiguous = packages != usize::from(is_package)
        || others.any(|name| media.is_ambiguous(name))
        || !has_one_charset(field, media);
    match is_ambiguous {
        true => Err(Unreadable::Ambiguous),
        false => Ok(media),
    }
}

/// Returns the boundary of a package: in the field once, in the form that all readers know.
pub(super) fn boundary(field: &[u8], media: MediaType<'_>) -> Result<String, Unreadable> {
    let boundary = media.parameter("boundary").unwrap_or_default();
    if boundary.is_empty() {
        return Err(Unreadable::Package);
    }
    // Those of RFC 2046, section 5.1.1, without the space.
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&byte);
    let is_sound = boundary.len() <= BOUNDARY_BYTES_MAX && boundary.bytes().all(is_known);
    let is_once = values(field, "boundary").count() == 1;
    let plain = [
        format!("boundary={boundary}"),
        format!("boundary=\"{boundary}\""),
    ];
    let is_plain = plain
        .iter()
        .any(|it| memchr::memmem::find(field, it.as_bytes()).is_some());
    match is_sound && is_once && is_plain {
        true => Ok(boundary.into_owned()),
        false => Err(Unreadable::Ambiguous),
    }
}

/// Returns where a word is in a field, in any case.
fn positions<'f>(field: &'f [u8], word: &'static str) -> impl Iterator<Item = usize> + 'f {
    let windows = field.windows(word.len()).enumerate();
    let found = windows.filter(|(_, window)| window.eq_ignore_ascii_case(word.as_bytes()));
    found.map(|(at, _)| at)
}

/// Returns the texts after `name=` or `name*` in a field, also within other parameters.
fn values<'f>(field: &'f [u8], name: &'static str) -> impl Iterator<Item = &'f [u8]> {
    positions(field, name).filter_map(move |at| {
        let rest = field[at + name.len()..].trim_ascii_start();
        rest.split_first()
            .filter(|(next, _)| matches!(next, b'=' | b'*'))
            .map(|(_, value)| value)
    })
}

/// Whether each `charset` in a field, also within other parameters, is that of the media type.
fn has_one_charset(field: &[u8], media: MediaType<'_>) -> bool {
    let charset = media.charset();
    let charset = charset.as_deref().unwrap_or_default().as_bytes();
    values(field, "charset").all(|value| {
        let start = value.iter().position(|byte| !b" \t=\"'\\".contains(byte));
        let value = &value[start.unwrap_or(value.len())..];
        let end = value.iter().position(|byte| b" \t;\"'\\".contains(byte));
        value[..end.unwrap_or(value.len())].eq_ignore_ascii_case(charset)
    })
}

/// Whether two charsets are the same; UTF-8 if there is none.
pub(super) fn is_same_charset(one: Option<&str>, other: Option<&str>) -> bool {
    let [one, other] = [one, other].map(|it| it.unwrap_or("utf-8"));
    one.eq_ignore_ascii_case(other) || is_utf8(one) && is_utf8(other)
}
