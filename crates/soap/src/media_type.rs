//! What the media type of a SOAP message implies: the version of SOAP and the action (RFC 2387; RFC
//! 3902; MTOM, section 3).

use std::borrow::Cow;

use tollgate_model::media_type::{MediaType, unquoted};

use crate::version::SoapVersion;

/// Whether a message of this type may hold an envelope.
#[must_use]
pub fn may_be_soap(media: &MediaType<'_>) -> bool {
    media.is_xml() || media.is("multipart/related")
}

/// Returns the version of SOAP that the media type implies.
#[must_use]
pub fn version(media: &MediaType<'_>) -> Option<SoapVersion> {
    if media.is("multipart/related") {
        let root = media.parameter("type")?;
        let root = MediaType::parse(root.as_bytes())?;
        if root.is("application/xop+xml") {
            let inner = media.parameter("start-info")?;
            return version_alone(&MediaType::parse(inner.as_bytes())?);
        }
        return version_alone(&root);
    }
    version_alone(media)
}

fn version_alone(media: &MediaType<'_>) -> Option<SoapVersion> {
    [SoapVersion::V1_1, SoapVersion::V1_2]
        .into_iter()
        .find(|version| media.is(version.media_type()))
}

/// Returns the action in the field `SOAPAction` (SOAP 1.1, section 6.1.1), quoted or not; `None` if
/// it is empty.
#[must_use]
pub fn action_of_field(value: &[u8]) -> Option<Cow<'_, str>> {
    let action = unquoted(str::from_utf8(value).ok()?.trim_ascii());
    Some(action).filter(|action| !action.is_empty())
}

/// Returns the action in a media type, or in that of the root part (RFC 3902; RFC 2387, section
/// 3.3); `None` if it is empty.
#[must_use]
pub fn action_of_media(media: MediaType<'_>) -> Option<Cow<'_, str>> {
    let action = media.parameter("action").or_else(|| {
        let inner = media.parameter("start-info")?;
        let inner = MediaType::parse(inner.as_bytes())?.parameter("action")?;
        Some(inner.into_owned().into())
    });
    action.filter(|action| !action.is_empty())
}

#[cfg(test)]
mod tests;
