//! Steps that change the body of a message: one file for each, which compiles and runs it.

pub(crate) mod text;

use serde::{Deserialize, Serialize};
use tollgate_soap::media_type::MediaType;
use tollgate_soap::tape::{NodeId, View};

use crate::edits::Edits;
use crate::expression::Expression;
use crate::message::{Edited, Subject};
use crate::run::Stop;
use text::ReplaceText;

/// A step that reads the whole body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BodyStep {
    pub(crate) change: Change,
    /// Maximum bytes of the body.
    pub(crate) bytes_max: u64,
    /// Whether bodies of other media types are refused, or skipped.
    pub(crate) refuses_others: bool,
}

/// What a step does with a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    ReplaceText(ReplaceText),
}

impl Change {
    /// Whether the step runs if its condition has no value.
    pub(crate) fn runs_by_default(&self) -> bool {
        match self {
            Self::ReplaceText(_) => false,
        }
    }
}

/// A whole body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'m> {
    pub(crate) bytes: &'m [u8],
    /// Its tape and root, if the step needs JSON and it is JSON.
    pub(crate) json: Option<(&'m View<'m>, NodeId)>,
}

/// What a body became, if that is not its media type of before, without a coding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) media_type: Option<&'static str>,
    pub(crate) coding: Option<&'static str>,
}

/// The media types that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Json,
    Text,
}

impl Takes {
    fn includes(self, media_type: Option<MediaType<'_>>) -> bool {
        match self {
            Self::Json => is_json(media_type),
            Self::Text => is_text(media_type),
        }
    }

    /// The reason why a body of another media type is refused.
    fn refusal(self) -> &'static str {
        match self {
            Self::Json => "Send JSON in UTF-8: application/json.",
            Self::Text => "Send text in UTF-8.",
        }
    }
}

impl BodyStep {
    /// Whether the step reads bodies of the message's media type.
    ///
    /// # Errors
    /// Fails if it refuses others.
    pub(crate) fn takes(&self, edited: Edited<'_, '_>) -> Result<bool, Stop> {
        let takes = match self.change {
            Change::ReplaceText(_) => Takes::Text,
        };
        match takes.includes(edited.media_type()) {
            false if self.refuses_others => Err(Stop::WrongType(takes.refusal())),
            is_included => Ok(is_included),
        }
    }

    pub(crate) fn needs_json(&self) -> bool {
        match self.change {
            Change::ReplaceText(_) => false,
        }
    }

    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match &self.change {
            Change::ReplaceText(_) => Vec::new(),
        }
    }

    /// Changes a body: appends the new one to `out`, or returns `None` if it stays as it is.
    ///
    /// # Errors
    /// Fails if the step rejects the message, or makes more than its bound.
    pub(crate) fn run<'m>(
        &'m self,
        body: Body<'m>,
        subject: Subject<'_, 'm>,
        edits: &Edits<'m>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Changed>, Stop> {
        match &self.change {
            Change::ReplaceText(replace) => replace.run(body.bytes, out),
        }
    }
}

/// Whether a body is JSON in UTF-8 (RFC 8259, section 8.1).
pub(crate) fn is_json(media_type: Option<MediaType<'_>>) -> bool {
    media_type.is_some_and(|media_type| media_type.is_json() && is_utf8(media_type))
}

/// Whether a body is text, JSON or XML in UTF-8.
fn is_text(media_type: Option<MediaType<'_>>) -> bool {
    media_type.is_some_and(|media_type| {
        let is_text = media_type.has_type("text") && !media_type.is("text/event-stream");
        (is_text || media_type.is_json() || media_type.is_xml()) && is_utf8(media_type)
    })
}

fn is_utf8(media_type: MediaType<'_>) -> bool {
    let charset = media_type.parameter("charset");
    charset.is_none_or(|it| it.eq_ignore_ascii_case("utf-8") || it.eq_ignore_ascii_case("us-ascii"))
}
