//! Decodes a response as received over HTTP: removes its content coding (RFC 9110, section 8.4),
//! extracts it from its package (RFC 2387), decodes its characters and converts it to JSON.
//! `dispatch::part` does the same for the first bytes of a request.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

use tollgate_model::media_type::MediaType;
use tollgate_xml::escape::printable;
use tollgate_xml::{self as xml, DecodeError, Problem};

use crate::multipart::{self, Multipart, Parts};
use crate::to_json::{self, Outcome, Program, Scratch};

#[cfg(test)]
mod tests;

/// The body of a response and the fields that describe it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Message<'a> {
    /// The whole body.
    pub bytes: &'a [u8],
    /// The field `Content-Type`.
    pub content_type: Option<&'a [u8]>,
    /// The field `Content-Encoding`.
    pub content_encoding: Option<&'a [u8]>,
}

/// The reason why a message cannot be passed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The message is not in its declared coding.
    #[error("the message does not match its content coding")]
    Coding,
    /// The message is in an unknown coding.
    #[error("the content coding \"{0}\" is not supported")]
    UnknownCoding(Box<str>),
    /// The message exceeds the bound on its size, before or after decoding.
    #[error("the message is too large")]
    Size,
    /// The message is not the package that its media type declares.
    #[error(transparent)]
    Package(#[from] multipart::Error),
    /// The envelope is not text in a supported encoding, or has a forbidden character.
    #[error(transparent)]
    Text(DecodeError),
    /// The envelope cannot be passed on.
    #[error(transparent)]
    Answer(#[from] to_json::Error),
}

impl Program {
    /// Converts a message as received, like [`Program::answer`]. Each of its forms is limited to
    /// the bytes of [`xml::Bounds`].
    ///
    /// # Errors
    ///
    /// Fails if the message cannot be passed on.
    pub fn answer_message(
        &self,
        operation: usize,
        message: &Message<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Error> {
        let bounds = self.options.bounds;
        let plain = plain(message, bounds.bytes_max)?;
        let media = match form(message.content_type, &mut scratch.type_in_utf8) {
            Form::Package(media) => media,
            Form::Alone { charset } => {
                let text = text(&plain, charset.as_deref(), bounds)?;
                return Ok(self.answer(operation, &text, &(), scratch, out)?);
            }
        };
        let boundary = media.parameter("boundary").unwrap_or_default();
        let start = media.parameter("start");
        let package = Multipart::read(
            &plain,
            &boundary,
            start.as_deref(),
            multipart::Bounds::default(),
        )?;
        let charset =
            MediaType::parse(package.root.media_type.as_bytes()).and_then(|media| media.charset());
        let text = text(&package.root.body, charset.as_deref(), bounds)?;
        let parts = Bounded {
            package: &package,
            bytes_left: Cell::new(bounds.bytes_max),
            is_exceeded: Cell::new(false),
        };
        let answered = self.answer(operation, &text, &parts, scratch, out);
        match answered {
            Err(_) if parts.is_exceeded.get() => Err(Error::Size),
            answered => Ok(answered?),
        }
    }

    /// Whether a call succeeds although its response has no body at all, not even an envelope: the
    /// operation returns nothing. Never with strict checking.
    #[must_use]
    pub fn succeeds_without_body(&self, operation: usize) -> bool {
        self.returns_nothing(operation) && !self.options.is_strict
    }

    /// Whether a one-way call succeeds although its response cannot be read: a back end that
    /// reports success has accepted it, unless the response is a fault or too large. Never with
    /// strict checking.
    #[must_use]
    pub fn succeeds_despite(&self, operation: usize, error: &Error) -> bool {
        let is_failure = matches!(
            error,
            Error::Size | Error::Answer(to_json::Error::Fault(_) | to_json::Error::Plan)
        );
        self.is_one_way(operation) && !is_failure && !self.options.is_strict
    }
}

/// The form of a message by its media type.
enum Form<'a> {
    /// An envelope.
    Alone { charset: Option<Cow<'a, str>> },
    /// A package with an envelope in it.
    Package(MediaType<'a>),
}

/// Returns the form of a message. `in_utf8` caches the last media type of an envelope in UTF-8:
/// most responses have the same.
fn form<'a>(content_type: Option<&'a [u8]>, in_utf8: &mut Vec<u8>) -> Form<'a> {
    let value = content_type.unwrap_or_default();
    if !value.is_empty() && value == in_utf8 {
        let charset = Some("utf-8".into());
        return Form::Alone { charset };
    }
    let media = MediaType::parse(value);
    if let Some(package) = media.filter(|media| media.is("multipart/related")) {
        return Form::Package(package);
    }
    let charset = media.and_then(|media| media.charset());
    if charset
        .as_deref()
        .is_some_and(|it| it.eq_ignore_ascii_case("utf-8"))
    {
        in_utf8.clear();
        in_utf8.extend_from_slice(value);
    }
    Form::Alone { charset }
}

/// Removes the content coding.
fn plain<'a>(message: &Message<'a>, bytes_max: usize) -> Result<Cow<'a, [u8]>, Error> {
    let coding = message.content_encoding.unwrap_or_default();
    let is = |name: &[u8]| coding.trim_ascii().eq_ignore_ascii_case(name);
    let bytes = message.bytes;
    if is(b"") || is(b"identity") {
        Ok(Cow::Borrowed(bytes))
    } else if is(b"gzip") || is(b"x-gzip") {
        inflate(flate2::bufread::MultiGzDecoder::new(bytes), bytes_max)
    } else if is(b"deflate") {
        inflate(flate2::bufread::ZlibDecoder::new(bytes), bytes_max)
    } else {
        Err(Error::UnknownCoding(printable(coding)))
    }
}

fn inflate<'a>(decoder: impl Read, bytes_max: usize) -> Result<Cow<'a, [u8]>, Error> {
    let mut bytes = Vec::new();
    let mut decoder = decoder.take(bytes_max as u64 + 1);
    decoder.read_to_end(&mut bytes).map_err(|_| Error::Coding)?;
    if bytes.len() > bytes_max {
        return Err(Error::Size);
    }
    Ok(Cow::Owned(bytes))
}

fn text<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    bounds: xml::Bounds,
) -> Result<xml::Text<'a>, Error> {
    xml::decode(bytes, charset, bounds).map_err(|error| match error {
        DecodeError::Xml(error) if error.problem == Problem::Size => Error::Size,
        error => Error::Text(error),
    })
}

/// The parts of a package, limited to a total of bytes: an envelope may refer to one part
/// repeatedly, and each reference is expanded to text.
struct Bounded<'a> {
    package: &'a Multipart<'a>,
    bytes_left: Cell<usize>,
    is_exceeded: Cell<bool>,
}

impl Parts for Bounded<'_> {
    fn find(&self, content_id: &str) -> Option<&[u8]> {
        let part = self.package.find(content_id)?;
        let left = self.bytes_left.get().checked_sub(part.len());
        self.is_exceeded.set(left.is_none());
        self.bytes_left.set(left?);
        Some(part)
    }
}
